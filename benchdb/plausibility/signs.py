"""impossible-figure: less than nothing, or a rate at which nothing would be done."""

from collections.abc import Iterator, Sequence

from benchdb.catalogue import metrics
from benchdb.plausibility.figures import figure
from benchdb.plausibility.observed import Finding, Observed

CODE = "impossible-figure"
_OF_RATES = frozenset({"1/s", "1/h", "TFLOP/s", "GB/s"})
_OF_ANYTHING = "1"  # a loss or a score may be negative
METRICS = frozenset(
    name for name, metric in metrics().items() if metric.unit != _OF_ANYTHING
)
_RATES = frozenset(name for name in METRICS if metrics()[name].unit in _OF_RATES)


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield figures below zero where none can be, and rates of zero."""
    for run in runs:
        for metric, value in run.values.items():
            below = value < 0 and metric in METRICS
            if below or (value == 0 and metric in _RATES):
                yield Finding(run.run, CODE, metric, {"stated": figure(value)})
