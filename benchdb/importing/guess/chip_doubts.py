"""Which chip a short name means: "M2" in a document that says elsewhere "M2 Max"."""

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.column_draft import ColumnDraft
from benchdb.importing.guess.hardware_doubts import NO_WORD, NOT_STATED
from benchdb.importing.guess.headings import origin
from benchdb.importing.guess.questions import Doubt
from benchdb.importing.guess.stated_facts import stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.language import Meaning
from benchdb.importing.mapping.recognition import NAME_LIMIT, recognised
from benchdb.importing.sheet import Sheet

_ROWS = 1000  # of a table whose cells are looked at
_FIELDS = ("machine", "chip", "accelerator")


def chip_of(text: str) -> str | None:
    """Return the chip that a heading or a cell names."""
    chip = naming.chip(text) if len(text) <= NAME_LIMIT else None
    return chip.name if chip else None


def short_chips(
    sheets: Sequence[Sheet], document: Document
) -> Mapping[str, Sequence[str]]:
    """Return chips with the longer names that only lines beside the tables say."""
    named = set[str | None]()
    for sheet in sheets:
        if (place := origin(sheet.context, "machine")) is not None:
            named.add(chip_of(sheet.context[place]))
        named.update(map(chip_of, sheet.header))
        rows = islice(sheet.rows, _ROWS)
        named.update(
            {chip_of(it) for row in rows for it in {o.text for o in row.cells}}
        )
    longer = {
        short: [it for it in stated_facts(document).chips if it.startswith(f"{short} ")]
        for short in filter(None, named)
    }
    return {
        short: some for short, some in longer.items() if some and not named & {*some}
    }


def chip_doubts(table: TableDraft, short: Mapping[str, Sequence[str]]) -> list[Doubt]:
    """Return the doubts which chips the cells of machines mean by *short* names."""
    return [
        _doubt(table, one, text, [chip, *short[chip]])
        for one in table.drafts
        if one.column and {one.column.field, *one.column.names} & {*_FIELDS}
        for text in one.looks.texts
        if (chip := chip_of(text)) and chip in short
    ]


def _doubt(
    table: TableDraft, one: ColumnDraft, text: str, chips: Sequence[str]
) -> Doubt:
    def settle(answer: str) -> None:
        if one.column is None:
            return
        meaning = Meaning(missing=dict.fromkeys(_FIELDS[1:], NO_WORD))
        if answer != NOT_STATED:
            meaning = Meaning(set=recognised(answer, ["machine"]).set)
        one.column = replace(one.column, cells={**one.column.cells, text: meaning})

    return Doubt(
        topic="machine",
        text="Which machine is {}?",
        name=text[:30],
        subject=f"{text[:40]!r} of {one.header[:40]!r}",
        line=table.line,
        choices={**{it: f"the {it}" for it in chips}, NOT_STATED: NO_WORD},
        settle=settle,
        columns=table.figures,
        guess="",
    )
