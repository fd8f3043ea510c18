"""All rules by the code of what they find, and what they find together."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from benchdb.extensions import ANYTHING, Extension, installed, tell
from benchdb.plausibility import (
    contradictions,
    hardware,
    larger_batches,
    peaks,
    processor_share,
    samples,
    source_tables,
    token_rates,
)
from benchdb.plausibility.observed import Doubt, Finding, Observed

# These judge a run by itself.
_OF_A_RUN: Mapping[str, Callable[[Observed], Iterator[Doubt]]] = {
    "above-peak": peaks.above_peak,
    "contradicting-names": hardware.contradicting_names,
    "impossible-device": hardware.impossible_device,
    "impossible-figure": contradictions.impossible_figures,
    "impossible-memory": hardware.impossible_memory,
    "impossible-os": hardware.impossible_system,
    "self-test": token_rates.self_tests,
    "launch-bound": peaks.launch_bound,
    "samples-disagree": samples.disagreements,
    "unit-contradiction": contradictions.unit_contradictions,
    "unknown-chip": hardware.unknown_chip,
    "zero-power": contradictions.zero_power,
}
# These look at all runs of one source (or one machine, where there is no source).
_OF_A_SOURCE: Mapping[str, Callable[[Sequence[Observed]], Iterator[Finding]]] = {
    processor_share.CODE: processor_share.findings,
    contradictions.DUPLICATE_KEY: contradictions.duplicate_keys,
    source_tables.INVERTED: source_tables.inverted_orders,
    source_tables.OUTLIER: source_tables.outliers,
    larger_batches.CODE: larger_batches.findings,
}
RULES = tuple(sorted((*_OF_A_RUN, *_OF_A_SOURCE)))
# What can be judged without the other runs, and the figures that this needs.
ALONE = frozenset({*_OF_A_RUN, processor_share.CODE})
METRICS = (
    peaks.METRICS
    | processor_share.METRICS
    | samples.METRICS
    | contradictions.SIGNED
    | contradictions.RELATED
)


def judge(
    runs: Sequence[Observed], codes: Collection[str] = RULES
) -> tuple[Finding, ...]:
    """Return what the rules with these *codes* find, by run, code and metric.

    There is one finding at most for each of those three.
    """
    findings = [
        Finding(run.run, code, *doubt)
        for code in _OF_A_RUN.keys() & codes
        for run in runs
        for doubt in _OF_A_RUN[code](run)
    ]
    for code in _OF_A_SOURCE.keys() & codes:
        findings += _OF_A_SOURCE[code](runs)
    if ALONE.issubset(codes):
        findings += _of_others(runs)
    findings.sort(key=_order, reverse=True)
    first = {
        (finding.run, finding.code, finding.metric): finding for finding in findings
    }
    return tuple(sorted(first.values(), key=_order))


def added() -> tuple[Extension, ...]:
    """Return the rules of installed packages, each by the code of what it finds."""
    return installed("rule", RULES)


def looked_at() -> frozenset[str]:
    """Return the figures that any rule of a run alone looks at."""
    theirs = (getattr(extension.loaded, "METRICS", ()) for extension in added())
    return METRICS.union(*theirs)


def _of_others(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield what rules of other packages find; one that fails finds nothing."""
    for rule in added():
        if rule.fault:
            tell(rule.fault)
            continue
        try:
            yield from [
                Finding(run.run, rule.name, *msgspec.convert(doubt, Doubt))
                for run in runs
                for doubt in rule.loaded.doubts(run)
            ]
        except ANYTHING as error:
            tell(rule.failure("failed, and finds nothing", error))


def _order(finding: Finding) -> tuple[str, str, str, str]:
    detail = json.dumps(finding.detail, sort_keys=True)
    return finding.run, finding.code, finding.metric or "", detail
