"""How much chance moves what was measured: the spread seen for each class of work."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.report.measurement import (
    RATES,
    TIMES_OF_A_STEP,
    TIMES_OF_ALL_SAMPLES,
    Measurement,
)
from benchdb.statistics import spreads
from benchdb.statistics.comparison import estimate
from benchdb.statistics.spreads import Seen, WorkClass


def with_spreads(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements with the spread that such work has shown.

    That is what these measurements show themselves, else those that benchdb ships.
    """
    here = shown(measurements)
    known = {
        name: spreads.spread_of(name, here, spreads.shipped())
        for name in {work_class(one) for one in measurements}
    }
    return [replace(one, spread=known[work_class(one)]) for one in measurements]


def shown(measurements: Iterable[Measurement]) -> Mapping[WorkClass, Seen]:
    """Return what each class of work has shown in what collectors measured."""
    return spreads.seen((name, one.sample) for one, name in classified(measurements))


def classified(
    measurements: Iterable[Measurement],
) -> Iterator[tuple[Measurement, WorkClass]]:
    """Yield what collectors measured, with the class of the work."""
    for one in measurements:
        # A rate is the inverse of its step.
        counts = one.conditions.metric not in ("samples_per_second", "teraflops")
        # What may lead nothing says nothing of chance either, nor do strangers: a
        # file of wild times would leave every other verdict unclear.
        own = one.place.measured and one.place.known and one.leads and one.proven
        name = work_class(one) if own and counts else None
        if name is not None and not one.conditions.smoke:
            yield one, name


def work_class(one: Measurement) -> WorkClass | None:
    """Return the class of work, ``None`` for work that none of them is like."""
    known = workloads().get(one.conditions.workload)
    if known is None:
        return None
    return spreads.work_class(
        one.place.device,
        _step_seconds(one),
        operation=known.kind == "operation",
        whole_run=one.conditions.metric in TIMES_OF_ALL_SAMPLES,
    )


def _step_seconds(one: Measurement) -> float | None:
    metric, batch = one.conditions.metric, one.conditions.batch_size
    value = estimate(one.sample).value
    if metric in TIMES_OF_A_STEP:
        return value
    return batch / value if metric in RATES and batch else None
