"""Trees whose scalars know their line and how they are printed: ``12.50`` stays so.

JSON and JSON Lines become such trees here, YAML in ``yaml_trees``.
"""

import json
import re

import msgspec

from benchdb.importing.document import (
    DEPTH_LIMIT,
    Document,
    DocumentError,
    parsed_json,
)

_TOKEN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[\[\]{}]|[^\s\[\]{},:"]++')
NUMBER = re.compile(
    r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|-?(?:NaN|Infinity)"
)


class Leaf(msgspec.Struct, frozen=True):
    """A scalar: its text, a number as printed; where it stands; whether it is one."""

    text: str
    line: int
    is_number: bool = False


Node = Leaf | dict[str, "Node"] | list["Node"]


class Builder:
    """A tree in the making: the holders that are open, each with the key that waits."""

    def __init__(self, limit: int) -> None:
        """Begin with nothing; take up to *limit* values."""
        self.limit = limit
        self.roots: list[Node] = []
        self.open: list[tuple[Node, int]] = [(self.roots, 0)]  # with what is in memory
        self.keys: list[str | None] = [None]

    @property
    def wants_key(self) -> bool:
        """Tell whether the next scalar is the key of an object."""
        return isinstance(self.open[-1][0], dict) and self.keys[-1] is None

    def put(self, node: Node, line: int, size: int = 1) -> None:
        """Put *node*, of *size* values, where the next one belongs."""
        holder, before = self.open[-1]
        if before + size > self.limit:
            raise DocumentError(f"line {line}: more than {self.limit:,} values")
        self.open[-1] = (holder, before + size)
        if isinstance(holder, dict):
            key = self.keys[-1] or ""
            self.keys[-1] = None
            if key in holder:
                raise DocumentError(f"line {line}: the key {key[:40]!r} stands twice")
            holder[key] = node
        elif isinstance(holder, list):
            holder.append(node)

    def begin(self, node: Node, line: int) -> None:
        """Put *node* and go on inside it."""
        if self.wants_key or len(self.open) > DEPTH_LIMIT:
            deep = len(self.open) > DEPTH_LIMIT
            why = "nested too deeply" if deep else "a key is a list or an object"
            raise DocumentError(f"line {line}: {why}")
        self.put(node, line)
        self.open.append((node, 0))
        self.keys.append(None)

    def end(self) -> tuple[Node, int]:
        """Leave the holder that is open; return it with the values inside."""
        self.keys.pop()
        node, size = self.open.pop()
        if isinstance(node, dict) and isinstance(merged := node.get("<<"), dict):
            node.update({**merged, **node})
            del node["<<"]
        holder, before = self.open[-1]
        self.open[-1] = (holder, before + size)
        return node, size


def json_tree(text: str, first: int = 1) -> Node:
    """Return the JSON *text*, which begins in line *first*.

    ``NaN`` and the infinities, which are none, are numbers. Raise ``DocumentError``
    where it is none.
    """
    parsed_json(text, nan=True)
    made, line, at = Builder(len(text)), first, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at, word = token.start(), token[0]
        if word in "]}":
            made.end()
        elif word in "[{":
            made.begin([] if word == "[" else {}, line)
        elif word[0] != '"':
            made.put(Leaf(word, line, bool(NUMBER.fullmatch(word))), line)
        else:
            plain = json.loads(word) if "\\" in word else word[1:-1]
            if made.wants_key:
                made.keys[-1] = plain
            else:
                made.put(Leaf(plain, line), line)
    return made.roots[0]


def json_lines(document: Document) -> tuple[list[tuple[int, Node]], list[int]]:
    """Return what each line is, with its number; and the lines that are no JSON."""
    trees, broken = [], []
    for number, text in enumerate(document.lines, start=1):
        try:
            if text.strip():
                trees.append((number, json_tree(text, number)))
        except DocumentError:
            broken.append(number)
    return trees, broken


def are_json_lines(document: Document) -> bool:
    """Tell whether the first line that is not blank is JSON, with others below."""
    first, _, rest = document.text.strip().partition("\n")
    try:
        return first[:1] in ("{", "[") and bool(rest) and bool(json.loads(first))
    except (ValueError, RecursionError):
        return False
