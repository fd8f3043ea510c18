"""All values: every run with its figures as printed, what failed among them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchdb.catalogue import workloads
from benchdb.report.measurement import RATES, TIMES_OF_ALL_SAMPLES, Place
from benchdb.report.notes import Notes
from benchdb.report.quantities import as_printed, unit_of, workload_of
from benchdb.report.sources import Sources
from benchdb.report.systems import Party, as_published, party
from benchdb.report.view import Quantity, System, ValueRow

# The first that a run has is its headline; an operation counts its own way.
_TRAINING = (*RATES, *TIMES_OF_ALL_SAMPLES, "epochs_per_hour", "step_seconds")
_OPERATION = ("teraflops", "operation_seconds")
# What else a run's reader looks for.
_BESIDE = (
    "peak_power_watts",
    "peak_soc_power_watts",
    "peak_gpu_power_watts",
    "mean_power_watts",
    "peak_memory_observed_bytes",
)
SHOWN = (*_OPERATION, *_TRAINING, *_BESIDE)


@dataclass(frozen=True)
class StoredRun:
    """One run as the query gives it: its rows, place and party."""

    rows: tuple[Any, ...]
    place: Place
    party: Party

    @property
    def facts(self) -> Any:
        """Return what all rows of the run say."""
        return self.rows[0]


def stored(
    rows: Sequence[Any], place: Place, framework: str, here: str | None
) -> StoredRun:
    """Return one run from its *rows*, one for each metric."""
    return StoredRun(tuple(rows), place, party(place, framework, here))


def values(
    runs: Iterable[StoredRun],
    systems: dict[Party, System],
    notes: Notes,
    sources: Sources,
) -> tuple[ValueRow, ...]:
    """Return the table: by source, system and workload, the headline of a run first."""
    ordered = sorted(runs, key=lambda run: _order(run, sources))
    return tuple(
        _value(run, row, as_published(systems, run.party), notes, sources)
        for run in ordered
        for row in _shown(run)
    )


def _order(run: StoredRun, sources: Sources) -> tuple[object, ...]:
    facts, place, who = run.facts, run.place, run.party
    number = sources.key(place.source)
    known = workloads()
    names = list(known)
    index = names.index(facts.workload) if facts.workload in known else len(names)
    return (
        int(number) if number else 0,
        who.chip,
        who.model or "",
        who.ram_bytes or 0,
        who.device,
        who.framework,
        index,
        facts.workload,
        facts.batch_size or 0,
        _whole(facts, "size") or 0,
        facts.precision or "",
        facts.started or "",
        facts.replicate or 0,
        facts.digest,
    )


def _shown(run: StoredRun) -> list[Any]:
    """Return the run's headline row and what stands beside it."""
    found = {row.metric: row for row in run.rows}
    there = [found[name] for name in _headlines(run) if name in found]
    known = [row for row in there if row.value is not None]
    headline = next(iter([*known, *there]), run.facts)
    return [headline, *(found[name] for name in _BESIDE if name in found)]


def _headlines(run: StoredRun) -> tuple[str, ...]:
    operation = workload_of(run.facts.workload).kind == "operation"
    return (*_OPERATION, *_TRAINING) if operation else (*_TRAINING, *_OPERATION)


def _value(
    run: StoredRun, row: Any, system: System, notes: Notes, sources: Sources
) -> ValueRow:
    facts = run.facts
    return ValueRow(
        run=facts.digest,
        workload=workload_of(facts.workload),
        system=system,
        batch_size=facts.batch_size,
        size=_whole(facts, "size"),
        precision=facts.precision,
        compiler=facts.compiler,
        metric=row.metric or _headlines(run)[0],
        quantity=_quantity(run, row, notes),
        status=facts.status,
        reason=row.reason or facts.why,
        label=facts.label,
        source=sources.key(run.place.source),
        locator=row.value_locator or facts.locator,
        started=facts.started,
        tier=facts.tier,
        trials=_whole(facts, "trials"),
    )


def _quantity(run: StoredRun, row: Any, notes: Notes) -> Quantity | None:
    if row.value is None:
        return None
    digest, metric = run.facts.digest, row.metric
    noted = notes.on([digest], metric)
    if metric not in _BESIDE:
        # The times and percentages of a script have no row of their own.
        noted = tuple(dict.fromkeys((*noted, *notes.beside(digest, SHOWN))))
    value, unit = row.value, unit_of(metric, run.facts.workload)
    if unit == "B":  # people read memory in GB, and so the sources print it
        value, unit = value / 2**30, "GB"
    return Quantity(
        value=value,
        unit=unit,
        run=digest,
        printed=as_printed(row.printed, value, derived=row.derived is not None),
        notes=noted,
        derived=row.derived is not None,
    )


def _whole(facts: Any, name: str) -> int | None:
    found = facts.parameters.get(name)
    return found if isinstance(found, int) else None
