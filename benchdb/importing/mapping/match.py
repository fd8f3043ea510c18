"""Which tables of a map explain which tables of a document."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.mapping.time_limit import TimeUpError
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS, sheets

SEARCHED = 1000  # characters of a text in which a map's expressions are searched
_TOLD = 12  # tables that an error lists


class Explained(msgspec.Struct, frozen=True):
    """A sheet with what a map says of it: *columns* as many as its header has."""

    table: Table
    sheet: Sheet
    columns: tuple[Column | None, ...]


def searched(pattern: str, text: str) -> re.Match[str] | None:
    """Return where *pattern* is found in the beginning of *text*."""
    try:
        return re.search(pattern, text[:SEARCHED])
    except TimeUpError:
        raise TimeUpError(f", last in the expression {pattern!r}") from None


def plain_name(name: str) -> str:
    """Return the name of a column without markup and case."""
    return " ".join(name.split()).strip("*_` ").casefold()


def explained(document: Document, map_: Map) -> Iterator[Explained]:
    """Yield the sheets that *map_* explains, each with the first table that means it.

    Raise ``DocumentError`` with what was found if there is none although the map has
    tables.
    """
    chosen = list(_chosen(document, map_))
    if map_.table and not chosen:
        raise DocumentError(_nothing_meant(document, map_))
    yield from chosen


def unexplained(document: Document, map_: Map) -> tuple[Sheet, ...]:
    """Return the tables of *document* of which *map_* says nothing."""
    known = {one.sheet.line for one in _chosen(document, map_)}
    return tuple(one for one in sheets(document) if one.line not in known)


def _chosen(document: Document, map_: Map) -> Iterator[Explained]:
    readers = dict.fromkeys(table.read for table in map_.table)
    for reader in readers:
        tables = [table for table in map_.table if table.read == reader]
        yield from _explained_by(tables, _sheets_of(document, reader))


def _sheets_of(document: Document, reader: Reader | None) -> tuple[Sheet, ...]:
    return sheets(document) if reader is None else READERS[reader](document)


def _explained_by(
    tables: Sequence[Table], found: Iterable[Sheet]
) -> Iterator[Explained]:
    for sheet in found:
        names = [plain_name(name) for name in sheet.header]
        for table in tables:
            if _means(table, sheet, names):
                columns = {plain_name(name): one for name, one in table.columns.items()}
                yield Explained(table, sheet, tuple(columns.get(one) for one in names))
                break


def _means(table: Table, sheet: Sheet, names: Sequence[str]) -> bool:
    if table.lines and not table.lines[0] <= sheet.line <= table.lines[1]:
        return False
    if not {plain_name(one) for one in (*table.header, *table.columns)} <= set(names):
        return False
    under = table.under
    return under is None or any(searched(under, one) for one in sheet.context)


def _nothing_meant(document: Document, map_: Map) -> str:
    readers = dict.fromkeys(table.read for table in map_.table)
    found = [one for reader in readers for one in _sheets_of(document, reader)]
    if not found:
        return "no table in it, so the map explains nothing"
    listed = "; ".join(
        f"line {one.line}: {', '.join(one.header)[:SEARCHED]}" for one in found[:_TOLD]
    )
    more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    return f"no table is one that the map means; found were {listed}{more}"
