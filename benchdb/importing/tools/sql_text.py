"""``INSERT`` statements that begin a line, read as text: nothing is ever executed."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building

_INSERT = re.compile(
    r"^INSERT INTO [`\"]?(?P<table>\w{1,99})[`\"]?"
    r"(?:\s*+\((?P<columns>[^()]*)\)\s*+VALUES\b)?",
    re.MULTILINE,
)
_OPENING = re.compile(r"\s*+,?\s*+\(")
_END = re.compile(r"\s*+(?:;|\Z)")
# Nothing is given back: what does not close is read once.
_VALUE = (
    r"\s*+(?:'(?P<text>{text})'|(?P<number>[-+]?\d[\w.+-]*+)|NULL)\s*+(?P<sign>[,)])"
)
_STANDARD = re.compile(_VALUE.format(text=r"[^']*+(?>(?:''[^']*+)*)"))
# MySQL: a backslash escapes what follows it.
_MYSQL = re.compile(
    _VALUE.format(text=r"[^'\\]*+(?>(?:(?:\\.|'')[^'\\]*+)*)"), re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANT = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_T = TypeVar("_T")


class Inserted(msgspec.Struct, frozen=True):
    """One row of an ``INSERT``: numbers and texts as printed, NULL as ``None``."""

    table: str
    columns: tuple[str, ...]
    values: tuple[str | None, ...]
    line: int


def facts_of(names: Sequence[str], cells: Sequence[_T]) -> dict[str, _T]:
    """Return the *cells* of a row by their columns, or refuse it."""
    if len(cells) != len(names):
        raise RefusedError(f"{len(cells)} values under {len(names)} columns")
    if len(facts := dict(zip(names, cells, strict=True))) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise RefusedError(f"column {name!r} appears twice")
    return facts


def inserted(text: str, *, mysql: bool = False) -> Iterator[Inserted | BadLine]:
    """Yield every row that *text* inserts, and each ``INSERT`` that cannot be read.

    Other statements are passed over. A text of *mysql* has escapes.
    """
    end, line = 0, 1
    while statement := _INSERT.search(text, end):
        start = statement.start()
        line, end = line + text.count("\n", end, start), start
        try:
            for at, after, values in _rows(text, statement, mysql=mysql):
                line, end = line + text.count("\n", end, at), at
                columns = statement["columns"].split(",")
                names = tuple(name.strip(' \n\t`"') for name in columns)
                yield Inserted(statement["table"], names, values, line)
                line, end = line + text.count("\n", end, after), after
        except RefusedError as why:
            shown = text[start : text.find("\n", start) + 1 or None]
            yield building.bad(str(why), line=line, raw=shown.rstrip())
        if end < statement.end():
            line, end = line + text.count("\n", end, statement.end()), statement.end()


def _rows(
    text: str, statement: re.Match[str], *, mysql: bool
) -> Iterator[tuple[int, int, tuple[str | None, ...]]]:
    """Yield where each row begins and ends, and its values."""
    if statement["columns"] is None:
        raise RefusedError(
            "only rows written out under the names of their columns are read: "
            "INSERT INTO table (columns) VALUES (…); export it so (mysqldump: "
            "--complete-insert)"
        )
    at, pattern = statement.end(), _MYSQL if mysql else _STANDARD
    while opening := _OPENING.match(text, at):
        values: list[str | None] = []
        at, sign = opening.end(), ","
        while sign == ",":
            if (value := pattern.match(text, at)) is None:
                why = f"value {len(values) + 1} of the row is not written out"
                raise RefusedError(f"{why}, or the statement breaks off")
            plain = value["text"] and value["text"].replace("''", "'")
            if plain and mysql:
                plain = _ESCAPE.sub(lambda it: _MEANT.get(it[1], it[1]), plain)
            values.append(value["number"] if plain is None else plain)
            at, sign = value.end(), value["sign"]
        yield opening.end() - 1, at, tuple(values)
    if not _END.match(text, at):
        raise RefusedError("something else than a row stands behind a row")
