"""Workloads and metrics of one's own: ``catalogue.toml`` in the user's folder."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from benchdb.errors import UsageError, suggestion
from benchdb.user_data import config_folder

Direction = Literal["higher", "lower", "none"]


class OwnMetric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A metric as a user writes it; without *short* its title stands in tables."""

    title: str
    unit: str
    direction: Direction
    short: str | None = None


class OwnWorkload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A workload as a user writes it.

    *cell* names the parameters that make the work, *metrics* the figures that it is
    told by, the headline first. *flops* are those of one sample or operation.
    """

    title: str
    unit: str = "op"
    cell: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    timed: str = "as its collector says"
    model: str = "as its collector says"
    flops: int | None = None
    version: int = 1


class Own(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file has, by name."""

    metric: dict[str, OwnMetric] = {}
    workload: dict[str, OwnWorkload] = {}


def path() -> Path:
    """Return where the file belongs, which need not be there."""
    return config_folder() / "catalogue.toml"


@cache
def own() -> Own:
    """Return what the user's file has; raise ``UsageError`` for what it must not."""
    place = path()
    try:
        text = place.read_bytes().decode()
    except FileNotFoundError:
        return Own()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise UsageError(f"cannot read {place}: {why}") from error
    import tomllib  # noqa: PLC0415 - most people have no such file

    try:
        plain = tomllib.loads(text)
        for fault in _faults(plain):
            raise UsageError(f"{place}: {fault}")
        return msgspec.convert(plain, Own)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: {error}") from error


def _faults(plain: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the file beside its types, and what to write."""
    for kind, entries in plain.items():
        if kind not in _KINDS or not isinstance(entries, dict):
            yield f"no {kind!r} belongs here{suggestion(kind, _KINDS)}"
            continue
        for name, entry in entries.items():
            if why := _fault(kind, name, entry):
                yield f"{kind} {name!r}: {why}"


def _fault(kind: str, name: str, entry: Any) -> str | None:
    fields, pattern = _KINDS[kind]
    if not pattern.fullmatch(name):
        return f"a name is like {pattern.pattern}"
    if not isinstance(entry, dict):
        return f"it is a table: [{kind}.{name}]"
    known = fields.__struct_fields__
    for field in entry:
        if field not in known:
            return f"no field {field!r}{suggestion(field, known)}"
    directions, direction = get_args(Direction), entry.get("direction", "none")
    if direction not in directions:
        return f"no direction {direction!r}{suggestion(str(direction), directions)}"
    return None


_KINDS: dict[str, tuple[type[Any], re.Pattern[str]]] = {
    "metric": (OwnMetric, re.compile(r"[a-z][a-z0-9_]{0,63}")),
    "workload": (OwnWorkload, re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}")),
}
