"""What a line says, less what ties it to its file: the part that has an identity."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import asdict, fields, replace

from benchdb.exchange.lines import End, Run, Value
from benchdb.identity import (
    UnusualError,
    canonical,
    sorts_as_text,
    undisputed,
    usual_number,
)

_encoder = msgspec.json.Encoder(order="sorted")
_REFERENCES = ("key", "run", "machine", "environment", "source")


def content(
    line: msgspec.Struct, *, drop: tuple[str, ...] = ("key",)
) -> dict[str, Any]:
    """Return the fields of *line* that say something, as plain data, without *drop*.

    A field left out and one spelled out as its empty default mean the same; a default
    that says something (``setting``) is always part of the content.
    """
    found = {}
    for name, value in asdict(line).items():
        if value is None or name in drop:
            continue
        plain = value if type(value) in _PLAIN else _plain(value)
        if plain not in _EMPTY:
            found[name] = plain
    return found


_EMPTY: tuple[Any, ...] = ([], {})
_PLAIN = frozenset({str, int, float, bool, dict})


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return content(value, drop=())
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value


def canonical_content(line: Run | End) -> bytes:
    """Return the content of *line*, less its references, as canonical JSON."""
    text = _at_once(line)
    if text is None or not sorts_as_text(text):
        return canonical(content(line, drop=_REFERENCES))
    return text


def _at_once(line: Run | End) -> bytes | None:
    """Return what the encoder makes of *line*, ``None`` where it may err."""
    if isinstance(line, Run):
        counts = line.seed, line.workload_version, line.replicate, line.replicates
        if not undisputed(line.parameters, line.conditions, *counts):
            return None
    else:
        details = [flag.detail for flag in line.flags]
        if not undisputed(line.checks, line.conditions, *details):
            return None
        figures = [value.value for value in line.values]
        figures += [value.uncertainty for value in line.values]
        if not undisputed(*figures):
            try:
                values = tuple([_usual(value) for value in line.values])
            except UnusualError:
                return None
            line = replace(line, values=values, flags=tuple(line.flags))
    told, form = _FORMS[type(line)]
    return _encoder.encode(form(*told(line)))


def _usual(value: Value) -> Value:
    number, give_or_take = value.value, value.uncertainty
    if give_or_take is not None:
        value = replace(value, uncertainty=usual_number(give_or_take))
    if number is None or (usual := usual_number(number)) is number:
        return value
    return replace(value, value=usual)


def _form(
    kind: type[msgspec.Struct],
) -> tuple[Callable[[Any], tuple[Any, ...]], Callable[..., msgspec.Struct]]:
    """Return what gets from a line the fields that count, and what is written of them.

    The encoder leaves out defaults, as ``content`` leaves out what is empty. One that
    says something is always written, so that here it is none.
    """
    always: list[tuple[str, Any]] = []
    where_told: list[tuple[str, Any, Any]] = []
    for field in fields(kind):
        if field.name in _REFERENCES:
            continue
        if field.default_factory is dict or field.default in (None, ()):
            empty: Any = {} if field.default_factory is dict else field.default
            where_told.append((field.name, Any, empty))
        else:
            always.append((field.name, Any))
    form = msgspec.defstruct(kind.__name__, [*always, *where_told], omit_defaults=True)
    return attrgetter(*form.__struct_fields__), form


_FORMS = {kind: _form(kind) for kind in (Run, End)}
