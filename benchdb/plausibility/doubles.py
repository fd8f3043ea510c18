"""duplicate-key: a source tells the figures of one and the same run in two ways."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchdb.plausibility.figures import figure
from benchdb.plausibility.observed import Finding, Observed

CODE = "duplicate-key"


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that differ between runs with everything else alike.

    Something that tells the runs apart was not told, or not read. What a collector
    measured is exempt: it repeats runs on purpose.
    """
    alike: dict[tuple[object, ...], list[Observed]] = defaultdict(list)
    for run in runs:
        if run.source is not None and run.label != "measured":
            alike[_key(run)].append(run)
    for group in alike.values():
        if len(group) > 1:
            yield from _differing(group)


def _key(run: Observed) -> tuple[object, ...]:
    return (
        run.workload,
        run.setting,
        run.framework,
        run.environment,
        run.device,
        run.device_name,
        run.machine,
        run.precision,
        run.compiler,
        run.batch_size,
        json.dumps(run.parameters, sort_keys=True, default=str),
        run.seed,
        run.replicate,
        run.started,
    )


def _differing(group: Sequence[Observed]) -> Iterator[Finding]:
    told: dict[str, list[Observed]] = defaultdict(list)
    for run in group:
        for metric in run.values:
            told[metric].append(run)
    for metric, tellers in told.items():
        values = {run.values[metric] for run in tellers}
        if len(values) > 1:
            detail = {
                "runs": len(tellers),
                "low": figure(min(values)),
                "high": figure(max(values)),
            }
            for run in tellers:
                yield Finding(run.run, CODE, metric, detail)
