"""A map as TOML, each guess with a comment right above it.

``tomli-w`` writes no comments; this writes the one shape that maps have.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchdb.importing.mapping.language import Map

Path = tuple[str | int, ...]
Notes = Mapping[Path, Sequence[str]]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT_LIMIT = 300  # characters
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def written(map_: Map, notes: Notes) -> str:
    """Return *map_* as TOML; *notes* are comments by the path of what they are about.

    Whatever the strings hold, decoding the text gives *map_* again.
    """
    plain: dict[str, Any] = msgspec.to_builtins(map_)
    return "\n".join(_tables(plain, notes)).strip("\n") + "\n"


def _tables(plain: Mapping[str, Any], notes: Notes) -> Iterator[str]:
    yield from _comments(notes, ())
    for name, value in plain.items():
        if not isinstance(value, dict) and not _is_array_of_tables(value):
            yield from _line(name, value, (name,), notes)
    for name, value in plain.items():
        if isinstance(value, dict):
            yield from _section(name, value, (name,), notes)
    for name, value in plain.items():
        if _is_array_of_tables(value):
            for index, one in enumerate(value):
                yield from _element(name, one, (name, index), notes)


def _is_array_of_tables(value: Any) -> bool:
    return (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)
    )


def _section(
    title: str, entries: Mapping[str, Any], path: Path, notes: Notes
) -> Iterator[str]:
    yield ""
    yield from _comments(notes, path)
    yield f"[{title}]"
    for name, value in entries.items():
        yield from _line(name, value, (*path, name), notes)


_OPENED = ("columns", "headings", "rows")


def _element(
    title: str, entries: Mapping[str, Any], path: Path, notes: Notes
) -> Iterator[str]:
    yield ""
    yield from _comments(notes, path)
    yield f"[[{title}]]"
    for name, value in entries.items():
        if name not in _OPENED:
            yield from _line(name, value, (*path, name), notes)
    for name in _OPENED:
        if name in entries:
            yield from _section(f"{title}.{name}", entries[name], (*path, name), notes)


def _line(name: str, value: Any, path: Path, notes: Notes) -> Iterator[str]:
    yield from _comments(notes, path)
    yield f"{_key(name)} = {_value(value)}"


def _comments(notes: Notes, path: Path) -> Iterator[str]:
    for note in notes.get(path, ()):
        yield f"# {shown(note)}"


def shown(text: str) -> str:
    """Return *text* so that it stays in its line and shows what it is."""
    safe = "".join(_visible(char) for char in text[:_COMMENT_LIMIT])
    return safe if len(text) <= _COMMENT_LIMIT else f"{safe} …"


def _visible(char: str) -> str:
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\u{ord(char):04X}"
    return char


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(n)} = {_value(one)}" for n, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _string(value) if isinstance(value, str) else repr(value)


def _string(text: str) -> str:
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp"):
        code = ord(char)
        return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
    return char
