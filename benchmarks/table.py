"""The figures as lines of text."""

from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.change import Change
from benchmarks.figures import Figures
from benchmarks.rows import MIB, Kind, Limit, Seen, measured, missed, ratios, spread

_HEADINGS = ("row", "runs", "ratio (min–max)", "s", "yardstick", "peak", "to reach")


def machine(figures: Figures) -> Iterator[str]:
    """Yield where and with what it was measured."""
    yield f"{figures.machine.name}; {_load(figures)}"
    yield ", ".join(f"{name} {it}" for name, it in figures.versions.items())


def table(rows: Sequence[Seen]) -> Iterator[str]:
    """Yield a line for each row, medians of its turns; then what the rows are."""
    yield from _aligned([_HEADINGS, *map(_row, rows)])
    yield ""
    for row in (seen.row for seen in rows):
        yield f"{row.name}: {row.title}, over {row.yardstick}"


def changes(result: Sequence[Change], rows: Sequence[Seen]) -> Iterator[str]:
    """Yield a line for each change, then which rows have nothing to compare with."""
    if result:
        headings = ("name", "ratio then", "ratio now", "now / then", "", "then")
        yield from _aligned([headings, *map(_change, result)])
    new = [_name(row) for row in rows if row not in [change.now for change in result]]
    if new:
        yield f"no figures to compare with: {', '.join(new)}"


def _row(seen: Seen) -> tuple[str, ...]:
    other = median(turn.yardstick.seconds for turn in seen.turns)
    seconds = _digits(measured(seen, "seconds")), _digits(other)
    peak = f"{measured(seen, 'peak_bytes') / MIB:.0f} MiB"
    failed = missed(seen)
    limits = (
        _limit(limit) + (" MISSED" if limit in failed else "")
        for limit in seen.row.limits
    )
    runs = f"{seen.runs:,}" if seen.runs else ""
    return (seen.row.name, runs, _ratio(seen), *seconds, peak, ", ".join(limits))


def _name(seen: Seen) -> str:
    return seen.row.name + (f" of {seen.runs:,} runs" if seen.runs else "")


def _ratio(seen: Seen) -> str:
    middle, low, high = map(_digits, spread(ratios(seen)))
    return f"{middle} ({low}–{high})"


def _change(change: Change) -> tuple[str, ...]:
    value, low, high = change.factor.value, change.factor.low, change.factor.high
    interval = f" ({_digits(low)}–{_digits(high)})" if low and high else ""
    factor = f"{_digits(value)}{interval}"
    when = f"{change.before.measured:%Y-%m-%d}, {change.before.machine.name}, "
    sides = (_ratio(change.then), _ratio(change.now))
    return (
        _name(change.now),
        *sides,
        factor,
        change.judgement,
        when + _load(change.before),
    )


def _load(figures: Figures) -> str:
    (before, *_), (after, *_) = figures.load
    return f"load {before:.1f} → {after:.1f} on {figures.cpus} CPUs"


def _limit(limit: Limit) -> str:
    sign, figure = ("≥", limit.least) if limit.least is not None else ("≤", limit.most)
    return f"{sign} {_figure(limit.kind, figure or 0)}"


def _figure(kind: Kind, figure: float) -> str:
    if kind == "peak_bytes":
        return f"{figure / MIB:.0f} MiB"
    return f"{figure:g} s" if kind == "seconds" else f"{figure:g}"


def _digits(figure: float) -> str:
    """Return three significant digits, never as a power of ten."""
    return f"{figure:.0f}" if figure >= 100 else f"{figure:#.3g}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
