"""``benchdb list``: the figure of each cell and session, or every run."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import typer

from benchdb.catalogue import workloads
from benchdb.cli import run_filters as only
from benchdb.cli.application import refuse_others
from benchdb.cli.console import (
    AsJson,
    counted,
    flag,
    label_text,
    narrowing,
    option,
    table,
)
from benchdb.cli.figure_text import NONE, figure, interval
from benchdb.cli.user_database import Db, opened
from benchdb.conditions import VARIANTS
from benchdb.metric_kinds import unit_of
from benchdb.store.database import reading
from benchdb.store.listing import listed
from benchdb.titles import device_title, framework_title

app = typer.Typer(add_completion=False)

_COLUMNS = (
    *("run", "workload", "system", "framework", "precision"),
    *("figure", "95 % interval", "n", "grade", "trust"),
    *("tier", "label", "from", "date"),
)
_FIRST = ("figure", "workload", "run", "system", "grade", "precision", "95 % interval")
_FIGURES = tuple(map(_COLUMNS.index, ("figure", "95 % interval", "n")))
_OF_CAMPAIGNS = ("of_campaigns", "machine", "mine", "since", "limit", "as_json", "db")
_USUAL_COMPILERS = ("eager", "graph", "none", None)


@app.command()
def list_runs(
    context: typer.Context,
    workload: str | None = only.WORKLOAD,
    framework: str | None = only.FRAMEWORK,
    device: str | None = only.DEVICE,
    precision: str | None = only.PRECISION,
    status: str | None = narrowing("ok, failed, oom, interrupted, withdrawn …"),
    source: str | None = only.SOURCE,
    label: str | None = only.LABEL,
    chip: str | None = only.CHIP,
    campaign: str | None = only.CAMPAIGN,
    machine: str | None = only.MACHINE,
    mine: bool | None = only.MINE,
    grade: str | None = only.GRADE,
    trust: str | None = only.TRUST,
    since: str | None = only.SINCE,
    sort: Literal["started", "value", "workload", "system", "grade", "trust"] = option(
        "started, value (the best first), workload, system, grade, trust",
        "BY",
        default="started",
    ),
    runs: bool = flag("Every process on a line of its own.", "--runs"),
    of_campaigns: bool = flag(
        "Campaigns instead: what was measured together.", "--campaigns"
    ),
    limit: int | None = only.LIMIT,
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """List results, newest first.

    A line is one piece of work in one session: the mean of its processes with its
    interval.
    """
    if of_campaigns:
        refuse_others(context, _OF_CAMPAIGNS, "--campaigns", "it is of figures")
        from benchdb.cli.list_campaigns import list_campaigns  # noqa: PLC0415

        list_campaigns({n: context.params[n] for n in _OF_CAMPAIGNS}, db)
        return
    with reading(opened(db)) as connection:
        wanted, there = only.settled(connection, context.params)
        rows = listed(connection, wanted, sort, every=runs) if there else []
    if as_json:
        typer.echo(json.dumps(list(map(_facts, rows)), indent=2, ensure_ascii=False))
        return
    count = counted(len(rows), "run" if runs else "result")
    cells = _table(rows)
    del rows  # a million runs are a gigabyte
    for line in table(_COLUMNS, cells, _FIGURES, _FIRST, "workload"):
        typer.echo(line)
    typer.echo(count, err=True)


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a line as JSON has them; the unit is that of the value.

    *work* are the parameters that make its cell, beside batch and size.
    """
    metric = row["metric"]
    unit = None if metric is None else unit_of(metric, row["workload"])
    return {**row, "unit": unit, "work": _axes(row)}


def _table(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the cells of all *rows*.

    A setting is named where another line would look the same, as are variants and
    statistics: it is long, and most terminals have 80 columns.
    """
    settings, kinds = defaultdict(set), defaultdict(set)
    for row in rows:
        words = work({**row, "setting": "standard"})
        settings[words].add(row["setting"])
        kinds[words].add(_kind(row))
    lines = []
    for row in rows:
        words = work({**row, "setting": "standard"})
        named = work(row) if len(settings[words]) > 1 else words
        kind = _kind(row) if len(kinds[words]) > 1 else ()
        lines.append(_cells(row, ", ".join((named, *kind))))
    return lines


def _kind(row: dict[str, Any]) -> tuple[str, ...]:
    """Return which variant of its work a line is of, and which statistic."""
    every = row.get("parameters") or {}
    return tuple(str(every[name]) for name in VARIANTS if name in every)


def _cells(row: dict[str, Any], words: str) -> tuple[str, ...]:
    value, metric, workload = row["value"], row["metric"], row["workload"]
    ends = row.get("low"), row.get("high")
    known = value is not None and metric is not None
    accelerator = row["accelerator"] or "chip not stated"
    unusual = row["compiler"] not in _USUAL_COMPILERS
    precision = [row["precision"] or NONE, *([row["compiler"]] if unusual else [])]
    return (
        row["digest"][:12],
        words,
        f"{accelerator} · {device_title(row['device'])}",
        framework_title(row["framework"]),
        " ".join(precision),
        figure(value, metric, workload) if known else row["status"],
        interval(value, ends, metric, workload) if known else NONE,
        str(row.get("n") or 1) if known else NONE,
        row["grade"] or NONE,
        row["trust"] or NONE,
        row["tier"] or NONE,
        label_text(row["label"], mine=row["mine"]),
        row["source"] or NONE,
        (row["started"] or NONE)[:10],
    )


def work(row: dict[str, Any]) -> str:
    """Return the workload of a line with what it was asked for beside it."""
    words = [row["workload"]]
    if row["setting"] not in ("standard", row["source"]):
        words.append(row["setting"])
    if (row["batch_size"] or 1) > 1:
        words.append(f"batch {row['batch_size']}")
    if row["size"] is not None:
        words.append(f"size {row['size']}")
    for name, value in _axes(row).items():
        if isinstance(value, str):
            words.append(value)
        elif name.endswith("_tokens"):
            words.append(f"{value} tokens")
        else:
            words.append(f"{name.replace('_', ' ')} {value}")
    return ", ".join(words)


def _axes(row: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that make the cell of a line, beside batch and size.

    Weights that are stored as they are computed with are left out.
    """
    known, every = workloads().get(row["workload"]), row.get("parameters") or {}
    elsewhere = {"batch_size", "size"}
    if every.get("quantization") == row.get("precision"):
        elsewhere.add("quantization")
    names = known.cell if known else ()
    return {
        name: every[name] for name in names if name in every and name not in elsewhere
    }
