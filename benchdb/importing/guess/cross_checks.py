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
_SIDES = ("prefill", "decode", "total")


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
        for count in (one for one in table.drafts if _counts(one, rate)):
            for time in (one for one in table.drafts if _times(one, count)):
                yield from _contradiction(table, rate, count, time)


def _side(one: ColumnDraft) -> frozenset[str]:
    return one.looks.terms & frozenset(_SIDES)


def _counts(one: ColumnDraft, rate: ColumnDraft) -> bool:
    """Tell whether *one* counts the tokens of which *rate* is."""
    counted = one.looks.integers and "token" in one.looks.terms and one is not rate
    if "given" in one.looks.terms and "prefill" not in one.looks.terms:
        return False
    return counted and _side(one) - {"total"} == _side(rate) - {"total"}


def _times(one: ColumnDraft, count: ColumnDraft) -> bool:
    """Tell whether *one* is the time in which the tokens of *count* were."""
    if one.bases != {"s"} or one.looks.terms & {"ttft", "tpot", "itl", "latency"}:
        return False
    own = _side(one) - {"total"}
    return own == _side(count) - {"total"} or (not own and "time" in one.looks.terms)


def _contradiction(
    table: TableDraft, rate: ColumnDraft, count: ColumnDraft, time: ColumnDraft
) -> Iterator[Doubt]:
    places = [table.drafts.index(one) for one in (rate, count, time)]
    drafts = (rate, count, time)
    agree, unlike = 0, list[tuple[SheetRow, float]]()
    for row in (row for sheet in table.sheets for row in sheet.rows):
        figures = [
            _figure(row.cells[place].text, one)
            for place, one in zip(places, drafts, strict=True)
        ]
        if all(figures):
            printed, tokens, seconds = map(float, filter(None, figures))
            made = tokens / seconds
            near = abs(printed - made) <= _TOLERANCE * made
            agree, unlike = agree + near, unlike + ([] if near else [(row, made)])
    # Where none of many rows agrees, the columns are of different things.
    if unlike and (agree or len(unlike) <= _FEW):
        row, made = unlike[0]
        text = (
            f"In line {row.line}, {count.header!r} in {time.header!r} make {made:.4g}"
            " a second, which {} contradicts: is it right?"
        )

        def settle(answer: str) -> None:
            if not rate.take(answer):
                table.notes.append(f"{rate.header!r} contradicts {count.header!r}")

        choices = {"keep": "as it is printed", LEAVE_OUT: "leave the column out"}
        yield column_doubt(
            [rate], "contradiction", text, choices, settle=settle, rank=1
        )


def _figure(text: str, one: ColumnDraft) -> float | None:
    unit = one.looks.unit or one.unit
    try:
        amount = parsed(text, decimal=one.looks.decimal, unit=unit)
    except ValueError:
        return None
    return amount.value if isinstance(amount, Quantity) else None
