"""The tables of the front page in words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from benchdb.report.language import Language
from benchdb.report.view.atoms import BASELINE
from benchdb.report.wording import terms
from benchdb.site.answers.facts import (
    Card,
    ChipRow,
    Coverage,
    Distance,
    Group,
    HeatCell,
    HeatRow,
    Held,
    Median,
    Overview,
)
from benchdb.site.answers.strips import Mark, Tick, place, ratio_ends
from benchdb.site.answers.words import years_text
from benchdb.site.answers.work_terms import (
    counted,
    factor_text,
    group_text,
    number_range,
    rough,
    ways_text,
    work_text,
)
from benchdb.site.wording import details

_GB = 1e9
_TIMES = (0.5, 1.0, 2.0, 5.0, 10.0)
_TOKENS = (10.0, 20.0, 50.0)
_SHADES = (1.1, 2.0, 4.0, 8.0)  # from here on each shade of a heat table


class Plot(msgspec.Struct, frozen=True):
    """The marks of a row on the axis of its column, and the *band* of their range."""

    marks: tuple[Mark, ...]
    band: tuple[float, float] | None = None


class Cell(msgspec.Struct, frozen=True):
    """A figure of a table, with what stands below it; *run* is where it leads."""

    text: str
    below: str = ""
    run: str = ""
    value: float | None = None
    look: str = ""


class ChipLine(msgspec.Struct, frozen=True):
    """A row of the table of chips."""

    chip: str
    cores: str
    bandwidth: str
    memory: str
    training: Plot | None
    mean: Cell
    metal: Cell
    tokens: Plot | None
    decode: Cell
    prefill: Cell
    figures: str
    machines: str
    doubted: bool


class Axis(msgspec.Struct, frozen=True):
    """The axis of a column of plots."""

    name: str
    ends: tuple[float, float]
    ticks: tuple[Tick, ...]


NOTHING = Cell("–")


def axes_of(language: Language, shown: Overview) -> tuple[Axis, Axis]:
    """Return the axes of the columns of training and tokens."""
    ratios = [it.value for row in shown.chips for it in row.training]
    rates = [rate for row in shown.chips for rate in row.rates]
    low, high = min((*ratios, 0.5)), max((*ratios, 10.0))
    times = (low * 0.9, high * 1.1)
    tokens = (min((*rates, 10.0)) * 0.9, max((*rates, 50.0)) * 1.1)
    return (
        Axis(
            "times",
            times,
            tuple(
                Tick(
                    place(it, times),
                    language.multiple(language.number(it, 0 if it >= 1 else 1)),
                    it == 1,
                )
                for it in _TIMES
            ),
        ),
        Axis(
            "rates",
            tokens,
            tuple(Tick(place(it, tokens), language.number(it)) for it in _TOKENS),
        ),
    )


def chip_lines(
    language: Language, rows: Iterable[ChipRow], axes: tuple[Axis, Axis]
) -> Iterator[ChipLine]:
    """Yield the rows of the table of chips."""
    for row in rows:
        machines = language.number(row.machines)
        yield ChipLine(
            chip=row.chip,
            cores=_whole(language, row.cores),
            bandwidth=_whole(
                language,
                row.bandwidth and (row.bandwidth[0] / _GB, row.bandwidth[1] / _GB),
            ),
            memory=language.number(row.memory) if row.memory else "–",
            training=_trained(language, row, axes[0]),
            mean=_mean(language, row),
            metal=_metal(language, row),
            tokens=_rates(row, axes[1]),
            decode=_tokens(language, row.decode),
            prefill=_tokens(language, row.prefill),
            figures=language.number(row.figures),
            machines=machines if row.identified else f"≥\N{NO-BREAK SPACE}{machines}",
            doubted=row.doubted,
        )


def _whole(language: Language, ends: tuple[float, float] | None) -> str:
    if ends is None:
        return "–"
    first, last = (language.number(round(end)) for end in ends)
    if first == last:
        return first
    return language.pgettext("interval", "%(low)s–%(high)s", low=first, high=last)


def _trained(language: Language, row: ChipRow, axis: Axis) -> Plot | None:
    if not row.training or row.spread is None:
        return None
    return Plot(
        tuple(
            Mark(
                place(it.value, axis.ends),
                it.look,
                f"{work_text(language, it.name)} {language.times(it.value)}",
            )
            for it in row.training
        ),
        (place(row.spread[0], axis.ends), place(row.spread[1], axis.ends)),
    )


def _mean(language: Language, row: ChipRow) -> Cell:
    spread = language.times_range(*row.spread) if row.spread else ""
    if row.chip == BASELINE:
        return Cell(language.times(1.0), value=1.0)
    if row.mean is None:
        return Cell("–", spread)
    return Cell(language.times(row.mean), spread, value=row.mean)


def _metal(language: Language, row: ChipRow) -> Cell:
    if row.metal is None:
        return NOTHING
    works = language.ngettext("%(n)s network", "%(n)s networks", row.metal_works)
    return Cell(language.times_range(*row.metal), works, value=row.metal[1])


def _rates(row: ChipRow, axis: Axis) -> Plot | None:
    if not row.rates:
        return None
    return Plot(tuple(Mark(place(it, axis.ends), "up", "") for it in row.rates))


def _tokens(language: Language, known: Median | None) -> Cell:
    if known is None:
        return NOTHING
    return Cell(
        language.significant(known.value),
        number_range(language, known.low, known.high)
        if known.reports > 1
        else language.pgettext("repetitions", "one report"),
        known.run,
        known.value,
    )


def coverage_lines(
    language: Language, every: Iterable[Coverage]
) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield the kinds of work: name, years, and how many chips, each with a shade."""
    names = {
        "training": language.pgettext("kind of work", "Training"),
        "llm": language.pgettext("kind of work", "LLM"),
        "inference": language.pgettext("kind of work", "Inference"),
        "operations": language.pgettext("kind of work", "Operations"),
    }
    for entry in every:
        yield (
            names[entry.kind],
            years_text(*entry.years) if entry.years else "",
            tuple(
                (language.number(n), f"u{min(n, 3)}") if n else ("–", "")
                for n in entry.chips
            ),
        )


