"""YAML as trees, read event by event.

So neither depth nor an alias that stands for thousands of values takes more than its
limit, and no tag makes an object.
"""

from collections.abc import Iterator

import yaml

from benchdb.importing.document import VALUES_LIMIT, DocumentError
from benchdb.importing.tables.trees import NUMBER, Builder, Leaf, Node

YAML_LIMIT = 2**22  # characters; it is read a hundred times as slowly as JSON
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_tree(text: str) -> Node:
    """Return the YAML *text*: its document, or a list of several.

    Raise ``DocumentError`` where it is none.
    """
    if len(text) > YAML_LIMIT:
        raise DocumentError(f"more than {YAML_LIMIT:,} characters of YAML; split it")
    made = Builder(VALUES_LIMIT)
    try:
        _follow(yaml.parse(text, Loader=_LOADER), made)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}: " if mark else ""
        raise DocumentError(f"{place}no YAML ({error.problem})") from error
    except yaml.YAMLError as error:
        raise DocumentError(f"no YAML ({str(error).splitlines()[0]})") from error
    return made.roots[0] if len(made.roots) == 1 else made.roots


def _follow(events: Iterator[yaml.Event], made: Builder) -> None:
    anchors: dict[str, tuple[Node, int]] = {}
    names: list[str | None] = []  # anchors of the holders that are open
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0] and bool(NUMBER.fullmatch(event.value))
            leaf = Leaf(event.value, line, plain)
            anchors |= {event.anchor: (leaf, 1)} if event.anchor else {}
            if made.wants_key:
                made.keys[-1] = event.value
            else:
                made.put(leaf, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            is_map = isinstance(event, yaml.MappingStartEvent)
            made.begin({} if is_map else [], line)
            names.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            held = made.end()
            if name := names.pop():
                anchors[name] = held
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors or made.wants_key:
                raise DocumentError(f"line {line}: *{event.anchor} stands for nothing")
            node, size = anchors[event.anchor]
            made.put(node, line, size)
