"""From the lines of a reader to sheets: rows with equal columns stand in one."""

from collections.abc import Iterable

import msgspec

from benchdb.importing.sheet import Cell, Kind, Sheet
from benchdb.importing.tables.table import Place, RawRow, fitted


class Entry(msgspec.Struct, frozen=True):
    """A row to be: *named* are its cells by column, in their order.

    Entries with equal *part* and *context* may stand in one sheet. One with a *fault*
    cannot be taken; it says why.
    """

    line: int
    raw: str
    context: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    part: int = 0
    fault: str | None = None


class _Group(msgspec.Struct):
    line: int
    context: tuple[str, ...]
    header: tuple[str, ...]
    entries: list[Entry] = []


def as_sheets(kind: Kind, entries: Iterable[Entry]) -> tuple[Sheet, ...]:
    """Return the sheets of *entries*: one for each context, part and set of columns.

    They come in the order of their first rows.
    """
    groups: dict[object, _Group] = {}
    latest: dict[object, _Group] = {}
    for entry in entries:
        place = (entry.context, entry.part)
        header = tuple(name for name, _ in entry.named)
        if entry.fault and place in latest:
            group = latest[place]
        else:
            key = (place, header)
            new = _Group(entry.line, entry.context, header)
            group = latest[place] = groups.setdefault(key, new)
        group.entries.append(entry)
    return tuple(_sheet(kind, group) for group in groups.values())


def _sheet(kind: Kind, group: _Group) -> Sheet:
    rows = [
        RawRow(
            entry.line,
            tuple(cell(text, entry.line, entry.raw) for _, text in entry.named),
            entry.raw,
            entry.fault,
        )
        for entry in group.entries
    ]
    return fitted(Place(kind, group.line, group.context), group.header, rows)


def cell(text: str, line: int, raw: str) -> Cell:
    """Return the cell of *text*; *raw*, its line, is kept where it had escapes."""
    return Cell(text, line, raw if "\x1b" in raw or "\b" in raw else text)
