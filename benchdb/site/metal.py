"""Metal against the CPU of one chip: what each reached at the same work."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from benchdb.compare.cell_rows import CellRow
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.wording.terms import framework_text
from benchdb.report.workloads import trains
from benchdb.site import wording
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.content import Site
from benchdb.site.family import KINDS, Kind, kind_of, kind_text
from benchdb.site.plots import Axis, Mark, Plot, axis, is_flagged, look, tick
from benchdb.site.system_pairs import Worker
from benchdb.site.wording import FigureCell, Shared, Verdict

_MOST = 60  # rows; what else there is stands among all figures
_NAMED = 3  # sources of a group


class Group(msgspec.Struct, frozen=True):
    """Pairs of one framework and protocol: seconds or rates, never both."""

    framework: str
    setting: str
    metric: str
    unit: str
    sources: tuple[str, ...]
    years: tuple[str, ...]
    cells: tuple[CellRow, ...]


class Range(msgspec.Struct, frozen=True):
    """The ends of *n* ratios of one kind of work: like figures beyond doubt."""

    kind: Kind
    low: float
    high: float
    n: int


class Metal(msgspec.Struct, frozen=True):
    """The groups of a chip; *more* pairs have no room.

    *ranges* are those of the kinds of work, *flagged* counts what stays out of them.
    """

    groups: tuple[Group, ...]
    ranges: tuple[Range, ...]
    flagged: int
    more: int


class MetalRow(msgspec.Struct, frozen=True):
    """A row in words."""

    work: str
    details: str
    plot: Plot
    base: FigureCell
    other: FigureCell
    basis: tuple[str, str]
    verdict: Verdict
    note: str


class MetalRows(msgspec.Struct, frozen=True):
    """A group in words; *better* says which way is faster on its axis."""

    framework: str
    protocol: str
    better: str
    axis: Axis
    rows: tuple[MetalRow, ...]
    basis: str  # of all figures, as far as they share it


def metal(site: Site, chip: str) -> Metal | None:
    """Return what *chip* does with Metal and without, ``None`` without a pair."""
    cell_rows = site.systems.cells(Worker(chip, "cpu"), Worker(chip, "metal"))
    if not cell_rows:
        return None
    groups, room = [], _MOST
    for group in _groups(site, cell_rows):
        if room > 0:
            kept = group.cells[:room]
            groups.append(msgspec.structs.replace(group, cells=kept))
            room -= len(kept)
    return Metal(
        groups=tuple(groups),
        ranges=tuple(_ranges(cell_rows)),
        flagged=sum(cell.counts and is_flagged(cell) for cell in cell_rows),
        more=len(cell_rows) - sum(len(group.cells) for group in groups),
    )


def _ranges(cells: Sequence[CellRow]) -> Iterator[Range]:
    """Yield the range of each kind of work, training first."""
    ratios = defaultdict[Kind, list[float]](list)
    for cell in cells:
        if cell.counts and cell.ratio.leads and not is_flagged(cell):
            ratios[kind_of(cell.workload)].append(cell.ratio.value)
    for kind in KINDS:
        if own := ratios.get(kind):
            yield Range(kind, min(own), max(own), len(own))


def _groups(site: Site, cells: Sequence[CellRow]) -> list[Group]:
    """Return the pairs by framework and protocol, those of training first."""
    parts = defaultdict[tuple[str, ...], list[CellRow]](list)
    for cell in cells:
        setting = site.rows[cell.other.quantity.run].setting
        unit = cell.other.quantity.unit
        parts[cell.other.framework, setting, cell.metric, unit].append(cell)
    groups = [
        Group(
            framework,
            setting,
            metric,
            unit,
            *_origin(site, some),
            tuple(sorted(some, key=lambda it: (not it.counts, -it.ratio.value))),
        )
        for (framework, setting, metric, unit), some in parts.items()
    ]
    return sorted(groups, key=_order)


def _order(group: Group) -> tuple[object, ...]:
    trained = any(trains(cell.workload) for cell in group.cells)
    counted = [cell for cell in group.cells if cell.counts]
    works = len({cell.workload for cell in counted})
    standard = group.setting == "standard"
    return not trained, -works, not standard, -len(counted), group.framework


def _origin(
    site: Site, cells: Sequence[CellRow]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sources of a group, and its first and last year."""
    runs = [cell.other.quantity.run for cell in cells]
    slugs = dict.fromkeys(site.source_of(site.rows[run]) for run in runs)
    return tuple(filter(None, slugs)), corpus_of(site).years(runs)


