"""``benchdb compare``: which results are faster, by how much, and is that sure."""

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Literal

import msgspec
import typer
from msgspec.structs import replace

from benchdb.cli.console import argument, flag, option, plain, table, tell, wrapped
from benchdb.cli.user_database import Db, opened
from benchdb.compare import rendering
from benchdb.compare.cell_rows import CellRow, Comparison, compare
from benchdb.compare.sides import sides
from benchdb.errors import UsageError
from benchdb.report.language import load

app = typer.Typer(add_completion=False)

_LIMIT = re.compile(r"(slower|faster):(\d+(?:\.\d+)?)\s*%")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%?")
_BROKEN, _NOTHING = 1, 2  # exit statuses


class _Limit(msgspec.Struct, frozen=True):
    """What makes a comparison fail: a side *slower* or faster by more than *share*."""

    word: str
    share: float


@app.command(name="compare")
def compare_(
    names: list[str] = argument(
        "A run, campaign, machine, chip, source, file or database; "
        "chip:M1 where several have that name.",
        "A [B…]",
        show_default=False,
    ),
    here: bool = flag("Compare with what this machine measured last.", "--here"),
    workload: list[str] | None = option("Only this workload; repeatable.", "NAME"),
    accept: list[str] | None = option(
        "What may differ: version, system, driver, tier …; repeatable.", "WHAT"
    ),
    threshold: str | None = option(
        "A smaller difference is none (default: 2% on one machine, 5% between two).",
        "PERCENT",
        show_default=False,
    ),
    fail_if: str | None = option(
        "Exit 1 if it surely is, 2 if nothing was comparable.", "slower:3%"
    ),
    format_: Literal["text", "markdown", "json", "csv"] = option(
        "text, markdown, json, csv", "NAME", "--format", default="text"
    ),
    db: Db = None,
) -> None:
    """Compare results: which is faster, by how much, and is that sure.

    A is the baseline. A ratio has a 95 % interval where both sides were repeated.
    """
    limit = None if fail_if is None else _limit(fail_if)
    if len(names) + here < 2:
        raise UsageError("a comparison has two sides; name another, or --here")
    share = None if threshold is None else _share(threshold)
    engine = opened(db)
    base, *others = sides(engine, names, here=here, workloads=workload or ())
    compared = [
        compare(base, other, threshold=share, accepted=accept or ()) for other in others
    ]
    typer.echo(_shown(compared, format_), nl=False)
    if format_ in ("json", "csv"):  # the others say it themselves
        for each in compared:
            if each.reason is not None:
                tell(f"benchdb: {each.base} and {each.other}: {each.reason}")
    if limit is not None:
        _judge(compared, limit)


def _limit(text: str) -> _Limit:
    parts = _LIMIT.fullmatch(text.strip())
    if parts is None:
        raise UsageError(f"no limit {text!r}; write it as slower:3% or faster:3%")
    return _Limit(parts[1], float(parts[2]) / 100)


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
        names = ("base", "other", *rendering.COLUMNS)
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        for each in compared:
            sides = {"base": each.base, "other": each.other}
            writer.writerows(sides | row for row in rendering.flat(each))
        return stream.getvalue()
    if kind == "markdown":
        return _in_markdown(compared)
    language, blocks = load("en"), list[str]()
    for each in compared:
        tables = (rendering.table(each, language), rendering.facts(each))
        shown = [item for item in tables if item.rows]
        sentences = list(rendering.sentences(each, language))
        head = f"A: {each.base}", f"B: {each.other}", *sentences[:1]
        lines = [item for text in head for item in wrapped(plain(text), 3)]
        for item in shown:
            lines += ["", *table(item.head, item.rows, item.figures)]
        rest = [entry for text in sentences[1:] for entry in wrapped(plain(text), 2)]
        blocks.append("\n".join([*lines, "", *rest]).rstrip())
    return "\n\n".join(blocks) + "\n"


def _in_markdown(compared: Sequence[Comparison]) -> str:
    # A template engine: text does without it.
    from benchdb.report.markdown import escape, written  # noqa: PLC0415  heavy

    language, blocks = load("en"), list[str]()
    for each in compared:
        sentences = (
            escape(plain(sentence)) for sentence in rendering.sentences(each, language)
        )
        base, other = (escape(plain(name)) for name in (each.base, each.other))
        blocks += [f"**A: {base}; B: {other}**", next(sentences)]
        for item in (rendering.table(each, language), rendering.facts(each)):
            rows = [[plain(cell) for cell in row] for row in item.rows]
            blocks += [written(replace(item, rows=rows))] if rows else []
        blocks += sentences
    return "\n\n".join(blocks) + "\n"


def _judge(compared: Sequence[Comparison], limit: _Limit) -> None:
    """End with the status that *limit* asks for, after a line that says why."""
    broken = [
        f"{rendering.cell_text(row)} on {each.other}"
        for each in compared
        for row in each.cells
        if _breaks(row, limit)
    ]
    if broken:
        more = f"{limit.word} by more than {100 * limit.share:g} %"
        tell(f"benchdb: {more}: {'; '.join(broken)}")
        raise typer.Exit(_BROKEN)
    for each in compared:
        counted = [row for row in each.cells if row.counts]
        if any(row.ratio.low is not None for row in counted):
            continue
        why = each.reason or "no cell has an interval; repeat the runs (n = 1)"
        tell(f"benchdb: {each.base} and {each.other} cannot be judged: {why}")
        raise typer.Exit(_NOTHING)


def _breaks(row: CellRow, limit: _Limit) -> bool:
    """Tell whether the whole interval of a cell lies beyond the *limit*."""
    low, high = row.ratio.low, row.ratio.high
    # Of an unclear one the interval leaves out what nobody knows of such work.
    if not row.counts or row.ratio.verdict == "unclear" or low is None or high is None:
        return False
    most = 1 + limit.share
    return high < 1 / most if limit.word == "slower" else low > most
