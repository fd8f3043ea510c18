"""What an import brought, in a few lines: for a second pair of eyes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf

from benchdb.cli.console import PROSE_LIMIT, aligned, counted, plain
from benchdb.cli.figure_text import figure
from benchdb.merge import Outcome
from benchdb.store.standing import Experience, Known, Span, Work

_LINES = 20  # of the table; of 1,000 documents nobody reads more
_REASONS = 10
_PLACES = 5  # of a reason
_MANY = 10  # times; beyond, nobody looks at decimals


class Summary:
    """What came, and what did not, of all files of an import."""

    def __init__(self) -> None:
        """Begin with no file."""
        self.experience = Experience()
        self._spans: dict[Work, Span] = {}
        self._counts: dict[str, int] = defaultdict(int)
        self._places: dict[str, list[str]] = defaultdict(list)

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a file, if it is a document of others."""
        if outcome.importer in (None, "benchdb"):
            return
        for work, span in outcome.spans.items():
            self._spans[work] = span.with_(self._spans.get(work))
        for bad in outcome.bad:
            self._counts[bad.reason] += 1
            if len(self._places[bad.reason]) < _PLACES:
                place = str(bad.number) if bad.number else bad.locator
                self._places[bad.reason].append(f"{outcome.path.name}:{place}")

    def lines(self) -> Iterator[str]:
        """Yield it: by chip and workload, then by reason."""
        yield from _table(self._spans, self.experience)
        yield from _left_out(self._places, self._counts)


def _table(spans: dict[Work, Span], experience: Experience) -> Iterator[str]:
    """Yield a line for each chip, workload and metric: the strangest work of it."""
    bins: dict[tuple[str, ...], list[tuple[float, Work, Span, Known | None]]]
    bins = defaultdict(list)
    for work, span in spans.items():
        known = experience.of(work)
        bins[work[:3]].append((_strangeness(span, known), work, span, known))
    if not bins:
        return
    rows: list[tuple[float, tuple[str, ...]]] = []
    for key, members in sorted(bins.items()):
        far, work, span, known = max(members, key=lambda row: row[0])
        total = sum(member[2].count for member in members)
        of = f" in {counted(len(members), 'setting')}" if members[1:] else ""
        low = min(member[2].low for member in members)
        high = max(member[2].high for member in members)
        ends = [figure(low, work.metric, work.workload)]
        if high > low:
            ends.append(figure(high, work.metric, work.workload))
        count = "" if total == 1 else counted(total, "figure") + of
        beside = _beside(span, known, work)
        rows.append((-far, (*key, " to ".join(ends), count, beside)))
    rows.sort(key=lambda pair: pair[0])
    yield "what came, beside what was known of the same work:"
    for line in aligned([row for _, row in rows[:_LINES]]):
        yield f"  {line}"
    if more := rows[_LINES:]:
        yield f"  and {counted(len(more), 'more line')}, none of them stranger"


def _strangeness(span: Span, known: Known | None) -> float:
    """Return by what factor *span* goes beyond what is *known*; 1 if it does not."""
    if known is None:
        return 0.0
    above = span.high / known.high if known.high > 0 else 1.0
    below = known.low / span.low if span.low > 0 else (inf if known.low > 0 else 1.0)
    return max(above, below, 1.0)


def _beside(span: Span, known: Known | None, work: Work) -> str:
    if known is None:
        return "nothing known"
    three = (known.low, known.middle, known.high)
    figures = [figure(value, work.metric, work.workload) for value in three]
    where = "on other chips" if known.anywhere else "known"
    of = f"{where} {figures[0]}, median {figures[1]}, {figures[2]} ({known.count:,})"
    if known.count == 1:
        of = f"{where} {figures[0]}"
    far = []
    if span.high > known.high > 0:
        far.append(f"{_times(span.high / known.high)} the highest")
    if 0 <= span.low < known.low:
        far.append(f"{_times(span.low / known.low)} the lowest")
    return f"{' and '.join(far)}: {of}" if far else f"within: {of}"


def _times(ratio: float) -> str:
    digits = ".2g" if ratio < 1 else ".1f" if ratio < _MANY else ",.0f"
    return f"{ratio:{digits}}x"


def _left_out(places: dict[str, list[str]], counts: dict[str, int]) -> Iterator[str]:
    if not counts:
        return
    yield "left out:"
    by_count: Sequence[str] = sorted(counts, key=lambda text: (-counts[text], text))
    for reason in by_count[:_REASONS]:
        where = ", ".join(places[reason])
        more = ", …" if counts[reason] > len(places[reason]) else ""
        yield plain(f"  {counts[reason]:,} × {reason[:PROSE_LIMIT]} ({where}{more})")
    if more_ := by_count[_REASONS:]:
        total = sum(counts[text] for text in more_)
        yield f"  {total:,} for {counted(len(more_), 'other reason')}"
