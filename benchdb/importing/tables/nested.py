"""JSON, JSON Lines and YAML as tables: a row for each object, a column for each path.

* Each list of objects is a table. A column is the path inside the object:
  ``timings.ttft_ms``. What stands beside and above the list follows as further columns
  (``inherited``), by the path from the root: ``meta.system.chip``, ``runs.model``.
* So is an object of objects that are alike (``{"M1": {…}, "M2": {…}}``): its keys are
  the column ``key``; and an object of lists.
* A list of numbers is a table of its own, a row for each: ``index`` (from 0), and
  ``rounds[]``. Lists of one length in one object stand side by side. Of a list of lists
  each is a row: ``index``, ``0``, ``1``. A list of words alone is one cell, ``a, b``.
* What holds such tables is one as well where it has numbers of its own. Of objects in a
  list that say their results themselves, such as ``tok_per_s``, a list that is called
  ``curve`` or ``history`` is a bad row of their table, and a ``shape`` is one cell.

The context is the way to the objects: ``runs[].results[]``, ``results.*``. Objects of
one list that have little in common are tables of their own. A cell of JSON has a JSON
pointer; those of JSON Lines and YAML stand at their lines.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.naming import names as spelt
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRows, require_few_cells
from benchdb.importing.tables import inline, trees
from benchdb.importing.tables.trees import Leaf, Node

_ALIKE = 0.6  # of the fields that any of them has, what like objects have on average
_END = 80  # characters of a name that are looked at
_LISTED = "{} of {!r}, listed beside the results of what holds them"
_Cells = Mapping[str, Cell]
_Holder = tuple[Node, str]  # and its pointer


class _Row(msgspec.Struct, frozen=True):
    line: int
    own: _Cells
    above: _Cells
    bad: Sequence[BadLine] = ()


class _Place(msgspec.Struct, frozen=True):
    """Where something is: *way* for all that are like it, *pointer* for it alone."""

    way: str = ""
    pointer: str = ""

    def item(self, number: int) -> "_Place":
        """Return the place of an item of the list here."""
        return _Place(f"{self.way}[]", _at(self.pointer, number))

    def like(self, key: str) -> "_Place":
        """Return the place of one of the objects here that are alike."""
        return _Place(f"{self.way}.*".lstrip("."), _at(self.pointer, key))

    def field(self, path: str, pointer: str) -> "_Place":
        """Return the place of a field of the object here."""
        return _Place(f"{self.way}.{path}" if self.way else path, pointer)

    def named(self, cells: _Cells) -> _Cells:
        """Return *cells* as those below see them: by the way from the root."""
        before = self.way.replace("[]", "").replace(".*", "").lstrip("*.")
        return {
            f"{before}.{name}" if before else name: cell for name, cell in cells.items()
        }


_ROOT = _Place()
_NONE: _Cells = {}


def json_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of a document in JSON or JSON Lines; none if it is neither.

    Raise ``DocumentError`` if it begins like JSON and is none.
    """
    start = document.text[:100].lstrip()[:1]
    if start not in ("{", "["):
        return ()
    tables = _Tables(pointers=True)
    if not trees.are_json_lines(document):
        tables.take(trees.json_tree(document.text))
        return tables.sheets("json")
    leaves, broken = trees.json_lines(document)
    tables = _Tables(pointers=False, lines=True)
    for tree in leaves:
        tables.take(tree)
    bad = [
        building.bad("no JSON", line=line, raw=document.lines[line - 1])
        for line in broken
    ]
    sheets = tables.sheets("json")
    if bad and not sheets:
        raise DocumentError(f"line {broken[0]}: no JSON")
    first = [replace(sheet, bad=(*sheet.bad, *bad)) for sheet in sheets[:1]]
    return (*first, *sheets[1:])


def result_sheets(node: Node) -> tuple[Sheet, ...]:
    """Return the tables of JSON inside of a text, of which a name tells results."""
    tables = _Tables(pointers=False)
    tables.take(node)
    return tuple(filter(_tells_results, tables.sheets("json")))


def _tells_results(sheet: Sheet) -> bool:
    return any(map(spelt.way("result").search, sheet.header))


def block_sheets(
    block: Sequence[str], first: int, context: tuple[str, ...]
) -> tuple[Sheet, ...]:
    """Return the tables of a code block that is JSON or JSON Lines, under *context*.

    Its lines begin with line *first*. There are none where no name tells results: what
    only configures a run is left to those who read settings line by line.
    """
    written = [(n, text) for n, text in enumerate(block, first) if text.strip()]
    if not written or written[0][1].lstrip()[0] not in "{[":
        return ()
    lines = len(written) > 1 and trees.is_json(written[0][1])
    tables = _Tables(pointers=False, lines=lines)
    try:
        for number, text in written if lines else [(first, "\n".join(block))]:
            tables.take(trees.json_tree(text, number))
        sheets = tables.sheets("json")
    except DocumentError:  # no JSON, or too large
        return ()
    if not any(map(_tells_results, sheets)):
        return ()
    return tuple(replace(sheet, context=(*context, *sheet.context)) for sheet in sheets)


