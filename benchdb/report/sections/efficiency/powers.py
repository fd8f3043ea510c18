"""Power: what was read of it in a run, and what the reading covers."""

from collections.abc import Iterable, Mapping

import msgspec

from benchdb.report.runs import StoredRun
from benchdb.report.sections.efficiency import Reading

MEAN, PER_JOULE = "mean_power_watts", "samples_per_joule"
# What says most of the energy first.
POWERS = (MEAN, "peak_soc_power_watts", "peak_power_watts", "peak_gpu_power_watts")
_TOLD = frozenset((*POWERS, PER_JOULE))
_PEAKS = {"peak_soc_power_watts": "chip", "peak_gpu_power_watts": "gpu"}
_METERED = frozenset({"board", "module", "package", "soc_model"})
# Beyond these nothing is a power; ratios of such numbers are no numbers.
_LEAST, _MOST = 1e-9, 1e12


class Figure(msgspec.Struct, frozen=True):
    """A stored power, not 0, with the characters of its source."""

    value: float
    printed: str | None
    derived: bool


class Power(msgspec.Struct, frozen=True):
    """What is told of the power of one run: figures by metric.

    *scope* is what a meter counted in it; ``None`` where nothing says so.
    """

    figures: Mapping[str, Figure]
    scope: str | None

    def reading(self, metric: str) -> Reading:
        """Return what the figure of *metric* is."""
        if metric in (MEAN, PER_JOULE):
            return Reading("mean", self.scope)
        return Reading("peak", _PEAKS.get(metric))


def powers(runs: Iterable[StoredRun]) -> dict[str, Power]:
    """Return what is told of power, by run; a figure of 0 tells nothing."""
    found = {one.facts.digest: _power(one) for one in runs}
    return {run: power for run, power in found.items() if power.figures}


def _power(one: StoredRun) -> Power:
    figures = {
        said.metric: Figure(said.value, said.printed, said.derived is not None)
        for said in one.figures
        if said.metric in _TOLD
        and said.value is not None
        and _LEAST <= said.value <= _MOST
    }
    known = one.metered in _METERED
    return Power(figures, one.metered if known else None)
