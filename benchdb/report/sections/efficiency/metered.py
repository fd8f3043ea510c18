"""Work whose power was read: which figures of a system belong together.

Throughput and power are of the same runs. Each system shows a workload once, as like
the others as it can be, so that systems meet on the same work.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from benchdb.conditions import Conditions
from benchdb.report.measurement import Measurement
from benchdb.report.metric_kinds import SPEEDS
from benchdb.report.sections.contenders import contenders
from benchdb.report.sections.efficiency import Reading
from benchdb.report.sections.efficiency.powers import PER_JOULE, POWERS, Power
from benchdb.report.view.atoms import System
from benchdb.statistics.comparison import geometric_mean

_SEVERAL = 2  # systems that make a workload comparable


class Metered(msgspec.Struct, frozen=True):
    """What *system* did, with watts and samples per joule for each process.

    *metric* is the one that was read. *printed* are the source's characters of the
    watts, *counted* says that the joules of the work were counted, not computed.
    """

    system: System
    measurement: Measurement
    metric: str
    reading: Reading
    watts: tuple[float, ...]
    per_joule: tuple[float, ...]
    printed: str | None
    derived: bool
    counted: bool

    @property
    def workload(self) -> str:
        """Return the name of the work."""
        return self.measurement.conditions.workload

    @property
    def efficiency(self) -> float:
        """Return the samples per joule over all processes."""
        return geometric_mean(self.per_joule)


def metered(
    measurements: Iterable[Measurement], powers: Mapping[str, Power], here: str | None
) -> list[Metered]:
    """Return the training whose power is known, the newest of every cell, by system."""
    known = {
        one: found
        for one in measurements
        if one.throughputs is not None
        and (found := _powers(one, powers))
        and _metric(found)
    }
    cells: dict[tuple[object, ...], Metered] = {}
    for contender in contenders(known, (), here):
        for one in sorted(contender.measurements, key=_preference):
            own = one.conditions
            work = own.workload, own.version, own.setting, own.parameters
            how = own.batch_size, own.precision, own.compiler, own.choices
            cell = (contender.system, *work, *how)
            cells.setdefault(cell, _metered(contender.system, one, known[one]))
    return list(cells.values())


def _powers(one: Measurement, powers: Mapping[str, Power]) -> list[Power]:
    """Return the power of every process, or nothing where one of them has none."""
    found = [powers[run] for run in one.runs if run in powers]
    return found if len(found) == len(one.runs) else []


def _metric(found: Sequence[Power]) -> str | None:
    """Return the most telling metric that all processes have, read in the same way."""
    return next(
        (
            name
            for name in (*POWERS, PER_JOULE)
            if all(name in one.figures for one in found)
            and len({one.reading(name) for one in found}) == 1
        ),
        None,
    )


def _preference(one: Measurement) -> tuple[object, ...]:
    metric = SPEEDS.index(one.conditions.metric)
    return metric, -len(one.values), repr(one.conditions)


def _metered(system: System, one: Measurement, found: Sequence[Power]) -> Metered:
    metric = _metric(found) or PER_JOULE
    figures = [power.figures[metric] for power in found]
    values = tuple(figure.value for figure in figures)
    rates = one.throughputs or ()
    reading = found[0].reading(metric)
    counted = reading.kind == "mean" and all(PER_JOULE in p.figures for p in found)
    # What a joule did is told alone: the power follows from it.
    alone = metric == PER_JOULE
    watts = _quotients(rates, values) if alone else values
    joules = tuple(power.figures[PER_JOULE].value for power in found if counted)
    return Metered(
        system=system,
        measurement=one,
        metric=metric,
        reading=reading,
        watts=watts,
        per_joule=joules or _quotients(rates, values),
        printed=figures[0].printed if len(figures) == 1 and not alone else None,
        derived=alone or any(figure.derived for figure in figures),
        counted=counted,
    )


def _quotients(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    return tuple(one / other for one, other in zip(above, below, strict=True))


def shown(everything: Sequence[Metered]) -> list[Metered]:
    """Leave what several systems did, if there is any, and each system's best of it.

    That is first of the batch size that most systems ran, then what is like most other
    systems' figures, then what does most per joule.
    """
    systems: defaultdict[str, set[System]] = defaultdict(set)
    for one in everything:
        systems[one.workload].add(one.system)
    shared = {name for name, found in systems.items() if len(found) >= _SEVERAL}
    wanted = [one for one in everything if not shared or one.workload in shared]
    # What strangers measured does not decide what is shown of the others.
    known = _likeness(one for one in wanted if one.measurement.place.known)
    usual, likeness = usual_sizes(wanted), _likeness(wanted)

    def preference(one: Metered) -> tuple[object, ...]:
        own = one.measurement.conditions
        unusual = own.batch_size != usual[own.workload]
        alike = known if one.measurement.place.known else likeness
        return unusual, -alike[own, one.reading], -one.efficiency, repr(own)

    best: dict[tuple[System, str], Metered] = {}
    for one in sorted(wanted, key=preference):
        best.setdefault((one.system, one.workload), one)
    return list(best.values())


def usual_sizes(everything: Iterable[Metered]) -> dict[str, int | None]:
    """Return the batch size that most systems ran, by workload; else the largest."""
    ran = {
        (one.workload, one.measurement.conditions.batch_size, one.system)
        for one in everything
    }
    counts = Counter((workload, size) for workload, size, _ in ran)
    order = sorted(counts, key=lambda cell: (counts[cell], cell[1] or 0))
    return dict(order)


def _likeness(everything: Iterable[Metered]) -> Counter[tuple[Conditions, Reading]]:
    """Count how many systems have a figure under the same conditions and reading."""
    return Counter((one.measurement.conditions, one.reading) for one in everything)
