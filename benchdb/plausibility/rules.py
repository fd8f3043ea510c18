"""All rules by the code of what they find, and what they find together."""

import json
from collections.abc import Collection, Sequence

from benchdb.plausibility import (
    devices,
    doubles,
    larger_batches,
    names,
    order,
    outliers,
    peaks,
    processor_share,
    samples,
    signs,
    systems,
    units,
)
from benchdb.plausibility.observed import Finding, Observed, Rule

RULES: dict[str, Rule] = {
    "above-peak": peaks.findings,
    "contradicting-names": names.contradicting,
    "cpu-percent-mismatch": processor_share.findings,
    "duplicate-key": doubles.findings,
    "impossible-device": devices.findings,
    "impossible-figure": signs.findings,
    "impossible-os": systems.findings,
    "order-inverted": order.findings,
    "outlier": outliers.findings,
    "samples-disagree": samples.findings,
    "slower-in-larger-batches": larger_batches.findings,
    "unit-contradiction": units.findings,
    "unknown-chip": names.unknown,
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
    | signs.METRICS
    | units.METRICS
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
