"""What a page of a workload says of its protocols, and how it draws them."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import msgspec

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.wording import cells, terms
from benchdb.report.wording.flags import flag_text
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.parameters import parameter_text, tier_text
from benchdb.site import wording
from benchdb.site.content import Site
from benchdb.site.plots import (
    Axis,
    Mark,
    Plot,
    axis,
    is_doubtful,
    is_flagged,
    tick,
)
from benchdb.site.system_pairs import BASELINE, Worker
from benchdb.site.wording import FigureCell, Shared, Verdict
from benchdb.site.workload_protocols import Grid, Line, Point, Row, Table, sound


class SystemRow(msgspec.Struct, frozen=True):
    """A system in words."""

    chip: str
    device: str
    badge: str
    details: str
    plot: Plot
    figure: FigureCell
    ratio: str
    tone: str
    framework: str
    precision: str
    basis: str
    note: str


class GridLine(msgspec.Struct, frozen=True):
    """A line of a table of other sizes."""

    chip: str
    device: str
    badge: str
    way: str
    cells: tuple[FigureCell | None, ...]


class GridWords(msgspec.Struct, frozen=True):
    """A table of other sizes in words."""

    heads: tuple[str, ...]
    lines: tuple[GridLine, ...]
    more: str
    unit: str


class Section(msgspec.Struct, frozen=True):
    """A protocol in words; *columns* name what differs between its rows."""

    name: str
    title: str
    short: str
    lead: str
    better: str
    unit: str
    axis: Axis
    columns: frozenset[str]
    rows: tuple[SystemRow, ...]
    more: str
    grid: GridWords | None


class Headline(msgspec.Struct, frozen=True):
    """What a page says first: of Macs, then of *metal*; and what that rests on."""

    text: str
    metal: str
    basis: str


def headline(
    language: Language, site: Site, tables: Sequence[Table]
) -> Headline | None:
    """Say what the first protocol shows, as far as its evidence goes."""
    if not tables:
        return None
    table = tables[0]
    good = [row for row in sound(table.rows) if row.ratio and row.device == "metal"]
    best = max(good, key=lambda row: row.ratio.value if row.ratio else 0, default=None)
    first = ""
    if best and best.ratio and best.ratio.value > 1:
        first = language.gettext(
            "The %(chip)s is %(ratio)s as fast as the M1, both with Metal.",
            chip=Name(best.chip),
            ratio=Times(best.ratio.value),
        )
    ratios = _metal(site, table)
    second = _metal_text(language, min(ratios), max(ratios)) if ratios else ""
    if not (first or second):
        return None
    shown = best or table.rows[0]
    return Headline(first, second, _basis(language, tables, shown))


def _basis(language: Language, tables: Sequence[Table], best: Row) -> str:
    """Say what the headline rests on, and what it leaves out."""
    table = tables[0]
    about = [
        _named(language, table),
        terms.framework_text(language, best.figure.framework),
        wording.years(language, table.years),
    ]
    flagged = sum(is_doubtful(row.figure.flags) for row in table.rows)
    left_out = language.ngettext(
        "%(n)s flagged figure is left out.",
        "%(n)s flagged figures are left out.",
        flagged,
    )
    doubt = language.gettext(
        "⚑ %(chip)s: %(doubts)s.",
        chip=Name(best.chip),
        doubts=[flag_text(language, code) for code in best.doubts],
    )
    text = language.gettext(
        "%(n)s protocols are on this page and never meet in one ratio.", n=len(tables)
    )
    parts = [
        terms.sentence(language, " · ".join(filter(None, about))),
        left_out if flagged else "",
        doubt if best.doubts else "",
        text if len(tables) > 1 else "",
    ]
    return language.sentences(parts)


def _metal(site: Site, table: Table) -> list[float]:
    """Return how many times as fast each chip is with Metal as on its CPU."""
    shown = {row.figure.quantity.run for row in table.rows}
    chips = dict.fromkeys(row.chip for row in table.rows if row.device == "metal")
    ratios = []
    for chip in chips:
        ratios += [
            cell.ratio.value
            for cell in site.systems.cells(Worker(chip, "cpu"), Worker(chip, "metal"))
            if cell.counts
            and cell.ratio.leads
            and not is_flagged(cell)
            and cell.other.quantity.run in shown
            and cell.base.quantity.run in shown
            and cell.metric == table.metric
        ]
    return ratios


def _metal_text(language: Language, low: float, high: float) -> str:
    if low >= 1:
        return language.gettext(
            "With Metal a chip is %(ratio)s as fast as on its CPU.",
            ratio=Times(low, high),
        )
    if high <= 1:
        return language.gettext(
            "With Metal a chip takes %(ratio)s as long as on its CPU.",
            ratio=Times(1 / high, 1 / low),
        )
    return language.gettext(
        "Metal makes it up to %(faster)s as fast, or up to %(slower)s as long.",
        faster=Times(high),
        slower=Times(1 / low),
    )


def sections(
    language: Language, site: Site, tables: Sequence[tuple[Table, str]]
) -> list[Section]:
    """Return protocols in words, each with a name of its own; or that of a model."""
    titles = [name or _title(language, table) for table, name in tables]
    shorts = [name or _timed(language, table) for table, name in tables]
    more = [language.isolate(_way(language, table)) for table, _ in tables]
    titles = _distinct(titles, more)
    shorts = _distinct(
        _distinct(shorts, more), [tier_text(language, it.setting) for it, _ in tables]
    )
    return [
        _section(language, site, table, (f"protocol-{n}", title, short))
        for n, ((table, _), title, short) in enumerate(
            zip(tables, titles, shorts, strict=True)
        )
    ]


def _way(language: Language, table: Table) -> str:
    """Return the precisions of a table, its framework where it has none."""
    precisions = dict.fromkeys(filter(None, (it.figure.precision for it in table.rows)))
    framework = terms.framework_text(language, table.rows[0].figure.framework)
    return language.comma.join(precisions) or framework


def _section(
    language: Language, site: Site, table: Table, names: tuple[str, str, str]
) -> Section:
    name, title, short = names
    values = [
        end
        for row in table.rows
        for end in (row.figure.quantity.value, *_ends(row))
        if end > 0
    ]
    scale = axis(name, values, partial(tick, language))
    alike = wording.shared(
        wording.figure_cell(language, site, row.figure) for row in table.rows
    )
    rows = [_row(language, site, scale, row, alike) for row in table.rows]
    columns = {
        column
        for column in ("framework", "precision", "basis")
        if len({getattr(row, column) for row in rows}) > 1
    }
    columns |= {it for it in ("ratio", "note") if any(getattr(row, it) for row in rows)}
    more = language.ngettext(
        "%(n)s more row stands among all figures.",
        "%(n)s more rows stand among all figures.",
        table.more,
    )
    return Section(
        name=name,
        title=title,
        short=short,
        lead=_lead(language, table, alike, columns, rows),
        better=wording.axis_title(language, table.unit),
        unit=metric_text(language, table.metric),
        axis=scale,
        columns=frozenset(columns),
        rows=tuple(rows),
        more=more if table.more else "",
        grid=_grid(language, site, table.grid, table.unit) if table.grid else None,
    )


def _title(language: Language, table: Table) -> str:
    """Return the heading: what was timed, and by whom."""
    own = language.isolate(table.setting) if table.setting != "standard" else ""
    return " · ".join(filter(None, (_timed(language, table), own)))


def _timed(language: Language, table: Table) -> str:
    """Return what was timed, first letter large."""
    named = metric_text(language, table.metric)
    return named[:1].upper() + named[1:]


def _named(language: Language, table: Table) -> str:
    origin = table.sources[:2] or (table.setting,)
    return wording.protocol(language, table.metric, origin)


def _distinct(titles: Sequence[str], more: Sequence[str]) -> list[str]:
    """Return *titles*, those that are alike with what is *more* of each."""
    counts = Counter(titles)
    return [
        " · ".join(filter(None, (title, other))) if counts[title] > 1 else title
        for title, other in zip(titles, more, strict=True)
    ]


def _lead(
    language: Language,
    table: Table,
    alike: Shared,
    columns: set[str],
    rows: Sequence[SystemRow],
) -> str:
    """Say what all rows share: the point, the protocol, what figures rest on."""
    ways = [
        getattr(rows[0], name)
        for name in ("framework", "precision")
        if name not in columns and rows
    ]
    parts = [
        _point(language, table.point),
        _named(language, table),
        wording.years(language, table.years),
        *ways,
        alike.text,
    ]
    return " · ".join(filter(None, parts))


def _point(language: Language, point: Point) -> str:
    facts = dict(point.facts)
    named = terms.model_text(language, facts) if "model" in facts else ""
    if named:
        batch = point.batch_size
        text = language.pgettext("work", "batch %(n)s", n=batch) if batch else ""
        return " · ".join(filter(None, (named, text)))
    return wording.point_text(language, facts.items(), point.batch_size)


def _ends(row: Row) -> tuple[float, ...]:
    ends = row.figure.quantity.interval
    return () if ends is None or ends.wide else (ends.low, ends.high)


def _row(
    language: Language, site: Site, scale: Axis, row: Row, alike: Shared
) -> SystemRow:
    quantity = row.figure.quantity
    flagged = is_doubtful(row.figure.flags)
    at = scale.at(quantity.value)
    ends = [scale.at(end) for end in _ends(row) if end > 0]
    base = (row.chip, row.device) == BASELINE
    look = {"metal": "up", "cpu": "cpu", "cuda": "reference"}.get(row.device, "level")
    notes = [f"⚑ {flag_text(language, flag)}" for flag in row.doubts]
    if base:
        notes.insert(0, language.pgettext("legend", "baseline"))
    verdict = (
        wording.verdict(language, row.ratio, flagged=flagged)
        if row.ratio
        else Verdict("")
    )
    choices = [parameter_text(language, name, fact) for name, fact in row.choices]
    shown = wording.figure_cell(language, site, row.figure)
    return SystemRow(
        chip=row.chip,
        device=terms.device_text(language, row.device),
        badge=wording.badge(row.device),
        details=" · ".join(map(language.isolate, choices)),
        plot=Plot(
            (Mark(at, "flagged" if flagged else look),),
            ("0", at),
            (ends[0], ends[1]) if len(ends) > 1 else None,
            look="bar",
        ),
        figure=shown,
        ratio=language.times(row.ratio.value) if row.ratio and not base else "",
        tone="dim" if flagged else verdict.tone,
        framework=terms.framework_text(language, row.figure.framework),
        precision=row.figure.precision or "",
        basis=wording.basis(shown, alike),
        note=language.comma.join(notes),
    )


def _grid(language: Language, site: Site, grid: Grid, unit: str) -> GridWords:
    """Return the table of other sizes: what all columns share stands in none."""
    points = [dict(point.facts) for point in grid.points]
    names = {
        name
        for facts in points
        for name in facts
        if len({str(it.get(name)) for it in points}) > 1
    }
    heads = []
    for point, facts in zip(grid.points, points, strict=True):
        own = [(it, facts[it]) for it in sorted(names & facts.keys())]
        text = wording.point_text(language, own, point.batch_size)
        heads.append(text or cells.DASH)
    more = language.ngettext(
        "%(n)s more size stands among all figures.",
        "%(n)s more sizes stand among all figures.",
        grid.more,
    )
    return GridWords(
        heads=tuple(heads),
        lines=tuple(_line(language, site, line) for line in grid.lines),
        more=more if grid.more else "",
        unit=language.unit(unit) if unit else "",
    )


def _line(language: Language, site: Site, line: Line) -> GridLine:
    way = terms.framework_text(language, line.framework), line.precision
    return GridLine(
        chip=line.chip,
        device=terms.device_text(language, line.device),
        badge=wording.badge(line.device),
        way=" · ".join(filter(None, way)),
        cells=tuple(
            wording.figure_cell(language, site, it) if it else None
            for it in line.figures
        ),
    )


def models(
    language: Language, rows: Sequence[tuple[str, str, int, int]]
) -> list[tuple[str, str, str, str]]:
    """Return the rows of the table of models."""
    return [
        (
            language.isolate(model),
            quantization,
            language.number(systems),
            language.number(figures),
        )
        for model, quantization, systems, figures in rows
    ]
