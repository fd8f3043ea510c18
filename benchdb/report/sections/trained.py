"""What was trained, by which system: every measurement, not the newest of each only."""

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Text, select, type_coerce

from benchdb.report.measurement import BESIDE_THEIR_RATE, Measurement, trains
from benchdb.report.sections.material import Material
from benchdb.report.systems import is_known, party, resolve
from benchdb.report.view.atoms import System
from benchdb.store.tables import run

# Choices that conditions do not name, and that change what a step costs.
_CHOICES = (
    *("image_size", "sequence_length", "channels", "hidden", "units", "trainable"),
    *("memory_format", "optimizer_implementation"),
)

Way = tuple[str | None, ...]


@dataclass(frozen=True)
class Trained:
    """A measurement of training with its system; *way* is equal for equal choices."""

    system: System
    measurement: Measurement
    way: Way


def trained(material: Material) -> list[Trained]:
    """Return each steady measurement of training on a known chip.

    Their throughputs are known. Steps stand aside: whoever times them gives their rate
    as well.
    """
    done = [
        one
        for one in material.steady
        if trains(one.conditions.workload)
        and one.conditions.metric not in BESIDE_THEIR_RATE
        and is_known(one.place)
        and _has_throughput(one)
    ]
    parties = [party(m.place, m.conditions.framework, material.here) for m in done]
    systems = resolve(parties)
    ways = _ways(material, {one.runs[0] for one in done})
    return [
        Trained(systems[who], one, ways[one.runs[0]])
        for who, one in zip(parties, done, strict=True)
    ]


def _has_throughput(one: Measurement) -> bool:
    return all(0 < rate < math.inf for rate in one.throughputs or (0.0,))


def _ways(material: Material, wanted: Collection[str]) -> dict[str, Way]:
    query = select(run.c.digest, type_coerce(run.c.parameters, Text))
    rows = material.connection.execute(query.where(material.scope.has(run.c.digest)))
    return {digest: _way(json.loads(text)) for digest, text in rows if digest in wanted}


def _way(parameters: dict[str, Any]) -> Way:
    return tuple(
        None if (choice := parameters.get(name)) is None else str(choice)
        for name in _CHOICES
    )
