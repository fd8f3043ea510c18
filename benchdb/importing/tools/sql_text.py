"""``INSERT`` statements read as text: nothing is ever executed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building

# The alternatives exclude each other at their first character, and what may not close
# is short: nothing backtracks far.
_STANDARD = r"'[^']*(?:''[^']*)*'"
# MySQL: what a backslash precedes does not close. Nothing is given back, and a text
# without an end goes on to the end of the document, so that all is read once.
_ESCAPED = r"'[^'\\]*+(?>(?:(?:\\(?:.|\Z)|'')[^'\\]*+)*)(?:'|\Z)"
_OTHERS = (
    r"(?P<space>\s+|--[^\n]*|/\*)|(?P<text>{text})"
    r"|(?P<name>\"[^\"\n]{{1,99}}\"|`[^`\n]{{1,99}}`|\[[^\[\]\n]{{1,99}}\]|[A-Za-z_]\w*)"
    r"|(?P<number>[-+]?\d[\w.]*(?:(?<=[eE])[-+]\d+)?)|(?P<sign>[(),;])|(?P<other>.)"
)
_TOKEN = re.compile(_OTHERS.format(text=_STANDARD), re.DOTALL)
_TOKEN_OF_MYSQL = re.compile(_OTHERS.format(text=_ESCAPED), re.DOTALL)
_ESCAPE = re.compile(r"\\(.)|''", re.DOTALL)
_MEANT = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_CONSTRAINTS = {
    *("PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"),
    *("KEY", "INDEX", "FULLTEXT", "SPATIAL"),  # of MySQL
}
_QUOTES = '"`[]'
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


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    line: int

    def means(self, word: str) -> bool:
        return self.kind in {"name", "sign"} and self.text.upper() == word


def inserted(text: str, *, mysql: bool = False) -> Iterator[Inserted | BadLine]:
    """Yield every row that *text* inserts, and each ``INSERT`` that cannot be read.

    Columns come from the statement or from ``CREATE TABLE``; other statements are
    passed over. In the SQL of *mysql* a backslash escapes what follows it.
    """
    tables: dict[str, tuple[str, ...]] = {}
    for tokens in _statements(_tokens(text, mysql=mysql)):
        first = tokens[0]
        if first.means("CREATE"):
            _remember(tokens, tables)
        elif first.means("INSERT") or first.means("REPLACE"):
            try:
                yield from list(_rows(iter(tokens), tables))
            except RefusedError as why:
                raw = " ".join(token.text for token in tokens[:200])
                yield building.bad(str(why), line=first.line, raw=raw)


def _rows(
    tokens: Iterator[_Token], tables: Mapping[str, tuple[str, ...]]
) -> Iterator[Inserted]:
    first, token = _next(tokens), _next(tokens)
    if token.means("OR"):
        _next(tokens)
        token = _next(tokens)
    if not token.means("INTO"):
        raise RefusedError(f"no INTO after {first.text}")
    table = _next(tokens).text.strip(_QUOTES)
    columns = tables.get(table)
    token = _next(tokens)
    if token.means("("):
        columns = _listed(tokens, _name)
        token = _next(tokens)
    if not token.means("VALUES"):
        raise RefusedError("no VALUES: only rows written out are read")
    if columns is None:
        raise RefusedError(f"the columns of table {table!r} are named nowhere before")
    while True:
        line = _next(tokens, "(").line
        yield Inserted(table, columns, _listed(tokens, _literal), line)
        if (comma := next(tokens, None)) is None:
            return
        _next(iter([comma]), ",")


def _next(tokens: Iterator[_Token], *words: str) -> _Token:
    """Return the next token, which must be one of *words* if there are any."""
    token = next(tokens, None)
    if token is None:
        raise RefusedError("the statement breaks off")
    if words and not any(map(token.means, words)):
        should = " or ".join(words)
        raise RefusedError(f"{token.text[:40]!r} stands where {should} should")
    return token


def _listed(tokens: Iterator[_Token], read: Callable[[_Token], _T]) -> tuple[_T, ...]:
    """Return what *read* makes of the tokens up to the closing parenthesis."""
    items = [read(_next(tokens))]
    while _next(tokens, ",", ")").means(","):
        items.append(read(_next(tokens)))
    return tuple(items)


def _name(token: _Token) -> str:
    if token.kind != "name":
        raise RefusedError(f"{token.text[:40]!r} is no name of a column")
    return token.text.strip(_QUOTES)


def _literal(token: _Token) -> str | None:
    if token.kind == "text":
        return token.text[1:-1].replace("''", "'")
    if token.kind == "number":
        return token.text
    if token.means("NULL"):
        return None
    raise RefusedError(f"{token.text[:40]!r} is no value written out")


def _remember(tokens: list[_Token], tables: dict[str, tuple[str, ...]]) -> None:
    """Note the columns of a plain ``CREATE TABLE``: the first name of each part."""
    opening = next((n for n, t in enumerate(tokens) if t.means("(")), 0)
    if not opening or not tokens[1].means("TABLE"):
        return
    columns, depth, fresh = [], 0, False
    for token in tokens[opening:]:
        depth += token.means("(") - token.means(")")
        if fresh and token.kind == "name" and token.text.upper() not in _CONSTRAINTS:
            columns.append(token.text.strip(_QUOTES))
        fresh = depth == 1 and (token.means(",") or token.means("("))
    tables[tokens[opening - 1].text.strip(_QUOTES)] = tuple(columns)


def _statements(every: Iterable[_Token]) -> Iterator[list[_Token]]:
    tokens: list[_Token] = []
    for token in every:
        if not token.means(";"):
            tokens.append(token)
        elif tokens:
            yield tokens
            tokens = []
    if tokens:
        yield tokens


def _tokens(text: str, *, mysql: bool) -> Iterator[_Token]:
    """Yield the tokens of *text*, those of MySQL as standard SQL would write them."""
    pattern = _TOKEN_OF_MYSQL if mysql else _TOKEN
    at, line = 0, 1
    while match := pattern.match(text, at):
        at, kind, piece = match.end(), match.lastgroup or "", match[0]
        if piece == "/*":
            end = text.find("*/", at)
            line += text.count("\n", at, end if end >= 0 else len(text))
            at = end + 2 if end >= 0 else len(text)
        elif kind == "text" and mysql and "\\" in piece:
            plain = _ESCAPE.sub(_unescaped, piece[1:-1]).replace("'", "''")
            yield _Token(kind, f"'{plain}'", line)
        elif kind != "space":
            yield _Token(kind, piece, line)
        line += piece.count("\n")


def _unescaped(match: re.Match[str]) -> str:
    return _MEANT.get(match[1], match[1]) if match[1] else "'"
