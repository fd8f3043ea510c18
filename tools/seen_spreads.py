"""Write ``schema/spreads.json``: what classes of work have shown in published runs.

    python -m tools.seen_spreads          # make spreads

A session is one campaign on one machine without a gap over 30 minutes. A machine
without an id counts as one: its campaigns tell its hosts apart.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from benchdb.catalogue import workloads
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.resources import folder
from benchdb.spreads import Seen, WorkClass, encoded, seen, work_class
from benchdb.stats import Sample, estimate

FILES = ("benchdb-cpu", "benchdb-h200")
_GAP = timedelta(minutes=30)
_OF_STEPS = ("step_seconds", "fit_samples_per_second")
_OF_WHOLE_RUNS = ("script_wall_seconds", "epoch_seconds")

Key = tuple[object, ...]


def records() -> Iterator[Record]:
    """Yield the runs with figures that we have published."""
    for name in FILES:
        with (folder("published") / f"{name}.jsonl").open("rb") as stream:
            for item in read(stream):
                if isinstance(item, Record) and item.end.status == "ok":
                    yield item


def sessions(found: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the runs of each session, in the order in which they started."""
    campaigns: defaultdict[Key, list[Record]] = defaultdict(list)
    for one in found:
        campaigns[one.machine.anonymous_id, one.run.campaign].append(one)
    for runs in campaigns.values():
        runs.sort(key=_started)
        current, until = [runs[0]], _ended(runs[0])
        for one in runs[1:]:
            if _started(one) - until > _GAP:
                yield current
                current = []
            current.append(one)
            until = max(until, _ended(one))
        yield current


def samples() -> Iterator[tuple[Record, str, Sample]]:
    """Yield each cell: one of its runs, the metric, the sample."""
    cells: defaultdict[Key, list[tuple[Record, list[float]]]] = defaultdict(list)
    for runs in sessions(records()):
        here: defaultdict[Key, list[float]] = defaultdict(list)
        example = {}
        for one in runs:
            for value in one.end.values:
                if value.value and value.metric in _OF_STEPS + _OF_WHOLE_RUNS:
                    key = *_cell(one), value.metric
                    here[key].append(value.value)
                    example[key] = one
        for key, values in here.items():
            cells[key].append((example[key], values))
    for key, found in cells.items():
        sample = Sample(tuple(tuple(values) for _, values in found))
        yield found[0][0], str(key[-1]), sample


def classified() -> Iterator[tuple[WorkClass, Sample]]:
    """Yield the samples with the classes of their work."""
    for record, metric, sample in samples():
        run, value = record.run, estimate(sample).value
        batch = run.parameters.get("batch_size", 1)
        name = work_class(
            run.device,
            batch / value if metric == "fit_samples_per_second" else value,
            operation=workloads()[run.workload].kind == "operation",
            whole_run=metric in _OF_WHOLE_RUNS,
        )
        if name is not None:
            yield name, sample


def classes() -> dict[WorkClass, Seen]:
    """Return what the classes have shown."""
    return seen(classified())


def _cell(record: Record) -> Key:
    run = record.run
    return (
        *(record.machine.anonymous_id, run.workload, run.workload_version, run.setting),
        *(run.framework, run.device, run.precision, run.compiler, run.tier),
        repr(sorted(run.parameters.items())),
    )


def _started(record: Record) -> datetime:
    return datetime.fromisoformat(record.run.started or "")


def _ended(record: Record) -> datetime:
    return datetime.fromisoformat(record.end.ended or record.run.started or "")


if __name__ == "__main__":
    sys.stdout.write(encoded(classes()))