def title(language: Language, result: Metal) -> str:
    """Say how much Metal gives to the first kind of work, as far as evidence goes."""
    if not result.ranges:
        return language.pgettext("heading", "With and without Metal")
    first = result.ranges[0]
    work = Name(kind_text(language, first.kind))
    if first.low >= 1:
        return language.gettext(
            "%(work)s: %(ratio)s as fast with Metal as on the CPU",
            work=work,
            ratio=Times(first.low, first.high),
        )
    if first.high <= 1:
        return language.gettext(
            "%(work)s: %(ratio)s as long with Metal as on the CPU",
            work=work,
            ratio=Times(1 / first.high, 1 / first.low),
        )
    return language.gettext(
        "%(work)s: with Metal up to %(faster)s as fast as on the CPU, or up to "
        "%(slower)s as long",
        work=work,
        faster=Times(first.high),
        slower=Times(1 / first.low),
    )


def lead(language: Language, result: Metal) -> str:
    """Say what is compared, and what the title leaves out."""
    text = language.gettext(
        "The same work on the CPU and with Metal. On a logarithmic axis equal "
        "distances are equal factors."
    )
    single = all(
        figure.quantity.n == 1
        for group in result.groups
        for cell in group.cells
        for figure in (cell.base, cell.other)
    )
    chance = language.gettext(
        "One run each: small differences cannot be told from chance."
    )
    flagged = language.ngettext(
        "%(n)s flagged pair is left out of the range.",
        "%(n)s flagged pairs are left out of the range.",
        result.flagged,
    )
    others = [
        language.gettext(
            "%(work)s: %(ratio)s as fast.",
            work=Name(kind_text(language, range_.kind)),
            ratio=Times(range_.low, range_.high),
        )
        for range_ in result.ranges[1:]
    ]
    parts = [text, *others, chance if single else "", flagged if result.flagged else ""]
    return language.sentences(parts)


def rows(language: Language, site: Site, result: Metal) -> Iterator[MetalRows]:
    """Yield the groups as the table shows them."""
    for n, group in enumerate(result.groups):
        figures = [it for cell in group.cells for it in (cell.base, cell.other)]
        values = [figure.quantity.value for figure in figures]
        scale = axis(f"metal-{n}", values, partial(tick, language))
        alike = wording.shared(
            wording.figure_cell(language, site, it) for it in figures
        )
        shown = [_row(language, site, scale, cell, alike) for cell in group.cells]
        origin = group.sources[:_NAMED] or (group.setting,)
        about = [
            wording.protocol(language, group.metric, origin),
            wording.years(language, group.years),
        ]
        yield MetalRows(
            framework=framework_text(language, group.framework),
            protocol=" · ".join(filter(None, about)),
            better=wording.axis_title(language, group.unit),
            axis=scale,
            rows=tuple(shown),
            basis=alike.text,
        )


def _row(
    language: Language, site: Site, scale: Axis, cell: CellRow, alike: Shared
) -> MetalRow:
    flagged = is_flagged(cell)
    base, other = (scale.at(it.quantity.value) for it in (cell.base, cell.other))
    shown = look(cell.ratio, flagged=flagged)
    title, more = wording.work(language, cell)
    figures = [
        wording.figure_cell(language, site, it) for it in (cell.base, cell.other)
    ]
    return MetalRow(
        work=title,
        details=more,
        plot=Plot((Mark(base, "cpu"), Mark(other, shown)), (base, other), look=shown),
        base=figures[0],
        other=figures[1],
        basis=(wording.basis(figures[0], alike), wording.basis(figures[1], alike)),
        verdict=wording.verdict(language, cell.ratio, flagged=flagged),
        note=wording.differences(language, cell.ratio.differs),
    )
