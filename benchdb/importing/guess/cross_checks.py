"""What a document says beside its tables' figures: in sentences, by other figures."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from benchdb.importing.document import Document
from benchdb.importing.guess.column_draft import ColumnDraft, column_doubt
from benchdb.importing.guess.column_profile import fold, statistic
from benchdb.importing.guess.figure_columns import TOKENS, TTFT
from benchdb.importing.guess.questions import LEAVE_OUT, Doubt
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.logs.sentences import figures
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.sheet import Sheet, SheetRow

_LINES = 5000
_LISTED = 20  # sentences
_ALIGNED = re.compile(r"(?<=\s\s)\d+\.\d+(?!\S)")  # in a column, perhaps
_SUMMARY = re.compile(r"(?i)average|summary|aggregate|overall|stat")
_TRIAL = re.compile(
    r"(?:run|trial|rep(?:eat|etition)?|iter(?:ation)?|attempt|index)s?(?: id| nr)?"
)
_LIMIT = re.compile(r"\b(?:max(?:imum)?|limit|budget)\b")  # of tokens, not a count
_TOLERANCE = 0.05
_FEW = 3  # rows of which none may agree


def sentence_results(document: Document, sheets: Sequence[Sheet]) -> Iterator[str]:
    """Yield what lines say of rates and times that are in no table and no list."""
    read = {cell.line for one in sheets for row in one.rows for cell in row.cells}
    read |= {
        line for one in sheets for line in (one.line, *(b.number for b in one.bad))
    }
    lines = [
        (number, found[0])
        for number, line in enumerate(document.lines[:_LINES], 1)
        if number not in read
        and not line.lstrip().startswith(("#", "|"))
        and (found := figures(line) or _ALIGNED.findall(line))
    ]
    for number, text in lines[:_LISTED]:
        yield f"line {number}: {text!r}: in no table and no list that can be read"
    if len(lines) > _LISTED:
        yield f"{len(lines) - _LISTED} more lines with results in sentences"


def leave_summaries(tables: Sequence[TableDraft]) -> None:
    """Leave out, in JSON, what sums up the rows of an object, beside these rows.

    Rows that nothing but a number of a trial tells apart are the samples of one run.
    """
    for below in tables:
        inherited = below.sheets[0].inherited
        own = [
            one
            for one in below.drafts
            if one.holds_figures and one.header not in inherited
        ]
        trials = [one for one in below.drafts if _TRIAL.fullmatch(fold(one.header))]
        repeated = bool(own) and below.repeated(trials) is not None
        for above in (one for one in tables if own and _holds(one, below)):
            for one in (it for it in above.drafts if it.holds_figures):
                if (rows := _summed_up(one, own, repeated=repeated)) is None:
                    continue
                why = f"sums up {rows.header!r}, of which each row is read"
                one.leave(f"{one.header!r}: {why}")
                for it in own if repeated else ():
                    it.sampled = True
                for it in trials if repeated else ():
                    it.leave(f"{it.header!r}: the number of a sample")


def _summed_up(
    one: ColumnDraft, rows: Sequence[ColumnDraft], *, repeated: bool
) -> ColumnDraft | None:
    """Return the column of *rows* of which *one* is a mean or the like."""
    holder, _, name = one.header.rpartition(".")
    summary, rest = statistic(name)
    named = bool(summary or statistic(holder)[0] or _SUMMARY.search(holder))
    same = (it for it in rows if statistic(it.header)[1] == rest)
    alike = (it for it in rows if named and it.metric and it.metric == one.metric)
    return next(chain(same, alike), None) if named or repeated else None


def _holds(above: TableDraft, below: TableDraft) -> bool:
    """Tell whether the rows of *below* are in the objects that are rows *above*."""
    ways = ["".join(one.sheets[0].context) for one in (above, below)]
    alike = above.sheets[0].kind == below.sheets[0].kind
    nested = bool(below.sheets[0].inherited) and ways[1].startswith(ways[0])
    return alike and nested and ways[0] != ways[1]


def contradiction_doubts(table: TableDraft) -> Iterator[Doubt]:
    """Yield the doubts about rates that are not what tokens and seconds beside make."""
    if table.sheets[0].kind == "timings":
        return  # times of other parts stand beside
    for rate in (one for one in table.drafts if one.metric in TOKENS):
        counted = [
            one
            for one in table.drafts
            if one.looks.integers and "token" in one.looks.terms and one is not rate
            if _LIMIT.search(fold(one.header)) is None
        ]
        same = [[one] for one in counted if _side(one) == _side(rate)]
        if (
            not _side(rate)
            and len(counted) == len({*map(_side, counted)} - {None}) == 2
        ):
            same = [counted]  # all tokens, of prompt and answer
        for counts in same:
            for time in (one for one in table.drafts if _times(one, rate)):
                yield from _contradiction(table, rate, counts, time)


def _side(one: ColumnDraft) -> str | None:
    terms = one.looks.terms
    side = "prefill" if terms & {"prefill", "given"} else None
    return "decode" if "decode" in terms else side


def _times(one: ColumnDraft, rate: ColumnDraft) -> bool:
    """Tell whether *one* may be the time in which the tokens of *rate* were."""
    terms = one.looks.terms
    if one.bases != {"s"} or terms & {"ttft", "tpot", "itl", "latency"}:
        return False
    return _side(one) == _side(rate) or (_side(one) is None and "time" in terms)


def _contradiction(
    table: TableDraft,
    rate: ColumnDraft,
    counts: Sequence[ColumnDraft],
    time: ColumnDraft,
) -> Iterator[Doubt]:
    agree, unlike = 0, list[tuple[SheetRow, float]]()
    first = next((one for one in table.drafts if one.metric == TTFT), None)
    for row in (row for sheet in table.sheets for row in sheet.rows):
        cells = dict(zip(table.drafts, row.cells, strict=True))
        figures = [_figure(cells[one].text, one) for one in (rate, time, *counts)]
        known = [one for one in figures if one]
        if len(known) == len(figures):
            printed, seconds, *tokens = known
            made = sum(tokens) / seconds
            # An answer may be timed from its first token on.
            wait = _figure(cells[first].text, first) if first else None
            spans = [seconds, seconds - wait] if wait and wait < seconds else [seconds]
            near = any(
                abs(printed * span - sum(tokens)) <= _TOLERANCE * sum(tokens)
                for span in spans
            )
            agree, unlike = agree + near, unlike + ([] if near else [(row, made)])
    # Where none of many rows agrees, the columns are of different things.
    if unlike and (agree or len(unlike) <= _FEW):
        row, made = unlike[0]
        listed = " and ".join(repr(one.header) for one in counts)
        text = (
            f"In line {row.line}, {listed} in {time.header!r} make {made:.4g}"
            " a second, which {} contradicts: is it right?"
        )

        def settle(answer: str) -> None:
            if not rate.take(answer):
                table.notes.append(f"{rate.header!r} contradicts {listed}")

        choices = {"keep": "as it is printed", LEAVE_OUT: "leave the column out"}
        yield column_doubt([rate], "contradiction", text, choices, settle=settle)


def _figure(text: str, one: ColumnDraft) -> float | None:
    unit = one.looks.unit or one.unit
    try:
        amount = parsed(text, decimal=one.looks.decimal, unit=unit)
    except ValueError:
        return None
    return amount.value if isinstance(amount, Quantity) else None
