"""The tables of a document in the order of their numbers, before any question."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import ColumnProfile, profiles
from benchdb.importing.guess.headings import origin
from benchdb.importing.guess.row_labels import KEYED
from benchdb.importing.guess.stated_facts import stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.guess.unread import UnreadLine, unread_lines
from benchdb.importing.guess.wide_sheets import narrowed
from benchdb.importing.mapping import fields
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import HABITS
from benchdb.importing.tables.divided import divided, with_rows_of_statistics

_SHEETS = 100  # with one header that stand alone
_NAME = 300  # characters
_SURROGATE = re.compile("[\ud800-\udfff]")
_ROWS = 100  # of a table in which a decimal mark is looked for
_TESTED = 5000  # cells of a table that are looked at for what TOML cannot hold


def planned(document: Document, sheets: Iterable[Sheet]) -> "Plan":
    """Return what *sheets* of *document* are as tables."""
    left_out: list[str] = []
    sheets = [divided(with_rows_of_statistics(sheet)) for sheet in sheets]
    tables = list(_planned(document, sheets, left_out))
    return Plan(document, tables, left_out, sheets, unread_lines(document, sheets))


class Planned(msgspec.Struct, frozen=True):
    """Sheets that make one table, and how their columns look."""

    sheets: Sequence[Sheet]
    looks: Sequence[ColumnProfile]
    decimal: Mark | None
    alone: bool = True

    def draft(self) -> TableDraft:
        """Return the table as it is before anything is known."""
        return TableDraft(
            self.sheets, self.looks, alone=self.alone, decimal=self.decimal
        )


class Plan(msgspec.Struct, frozen=True):
    """The tables of a document, and what was said of it before any question."""

    document: Document
    tables: Sequence[Planned]
    left_out: Sequence[str]
    sheets: Sequence[Sheet]
    outside: Sequence[UnreadLine]  # of all sheets

    def unread(self, tables: Iterable[TableDraft]) -> Sequence[UnreadLine]:
        """Return the lines with figures that are in no sheet, or in an idle one.

        What running text seems to hold may be nothing, and so may a drawn box around
        lines of text: where *tables* take no figures of these, they read nothing.
        """
        sheets = [it.sheets for it in tables if not it.may_have_figures()]
        idle = [it for it in sheets if it[0].kind in HABITS or len(it[0].header) == 1]
        if not idle:
            return self.outside
        left = {id(sheet) for sheets in idle for sheet in sheets}
        read = [sheet for sheet in self.sheets if id(sheet) not in left]
        return unread_lines(self.document, read)


def _planned(
    document: Document, sheets: Sequence[Sheet], left_out: list[str]
) -> Iterator[Planned]:
    """Yield the tables, those with the same header together; or say what is left out.

    Where headings make the same header another figure (``Time``, ``Power``) or name the
    machine of some alone, or lines below them say other things of their figures, and
    where the same columns come in another order or beside more elsewhere, each sheet
    stands alone: what means its columns would mean those too.
    """
    rows = (row for sheet in sheets for row in sheet.rows[:_ROWS])
    cells = (cell.text for row in rows for cell in row.cells)
    digits = (text for text in islice(cells, _TESTED) if text[:1].isdigit())
    decimal = convention(digits)  # of the tables together
    by_header: dict[tuple[str | None, ...], list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        if (why := _unreadable(sheet)) is not None:
            left_out.append(f"the table at line {sheet.line}: {why}")
        elif sheet.rows:
            result, named = narrowed(sheet)
            left_out += named
            names = map(fields.plain_name, result.header)
            by_header[result.kind, result.template, *names].append(result)
        elif sheet.bad:
            why = f"no row of it can be read: {sheet.bad[0].reason}"
            left_out.append(f"the table at line {sheet.line}: {why}")
    having: dict[str | None, set[int]] = defaultdict(set)  # which headers have a name
    for n, key in enumerate(by_header):
        for name in key[2:]:
            having[name].add(n)
    for key, group in by_header.items():
        # Pairs of a name and a figure under the same headings are one list.
        keyed = group[0].kind in KEYED
        blocks = groupby(group, attrgetter("context" if keyed else "line"))
        parts = [list(block) for _, block in blocks]
        single = [
            Planned(part, profiles(part, decimal), decimal) for part in parts[:_SHEETS]
        ]
        unlike = {
            (
                item.draft().around,
                origin(item.sheets[0].context, "machine") is None,
                repr(stated_facts(document, item.sheets[0].line)),
            )
            for item in single
        }
        fitting = set.intersection(*(having[name] for name in key[2:]))
        if len(fitting) > 1 or len(unlike) > 1:
            yield from single
            if beyond := [*chain.from_iterable(parts[_SHEETS:])]:
                where = f"the table at line {beyond[0].line} and those like it below"
                more = f"{len(beyond)}; the first {_SHEETS} are looked at"
                left_out.append(f"{where} ({more})")
        else:
            yield Planned(group, profiles(group, decimal), decimal, alone=False)


def _unreadable(sheet: Sheet) -> str | None:
    """Return why a sheet cannot be explained at all."""
    if not sheet.header:
        return sheet.bad[0].reason if sheet.bad else "it has no columns"
    if any(len(name) > _NAME for name in sheet.header):
        return f"it has names of columns of more than {_NAME} characters"
    cells = (cell.text for row in sheet.rows[:_TESTED] for cell in row.cells)
    if any(map(_SURROGATE.search, chain(sheet.header, sheet.context, cells))):
        return "it has halves of characters"
    return None
