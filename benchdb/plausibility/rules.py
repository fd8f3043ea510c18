"""All rules by the code of what they find, and what they find together."""

import json
from collections.abc import Collection, Sequence

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

RULES: dict[str, Rule] = {
    "above-peak": peaks.findings,
    "contradicting-names": hardware.contradicting_names,
    "cpu-percent-mismatch": processor_share.findings,
    "duplicate-key": contradictions.duplicate_keys,
    "impossible-device": hardware.impossible_devices,
    "impossible-figure": contradictions.impossible_figures,
    "impossible-os": hardware.impossible_systems,
    "order-inverted": source_tables.inverted_orders,
    "outlier": source_tables.outliers,
    "samples-disagree": samples.findings,
    "slower-in-larger-batches": larger_batches.findings,
    "unit-contradiction": contradictions.unit_contradictions,
    "unknown-chip": hardware.unknown_chips,
}
# These judge a run by itself, and look at no figures but METRICS.
ALONE = frozenset(
    {
        "above-peak",
        "contradicting-names",
        "cpu-percent-mismatch",
        "impossible-device",
        "impossible-figure",
        "impossible-os",
        "samples-disagree",
        "unit-contradiction",
        "unknown-chip",
    }
)
METRICS = (
    peaks.METRICS
    | processor_share.METRICS
    | samples.METRICS
    | contradictions.SIGNED
    | contradictions.RELATED
)


def found(
    runs: Sequence[Observed], codes: Collection[str] = RULES.keys()
) -> tuple[Finding, ...]:
    """Return what the rules with these *codes* find, by run, code and metric.

    There is one finding at most for each of those three.
    """
    findings = [finding for code in codes for finding in RULES[code](runs)]
    findings.sort(key=_order)
    kept = {(one.run, one.code, one.metric): one for one in reversed(findings)}
    return tuple(sorted(kept.values(), key=_order))


def _order(finding: Finding) -> tuple[str, str, str, str]:
    detail = json.dumps(finding.detail, sort_keys=True)
    return finding.run, finding.code, finding.metric or "", detail
