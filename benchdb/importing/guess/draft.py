"""A map proposed for a document that none explains, with every guess told.

It is to be read by a person: what was assumed and what could not be decided are
comments right where they matter; nothing is imported before somebody agreed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.importing.building import slug
from benchdb.importing.document import Document
from benchdb.importing.guess import facts
from benchdb.importing.guess.fields import ASSUMED, UNDECIDED
from benchdb.importing.guess.machines import Machines
from benchdb.importing.guess.overlooked import overlooked
from benchdb.importing.guess.settings import with_settings
from benchdb.importing.guess.tables import Drafted, above, drafted
from benchdb.importing.guess.toml import Path, shown, written
from benchdb.importing.mapping.language import Fields, Map, Table
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.frameworks import frameworks
from benchdb.importing.sheet import Sheet

_NO_FRAMEWORKS_OF_MODELS = {"numpy", "cupy", "sklearn", "keras", "needle", "candle"}
_SCANNED = 200_000  # characters of a document that are searched for names
_LINES = 2000
_COLUMNS = 100
_NAME = 300  # characters
_SURROGATE = re.compile("[\ud800-\udfff]")


class Proposal(msgspec.Struct, frozen=True):
    """A map, the same as TOML with comments, and what the comments say.

    Where *undecided* is not empty the map is incomplete: it reads what it can.
    """

    map: Map
    toml: str
    assumptions: tuple[str, ...]
    undecided: tuple[str, ...]


def proposed(document: Document, sheets: Sequence[Sheet]) -> Proposal:
    """Return the map that would explain *sheets*, the tables of *document*."""
    machines = Machines()
    draft = _Draft(document)
    tables: list[Drafted] = []
    for several, alone in _alike(sheets):
        if (why := _too_much(several[0])) is not None:
            draft.note((), UNDECIDED, why)
            continue
        one = drafted(several, machines, alone=alone)
        if one is None:
            draft.note((), ASSUMED, _figureless(several[0]))
        else:
            tables.append(one)
    for text in overlooked(document, sheets):
        draft.note((), ASSUMED, text)
    # The first table that fits explains a sheet: those that ask for more come first.
    tables.sort(key=lambda one: -len(one.table.columns))
    draft.defaults(tables, machines)
    return draft.proposal(tables, machines)


def _alike(sheets: Iterable[Sheet]) -> list[tuple[list[Sheet], bool]]:
    """Return the sheets with rows, those with the same header together.

    Where headings make the same header another figure (``Time``, ``Power``), and where
    the same columns come in another order elsewhere, each sheet stands alone.
    """
    found: dict[tuple[str, ...], list[Sheet]] = {}
    for sheet in sheets:
        if sheet.rows and sheet.header and _encodable(sheet):
            key = (sheet.kind, *(name.casefold() for name in sheet.header))
            found.setdefault(key, []).append(sheet)
    grouped: list[tuple[list[Sheet], bool]] = []
    orders = Counter(frozenset(key) for key in found)
    for key, several in found.items():
        ordered = orders[frozenset(key)] == 1
        if ordered and len({above(one) for one in several}) == 1:
            grouped.append((several, False))
        else:
            grouped += [([one], True) for one in several]
    return grouped


def _encodable(sheet: Sheet) -> bool:
    """Tell whether TOML can hold the texts: half of a surrogate pair it cannot."""
    texts = [*sheet.header, *sheet.context]
    texts += [cell.text for row in sheet.rows for cell in row.cells]
    return not any(map(_SURROGATE.search, texts))


def _too_much(sheet: Sheet) -> str | None:
    """Return why nobody would want a map of *sheet* to read."""
    where = f"the table at line {sheet.line}"
    if len(sheet.header) > _COLUMNS:
        return f"{where} has {len(sheet.header)} columns; {_COLUMNS} are looked at"
    if any(len(name) > _NAME for name in sheet.header):
        return f"{where} has names of columns of more than {_NAME} characters"
    return None


def _figureless(sheet: Sheet) -> str:
    listed = ", ".join(sheet.header)[:120]
    return f"left out: the table at line {sheet.line} ({listed}) has no figures"


class _Draft:
    """A map in the making, with its comments."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.notes: dict[Path, list[tuple[str, str]]] = {}
        self.set: Fields = {}

    def note(self, path: Path, kind: str, text: str) -> None:
        """Put a comment to *path*."""
        self.notes.setdefault(path, []).append((kind, text))

    def defaults(self, tables: Sequence[Drafted], machines: Machines) -> None:
        """Set what no table tells from the whole document, or say that nobody told."""
        if not tables:
            return
        self._named(tables)
        told = [one.told | self.set.keys() for one in tables]
        if not all("framework" in one for one in told):
            self._framework(certain=not _some_columns_tell("framework", tables))
        if not all("machine" in one for one in told):
            self._machine(machines)
        for n, one in enumerate(tables):
            self._lacking(n, one.told | self.set.keys())
        self._settings(tables)

    def _named(self, tables: Sequence[Drafted]) -> None:
        """Take from the file's name what no table tells."""
        stem = self.document.name.rsplit(".", 1)[0].replace("_", " ")
        said = facts.facts(stem, Machines(), whole=False).fields
        told = set().union(*(one.told for one in tables))
        for name in ("framework", "device", "precision", "workload"):
            beside = _some_columns_tell(name, tables)
            if name in said and name not in told and not beside:
                self._assume(name, said[name], "the file's name")

    def _settings(self, tables: Sequence[Drafted]) -> None:
        """Set the source's own setting where the map gives the workload."""
        own = slug(self.document.name)
        if "workload" in self.set:
            self._assume("setting", own, "nothing says that the work is done as ours")
        for one in tables:
            one.table = with_settings(one.table, own)

    def _framework(self, *, certain: bool) -> None:
        """Set the framework; not *certain* where columns name it beside others."""
        text = self.document.text[:_SCANNED]
        found = sorted(frameworks(text) - _NO_FRAMEWORKS_OF_MODELS)
        if len(found) == 1 and certain:
            self._assume("framework", found[0], "the only one that the text names")
        else:
            listed = f"the text names {', '.join(found)}" if found else "none is named"
            self.note((), UNDECIDED, f'which framework: {listed}; set framework = "…"')

    def _machine(self, machines: Machines) -> None:
        known: dict[str, str] = {}
        for line in self.document.lines[:_LINES]:
            for chip in recognise.chips(line):
                known.setdefault(chip.name, line)
        if len(known) == 1:
            (line,) = known.values()
            only = recognise.chip(line)
            if only is not None:
                key = machines.key(line.strip("# *"), only, whole=False)
                self._assume("machine", key, "the only chip that the text names")
                return
        listed = f"the text names {', '.join(known)}" if known else "none is named"
        self.note((), UNDECIDED, f'which machine: {listed[:200]}; set machine = "…"')

    def _assume(self, name: str, value: Scalar, why: str) -> None:
        self.set[name] = value
        self.note(("set", name), ASSUMED, f"{name} {value}: {why}")

    def _lacking(self, n: int, told: set[str] | frozenset[str]) -> None:
        if "device" not in told:
            text = 'which device: cpu, metal, cuda …; set = { device = "…" }'
            self.note(("table", n), UNDECIDED, text)
        if "workload" not in told:
            text = 'which workload; set = { workload = "…" }'
            self.note(("table", n), UNDECIDED, text)

    def proposal(self, tables: Sequence[Drafted], machines: Machines) -> Proposal:
        """Return the whole map with its comments."""
        for n, one in enumerate(tables):
            self.note(("table", n), "line", f"line {one.sheet.line}")
            for path, lines in one.notes.items():
                for kind, text in lines:
                    self.note(("table", n, *path), kind, text)
        map_ = Map(
            documents=(self.document.sha256,),
            set=self.set,
            machines=machines.found if tables else {},
            table=tuple(_complete(one.table) for one in tables),
        )
        if not tables:
            self.note((), UNDECIDED, "no table with figures was found")
        comments = {
            path: [
                text if kind == "line" else f"{kind}: {text}" for kind, text in lines
            ]
            for path, lines in self.notes.items()
        }
        return Proposal(
            map_, written(map_, comments), self._all(ASSUMED), self._all(UNDECIDED)
        )

    def _all(self, wanted: str) -> tuple[str, ...]:
        several = (line for lines in self.notes.values() for line in lines)
        return tuple(
            dict.fromkeys(shown(text) for kind, text in several if kind == wanted)
        )


def _some_columns_tell(name: str, tables: Iterable[Drafted]) -> bool:
    """Tell whether columns of figures set *name*, and others beside them do not."""
    return any(
        len({name in one.set for one in table.table.columns.values() if one.metric}) > 1
        for table in tables
    )


def _complete(table: Table) -> Table:
    """Return the table without a header, which its columns name as well."""
    named = set(table.columns) >= set(table.header)
    return msgspec.structs.replace(table, header=()) if named else table
