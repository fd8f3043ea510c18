"""``benchdb compare``: which results are faster, by how much, and is that sure."""

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from benchdb.cli.console import aligned, plain
from benchdb.cli.user_database import Db, opened
from benchdb.compare import rendering
from benchdb.compare.cells import Comparison, compare
from benchdb.compare.sides import sides
from benchdb.conditions import NAMES
from benchdb.errors import UsageError
from benchdb.report.language import load
from benchdb.report.markdown.page import written

app = typer.Typer(add_completion=False)

_LIMIT = re.compile(r"(slower|faster):(\d+(?:\.\d+)?)\s*%")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%?")
_BROKEN, _NOTHING = 1, 2  # exit statuses


class _Limit:
    """What makes a comparison fail: a side *slower* or faster by more than *share*."""

    def __init__(self, text: str) -> None:
        """Read ``slower:3%``; raise ``UsageError`` for anything else."""
        parts = _LIMIT.fullmatch(text.strip())
        if parts is None:
            raise UsageError(f"no limit {text!r}; write it as slower:3% or faster:3%")
        self.word, self.share = parts[1], float(parts[2]) / 100

    def broken(self, comparison: Comparison) -> list[str]:
        """Return the cells whose whole interval lies beyond the limit."""
        found = []
        for row in comparison.cells:
            low, high = row.ratio.low, row.ratio.high
            if not row.counts or low is None or high is None:
                continue
            slower, faster = high < 1 / (1 + self.share), low > 1 + self.share
            if slower if self.word == "slower" else faster:
                size = f" {row.size}" if row.size else ""
                batch = f" batch {row.batch_size}" if row.batch_size else ""
                found.append(f"{row.workload}{size}{batch}")
        return found


@app.command(name="compare")
def compare_(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A [B…]",
            show_default=False,
            help="Run id, campaign, machine, chip, source, file or database; "
            "kind:value where several have that name.",
        ),
    ],
    here: Annotated[
        bool,
        typer.Option("--here", help="Compare with this machine's newest session."),
    ] = False,
    workload: Annotated[
        list[str] | None, typer.Option(help="Only this workload; repeatable.")
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            help="A condition that may differ: version, system, driver, tier, source "
            "…; repeatable."
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Smaller differences are none.",
            show_default="2% on one machine, 5% between two",
        ),
    ] = None,
    fail_if: Annotated[
        str | None,
        typer.Option(
            metavar="slower:3%",
            help="Exit 1 if a whole interval lies beyond, 2 if nothing was comparable.",
        ),
    ] = None,
    format_: Annotated[
        Literal["text", "markdown", "json", "csv"],
        typer.Option("--format", help="text, markdown, json or csv."),
    ] = "text",
    db: Db = None,
) -> None:
    """Compare results: which is faster, by how much, and is that sure.

    The first side is the baseline. A ratio has a 95 % interval where both sides were
    repeated; the words are those of the report. Published single runs have none.
    """
    limit = None if fail_if is None else _Limit(fail_if)
    if len(names) + here < 2:
        raise UsageError("a comparison has two sides; name another, or --here")
    engine = opened(db)
    for name in accept or ():
        if name not in NAMES:
            there = ", ".join(NAMES)
            raise UsageError(f"no condition {name!r} to accept; there are: {there}")
    share = None if threshold is None else _share(threshold)
    base, *others = sides(engine, names, here=here, workloads=workload or ())
    compared = [
        compare(base, other, threshold=share, accepted=accept or ()) for other in others
    ]
    typer.echo(_shown(compared, format_), nl=False)
    for each in compared:
        if each.mean is None:
            said = f"benchdb: {each.base} and {each.other}: {each.reason}"
            typer.echo(plain(said), err=True)
    if limit is not None:
        _judge(compared, limit)


def _share(text: str) -> float:
    parts = _PERCENT.fullmatch(text.strip())
    if parts is None:
        raise UsageError(f"no threshold {text!r}; write it in per cent, as 2%")
    return float(parts[1]) / 100


def _shown(compared: Sequence[Comparison], kind: str) -> str:
    """Return all comparisons in one of the formats, with the last line's end."""
    if kind == "json":
        return json.dumps([*map(rendering.data, compared)], indent=2) + "\n"
    if kind == "csv":
        stream = io.StringIO()
        rows = [
            {"base": each.base, "other": each.other, **row}
            for each in compared
            for row in rendering.flat(each)
        ]
        if rows:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return stream.getvalue()
    language = load("en")
    blocks = []
    for each in compared:
        tables = (rendering.table(each, language), rendering.facts(each))
        shown = [one for one in tables if one.rows]
        said = list(rendering.sentences(each, language))
        if kind == "markdown":
            heading = f"**A: {each.base}; B: {each.other}**"
            blocks += [heading, *said[:1], *map(written, shown), *said[1:]]
            continue
        lines = [f"A: {each.base}", f"B: {each.other}", *map(plain, said[:1])]
        for one in shown:
            lines += ["", *aligned([one.head, *one.rows], one.figures)]
        blocks.append("\n".join([*lines, "", *map(plain, said[1:])]).rstrip())
    return "\n\n".join(blocks) + "\n"


def _judge(compared: Sequence[Comparison], limit: _Limit) -> None:
    """End with the status that *limit* asks for, after a line that says why."""
    counted = [row for each in compared for row in each.cells if row.counts]
    if not any(row.ratio.low is not None for row in counted):
        why = "no cell was comparable"
        if counted:
            why = (
                "no cell has an interval: repeat the runs, a single one proves nothing"
            )
        typer.echo(f"benchdb: {why}", err=True)
        raise typer.Exit(_NOTHING)
    broken = [
        f"{name} on {each.other}" for each in compared for name in limit.broken(each)
    ]
    if broken:
        more = f"{limit.word} by more than {100 * limit.share:g} %"
        typer.echo(plain(f"benchdb: {more}: {'; '.join(broken)}"), err=True)
        raise typer.Exit(_BROKEN)
