"""What others published that is nearest to a figure, and the ratio in a report's words.

The same workload, batch size, size and class of precision, of language models the same
model and as many bits; then, as far as there is a choice, the framework, the device and
the chip.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection, or_, select

from benchdb.catalogue import metrics
from benchdb.conditions import ALONE, difference, weight_bits
from benchdb.metric_kinds import headlines, listed
from benchdb.report import quantities
from benchdb.report.exclusions import left_out
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.quantities import Side
from benchdb.report.references import Notes
from benchdb.report.runs import StoredRun, with_party
from benchdb.report.view.atoms import Ratio
from benchdb.statistics.comparison import Sample
from benchdb.store.places import chip_at_work, is_known
from benchdb.store.pooling import conditions, is_usable
from benchdb.store.run_facts import around, known_runs
from benchdb.store.tables import result, run

_PUBLISHED = ("transcribed", "imported")
_MOST = 2000  # candidates of a workload and batch size


class Neighbour(msgspec.Struct, frozen=True):
    """A published figure: whose, of what, and how many times as fast ours is."""

    run: str
    source: str | None
    chip: str | None
    device: str
    framework: str
    metric: str
    value: float
    ratio: Ratio


def nearest(
    connection: Connection, results: Sequence[dict[str, Any]]
) -> dict[str, Neighbour]:
    """Return the nearest published figure of each of *results*, by its run.

    Results are lines of ``listing.listed`` that have a figure. There is none where
    nobody published the like.
    """
    work = {(line["workload"], line["batch_size"]) for line in results}
    others = list(_stored(connection, _published(work)))
    by_work = defaultdict[tuple[Any, ...], list[StoredRun]](list)
    for stored_run in others:
        if not stored_run.left_out and stored_run.facts.status == "ok":
            by_work[_work(stored_run)].append(stored_run)
    firsts = result.c.first.in_([line["digest"] for line in results])
    names = select(result.c.run).where(firsts)
    ours = {item.facts.digest: item for item in _stored(connection, names)}
    members = defaultdict[str, list[StoredRun]](list)
    for first, name in connection.execute(
        select(result.c.first, result.c.run).where(firsts).order_by(result.c.run)
    ):
        members[first].append(ours[name])
    measured = measurements(ours.values())
    neighbours = {}
    for line in results:
        own = members[line["digest"]]
        candidates = sorted(by_work[_work(own[0])], key=partial(_apart, own[0]))
        pairs = _ratios(own, line["metric"], measured, candidates)
        if (neighbour := next(pairs, None)) is not None:
            neighbours[line["digest"]] = neighbour
    return neighbours


def _published(work: Iterable[tuple[str, int | None]]) -> Any:
    some = (
        ((run.c.workload == workload) & (run.c.batch_size == batch))
        | (run.c.workload.in_({workload} & ALONE) & run.c.batch_size.is_(None))
        for workload, batch in sorted(work, key=str)
    )
    labelled = run.c.label.in_(_PUBLISHED)
    query = select(run.c.digest).where(labelled, or_(*some))
    return query.order_by(run.c.digest).limit(_MOST)


def _stored(connection: Connection, among: Any) -> Iterator[StoredRun]:
    excluded = left_out(connection)
    for known_run in known_runs(connection, among, listed(), around(connection)):
        why = excluded.why(known_run.facts.digest, known_run.facts.source)
        yield with_party(known_run, why, None)


def _work(stored_run: StoredRun) -> tuple[Any, ...]:
    """Return what has to be equal; a precision that nobody states is none."""
    facts = stored_run.facts
    own = conditions(stored_run, "samples_per_second")
    if own.weights is not None:  # of a language model hardly anybody states more
        return *own.work, own.batch, weight_bits(own.weights)
    return facts.workload, facts.batch_size, facts.whole("size"), own.precision_class


def _apart(own: StoredRun, other: StoredRun) -> tuple[object, ...]:
    """Return how far *other* is: the nearest is first, in a fixed order."""
    ours, theirs = own.facts, other.facts
    return (
        ours.framework != theirs.framework,
        ours.device != theirs.device,
        chip_at_work(own.place) != chip_at_work(other.place),
        own.place.vendor != other.place.vendor,
        not is_known(other.place),
        ours.setting != theirs.setting,
        ours.compiler != theirs.compiler,
        chip_at_work(other.place),
        theirs.digest,
    )


def _ratios(
    own: Sequence[StoredRun],
    metric: str,
    measured: Iterable[Measurement],
    candidates: Iterable[StoredRun],
) -> Iterator[Neighbour]:
    """Yield the figures that a ratio can be told of, the nearest first."""
    notes = Notes({}, {})
    mine = next(
        (
            measurement
            for measurement in measured
            if _is_of(measurement, metric) and own[0].facts.digest in measurement.runs
        ),
        None,
    )
    for other in candidates:
        there = {
            figure.metric: figure.value for figure in other.figures if is_usable(figure)
        }
        for name in (n for n in headlines(other.facts.workload) if n in there):
            ratio = _alike(own, other, metric) if name == metric else None
            if mine is not None:
                theirs = (m for m in measurements([other]) if _is_of(m, name))
                pairs = (quantities.compare(mine, their, notes) for their in theirs)
                ratio = next(filter(None, pairs), None)
            if ratio is not None:
                chip = chip_at_work(other.place) if is_known(other.place) else None
                facts = other.facts
                yield Neighbour(
                    *(facts.digest, facts.source, chip, facts.device),
                    *(facts.framework, name, there[name] or 0.0, ratio),
                )


def _is_of(measurement: Measurement, metric: str) -> bool:
    return measurement.conditions.metric == metric


def _alike(own: Sequence[StoredRun], other: StoredRun, metric: str) -> Ratio | None:
    """Return the ratio of figures of one metric, of operations for one."""
    lower = metrics()[metric].direction == "lower"
    sides = []
    for some in (own, [other]):
        values = [
            f.value
            for stored_run in some
            for f in stored_run.figures
            if f.metric == metric
        ]
        speeds = tuple(1 / v if lower else v for v in values if v is not None and v > 0)
        if not speeds:
            return None
        leads = all(stored_run.facts.leads for stored_run in some)
        sides.append(Side(Sample((speeds,)), leads=leads))
    unlike = difference(
        conditions(own[0], metric), conditions(other, metric), same_source=False
    )
    return quantities.ratio([(sides[0], sides[1])], unlike)
