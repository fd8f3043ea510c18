"""What a document says beside its tables' figures: in sentences, by other figures."""

import re
from collections.abc import Iterator, Sequence

from benchdb.importing.document import Document
from benchdb.importing.guess.figures import TOKENS, ColumnDraft, column_doubt
from benchdb.importing.guess.questions import LEAVE_OUT, Doubt
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.sheet import Sheet, SheetRow

_LINES = 5000
_LISTED = 20  # sentences
_RATE = re.compile(
    r"(?i)(?<![\w.])~?\d[\d.,]*\s?(?:tok(?:en)?s?|t|im(?:age|g)s?|samples?|it)"
    r"(?:/s(?:ec(?:ond)?)?| per second)(?![a-z])"
)
_TOLERANCE = 0.05
_FEW = 3  # rows of which none may agree


def sentence_results(document: Document, sheets: Sequence[Sheet]) -> Iterator[str]:
    """Yield what lines say of rates that are in no table and no list."""
    read = {cell.line for one in sheets for row in one.rows for cell in row.cells}
    read |= {
        line for one in sheets for line in (one.line, *(b.number for b in one.bad))
    }
    lines = [
        (number, found[0])
        for number, line in enumerate(document.lines[:_LINES], 1)
        if number not in read
        and not line.lstrip().startswith(("#", "|"))
        and (found := _RATE.search(line))
    ]
    for number, text in lines[:_LISTED]:
        yield f"line {number}: {text!r}: in a sentence, in no table and no list"
    if len(lines) > _LISTED:
        yield f"{len(lines) - _LISTED} more lines with results in sentences"


def contradiction_doubts(table: TableDraft) -> Iterator[Doubt]:
    """Yield the doubts about rates that are not what tokens and seconds beside make."""
    for rate in (one for one in table.drafts if one.metric in TOKENS):
        counted = [
            one for one in table.drafts if _counts_tokens(one) and one is not rate
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


def _counts_tokens(one: ColumnDraft) -> bool:
    return one.looks.integers and "token" in one.looks.terms


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
    for row in (row for sheet in table.sheets for row in sheet.rows):
        cells = dict(zip(table.drafts, row.cells, strict=True))
        figures = [_figure(cells[one].text, one) for one in (rate, time, *counts)]
        known = [one for one in figures if one]
        if len(known) == len(figures):
            printed, seconds, *tokens = known
            made = sum(tokens) / seconds
            near = abs(printed - made) <= _TOLERANCE * made
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
