"""What the plausibility rules find in stored runs, kept beside the flags of sources.

Findings are derived: they are written anew whenever runs of their source are added, and
nothing but the runs decides what they are.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, select

from benchdb.exchange.messages import Accelerator
from benchdb.exchange.packing import readable
from benchdb.grading import COPIED
from benchdb.plausibility.bin_rule import CODE
from benchdb.plausibility.observed import OF_RUN, Finding, Observed, Sampled, card_names
from benchdb.plausibility.rules import ALONE, RULES, judge, looked_at
from benchdb.plausibility.samples import sampled
from benchdb.store import by_bin, copies, dates, hearsay
from benchdb.store.bulk_load import batched, delete_keys, insert_rows
from benchdb.store.rows import converted, plain
from benchdb.store.tables import (
    chip,
    environment,
    finding,
    flag,
    machine,
    run,
    samples,
    value,
)

TOGETHER = 20_000  # runs of one source that are compared; in more, each is judged alone
_FUTURE = "future-date"
_FEW = 16  # runs whose samples are in memory at once: one may have millions


class Lot(msgspec.Struct, frozen=True):
    """Runs to judge, by the rules with these *codes*."""

    runs: tuple[Observed, ...]
    codes: Collection[str]


def refresh(connection: Connection, *, sources: set[str], runs: set[str]) -> set[str]:
    """Judge all runs of *sources*, and *runs* that have none; return which were judged.

    What was found in them before is forgotten. A doubt that a run already bears as a
    flag, by the same code about the same figure, is not repeated.
    """
    for source in sorted(sources):
        theirs = select(run.c.digest).where(run.c.source == source)
        connection.execute(delete(finding).where(finding.c.run.in_(theirs)))
    delete_keys(connection, finding.c.run, runs)
    judged, pending = set(runs), list[str]()
    for lot in observed(connection, sources, runs):
        _store(connection, judge(lot.runs, lot.codes))
        pending += [item.run for item in lot.runs]
        # Many small sources are compared together: each would ask for all its peers.
        if len(pending) >= TOGETHER:
            judged |= {*pending, *compare(connection, pending)}
            pending = []
    return judged | {*pending} | compare(connection, pending)


def keep_alone(
    connection: Connection,
    alone: Sequence[str],
    there: Collection[str],
    new: Sequence[Finding],
) -> set[str]:
    """Keep what was found in runs that stand *alone*, as ``refresh`` would.

    Those of them that were *there* already have what was found then. Return the runs of
    which something may be found now that was not.
    """
    before = [digest for digest in alone if digest in there]
    delete_keys(connection, finding.c.run, before)
    _store(connection, new)
    return {item.run for item in new} | {*before} | compare(connection, alone)


def compare(connection: Connection, digests: Sequence[str]) -> set[str]:
    """Keep what only the database can tell of runs: other copies, and dates to come.

    Return the runs that this is about, others than *digests* as well.
    """
    if not digests:
        return set()
    doubled = list(copies.contradicting_copies(connection, digests))
    judged, copied = copies.copied_samples(connection, digests)
    around, out = by_bin.compare(connection, by_bin.places(connection, digests))
    above, beyond = by_bin.beyond_ceilings(connection, digests)
    for code, names_ in (
        (copies.CONTRADICTING, [item.run for item in doubled]),
        (COPIED, judged),
        (CODE, {*around, *above, *digests}),
    ):
        delete_keys(connection, finding.c.run, names_, finding.c.code == code)
    late = [
        Finding(digest, _FUTURE, None, facts)
        for digest, facts in dates.to_come(connection, digests)
    ]
    findings = [*doubled, *copied, *late, *out, *beyond]
    _store(connection, findings)
    return {*judged, *around, *above, *(item.run for item in findings)}


def observed(
    connection: Connection, sources: Iterable[str] | None, runs: Iterable[str] | None
) -> Iterator[Lot]:
    """Yield the finished runs of *sources*, and those of *runs* without a source.

    ``None`` stands for all of them. A source is one lot unless it has more runs than
    ``TOGETHER``; whatever has no source to compare it in comes in lots of any size.
    """
    if sources is None:
        named = select(run.c.source).where(run.c.source.is_not(None)).distinct()
        sources = connection.scalars(named).all()
    for source in sorted(sources):
        digests = connection.scalars(_finished().where(run.c.source == source)).all()
        if len(digests) <= TOGETHER:
            whole = [
                item for some in batched(digests) for item in _loaded(connection, some)
            ]
            # What a stranger added to a document casts no doubt on the rest of it.
            strange = hearsay.added(dict.fromkeys(digests, source))
            for lot in (
                [item for item in whole if item.run not in strange],
                [item for item in whole if item.run in strange],
            ):
                if lot:
                    yield Lot(tuple(lot), RULES)
        else:
            yield from _alone(connection, digests)
    if runs is None:
        runs = connection.scalars(_finished().where(run.c.source.is_(None))).all()
    yield from _alone(connection, sorted(runs), only=run.c.source.is_(None))


def findings_of(connection: Connection, digest: str) -> list[Finding]:
    """Return what was found in the run *digest*, by code and metric."""
    query = (
        select(finding)
        .where(finding.c.run == digest)
        .order_by(finding.c.code, finding.c.metric)
    )
    return [
        Finding(row.run, row.code, row.metric or None, row.detail)
        for row in connection.execute(query)
    ]


def _finished() -> Select[Any]:
    return select(run.c.digest).where(run.c.status == "ok").order_by(run.c.digest)


def _alone(
    connection: Connection, digests: Sequence[str], *, only: Any = None
) -> Iterator[Lot]:
    for some in batched(digests):
        loaded = _loaded(connection, some, only=only, metrics=looked_at())
        yield Lot(tuple(loaded), ALONE)


def _loaded(
    connection: Connection,
    digests: Sequence[str],
    *,
    only: Any = None,
    metrics: Collection[str] | None = None,
) -> Iterator[Observed]:
    """Yield the finished runs among *digests*, with the figures in *metrics*."""
    query = _FACTS.where(run.c.digest.in_(digests), run.c.status == "ok")
    rows: Sequence[Any] = connection.execute(
        query if only is None else query.where(only)
    ).all()
    figures = (
        select(value.c.run, value.c.metric, value.c.value, value.c.printed)
        .where(value.c.run.in_(digests), value.c.value.is_not(None))
        .order_by(value.c.run, value.c.metric)
    )
    if metrics is not None:
        figures = figures.where(value.c.metric.in_(sorted(metrics)))
    values: dict[str, dict[str, float]] = defaultdict(dict)
    printed: dict[str, dict[str, str]] = defaultdict(dict)
    for digest, metric, figure, text in connection.execute(figures):
        values[digest][metric] = figure
        if text is not None:
            printed[digest][metric] = text
    amounts = _sampled(connection, digests)
    for row in rows:
        cards = converted(tuple[Accelerator, ...], row.accelerators)
        facts = plain(row) | {
            "accelerators": card_names(cards),
            "values": values[row.run],
            "printed": printed[row.run],
            "sampled": amounts.get(row.run),
        }
        yield converted(Observed, facts)


def _sampled(connection: Connection, digests: Sequence[str]) -> dict[str, Sampled]:
    """Return what the samples of each run amount to, where it has any."""
    query = (
        select(run.c.digest, run.c.checks, samples.c.packed)
        .join(samples, samples.c.run == run.c.digest)
        .where(run.c.digest.in_(digests), run.c.status == "ok")
        .execution_options(yield_per=_FEW)
    )
    amounts = {}
    with connection.execute(query) as rows:
        for digest, checks, packed in rows:
            amount = sampled(readable(packed), checks)
            if amount is not None:
                amounts[digest] = amount
    return amounts


_FACTS = (
    select(
        run.c.digest.label("run"),
        *(
            run.c[name]
            for name in (*OF_RUN, "source", "machine", "environment", "batch_size")
        ),
        chip.c.vendor.label("chip_vendor"),
        chip.c.name.label("chip_name"),
        chip.c.gpu_cores,
        chip.c.ram_bytes,
        chip.c.accelerators,
        environment.c.os_name,
        environment.c.os_version,
    )
    .join_from(run, machine, run.c.machine == machine.c.digest)
    .join(chip, machine.c.chip == chip.c.digest)
    .join(environment, run.c.environment == environment.c.digest)
    .order_by(run.c.digest)
)


def _store(connection: Connection, findings: Sequence[Finding]) -> None:
    flagged: set[tuple[str, str, str | None]] = set()
    for some in batched(sorted({item.run for item in findings})):
        query = select(flag.c.run, flag.c.code, flag.c.metric)
        rows = connection.execute(query.where(flag.c.run.in_(some)))
        flagged |= {(row.run, row.code, row.metric) for row in rows}
    new = [
        {
            "run": doubt.run,
            "code": doubt.code,
            "metric": doubt.metric or "",
            "detail": dict(doubt.detail),
        }
        for doubt in findings
        if (doubt.run, doubt.code, doubt.metric) not in flagged
    ]
    insert_rows(connection, finding, new)
