"""A map proposed for a document that none explains, with every assumption an entry.

It is to be read by a person: what was assumed and what could not be decided are
comments right where they matter; nothing is imported before somebody agreed.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Scalar
from benchdb.importing import naming
from benchdb.importing.building import slug
from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import profiles
from benchdb.importing.guess.column_rules import (
    PROSE,
    Assumption,
    Guess,
    Machines,
    Path,
    fields_of,
    operating_system,
    text_facts,
)
from benchdb.importing.guess.table_columns import above, guesses
from benchdb.importing.mapping.language import Column, Fields, Heading, Map, Table
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS

_NO_FRAMEWORKS_OF_MODELS = {"numpy", "cupy", "sklearn", "keras", "needle", "candle"}
_SCANNED = 200_000  # characters of a document that are searched for names
_LINES = 2000
_COLUMNS = 100
_NAME = 300  # characters
_HEADINGS = 100  # different ones of a table that are looked at
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n|(?<=[\u3002\uff01\uff1f])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_READERS = {str(name): name for name in get_args(Reader)}
# The readers of running text that take hardly anything which is no measurement.
_SURE: tuple[Reader, ...] = ("keras", "tqdm", "epochs")
_LOG_LINES = 3  # a line or two may be a sentence
Comments = Mapping[Path, Sequence[str]]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT_LIMIT = 300  # characters
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # unseen, or what reorders text


class Proposal(msgspec.Struct, frozen=True):
    """A map, the same as TOML with comments, and what the comments say, each once.

    Where something is undecided the map is incomplete: it reads what it can.
    """

    map: Map
    toml: str
    assumptions: tuple[str, ...]
    undecided: tuple[str, ...]


class TableDraft(msgspec.Struct):
    """A table in the making, what it takes for granted, and the fields it tells."""

    table: Table
    line: int
    assumptions: list[Assumption] = []
    fields: set[str] = set()

    def tells_in_some(self, name: str) -> bool:
        """Tell whether columns of figures set *name*, and others beside them do not."""
        columns = self.table.columns.values()
        return len({name in one.set for one in columns if one.metric}) > 1


def propose(document: Document, sheets: Sequence[Sheet]) -> Proposal:
    """Return the map that would explain *sheets*, the tables of *document*."""
    machines = Machines()
    entries: list[Assumption] = []
    tables: list[TableDraft] = []
    for group, alone in _alike(sheets):
        first = group[0]
        where = f"the table at line {first.line}"
        if len(first.header) > _COLUMNS:
            many = f"{where} has {len(first.header)} columns; {_COLUMNS} are looked at"
            entries.append(Assumption(many, decided=False))
        elif any(len(name) > _NAME for name in first.header):
            long = f"{where} has names of columns of more than {_NAME} characters"
            entries.append(Assumption(long, decided=False))
        elif (table := _table(document, group, machines, alone=alone)) is not None:
            tables.append(table)
        else:
            listed = ", ".join(first.header)[:120]
            entries.append(Assumption(f"left out: {where} ({listed}) has no figures"))
    entries += _unread_logs(document, sheets)
    # The first table that fits explains a sheet: those that ask for more come first.
    tables.sort(key=lambda one: -len(one.table.columns))
    defaults = _Defaults(document, tables)
    if tables:
        defaults.complete(machines)
    else:
        entries.append(Assumption("no table with figures was found", decided=False))
    entries += defaults.entries
    map_ = Map(
        documents=(document.sha256,),
        set=defaults.fields,
        machines=machines.by_key if tables else {},
        table=tuple(one.table for one in tables),
    )
    comments = _comments(entries)
    for n, table in enumerate(tables):
        comments.setdefault(("table", n), []).append(f"line {table.line}")
        own = [replace(one, path=("table", n, *one.path)) for one in table.assumptions]
        comments |= _comments(own)
        entries += own
    assumed, undecided = (
        tuple(dict.fromkeys(visible(e.text) for e in entries if e.decided == decided))
        for decided in (True, False)
    )
    return Proposal(map_, to_toml(map_, comments), assumed, undecided)


def _comments(entries: Iterable[Assumption]) -> dict[Path, list[str]]:
    comments: dict[Path, list[str]] = {}
    for one in entries:
        kind = "assumed" if one.decided else "undecided"
        comments.setdefault(one.path, []).append(f"{kind}: {one.text}")
    return comments


def _alike(sheets: Iterable[Sheet]) -> list[tuple[list[Sheet], bool]]:
    """Return the sheets with rows, those with the same header together.

    Where headings make the same header another figure (``Time``, ``Power``), and where
    the same columns come in another order elsewhere, each sheet stands alone. Half of a
    surrogate pair is nothing that TOML can hold.
    """
    by_header: dict[tuple[str, ...], list[Sheet]] = {}
    for sheet in sheets:
        texts = [*sheet.header, *sheet.context]
        texts += [cell.text for row in sheet.rows for cell in row.cells]
        if sheet.rows and sheet.header and not any(map(_SURROGATE.search, texts)):
            key = (sheet.kind, *(name.casefold() for name in sheet.header))
            by_header.setdefault(key, []).append(sheet)
    grouped: list[tuple[list[Sheet], bool]] = []
    orders = Counter(frozenset(key) for key in by_header)
    for key, group in by_header.items():
        if orders[frozenset(key)] == 1 and len(set(map(above, group))) == 1:
            grouped.append((group, False))
        else:
            grouped += [([one], True) for one in group]
    return grouped


def _table(
    document: Document, sheets: Sequence[Sheet], machines: Machines, *, alone: bool
) -> TableDraft | None:
    """Return the table that explains *sheets*, which have the same header.

    *alone*: others with that header mean something else. ``None`` where they have no
    figures.
    """
    first, looks = sheets[0], profiles(sheets)
    by_index = guesses(looks, sheets, machines)
    kinds = {one.column.is_ for one in by_index.values()}
    if not kinds & {"value", "ratio"}:
        return None
    columns: dict[str, Column] = {}
    assumptions: list[Assumption] = []
    for n, guess in sorted(by_index.items()):
        header = first.header[n]
        columns[header] = guess.column
        path = ("columns", header)
        assumptions += [replace(one, path=path) for one in guess.assumptions]
    fields = fields_of(by_index.values())
    if "value" not in kinds:
        fields |= {"device", "machine", "framework"}  # a ratio is between two of them
    # No heading holds for all where words of the rows, or columns, name their own.
    differ: set[str] = set()
    words = [looks[n] for n, one in by_index.items() if one.column.is_ == "field"]
    texts = [text for one in words for text in one.texts]
    if len({chip.name for text in texts for chip in naming.chips_in(text)}) > 1:
        differ.add("machine")
    values = [one.column for one in by_index.values() if one.column.is_ == "value"]
    if any("framework" in one.set for one in values):
        differ.add("framework")
    heads, whys = _headings(sheets, fields | differ, machines)
    fields |= {name for one in heads.values() for name in one.set}
    setting = slug(document.name)
    table = Table(
        # its columns name a whole header as well
        header=() if set(columns) >= set(first.header) else tuple(first.header),
        lines=(first.line, first.line) if alone else None,
        read=_READERS.get(first.kind),
        headings=_with_setting(heads, setting),
        columns=_with_setting(columns, setting),
    )
    return TableDraft(table, first.line, [*assumptions, *whys], fields)


def _headings(
    sheets: Sequence[Sheet], known: set[str], machines: Machines
) -> tuple[dict[str, Heading], list[Assumption]]:
    """Return what texts above the tables, and rows between, say beside what is *known*.

    It is by pattern, as the map has it, and comes with what is assumed. Of prose that
    is only the operating system.
    """
    heads: dict[str, Heading] = {}
    assumptions: list[Assumption] = []
    for text, is_prose in list(dict.fromkeys(_texts(sheets)))[:_HEADINGS]:
        facts = Guess(Column(set=operating_system(text)))
        if text and not is_prose:
            own = Machines() if "machine" in known else machines
            facts = text_facts(text, own, whole=False)
        fields = {n: it for n, it in facts.column.set.items() if n not in known}
        if fields:
            key = _SPECIAL.sub(r"\\\1", text)
            basis = {name.rpartition(".")[2]: f"heading: {text}" for name in fields}
            heads[key] = Heading(set=fields, basis=basis)
            why = f"this heading tells {', '.join(fields)} of the rows below it"
            texts = (*(one.text for one in facts.assumptions), why)
            assumptions += [Assumption(one, path=("headings", key)) for one in texts]
    return heads, assumptions


def _texts(sheets: Sequence[Sheet]) -> Iterator[tuple[str, bool]]:
    """Yield the headings of *sheets*, and the sentences of what is no heading."""
    for sheet in sheets:
        for text in sheet.context:
            several = [one.strip() for one in _SENTENCE.split(text[:2000])]
            several = [one for one in several if one]
            is_prose = len(several) > 1 or len(text) > PROSE
            yield from ((one, is_prose) for one in several)
        for row in sheet.rows:
            if not any(cell.text.strip() for cell in row.cells[1:]):
                yield row.cells[0].text.strip(), False


def _unread_logs(document: Document, sheets: Sequence[Sheet]) -> Iterator[Assumption]:
    """Yield what readers of running text find on lines that *sheets* do not have."""
    if any(one.kind == "csv" for one in sheets):
        return  # all of its lines are rows
    lines = {cell.line for one in sheets for row in one.rows for cell in row.cells}
    lines |= {bad.number for one in sheets for bad in one.bad}
    for name in _SURE:
        rows = [
            (row.line, sheet)
            for sheet in READERS[name](document)
            for row in sheet.rows
            if row.line not in lines
        ]
        if len(rows) >= _LOG_LINES:
            lines |= {line for line, _ in rows}
            line, sheet = rows[0]
            columns = ", ".join(sheet.header)[:80]
            yield Assumption(
                f"left out: {len(rows)} lines of a log, the first on line {line} "
                f'({columns}); a [[table]] with read = "{name}" takes them'
            )


class _Defaults:
    """What no table tells, from the whole document; else it is asked for."""

    def __init__(self, document: Document, tables: Sequence[TableDraft]) -> None:
        self.document, self.tables = document, tables
        self.fields: Fields = {}
        self.entries: list[Assumption] = []

    def complete(self, machines: Machines) -> None:
        """Find, or ask for, what the tables lack."""
        stem = self.document.name.rsplit(".", 1)[0].replace("_", " ")
        facts = text_facts(stem, Machines(), whole=False).column.set
        for name in ("framework", "device", "precision", "workload"):
            if name in facts and not any(
                name in one.fields or one.tells_in_some(name) for one in self.tables
            ):
                self._assume(name, facts[name], "the file's name")
        if self._lacks("framework"):
            self._framework()
        if self._lacks("machine"):
            self._machine(machines)
        for n, table in enumerate(self.tables):
            fields = table.fields | self.fields.keys()
            if "device" not in fields:
                question = 'which device: cpu, metal, cuda …; set = { device = "…" }'
                self._ask(question, "table", n)
            if "workload" not in fields:
                self._ask('which workload; set = { workload = "…" }', "table", n)
        own = slug(self.document.name)
        if "workload" in self.fields:
            self._assume("setting", own, "nothing says that the work is done as ours")

    def _assume(self, name: str, value: Scalar, why: str) -> None:
        self.fields[name] = value
        text = f"{name} {value}: {why}"
        self.entries.append(Assumption(text, path=("set", name)))

    def _ask(self, question: str, *path: str | int) -> None:
        self.entries.append(Assumption(question, decided=False, path=path))

    def _lacks(self, name: str) -> bool:
        told = (one.fields | self.fields.keys() for one in self.tables)
        return not all(name in one for one in told)

    def _framework(self) -> None:
        text = self.document.text[:_SCANNED]
        names = sorted(naming.frameworks(text) - _NO_FRAMEWORKS_OF_MODELS)
        beside = any(one.tells_in_some("framework") for one in self.tables)
        if len(names) == 1 and not beside:
            self._assume("framework", names[0], "the only one that the text names")
            return
        listed = f"the text names {', '.join(names)}" if names else "none is named"
        self._ask(f'which framework: {listed}; set framework = "…"')

    def _machine(self, machines: Machines) -> None:
        lines: dict[str, str] = {}  # the first line that names a chip
        for line in self.document.lines[:_LINES]:
            for chip in naming.chips_in(line):
                lines.setdefault(chip.name, line)
        only = naming.chip(*lines.values()) if len(lines) == 1 else None
        if only is not None:
            (line,) = lines.values()
            key = machines.key(line.strip("# *"), only, whole=False)
            self._assume("machine", key, "the only chip that the text names")
            return
        listed = f"the text names {', '.join(lines)}" if lines else "none is named"
        self._ask(f'which machine: {listed[:200]}; set machine = "…"')


_Part = TypeVar("_Part", Column, Heading)


def _with_setting(parts: Mapping[str, _Part], own: str) -> dict[str, _Part]:
    """Return columns or headings, with the setting *own* where they set a workload.

    Nobody said that the work is done as ours is.
    """
    return {
        name: replace(one, set={**one.set, "setting": own})
        if "workload" in one.set and "setting" not in one.set
        else one
        for name, one in parts.items()
    }


def to_toml(map_: Map, comments: Comments) -> str:
    """Return *map_* as TOML; *comments* go by the path of what they are about.

    Whatever the strings hold, decoding the text gives *map_* again.
    """
    return "\n".join(_lines("", msgspec.to_builtins(map_), (), comments)) + "\n"


def _lines(
    title: str, entries: Mapping[str, Any], path: Path, comments: Comments
) -> Iterator[str]:
    """Yield the lines of one table, then of those below it that have their own head."""
    yield from (f"# {visible(text)}" for text in comments.get(path, ()))
    if title:
        yield title
    below = _below(entries, path)
    for name, value in entries.items():
        if name not in below:
            yield from (
                f"# {visible(text)}" for text in comments.get((*path, name), ())
            )
            yield f"{_key(name)} = {_value(value)}"
    prefix = f"{title.strip('[]')}." if title else ""
    for name in below:
        value, full = entries[name], f"{prefix}{name}"
        tables = [(f"[{full}]", (*path, name), value)]
        if not isinstance(value, dict):
            tables = [
                (f"[[{full}]]", (*path, name, n), one) for n, one in enumerate(value)
            ]
        for head, at, table in tables:
            yield ""
            yield from _lines(head, table, at, comments)


def _below(entries: Mapping[str, Any], path: Path) -> list[str]:
    if path:
        parts = ("columns", "headings", "rows") if isinstance(path[-1], int) else ()
        return [name for name in parts if name in entries]
    arrays = [
        name
        for name, value in entries.items()
        if isinstance(value, list | tuple) and value and isinstance(value[0], dict)
    ]
    return [*(name for name, it in entries.items() if isinstance(it, dict)), *arrays]


def visible(text: str) -> str:
    """Return *text* so that it stays in its line and shows what it is."""
    safe = _escape(text[:_COMMENT_LIMIT])
    return safe if len(text) <= _COMMENT_LIMIT else f"{safe} …"


def _escape(text: str) -> str:
    return "".join(
        char
        if unicodedata.category(char) not in _HIDDEN
        else f"\\u{ord(char):04X}"
        if char <= "\uffff"
        else f"\\U{ord(char):08X}"
        for char in text
    )


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(n)} = {_value(one)}" for n, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # Strings and truth are as in JSON, but for what would not be seen.
    is_json = isinstance(value, str | bool)
    return _escape(json.dumps(value, ensure_ascii=False)) if is_json else repr(value)