class HeatLine(msgspec.Struct, frozen=True):
    """A row of the heat table."""

    work: str
    batch: str
    cells: tuple[Cell, ...]


def heat_lines(
    language: Language, rows: Iterable[HeatRow], chips: Sequence[str]
) -> Iterator[HeatLine]:
    """Yield the works with a cell for each of *chips*."""
    for row in rows:
        known = {cell.chip: cell for cell in row.cells}
        batch = (
            language.pgettext("size", "batch %(n)s", n=row.batch) if row.batch else ""
        )
        size = details(language, row.size, None)
        yield HeatLine(
            work_text(language, row.work),
            " · ".join(filter(None, (size, batch))),
            tuple(
                _heat_cell(language, known[chip]) if chip in known else NOTHING
                for chip in chips
            ),
        )


def _heat_cell(language: Language, cell: HeatCell) -> Cell:
    figures = language.pgettext(
        "from one figure to another",
        "%(first)s → %(second)s",
        first=language.significant(cell.cpu),
        second=language.measure(language.significant(cell.metal), cell.unit),
    )
    look = "flagged" if cell.flagged else _shade(cell.ratio)
    return Cell(language.times(cell.ratio), figures, cell.run, cell.ratio, look)


def _shade(ratio: float) -> str:
    """Return the class of a shade: blue is faster with Metal, orange slower."""
    factor = max(ratio, 1 / ratio)
    shade = sum(factor >= least for least in _SHADES)
    if not shade:
        return "l0"
    return f"{'u' if ratio > 1 else 'd'}{shade}"


class DistanceLine(msgspec.Struct, frozen=True):
    """How far the reference is from a chip, by kind of work."""

    chip: str
    plot: Plot
    decode: Cell
    prefill: Cell
    training: Cell
    note: str


def distance_axis(language: Language, rows: Iterable[Distance]) -> Axis:
    """Return the axis of the distances."""
    values = [p.value for row in rows for it in row.held for p in it.points]
    low, high = ratio_ends(values)
    low = min((*values, 1.0)) * 0.9
    ends = (low, high * 1.05)
    marks = [it for it in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0) if ends[0] <= it <= ends[1]]
    return Axis(
        "far",
        ends,
        tuple(
            Tick(
                place(it, ends),
                language.multiple(language.number(it, 0 if it >= 1 else 1)),
                it == 1,
            )
            for it in marks
        ),
    )


def distance_lines(
    language: Language, rows: Iterable[Distance], axis: Axis
) -> Iterator[DistanceLine]:
    """Yield how far the reference is; unlike figures stay hollow and grey."""
    for row in rows:
        known: Mapping[Group, Held] = {it.group: it for it in row.held}
        unlike = known.get("training")
        yield DistanceLine(
            row.chip,
            Plot(_marks(language, row.held, axis)),
            _far(language, known.get("decode")),
            _far(language, known.get("prefill")),
            _far(language, unlike),
            ways_text(language, unlike.differs) if unlike else "",
        )


def _marks(language: Language, every: Iterable[Held], axis: Axis) -> tuple[Mark, ...]:
    return tuple(
        dict.fromkeys(
            Mark(
                place(point.value, axis.ends),
                point.look,
                f"{group_text(language, entry.group)} {language.times(point.value)}",
            )
            for entry in every
            if entry.group != "inference"
            for point in entry.points
        )
    )


def _far(language: Language, entry: Held | None) -> Cell:
    if entry is None:
        return NOTHING
    text = (
        rough(language, entry.low, entry.high)
        if entry.evidence == "unlike"
        else language.times_range(entry.low, entry.high)
    )
    below = counted(language, entry)
    return Cell(text, below, value=entry.mean, look="unlike" if entry.differs else "")


def watt_lines(
    language: Language, cards: Iterable[Card]
) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield comparisons of work per joule: Mac, GPU, work, factor, what differs."""
    seen = dict.fromkeys(entry for card in cards for entry in card.held)
    for entry in seen:
        yield (
            entry.other.chip,
            entry.base.chip,
            language.pgettext(
                "kind of work and how many",
                "%(work)s, %(count)s",
                work=group_text(language, entry.group),
                count=counted(language, entry),
            ),
            factor_text(language, entry),
            ways_text(language, entry.differs),
        )


def unstated(language: Language, cards: Iterable[Card]) -> str:
    """Name what no side tells where like for like is claimed; nothing if nothing."""
    names = {
        name
        for card in cards
        for entry in card.held
        if entry.evidence != "unlike"
        for name in entry.unstated
    }
    return terms.unstated_text(language, sorted(names))