def yaml_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of a document in YAML.

    Raise ``DocumentError`` if it is none.
    """
    tables = _Tables(pointers=False)
    tables.take(trees.yaml_tree(document.text))
    return tables.sheets("yaml")


class _Tables:
    """The rows found so far, by the way to them."""

    def __init__(self, *, pointers: bool, lines: bool = False) -> None:
        """Begin with none; the objects of JSON *lines* are those of a list."""
        self._rows: dict[str, list[_Row]] = {}
        self._pointers = pointers
        self._lines = lines

    def take(
        self,
        node: Node,
        place: _Place = _ROOT,
        above: _Cells = _NONE,
        own: _Cells = _NONE,
        *,
        keyed: bool = False,
    ) -> None:
        """Take the objects in *node*; *own* is its key, *above* what else holds.

        *keyed* tells that others like it hold objects that are alike.
        """
        if isinstance(node, dict) and (_are_alike(node) or (keyed and _are_held(node))):
            above = {**above, **place.named(own)}
            deeper = any(map(_are_alike, node.values()))
            for name, inner in node.items():
                at = place.like(name)
                key = {"key": self._cell(Leaf(name, _line(inner)), at.pointer)}
                self.take(inner, at, above, key, keyed=deeper)
        elif isinstance(node, dict):
            self._record(node, place, above, own)
        elif isinstance(node, list):
            above = {**above, **place.named(own)}
            for number, inner in enumerate(node):
                at = place.item(number)
                index = {"index": Cell(str(number), _line(inner))}
                if items := _scalars(inner):
                    for n, leaf in enumerate(items):
                        index[str(n)] = self._cell(leaf, _at(at.pointer, n))
                    self._add(at.way, index, above)
                else:
                    own = {} if isinstance(inner, dict) else index
                    self.take(inner, at, above, own)
        else:
            name = f"{place.way.removesuffix('[]').rpartition('.')[2]}[]"
            cells = {**own, name: self._cell(node, place.pointer)}
            self._add(place.way, cells, above)

    def _record(
        self, node: dict[str, Node], place: _Place, above: _Cells, own: _Cells
    ) -> None:
        leaves: dict[str, tuple[Leaf, str]] = {}
        holders: dict[str, _Holder] = {}
        _flatten(node, "", place.pointer, leaves, holders)
        bad: list[BadLine] = []
        if place.way.endswith(("[]", "*")) or self._lines:
            texts = [name[-_END:] for name, (it, _) in leaves.items() if it.is_number]
            if any(map(spelt.way("result").search, texts)):
                bad = _left_out(leaves, holders)
        cells = {name: self._cell(*leaf) for name, leaf in leaves.items()}
        has_figures = any(leaf.is_number for leaf, _ in leaves.values())
        if cells and (has_figures or not holders):
            self._add(place.way, {**own, **cells}, above, bad)
        above = {**above, **place.named({**own, **cells})}
        by_length: dict[int, dict[str, tuple[list[Leaf], str]]] = {}
        for name, (held, at) in holders.items():
            if items := _scalars(held):
                by_length.setdefault(len(items), {})[name] = (items, at)
            else:
                self.take(held, place.field(name, at), above)
        for length, lists in by_length.items():
            way = place.field(f"{'+'.join(lists)}[]", "").way
            for number in range(length):
                row = {
                    f"{name}[]": self._cell(items[number], _at(at, number))
                    for name, (items, at) in lists.items()
                }
                index = Cell(str(number), next(iter(row.values())).line)
                self._add(way, {"index": index, **row}, above)

    def _cell(self, leaf: Leaf, pointer: str) -> Cell:
        text = leaf.text if leaf.is_number else inline.spaced(leaf.text)
        return Cell(text, leaf.line, leaf.text, (), pointer * self._pointers)

    def _add(
        self, way: str, own: _Cells, above: _Cells, bad: Sequence[BadLine] = ()
    ) -> None:
        line = next(iter(own.values())).line
        self._rows.setdefault(way, []).append(_Row(line, own, above, bad))

    def sheets(self, kind: Kind) -> tuple[Sheet, ...]:
        """Return the tables in the order of their first lines."""
        groups = [
            (way, group) for way, rows in self._rows.items() for group in _alike(rows)
        ]
        groups.sort(key=lambda named: named[1][0].line)
        made, cells = [], 0
        for way, rows in groups:
            own = list(dict.fromkeys(name for row in rows for name in row.own))
            above = list(dict.fromkeys(name for row in rows for name in row.above))
            cells += (len(own) + len(above)) * len(rows)
            require_few_cells(cells)
            table = SheetRows([*own, *above])
            for row in rows:
                blank = Cell("", row.line)
                texts = [row.own.get(name, blank) for name in own]
                texts += [row.above.get(name, blank) for name in above]
                table.add(row.line, texts, "")
            context = (way,) if way else ()
            sheet = table.sheet(kind, rows[0].line, context)
            inherited = sheet.header[len(own) :]
            bad = (*sheet.bad, *(line for row in rows for line in row.bad))
            made.append(replace(sheet, inherited=inherited, bad=bad))
        return tuple(made)


def _alike(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield *rows* as one table, or those with the same fields each where few are."""
    sets = [frozenset(row.own) for row in rows]
    if _share(sets) >= _ALIKE:
        yield list(rows)
        return
    groups: dict[frozenset[str], list[_Row]] = {}
    for names, row in zip(sets, rows, strict=True):
        groups.setdefault(names, []).append(row)
    yield from groups.values()


