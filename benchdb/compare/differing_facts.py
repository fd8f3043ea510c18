"""Facts: the columns in which two sides differ, whatever they measured."""

from collections.abc import Collection, Iterable, Iterator

import msgspec

from benchdb.compare.sides import Side
from benchdb.report.runs import StoredRun
from benchdb.store.places import chip_at_work

_GIB = 2**30


class Fact(msgspec.Struct, frozen=True):
    """A column in which the sides differ, with what each has there."""

    name: str
    base: str
    other: str


def facts(base: Side, other: Side, compared: Collection[str]) -> Iterator[Fact]:
    """Yield the columns in which the sides differ, with all that each has there.

    They are of the *compared* runs; of all where nothing was compared.
    """
    left, right = (_columns(side, compared) for side in (base, other))
    for name in left:
        if left[name] != right[name]:
            yield Fact(name, left[name], right[name])


def _columns(side: Side, compared: Collection[str]) -> dict[str, str]:
    runs = [run for run in side.runs if not compared or run.facts.digest in compared]
    environments = [
        side.environments[run.facts.environment]
        for run in runs
        if run.facts.environment in side.environments
    ]

    def of_environments(*names: str) -> str:
        return _listed(
            " ".join(str(row[name]) for name in names if row[name])
            for row in environments
        )

    places = [run.place for run in runs]
    return {
        "accelerator": _listed(map(chip_at_work, places)),
        "device": _of_runs(runs, "device"),
        "machine model": _listed(place.model for place in places),
        "memory": _listed(
            f"{place.ram_bytes / _GIB:.0f} GiB" for place in places if place.ram_bytes
        ),
        "framework": of_environments("framework", "framework_version"),
        "system": of_environments("os_name", "os_version", "os_build"),
        "driver": _listed(run.facts.software.driver for run in runs),
        "Python": of_environments("python"),
        "arithmetic": _listed(
            f"{name}={mode}"
            for row in environments
            for name, mode in (row["math"] or {}).items()
            if mode not in (None, False)
        ),
        "variables": _listed(run.facts.software.variables for run in runs),
        "power limit": _listed(
            f"{run.facts.limit:.0f} W" for run in runs if run.facts.limit
        ),
        "load": _listed(run.facts.session.state for run in runs),
        "precision": _of_runs(runs, "precision"),
        "compiler": _of_runs(runs, "compiler"),
        "batch size": _of_runs(runs, "batch_size"),
        "tier": _of_runs(runs, "tier"),
        "protocol of the source": _listed(
            f"version {run.protocol_version}" for run in runs if run.plan
        ),
        "collector": _of_runs(runs, "collector_version"),
        "grade": _of_runs(runs, "grade"),
        "label": _of_runs(runs, "label"),
        "trust": _of_runs(runs, "trust"),
        "started": _listed((run.facts.started or "")[:10] for run in runs),
    }


def _of_runs(runs: Iterable[StoredRun], name: str) -> str:
    return _listed(getattr(run.facts, name) for run in runs)


def _listed(values: Iterable[object]) -> str:
    known = {str(value) for value in values if value not in (None, "")}
    return ", ".join(sorted(known)) or "not stated"
