"""What was trained, by which system: every measurement, not the newest of each only."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from benchdb.report.measurement import BESIDE_THEIR_RATE, Measurement, trains
from benchdb.report.sections.material import Material
from benchdb.report.systems import is_known, party, resolve
from benchdb.report.view.atoms import System

# Choices that conditions do not name, and that change what a step costs.
_CHOICES = (
    *("image_size", "sequence_length", "channels", "hidden", "units", "trainable"),
    *("memory_format", "optimizer_implementation"),
)

Way = tuple[str | None, ...]


class Trained(msgspec.Struct, frozen=True):
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
    firsts = {one.runs[0] for one in done}
    ways = {
        one.facts.digest: _way(one.facts.parameters)
        for one in material.runs
        if one.facts.digest in firsts
    }
    return [
        Trained(systems[who], one, ways[one.runs[0]])
        for who, one in zip(parties, done, strict=True)
    ]


def _has_throughput(one: Measurement) -> bool:
    return all(0 < rate < math.inf for rate in one.throughputs or (0.0,))


def _way(parameters: Mapping[str, Any]) -> Way:
    return tuple(
        None if (choice := parameters.get(name)) is None else str(choice)
        for name in _CHOICES
    )