def _share(sets: Sequence[frozenset[str]]) -> float:
    every = frozenset().union(*sets)
    return sum(map(len, sets)) / (len(sets) * len(every)) if every else 0.0


def _are_held(node: Mapping[str, Node]) -> bool:
    return all(isinstance(inner, dict) and inner for inner in node.values())


def _are_alike(node: Node) -> bool:
    """Tell whether *node* holds nothing but objects with the same fields, or lists."""
    if not isinstance(node, dict) or len(node) < 2:
        return False
    inner = list(node.values())
    if all(isinstance(leaf, list) and leaf and not _scalars(leaf) for leaf in inner):
        return True
    if not _are_held(node):
        return False
    objects = [leaf for leaf in inner if isinstance(leaf, dict)]
    deeper = [leaf for held in objects for leaf in held.values()]
    held = [leaf for leaf in deeper if isinstance(leaf, dict)]
    shares = [_share([frozenset(leaves) for leaves in objects])]
    shares += [_share([frozenset(leaves) for leaves in held])] if held == deeper else []
    return max(shares) >= _ALIKE


def _flatten(
    node: Mapping[str, Node],
    before: str,
    pointer: str,
    leaves: dict[str, tuple[Leaf, str]],
    holders: dict[str, _Holder],
) -> None:
    """Put what *node* holds among *leaves*, by paths, and among *holders* of rows."""
    for name, inner in node.items():
        path, at = f"{before}{name}", _at(pointer, name)
        if isinstance(inner, Leaf):
            leaves[path] = (inner, at)
        elif isinstance(inner, dict) and not _are_alike(inner):
            _flatten(inner, f"{path}.", at, leaves, holders)
        elif inner:
            holders[path] = (inner, at)
    lists = {path: _scalars(held) for path, (held, _) in holders.items()}
    counted = {
        len(items) for items in lists.values() if any(leaf.is_number for leaf in items)
    }
    for path, items in lists.items():
        if items and len(items) not in counted:
            words = ", ".join(item.text for item in items)
            leaves[path] = (Leaf(words, items[0].line), holders.pop(path)[1])


def _left_out(
    leaves: dict[str, tuple[Leaf, str]], holders: dict[str, _Holder]
) -> list[BadLine]:
    """Take shapes and how runs went on out of *holders*; return what says so."""
    bad = []
    for name, (held, at) in list(holders.items()):
        items, end = _scalars(held), name[-_END:]
        if (
            items
            and spelt.way("shape").search(end)
            and all(it.text.isdecimal() for it in items)
        ):
            words = ", ".join(item.text for item in items)
            leaves[name] = (Leaf(words, items[0].line), at)
            del holders[name]
        elif isinstance(held, list) and spelt.way("series").search(end):
            del holders[name]
            many = len(items) or len(held)
            why = _LISTED.format("1 item" if many == 1 else f"{many:,} items", name)
            raw = ", ".join(item.text for item in items)
            bad.append(building.bad(why, line=_line(held), raw=raw))
    return bad


def _scalars(node: Node) -> list[Leaf]:
    """Return the items of a list of nothing but scalars."""
    items = node if isinstance(node, list) else []
    leaves = [item for item in items if isinstance(item, Leaf)]
    return leaves if len(leaves) == len(items) else []


def _line(node: Node) -> int:
    """Return the line of the first scalar in *node*."""
    while not isinstance(node, Leaf):
        inner = list(node.values()) if isinstance(node, dict) else node
        if not inner:
            return 1
        node = inner[0]
    return node.line


def _at(pointer: str, step: str | int) -> str:
    """Return the JSON pointer to *step* inside what *pointer* leads to (RFC 6901)."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"
