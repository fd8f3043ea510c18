"""Energy of a rest between work, out of readings that tell nothing of the work.

A counter is read where the rest begins and ends. A program that prints means, such as
macmon, does so when it likes: most likely over both edges.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from _energy import Energy, Reading, Span, by_domain, energy_over, lacking

# Of a rest, by means that lie wholly inside it.
COVERED = 0.5
# A mean is printed a little after the time that it is of.
_PRINTING_SECONDS = 0.05


def energy_at_rest(
    readings: Sequence[Reading], spans: Sequence[Span], least_seconds: float
) -> Energy | str:
    """Return the energy of *spans* in which nothing was done, or why it is not known.

    A mean that reaches over an edge is of work as well. Shared out in proportion it
    would make some watts of rest several times as many, so it is left out; the figure
    is of the seconds that the others cover.
    """
    if all(reading.since is None for reading in readings):
        return energy_over(readings, spans, least_seconds)
    if wanting := lacking(readings, spans, least_seconds):
        return wanting
    whole = [
        (mean.seconds, before.joules, after.joules)
        for mean, before, after in _means(readings)
        if any(_only_of(span, mean, before) for span in spans)
    ]
    seconds = math.fsum(span.seconds for span in spans)
    known = math.fsum(length for length, _, _ in whole)
    if known < COVERED * seconds:
        return (
            f"readings of nothing but the window cover {known:.1f} s "
            f"of its {seconds:.1f} s"
        )
    domains = by_domain(
        readings, lambda name: sum(end[name] - begin[name] for _, begin, end in whole)
    )
    return domains if isinstance(domains, str) else Energy(known, domains, 1.0)


def _means(readings: Sequence[Reading]) -> list[tuple[Span, Reading, Reading]]:
    """Return when every mean was, with the readings before and after it."""
    return [
        (Span(after.since, after.at), before, after)
        for before, after in pairwise(readings)
        if after.since is not None
    ]


def _only_of(span: Span, mean: Span, before: Reading) -> bool:
    """Return whether *mean* is of *span* alone.

    Of two that arrive at once the first is of the time before the second, so what
    came *before* a mean has to be inside as well.
    """
    begin = min(mean.begin, before.at) - _PRINTING_SECONDS
    return span.begin <= begin and mean.end <= span.end
