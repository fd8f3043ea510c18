"""Which tables of a map explain which tables of a document, in a limited time."""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS, sheets

SEARCHED = 1000  # characters of a text in which a map's expressions are searched
_LISTED = 12  # tables that an error lists


class MatchedTable(msgspec.Struct, frozen=True):
    """A sheet with what a map says of it: *columns* as many as its header has."""

    table: Table
    sheet: Sheet
    columns: tuple[Column | None, ...]


class TimeUpError(Exception):
    """The time is up; nothing but ``time_limit`` catches it without raising it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``DocumentError`` once the block has taken *seconds* of processor time.

    A stranger's regular expression may never end; Python looks for signals while it
    searches. Only the main thread gets them: there is no limit in another.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise TimeUpError

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    except TimeUpError as error:
        raise DocumentError(
            f"takes more than {seconds:.0f} s of processor time with this map{error}; "
            "simplify its expressions: repeats inside repeats, as in (a+)+, may never "
            "end"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def search(pattern: str, text: str) -> re.Match[str] | None:
    """Return where *pattern* is found in the beginning of *text*."""
    try:
        return re.search(pattern, text[:SEARCHED])
    except TimeUpError:
        raise TimeUpError(f", last in the expression {pattern!r}") from None


def plain_name(name: str) -> str:
    """Return the name of a column without markup and case."""
    return " ".join(name.split()).strip("*_` ").casefold()


def match_tables(document: Document, map_: Map) -> list[MatchedTable]:
    """Return the sheets that *map_* explains, each with the first table that means it.

    Raise ``DocumentError`` with what was found if there is none although the map has
    tables.
    """
    readers = dict.fromkeys(table.read for table in map_.table)
    pairs = [(name, one) for name in readers for one in _sheets_of(document, name)]
    matched = [_match(sheet, name, map_) for name, sheet in pairs]
    chosen = [one for one in matched if one is not None]
    if map_.table and not chosen:
        raise DocumentError(_no_match([sheet for _, sheet in pairs]))
    return chosen


def _sheets_of(document: Document, reader: Reader | None) -> tuple[Sheet, ...]:
    return sheets(document) if reader is None else READERS[reader](document)


def _match(sheet: Sheet, reader: Reader | None, map_: Map) -> MatchedTable | None:
    names = [plain_name(name) for name in sheet.header]
    for table in map_.table:
        if table.read == reader and _matches(table, sheet, set(names)):
            columns = {plain_name(name): one for name, one in table.columns.items()}
            return MatchedTable(table, sheet, tuple(map(columns.get, names)))
    return None


def _matches(table: Table, sheet: Sheet, names: set[str]) -> bool:
    if table.lines and not table.lines[0] <= sheet.line <= table.lines[1]:
        return False
    if not {plain_name(one) for one in (*table.header, *table.columns)} <= names:
        return False
    under = table.under
    return under is None or any(search(under, one) for one in sheet.context)


def _no_match(sheets: list[Sheet]) -> str:
    if not sheets:
        return "no table in it, so the map explains nothing"
    headers = "; ".join(
        f"line {one.line}: {', '.join(one.header)[:SEARCHED]}"
        for one in sheets[:_LISTED]
    )
    more = f"; and {len(sheets) - _LISTED} more" if len(sheets) > _LISTED else ""
    return f"no table is one that the map means; found were {headers}{more}"
