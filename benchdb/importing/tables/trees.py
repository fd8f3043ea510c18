"""Trees of JSON and YAML whose scalars know their line and how they are printed.

So ``12.50`` stays so. YAML is read event by event: depth takes no more than its limit,
and no tag makes an object.
"""

import json
import re

import msgspec

from benchdb.importing.document import DEPTH_LIMIT, Document, DocumentError, parsed_json

_YAML_LIMIT = 2**20  # characters; it is read a hundred times as slowly as JSON
_TOKEN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[\[\]{}]|[^\s\[\]{},:"]++')
_NUMBER = re.compile(
    r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|-?(?:NaN|Infinity)"
)


class Leaf(msgspec.Struct, frozen=True):
    """A scalar: its text, a number as printed; where it stands; whether it is one."""

    text: str
    line: int
    is_number: bool = False


Node = Leaf | dict[str, "Node"] | list["Node"]


class _Builder:
    """A tree in the making: the holders that are open, each with the key that waits."""

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self._open: list[Node] = [self.roots]
        self._keys: list[str | None] = [None]

    def put(self, node: Node, line: int) -> None:
        """Put *node* where the next one belongs; a scalar may be a key."""
        holder, key = self._open[-1], self._keys[-1]
        if isinstance(holder, list):
            holder.append(node)
        elif isinstance(holder, dict) and key is None:
            if not isinstance(node, Leaf):
                raise DocumentError(f"line {line}: a key is a list or an object")
            if node.text in holder:
                key = node.text[:40]
                raise DocumentError(f"line {line}: the key {key!r} stands twice")
            self._keys[-1] = node.text
        elif isinstance(holder, dict):
            holder[key or ""] = node
            self._keys[-1] = None

    def begin(self, node: Node, line: int) -> None:
        """Put *node* and go on inside it."""
        if len(self._open) > DEPTH_LIMIT:
            raise DocumentError(f"line {line}: nested too deeply")
        self.put(node, line)
        self._open.append(node)
        self._keys.append(None)

    def end(self) -> None:
        """Leave the holder that is open."""
        self._keys.pop()
        self._open.pop()


def json_tree(text: str, first: int = 1) -> Node:
    """Return the JSON *text* from line *first*; ``NaN`` and infinities are numbers."""
    parsed_json(text, nan=True)
    made, line, at = _Builder(), first, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at, word = token.start(), token[0]
        if word in "]}":
            made.end()
        elif word in "[{":
            made.begin([] if word == "[" else {}, line)
        elif word[0] != '"':
            made.put(Leaf(word, line, bool(_NUMBER.fullmatch(word))), line)
        else:
            plain = json.loads(word) if "\\" in word else word[1:-1]
            made.put(Leaf(plain, line), line)
    return made.roots[0]


def json_lines(document: Document) -> tuple[list[Node], list[int]]:
    """Return what the lines are, and the numbers of those that are no JSON."""
    trees, broken = [], []
    for number, text in enumerate(document.lines, start=1):
        try:
            if text.strip():
                trees.append(json_tree(text, number))
        except DocumentError:
            broken.append(number)
    return trees, broken


def are_json_lines(document: Document) -> bool:
    """Tell whether the first line that is not blank is JSON, with others below."""
    first, _, rest = document.text.strip().partition("\n")
    return first[:1] in ("{", "[") and bool(rest) and is_json(first)


def is_json(text: str) -> bool:
    """Tell whether *text* is JSON that holds something."""
    try:
        return bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def yaml_tree(text: str) -> Node:
    """Return the YAML *text*: its document, or a list of several.

    Raise ``DocumentError`` where it is none.
    """
    import yaml  # noqa: PLC0415 - heavy, and most documents are none

    if len(text) > _YAML_LIMIT:
        raise DocumentError(f"more than {_YAML_LIMIT:,} characters of YAML; split it")
    made = _Builder()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            line = event.start_mark.line + 1 if event.start_mark else 0
            if isinstance(event, yaml.ScalarEvent):
                plain = event.implicit[0] and bool(_NUMBER.fullmatch(event.value))
                made.put(Leaf(event.value, line, plain), line)
            elif isinstance(event, yaml.CollectionStartEvent):
                made.begin(
                    {} if isinstance(event, yaml.MappingStartEvent) else [], line
                )
            elif isinstance(event, yaml.CollectionEndEvent):
                made.end()
            elif isinstance(event, yaml.AliasEvent):
                why = "stands for something written elsewhere; write it out"
                raise DocumentError(f"line {line}: *{event.anchor} {why}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise DocumentError(f"{place}no YAML ({error.problem})") from error
    except yaml.YAMLError as error:
        raise DocumentError(f"no YAML ({str(error).splitlines()[0]})") from error
    return made.roots[0] if len(made.roots) == 1 else made.roots
