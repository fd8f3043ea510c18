"""All rules by the code of what they find, and what they find together."""

import json
from collections.abc import Collection, Mapping, Sequence

from benchdb.plausibility import (
    contradictions,
    hardware,
    larger_batches,
    peaks,
    processor_share,
    samples,
    source_tables,
)
from benchdb.plausibility.observed import Finding, Observed, Rule

# These judge a run by itself, and look at no figures but METRICS.
_OF_RUNS: Mapping[str, Rule] = {
    "above-peak": peaks.findings,
    "contradicting-names": hardware.contradicting_names,
    "cpu-percent-mismatch": processor_share.findings,
    "impossible-device": hardware.impossible_devices,
    "impossible-figure": contradictions.impossible_figures,
    "impossible-os": hardware.impossible_systems,
    "samples-disagree": samples.findings,
    "unit-contradiction": contradictions.unit_contradictions,
    "unknown-chip": hardware.unknown_chips,
}
ALONE = frozenset(_OF_RUNS)
RULES: Mapping[str, Rule] = {
    **_OF_RUNS,
    "duplicate-key": contradictions.duplicate_keys,
    "order-inverted": source_tables.inverted_orders,
    "outlier": source_tables.outliers,
    "slower-in-larger-batches": larger_batches.findings,
}
METRICS = (
    peaks.METRICS
    | processor_share.METRICS
    | samples.METRICS
    | contradictions.SIGNED
    | contradictions.RELATED
)


def judge(
    runs: Sequence[Observed], codes: Collection[str] = RULES.keys()
) -> tuple[Finding, ...]:
    """Return what the rules with these *codes* find, by run, code and metric.

    There is one finding at most for each of those three.
    """
    findings = [finding for code in codes for finding in RULES[code](runs)]
    findings.sort(key=_order, reverse=True)
    first = {(one.run, one.code, one.metric): one for one in findings}
    return tuple(sorted(first.values(), key=_order))


def _order(finding: Finding) -> tuple[str, str, str, str]:
    detail = json.dumps(finding.detail, sort_keys=True)
    return finding.run, finding.code, finding.metric or "", detail
