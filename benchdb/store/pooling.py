"""Which processes are together: those of one cell under like conditions.

A report pools them over sessions, the results that are kept stand for one session each.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from statistics import fmean
from typing import TypeGuard, TypeVar

from benchdb.catalogue import workloads
from benchdb.conditions import Conditions, divided
from benchdb.metric_kinds import (
    RATES,
    REPORTED,
    SPEEDS,
    TIMES_OF_A_STEP,
    TIMES_OF_ALL_SAMPLES,
    TOKENS,
)
from benchdb.statistics import protocols, spreads
from benchdb.statistics.comparison import Estimate, Sample, estimate
from benchdb.statistics.spreads import WorkClass
from benchdb.store.newest import age
from benchdb.store.run_facts import Figure, KnownRun

_SPEEDS = frozenset((*SPEEDS, *TOKENS))
# Beyond these nothing is a speed; ratios of such numbers are no numbers.
_SLOWEST, _FASTEST = 1e-15, 1e18
_OF_SCRIPTS = ("fit_samples_per_second", *TIMES_OF_ALL_SAMPLES)
_COUNTS = ("warmup_epochs", "epochs", "steps_per_epoch")
_MANY = 10**9  # more than anybody's

Known = TypeVar("Known", bound=KnownRun)


def pooled(
    runs: Iterable[Known], figures: Callable[[Known], Iterable[Figure]]
) -> Iterator[tuple[Conditions, list[tuple[Known, Figure]]]]:
    """Yield the finished *runs* of each cell and metric with their figure of it.

    The conditions that they share come with them.

    *figures* gives those of a run that count. Of a campaign of which only some
    processes have the figure, none is there.
    """
    done = [run for run in runs if run.facts.status == "ok"]
    # By numbers, for what is equal has many parts.
    alike = _numbered(run.facts.alike for run in done)
    # What was under other conditions is another figure, and takes none from this one.
    campaigns = _numbered(
        (number, run.facts.campaign, run.facts.environment)
        for number, run in zip(alike, done, strict=True)
    )
    likes = _numbered(zip(alike, (run.place for run in done), strict=True))
    processes = Counter(campaigns)
    cells: defaultdict[tuple[int, Conditions], list[tuple[int, tuple[Known, Figure]]]]
    cells = defaultdict(list)
    for run, campaign, like in zip(done, campaigns, likes, strict=True):
        for figure in figures(run):
            if is_usable(figure):
                own = conditions(run, figure.metric)
                cells[like, own].append((campaign, (run, figure)))
    for (_, own), members in cells.items():
        # Of a campaign of which only quick processes had time for the figure, theirs
        # alone would flatter.
        there = Counter([campaign for campaign, _ in members])
        whole = {name for name, count in there.items() if count >= processes[name]}
        kept = [pair for campaign, pair in members if campaign in whole]
        if kept:
            yield own, kept


def _numbered(keys: Iterable[object]) -> list[int]:
    """Return a number for each of *keys*, the same for the same."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def is_usable(figure: Figure) -> bool:
    """Tell whether there is a figure; if it is a speed, one that can be."""
    if figure.value is None or figure.metric not in _SPEEDS:
        return figure.value is not None
    return _SLOWEST <= figure.value <= _FASTEST


def average(side: Sample | Sequence[float]) -> Estimate:
    """Return what ``estimate`` does, or the plain mean where that is no factor."""
    sample = side if isinstance(side, Sample) else Sample((tuple(side),))
    numbers = [number for session in sample.sessions for number in session]
    # A power meter may read 0, and what strangers write may be beyond all numbers.
    if len(numbers) > 1 and min(numbers) > 0:
        with suppress(OverflowError):
            result = estimate(sample)
            if math.isfinite(result.high or 0):
                return result
    return Estimate(fmean(numbers))


def by_session(runs: Iterable[Known]) -> list[list[Known]]:
    """Return the runs of each session in their turns, the newest session first."""
    every = [*runs]
    if len(every) == 1:  # as most of what others published
        return [every]

    def turn(run: KnownRun) -> tuple[bool, int, str]:
        replicate = run.facts.replicate
        return replicate is None, replicate or 0, run.facts.digest

    def started(members: Iterable[KnownRun]) -> tuple[str, str]:
        return max(age(run.facts.started, run.facts.campaign) for run in members)

    sessions = defaultdict[str, list[Known]](list)
    for run in sorted(every, key=turn):
        sessions[run.facts.session.name].append(run)
    return sorted(sessions.values(), key=started, reverse=True)


def conditions(run: KnownRun, metric: str) -> Conditions:
    """Return what must be equal for another figure to compare with this *metric*."""
    facts = run.facts
    parameters, choices, lengths = divided(facts.workload, facts.spelled)
    extent = _extent(run, metric)
    if extent is None and metric in TIMES_OF_ALL_SAMPLES:
        # Nobody knows the samples: what was said of its length tells times apart.
        choices = (*choices, *((name, str(fact)) for name, fact in lengths.items()))
    author = facts.source if metric in REPORTED else facts.program
    if author is None and facts.label == "measured" and metric in _OF_SCRIPTS:
        # We do again what a source did; how, the version of its protocol says.
        done = (facts.workload, facts.setting, facts.framework, facts.device)
        author = protocols.followed(*done, version=run.protocol_version)
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
        told_by=author,
        parameters=parameters,
        choices=choices,
        surroundings=facts.surroundings,
    )


def _extent(run: KnownRun, metric: str) -> float | None:
    """Return the samples that a time covers: as stated, or from epochs and steps."""
    batch, plan = run.facts.batch_size, run.plan
    if metric == "reported_step_seconds":
        return None if batch is None else float(batch)
    if metric not in TIMES_OF_ALL_SAMPLES:
        return None
    stated = run.facts.parameters.get("samples_total")
    if isinstance(stated, int | float):
        return float(stated) if 0 < stated < _FASTEST else None
    if not plan or plan.get("kind", "fit") != "fit" or batch is None:
        return None
    counts = [count for name in _COUNTS if _is_count(count := plan.get(name))]
    if len(counts) < len(_COUNTS):
        return None  # a stranger's words
    warmup, epochs, steps = counts
    samples = plan.get("samples")  # stated where the last batch is smaller
    return float((warmup + epochs) * (samples if _is_count(samples) else steps * batch))


def _is_count(item: object) -> TypeGuard[int]:
    return isinstance(item, int) and 0 <= item < _MANY


def work_class(own: Conditions, device: str, value: float) -> WorkClass | None:
    """Return the class of work that reached *value* on *device*.

    ``None`` stands for work that none of them is like.
    """
    known = workloads().get(own.workload)
    if known is None:
        return None
    seconds = None
    if own.metric in TIMES_OF_A_STEP:
        seconds = value
    elif own.metric in RATES and own.batch_size:
        seconds = own.batch_size / value
    elif own.metric in TOKENS and own.tokens_of_a_step:
        seconds = own.tokens_of_a_step / value
    return spreads.work_class(
        device,
        seconds,
        operation=known.kind == "operation",
        whole_run=own.metric in TIMES_OF_ALL_SAMPLES,
    )
