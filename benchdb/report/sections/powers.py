"""The queries for power: what was read of it in a run, and what the reading covers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, select

from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.view.efficiency import Reading
from benchdb.store.tables import run, value

MEAN, PER_JOULE = "mean_power_watts", "samples_per_joule"
# What says most of the energy first.
POWERS = (MEAN, "peak_soc_power_watts", "peak_power_watts", "peak_gpu_power_watts")
_PEAKS = {"peak_soc_power_watts": "chip", "peak_gpu_power_watts": "gpu"}
_METERED = frozenset({"board", "module", "package", "soc_model"})
# Beyond these nothing is a power; ratios of such numbers are no numbers.
_LEAST, _MOST = 1e-9, 1e12


@dataclass(frozen=True)
class Figure:
    """A stored value with the characters of its source."""

    value: float
    printed: str | None
    derived: bool


@dataclass(frozen=True)
class Power:
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


def powers(connection: Connection, scope: Scope = EVERYTHING) -> dict[str, Power]:
    """Return what is told of power, by run; a figure of 0 tells nothing."""
    figures: defaultdict[str, dict[str, Figure]] = defaultdict(dict)
    columns = value.c.run, value.c.metric, value.c.value, value.c.printed
    told = _told((*POWERS, PER_JOULE), scope)
    for row in connection.execute(select(*columns, value.c.derived).where(told)):
        found = Figure(row.value, row.printed, row.derived is not None)
        figures[row.run][row.metric] = found
    metered = select(value.c.run).where(_told((MEAN, PER_JOULE), scope))
    checks = select(run.c.digest, run.c.checks).where(run.c.digest.in_(metered))
    scopes = {row.digest: _scope(row.checks) for row in connection.execute(checks)}
    return {name: Power(found, scopes.get(name)) for name, found in figures.items()}


def _told(metrics: Sequence[str], scope: Scope) -> ColumnElement[bool]:
    return and_(
        value.c.metric.in_(metrics),
        value.c.value.between(_LEAST, _MOST),
        scope.has(value.c.run),
    )


def _scope(checks: Any) -> str | None:
    energy = checks.get("energy") if isinstance(checks, dict) else None
    scope = energy.get("scope") if isinstance(energy, dict) else None
    return scope if isinstance(scope, str) and scope in _METERED else None
