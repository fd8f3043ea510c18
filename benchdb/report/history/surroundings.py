"""What stood around a run: software, modes and power of its machine, by name.

A name is one of ``NAMES``, or a kind and what of it: ``library:numpy``.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.store.bulk_load import batched
from benchdb.store.gpu_selection import without_one_gpu
from benchdb.store.tables import environment, run

# In the order in which they are told: what most often explains a change is first.
NAMES = (
    *("version", "library", "system", "kernel", "driver", "limit"),
    *("power_source", "power_mode", "low_power_mode", "governor", "load"),
    *("threads", "math", "variable", "python", "collector"),
)
_POWER = ("power_source", "power_mode", "low_power_mode", "governor")

Surroundings = Mapping[str, str]  # what is known


class Changed(msgspec.Struct, frozen=True):
    """What was one thing before and another after, by the name of a surrounding."""

    name: str
    before: str
    after: str


def around(connection: Connection, digests: Iterable[str]) -> dict[str, Surroundings]:
    """Return what stood around each of these runs, load aside."""
    query = select(
        run.c.digest,
        run.c.device,
        run.c.parameters,
        run.c.collector,
        run.c.collector_version,
        run.c.conditions_before,
        environment.c.os_name,
        environment.c.os_version,
        environment.c.os_build,
        environment.c.kernel,
        environment.c.python,
        environment.c.framework,
        environment.c.framework_version,
        environment.c.packages,
        environment.c.devices,
        environment.c.math,
        environment.c.variables,
    ).join(environment, run.c.environment == environment.c.digest)
    surroundings: dict[str, Surroundings] = {}
    for some in batched(sorted(set(digests))):
        for row in connection.execute(query.where(run.c.digest.in_(some))):
            surroundings[row.digest] = dict(_facts(row))
    return surroundings


def _facts(row: Any) -> Iterator[tuple[str, str]]:
    build = f"({row.os_build})" if row.os_build else None
    system = (row.os_name, row.os_version, build) if row.os_name else ()
    collector = (row.collector, row.collector_version) if row.collector else ()
    before = _mapping(row.conditions_before)
    own: list[tuple[str, Any]] = [
        ("version", row.framework_version),
        ("system", " ".join(filter(None, system))),
        ("kernel", row.kernel),
        ("python", row.python),
        ("collector", " ".join(filter(None, collector))),
        *((name, before.get(name)) for name in _POWER),
    ]
    if row.device == "cpu":
        own.append(("threads", _mapping(row.parameters).get("threads")))
    if row.device in ("cuda", "rocm"):  # a Mac's driver is part of its system
        every = row.devices if isinstance(row.devices, list) else []
        cards = [item for item in every if isinstance(item, dict)]
        for name, text in (("driver", "driver"), ("limit", "power_limit_watts")):
            values = {_text(card[text]) for card in cards if card.get(text) is not None}
            own.append((name, " / ".join(sorted(values))))
    for kind, facts in (
        ("library", _mapping(row.packages)),
        ("math", _mapping(row.math)),
        ("variable", without_one_gpu(_mapping(row.variables))),
    ):
        # The framework's own version is there already.
        named = facts.items() if kind != "library" else _others(facts, row.framework)
        own += ((f"{kind}:{name}", value) for name, value in named)
    yield from ((name, _text(value)) for name, value in own if value not in (None, ""))


def _others(facts: Mapping[str, Any], framework: str | None) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in facts.items() if name != framework]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def of_campaign(runs: Sequence[Surroundings]) -> Surroundings:
    """Return what stood around several runs; where they differ, all there was."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for facts in runs:
        for name, value in facts.items():
            values[name].add(value)
    return {name: " / ".join(sorted(every)) for name, every in values.items()}


def changed(before: Surroundings, after: Surroundings) -> tuple[Changed, ...]:
    """Return what is known of both sides and differs.

    Of libraries and variables what one side lacks differs as well, where it has any.
    """
    changes = []
    for name in sorted(before.keys() | after.keys(), key=_order):
        old, new = before.get(name), after.get(name)
        kind = name.partition(":")[0]
        listed = kind in ("library", "variable") and any(
            text.startswith(f"{kind}:") for text in (before if old is None else after)
        )
        if old != new and (listed or None not in (old, new)):
            changes.append(Changed(name, old or "", new or ""))
    return tuple(changes)


def _order(name: str) -> tuple[int, str]:
    return NAMES.index(name.partition(":")[0]), name
