"""``INSERT`` statements read as text: nothing is ever executed."""

import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

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


class Inserted(msgspec.Struct, frozen=True):
    """One row of an ``INSERT``: numbers and texts as printed, NULL as ``None``."""

    table: str
    columns: tuple[str, ...]
    values: tuple[str | None, ...]
    line: int


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    line: int

    def means(self, word: str) -> bool:
        return self.kind in {"name", "sign"} and self.text.upper() == word


class _Statement(msgspec.Struct):
    """The tokens of one statement, and how far they are read."""

    tokens: list[_Token]
    at: int = 0
    columns: dict[str, tuple[str, ...]] = {}

    def next(self) -> _Token:
        if self.at == len(self.tokens):
            raise RefusedError("the statement breaks off")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *words: str) -> None:
        for word in words:
            token = self.next()
            if not token.means(word):
                raise RefusedError(f"{token.text[:40]!r} stands where {word} should")

    def names(self) -> tuple[str, ...]:
        """Return the names up to the closing parenthesis."""
        found = []
        while True:
            token = self.next()
            if token.kind != "name":
                raise RefusedError(f"{token.text[:40]!r} is no name of a column")
            found.append(token.text.strip(_QUOTES))
            if not self.comma_follows():
                return tuple(found)

    def literals(self) -> tuple[str | None, ...]:
        """Return the values up to the closing parenthesis."""
        found = []
        while True:
            found.append(_literal(self.next()))
            if not self.comma_follows():
                return tuple(found)

    def comma_follows(self) -> bool:
        token = self.next()
        if token.means(","):
            return True
        if token.means(")"):
            return False
        raise RefusedError(f"{token.text[:40]!r} stands where , or ) should")


def inserted(text: str, *, mysql: bool = False) -> Iterator[Inserted | BadLine]:
    """Yield every row that *text* inserts, and each ``INSERT`` that cannot be read.

    Columns come from the statement or from ``CREATE TABLE``; other statements are
    passed over. In the SQL of *mysql* a backslash escapes what follows it.
    """
    tables: dict[str, tuple[str, ...]] = {}
    for tokens in _statements(_tokens_of_mysql(text) if mysql else _tokens(text)):
        first = tokens[0]
        if first.means("CREATE"):
            _remember(tokens, tables)
        elif first.means("INSERT") or first.means("REPLACE"):
            try:
                yield from list(_rows(_Statement(tokens, columns=tables)))
            except RefusedError as why:
                raw = " ".join(token.text for token in tokens[:200])
                yield building.bad(str(why), line=first.line, raw=raw)


def _rows(statement: _Statement) -> Iterator[Inserted]:
    first = statement.next()
    token = statement.next()
    if token.means("OR"):
        statement.next()
        token = statement.next()
    if not token.means("INTO"):
        raise RefusedError(f"no INTO after {first.text}")
    table = statement.next().text.strip(_QUOTES)
    columns = statement.columns.get(table)
    token = statement.next()
    if token.means("("):
        columns = statement.names()
        token = statement.next()
    if not token.means("VALUES"):
        raise RefusedError("no VALUES: only rows written out are read")
    if columns is None:
        raise RefusedError(f"the columns of table {table!r} are named nowhere before")
    while True:
        statement.take("(")
        line = statement.tokens[statement.at - 1].line
        yield Inserted(table, columns, statement.literals(), line)
        if statement.at == len(statement.tokens):
            return
        statement.take(",")


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
        if fresh and token.kind == "name" and not _constrains(token):
            columns.append(token.text.strip(_QUOTES))
        fresh = depth == 1 and (token.means(",") or token.means("("))
    tables[tokens[opening - 1].text.strip(_QUOTES)] = tuple(columns)


def _constrains(token: _Token) -> bool:
    return token.text.upper() in _CONSTRAINTS


def _statements(found: Iterable[_Token]) -> Iterator[list[_Token]]:
    tokens: list[_Token] = []
    for token in found:
        if not token.means(";"):
            tokens.append(token)
        elif tokens:
            yield tokens
            tokens = []
    if tokens:
        yield tokens


def _tokens_of_mysql(text: str) -> Iterator[_Token]:
    """Yield the tokens of *text* as standard SQL would write them."""
    for token in _tokens(text, _TOKEN_OF_MYSQL):
        if token.kind == "text" and "\\" in token.text:
            plain = _ESCAPE.sub(_unescaped, token.text[1:-1])
            yield replace(token, text="'" + plain.replace("'", "''") + "'")
        else:
            yield token


def _unescaped(found: re.Match[str]) -> str:
    return _MEANT.get(found[1], found[1]) if found[1] else "'"


def _tokens(text: str, pattern: re.Pattern[str] = _TOKEN) -> Iterator[_Token]:
    at, line = 0, 1
    while match := pattern.match(text, at):
        at, kind, found = match.end(), match.lastgroup or "", match[0]
        if found == "/*":
            end = text.find("*/", at)
            line += text.count("\n", at, end if end >= 0 else len(text))
            at = end + 2 if end >= 0 else len(text)
        elif kind != "space":
            yield _Token(kind, found, line)
        line += found.count("\n")
