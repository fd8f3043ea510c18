"""What was trained, by which system: every measurement, not the newest of each only."""

import math

import msgspec

from benchdb.report.measurement import Measurement
from benchdb.report.metric_kinds import BESIDE_THEIR_RATE, trains
from benchdb.report.sections.material import Material
from benchdb.report.systems import is_known, party, resolve
from benchdb.report.view.atoms import System


class Trained(msgspec.Struct, frozen=True):
    """A measurement of training with its system."""

    system: System
    measurement: Measurement


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
    return [Trained(systems[who], one) for who, one in zip(parties, done, strict=True)]


def _has_throughput(one: Measurement) -> bool:
    return all(0 < rate < math.inf for rate in one.throughputs or (0.0,))
