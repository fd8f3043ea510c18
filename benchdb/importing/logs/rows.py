"""From the lines of a reader to sheets: rows with equal columns stand in one."""

from collections.abc import Iterable

import msgspec

from benchdb.importing import building
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRow


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
    rows: list[Entry] = []
    bad: list[Entry] = []


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
        (group.bad if entry.fault else group.rows).append(entry)
    return tuple(_sheet(kind, group) for group in groups.values())


def _sheet(kind: Kind, group: _Group) -> Sheet:
    return Sheet(
        kind,
        group.line,
        group.context,
        distinct(group.header),
        tuple(_row(entry) for entry in group.rows),
        bad=tuple(
            building.bad(entry.fault or "", line=entry.line, raw=entry.raw)
            for entry in group.bad
        ),
    )


def _row(entry: Entry) -> SheetRow:
    return SheetRow(
        entry.line,
        tuple(cell(text, entry.line, entry.raw) for _, text in entry.named),
    )


def cell(text: str, line: int, raw: str) -> Cell:
    """Return the cell of *text*; *raw*, its line, is kept where it had escapes."""
    return Cell(text, line, raw if "\x1b" in raw or "\b" in raw else text)


def distinct(header: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns: doubled ones get `` (2)``, blank ones a number."""
    names: dict[str, None] = {}
    times: dict[str, int] = {}
    for number, given in enumerate(header, start=1):
        plain = given or f"column {number}"
        name = plain
        while name in names:
            times[plain] = times.get(plain, 1) + 1
            name = f"{plain} ({times[plain]})"
        names[name] = None
    return tuple(names)
