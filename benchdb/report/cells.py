"""Runs become measurements: the processes of every cell, and what is missing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from benchdb.cell import Conditions, divided
from benchdb.report.measurement import (
    REPORTED,
    SPEEDS,
    TIMES_OF_ALL_SAMPLES,
    Gap,
    Measurement,
)
from benchdb.report.runs import NO_FIGURE, Facts, Figure, StoredRun, by_session

# Beyond these nothing is a speed; ratios of such numbers are no numbers.
_SLOWEST, _FASTEST = 1e-15, 1e18

_OF_SCRIPTS = ("fit_samples_per_second", *TIMES_OF_ALL_SAMPLES)
_COUNTS = ("warmup_epochs", "epochs", "steps_per_epoch")
_MANY = 10**9  # more than anybody's

_Timed = tuple[StoredRun, Figure]


def measurements(runs: Iterable[StoredRun]) -> list[Measurement]:
    """Return what was measured under each conditions, the processes together.

    Campaigns of one cell under the same conditions are sessions of one measurement. A
    session in which a gate failed is in none, nor are runs that are left out.
    """
    done = [
        one for one in runs if one.facts.status == "ok" and not one.facts.disqualified
    ]
    processes = Counter(_campaign(one) for one in done)
    cells: defaultdict[tuple[object, ...], list[_Timed]] = defaultdict(list)
    for one in done:
        for figure in one.figures:
            if figure.metric in SPEEDS and _is_speed(figure.value):
                cells[_alike(one, figure)].append((one, figure))
    found = (
        _measurement([pair for pair in pairs if not pair[0].left_out])
        for every in cells.values()
        for pairs in (_complete(every, processes),)
        if not all(one.left_out for one, _ in pairs)
    )
    return sorted(found, key=_order)


def _campaign(one: StoredRun) -> tuple[object, ...]:
    facts = one.facts
    # What was under other conditions is another figure, and takes none from this one.
    return facts.alike, facts.campaign, facts.environment


def _complete(
    pairs: Sequence[_Timed], processes: Mapping[tuple[object, ...], int]
) -> list[_Timed]:
    """Leave out campaigns of which only some processes have the figure.

    Where only quick processes had time for it, theirs alone would flatter.
    """
    there = Counter(_campaign(one) for one, _ in pairs)
    return [
        (one, figure)
        for one, figure in pairs
        if there[_campaign(one)] >= processes[_campaign(one)]
    ]


def _is_speed(figure: float | None) -> bool:
    return figure is not None and _SLOWEST <= figure <= _FASTEST


def _alike(one: StoredRun, figure: Figure) -> tuple[object, ...]:
    """Return what processes of one measurement have in common."""
    return one.place, one.facts.alike, conditions(one, figure.metric)


def _measurement(pairs: Sequence[_Timed]) -> Measurement:
    """Return the processes together, those of the newest session first."""
    figures = {one.facts.digest: figure for one, figure in pairs}
    sessions = by_session(one for one, _ in pairs)
    ordered = [one for members in sessions for one in members]
    first, runs = ordered[0], [one.facts for one in ordered]
    figure = figures[first.facts.digest]
    values = (figures[facts.digest].value for facts in runs)
    limits = {one.limit for one in runs}
    return Measurement(
        conditions=conditions(first, figure.metric),
        place=first.place,
        environment=first.facts.environment,
        values=tuple(value for value in values if value is not None),
        runs=tuple(facts.digest for facts in runs),
        campaign=first.facts.campaign,
        started=max((one.started for one in runs if one.started), default=None),
        printed=figure.printed if len(pairs) == 1 else None,
        derived=any(one.derived is not None for _, one in pairs),
        sizes=tuple(map(len, sessions)),
        session=first.facts.session.name,
        grade=max((one.grade for one in runs if one.grade), default=None),
        label=first.facts.label,
        leads=all(one.leads for one in runs),
        proven=all(one.proven for one in runs),
        limit=limits.pop() if len(limits) == 1 else None,
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
    parameters, choices, lengths = divided(facts.spelled)
    extent = _extent(one, metric)
    if extent is None and metric in TIMES_OF_ALL_SAMPLES:
        # Nobody knows the samples: what was said of its length tells times apart.
        choices = (*choices, *((name, str(fact)) for name, fact in lengths.items()))
    return Conditions(
        workload=facts.workload,
        version=facts.workload_version,
        setting=facts.setting,
        framework=facts.framework,
        batch_size=facts.batch_size,
        precision=facts.precision,
        compiler=facts.compiler,
        metric=metric,
        extent=extent,
        tier=facts.tier,
        told_by=_told_by(facts, metric),
        parameters=parameters,
        choices=choices,
        surroundings=facts.surroundings,
    )


def _told_by(facts: Facts, metric: str) -> str | None:
    if metric in REPORTED:
        return facts.source
    return facts.program or _step_of_ours(facts, metric)


def _step_of_ours(facts: Facts, metric: str) -> str | None:
    """Return what tells our TensorFlow script from the sources', which ran model.fit.

    Its step is our own, on batches that lie on the device, not on arrays of the host.
    """
    ours = facts.label == "measured" and facts.framework == "tensorflow"
    return "custom step" if ours and metric in _OF_SCRIPTS else None


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
