"""Runs become measurements: the newest campaign of every cell, and what is missing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from benchdb.report.measurement import (
    REPORTED,
    SPEEDS,
    TIMES_OF_ALL_SAMPLES,
    Conditions,
    Gap,
    Measurement,
)
from benchdb.report.runs import NO_FIGURE, Figure, StoredRun
from benchdb.store.cells import age

# Beyond these nothing is a speed; ratios of such numbers are no numbers.
_SLOWEST, _FASTEST = 1e-15, 1e18

_COUNTS = ("warmup_epochs", "epochs", "steps_per_epoch")
_MANY = 10**9  # more than anybody's

_Timed = tuple[StoredRun, Figure]


def measurements(runs: Iterable[StoredRun]) -> list[Measurement]:
    """Return the newest campaign of every cell, its processes together.

    A smoke campaign never stands in for a longer one. Runs that are left out are in no
    measurement.
    """
    latest = _newest(one for one in runs if one.facts.status == "ok")
    campaigns = {one.facts.digest: _campaign(one) for one in latest}
    processes = Counter(campaigns.values())
    cells: defaultdict[tuple[object, ...], list[_Timed]] = defaultdict(list)
    for one in sorted(latest, key=_turn):
        for figure in one.figures:
            if figure.metric in SPEEDS and _is_speed(figure.value):
                cells[_alike(one, figure)].append((one, figure))
    found = (
        _measurement([pair for pair in pairs if not pair[0].left_out])
        for pairs in cells.values()
        # Where only quick processes had time for a figure, theirs alone would flatter.
        if len(pairs) >= max(processes[campaigns[one.facts.digest]] for one, _ in pairs)
        and not all(one.left_out for one, _ in pairs)
    )
    return sorted(found, key=_order)


def _newest(runs: Iterable[StoredRun]) -> list[StoredRun]:
    """Return the runs of the campaign of each cell that started last."""
    cells: defaultdict[tuple[object, ...], list[StoredRun]] = defaultdict(list)
    for one in runs:
        cells[(*one.facts.cell, one.facts.tier == "smoke")].append(one)
    return [one for cell in cells.values() for one in _last(cell)]


def _last(cell: Sequence[StoredRun]) -> Iterator[StoredRun]:
    _, newest = max(age(one.facts.started, one.facts.campaign) for one in cell)
    return (one for one in cell if (one.facts.campaign or "") == newest)


def _campaign(one: StoredRun) -> tuple[object, ...]:
    facts = one.facts
    return *facts.cell, facts.tier == "smoke", facts.campaign, facts.environment


def _turn(one: StoredRun) -> tuple[bool, int, str]:
    replicate = one.facts.replicate
    return replicate is None, replicate or 0, one.facts.digest


def _is_speed(figure: float | None) -> bool:
    return figure is not None and _SLOWEST <= figure <= _FASTEST


def _alike(one: StoredRun, figure: Figure) -> tuple[object, ...]:
    """Return what processes of one measurement have in common."""
    facts = one.facts
    return one.place, facts.environment, facts.campaign, conditions(one, figure.metric)


def _measurement(pairs: Sequence[_Timed]) -> Measurement:
    (first, figure), runs = pairs[0], [one.facts for one, _ in pairs]
    return Measurement(
        conditions=conditions(first, figure.metric),
        place=first.place,
        environment=first.facts.environment,
        values=tuple(one.value for _, one in pairs if one.value is not None),
        runs=tuple(one.digest for one in runs),
        campaign=first.facts.campaign,
        started=max((one.started for one in runs if one.started), default=None),
        printed=figure.printed if len(pairs) == 1 else None,
        derived=any(one.derived is not None for _, one in pairs),
    )


def _order(measurement: Measurement) -> tuple[str, tuple[str, ...]]:
    return measurement.conditions.metric, measurement.runs


def gaps(runs: Iterable[StoredRun]) -> list[Gap]:
    """Return the cells without a figure: failed, unsupported, or not measured."""
    return [
        _gap(one, figure)
        for one in runs
        if not one.left_out
        for figure in _missing(one)
    ]


def _missing(one: StoredRun) -> Sequence[Figure]:
    speeds = (figure for figure in one.figures if figure.metric in SPEEDS)
    missing = [figure for figure in speeds if figure.value is None]
    if not missing and one.facts.status != "ok":
        return (NO_FIGURE,)
    return sorted(missing, key=lambda figure: figure.metric)


def _gap(one: StoredRun, figure: Figure) -> Gap:
    return Gap(
        conditions=conditions(one, figure.metric),
        place=one.place,
        reason=figure.reason or one.facts.why or one.facts.status,
        run=one.facts.digest,
    )


def conditions(one: StoredRun, metric: str) -> Conditions:
    """Return what must be equal for another figure to compare with this *metric*."""
    facts = one.facts
    return Conditions(
        workload=facts.workload,
        version=facts.workload_version,
        setting=facts.setting,
        framework=facts.framework,
        batch_size=facts.batch_size,
        precision=facts.precision,
        compiler=facts.compiler,
        metric=metric,
        extent=_extent(one, metric),
        smoke=facts.tier == "smoke",
        told_by=facts.source if metric in REPORTED else None,
    )


def _extent(one: StoredRun, metric: str) -> float | None:
    """Return the samples that a time covers: as stated, or from epochs and steps."""
    batch, plan = one.facts.batch_size, one.plan
    if metric == "reported_step_seconds":
        return None if batch is None else float(batch)
    if metric not in TIMES_OF_ALL_SAMPLES:
        return None
    stated = one.facts.parameters.get("samples_total")
    if isinstance(stated, int | float):
        return float(stated) if 0 < stated < _FASTEST else None
    if not plan or plan.get("kind", "fit") != "fit" or batch is None:
        return None
    told = [count for name in _COUNTS if _is_count(count := plan.get(name))]
    if len(told) < len(_COUNTS):
        return None  # a stranger's words
    warmup, epochs, steps = told
    return float((warmup + epochs) * steps * batch)


def _is_count(said: object) -> TypeGuard[int]:
    return isinstance(said, int) and 0 <= said < _MANY
