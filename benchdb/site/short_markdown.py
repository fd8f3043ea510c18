"""The short report as Markdown: answers, then tables that unfold, and two charts."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from jinja2 import Environment

from benchdb.report import markdown as md
from benchdb.report import templates
from benchdb.report.charts.spec import (
    Chart,
    Key,
    Panel,
    Point,
    Row,
    Rows,
    Scale,
    Stroke,
    Tick,
)
from benchdb.report.language import Language
from benchdb.report.wording import filters, grades
from benchdb.report.wording.cells import Table
from benchdb.site import single
from benchdb.site.answers import front_tables, token_chart
from benchdb.site.answers.facts import ChipRow, Overview
from benchdb.site.answers.front_tables import Cell
from benchdb.site.badges import drawn
from benchdb.site.figure_table import table_words
from benchdb.site.front import front_words
from benchdb.site.pages import Sheet
from benchdb.site.single import Single

_CHIPS = 6  # of a snippet
_TIMES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
Images = Mapping[str, tuple[str, str]]  # by chart: on light paper, and on dark


class Fold(msgspec.Struct, frozen=True):
    """A part of the report that unfolds: its *name*, a sentence, table and chart."""

    name: str
    text: str
    table: str
    chart: str = ""


def charts(language: Language, facts: Single) -> Iterator[Chart]:
    """Yield the charts beside the text: tokens per second, and Metal over CPU."""
    for plot in facts.front.plots[:1]:
        yield token_chart.chart(language, plot, "tokens")
    if any(row.metal for row in facts.front.overview.chips):
        yield _metal(language, facts.front.overview)


def _metal(language: Language, shown: Overview) -> Chart:
    """Return what Metal brings to each chip: the range over its works."""
    rows = [row for row in shown.chips if row.metal]
    ends = [end for row in rows for end in row.metal or ()]
    low, high = min(*ends, 1.0) / 1.2, max(*ends, 1.0) * 1.2
    panel = Panel(
        title="",
        x=Scale(
            low,
            high,
            tuple(Tick(it, language.times(it)) for it in _TIMES if low <= it <= high),
            "",
        ),
        y=Rows(
            tuple(
                Row(language.isolate(row.chip), _factor(language, row)) for row in rows
            )
        ),
        points=tuple(
            Point(end, n, "faster" if end > 1 else "slower")
            for n, row in enumerate(rows)
            for end in dict.fromkeys(row.metal or ())
        ),
        strokes=(
            *(
                Stroke(((row.metal[0], n), (row.metal[1], n)), "quiet")
                for n, row in enumerate(rows)
                if row.metal and row.metal[0] < row.metal[1]
            ),
            Stroke(((1.0, -0.5), (1.0, len(rows) - 0.5)), "reference", guide=True),
        ),
    )
    texts = [f"{row.chip} {_factor(language, row)}" for row in rows]
    return Chart(
        name="metal",
        title=language.pgettext("chart", "Metal over the CPU of the same chip"),
        alt=language.listing(texts),
        panels=(panel,),
        keys=(
            Key("faster", language.pgettext("legend", "least and most over networks")),
        ),
    )


def _factor(language: Language, row: ChipRow) -> str:
    return language.times_range(*row.metal) if row.metal else ""


def render(language: Language, facts: Single, images: Images, sheet: Sheet) -> str:
    """Return the report; *images* are the files of its charts."""
    return (
        environment(language)
        .get_template("site/report.md.j2")
        .render(
            title=single.title(language, facts),
            facts=facts,
            limits=single.limits(language, facts),
            **_parts(language, facts, images),
            files=[
                md.MdSafe(f"[{md.escape(label)}](<{name}>)")
                for label, name in sheet.files
            ],
            grades=grades.how_to_read_grades(language),
            made_from=filters.made_from(language, sheet.digest),
            command=sheet.command,
        )
    )


def _parts(language: Language, facts: Single, images: Images) -> dict[str, object]:
    items = front_words(facts.front, language).parts
    kept = facts.sources[: single.SOURCES]
    known = [
        md.join(
            [
                md.link(language.isolate(it.slug), it.url),
                f"({language.number(it.figures)})",
            ]
        )
        for it in kept
    ]
    alts = {chart.name: chart.alt for chart in charts(language, facts)}
    return {
        "lead": items["lead"],
        "answers": items["answers"],
        "folds": [fold for fold in _folds(language, facts, items) if fold.table],
        "images": {it: md.picture(alts[it], *files) for it, files in images.items()},
        "know": [*single.know(language, facts), *single.noted(language, facts)],
        "sources": md.join(known, " · "),
        "more_sources": single.more_sources(language, facts, len(kept)),
    }


def _folds(
    language: Language, facts: Single, items: Mapping[str, object]
) -> Iterator[Fold]:
    shown, pgettext = facts.front.overview, language.pgettext
    yield Fold(
        language.gettext("A row for each chip"), "", _chips(language, facts), "tokens"
    )
    yield Fold(
        language.gettext("What Metal brings"),
        str(items["heat_text"]),
        _heat(language, shown),
        "metal",
    )
    if shown.reference:
        yield Fold(
            pgettext("section", "How far is a %(reference)s?")
            % {"reference": shown.reference},
            "",
            _distances(language, shown),
        )
    yield Fold(language.gettext("Work per joule"), "", _watts(language, facts))
    if facts.figures:
        yield Fold(pgettext("section", "All figures"), "", _figures(language, facts))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Return a table whose columns after the first *texts* hold figures."""
    if not rows:
        return ""
    return md.written(Table(heads, rows, frozenset(range(texts, len(heads)))))


def _cell(cell: Cell) -> str:
    return (
        f"{cell.text} ({cell.below})" if cell.below and cell.text != "–" else cell.text
    )


def _chips(language: Language, facts: Single) -> str:
    pgettext, shown = language.pgettext, facts.front.overview
    axes = front_tables.axes_of(language, shown)
    heads = [
        pgettext("table header", "Chip"),
        pgettext("table header", "GPU cores"),
        pgettext("table header", "GB/s"),
        pgettext("table header", "Training, × M1 with Metal"),
        pgettext("table header", "Metal over CPU"),
        pgettext("table header", "Decode"),
        pgettext("table header", "Prefill"),
        pgettext("table header", "Figures, machines"),
    ]
    yours, name = pgettext("mark of a machine", "yours"), language.isolate
    rows = [
        [
            name(row.chip) + (f" ({yours})" if row.chip in facts.front.own else ""),
            row.cores,
            row.bandwidth,
            _cell(row.mean),
            row.metal.text,
            _cell(row.decode),
            _cell(row.prefill),
            f"{row.figures}, {row.machines}",
        ]
        for row in front_tables.chip_lines(language, shown.chips, axes)
    ]
    return _table(heads, rows)


def _heat(language: Language, shown: Overview) -> str:
    name = language.isolate
    chips = list(dict.fromkeys(cell.chip for row in shown.heat for cell in row.cells))
    rows = [
        [
            language.comma.join(map(name, filter(None, (row.work, row.batch)))),
            *(
                f"⚑ {_cell(cell)}" if cell.look == "flagged" else _cell(cell)
                for cell in row.cells
            ),
        ]
        for row in front_tables.heat_lines(language, shown.heat, chips)
    ]
    return _table(
        [language.pgettext("table header", "Workload"), *map(name, chips)], rows
    )


def _distances(language: Language, shown: Overview) -> str:
    pgettext = language.pgettext
    axis = front_tables.distance_axis(language, shown.distances)
    rows = [
        [
            language.isolate(row.chip),
            *map(_cell, (row.decode, row.prefill, row.training)),
            row.note or front_tables.NOTHING.text,
        ]
        for row in front_tables.distance_lines(language, shown.distances, axis)
    ]
    heads = [
        pgettext("table header", "Chip"),
        pgettext("table header", "Decode"),
        pgettext("table header", "Prefill"),
        pgettext("table header", "Training"),
        pgettext("table header", "Training differs in"),
    ]
    return _table(heads, rows)


def _watts(language: Language, facts: Single) -> str:
    pgettext = language.pgettext
    heads = [
        pgettext("table header", "Mac"),
        pgettext("table header", "Beside"),
        pgettext("table header", "Work"),
        pgettext("table header", "Per joule"),
        pgettext("table header", "Differs in"),
    ]
    name = language.isolate
    rows = [
        [name(mac), name(other), *more]
        for mac, other, *more in front_tables.watt_lines(language, facts.front.watts)
    ]
    return _table(heads, rows, 3)


def _figures(language: Language, facts: Single) -> str:
    if facts.figures is None:
        return ""
    words = table_words(language, facts.figures)
    heads = [head for head in words.heads if head.key != "trust"][:8]
    rows = [[str(getattr(row, head.key)) for head in heads] for row in words.rows]
    return _table([head.name for head in heads], rows, len(heads))


def snippet(language: Language, facts: Single) -> str:
    """Return a badge and a table of few chips, for a README."""
    shown, pgettext = facts.front.overview, language.pgettext
    axes = front_tables.axes_of(language, shown)

    def known(row: ChipRow) -> tuple[bool, int]:
        parts = (row.mean, row.metal, row.decode)
        return row.chip in facts.front.own, sum(part is not None for part in parts)

    best = sorted(shown.chips, key=known, reverse=True)[:_CHIPS]
    kept = [row for row in shown.chips if row in best]
    heads = [
        pgettext("table header", "Chip"),
        pgettext("table header", "Training, × M1 with Metal"),
        pgettext("table header", "Metal over CPU"),
        pgettext("table header", "LLM decode, tokens/s"),
    ]
    rows = [
        [language.isolate(row.chip), row.mean.text, row.metal.text, row.decode.text]
        for row in front_tables.chip_lines(language, kept, axes)
    ]
    table = _table(heads, rows) or _figures(language, facts)
    badge = md.image(_counted(language, facts), f"report.{language.code}.badge.svg")
    below = filters.made_from(language, facts.front.digest)
    return f"{badge}\n\n{table}\n\n{md.escape(below)}\n"


def _counted(language: Language, facts: Single) -> str:
    return "benchdb: " + language.ngettext(
        "%(n)s figure", "%(n)s figures", facts.front.figures
    )


def badge(language: Language, facts: Single) -> str:
    """Return a badge as SVG: how many figures there are."""
    return drawn(*_counted(language, facts).split(": ", 1))


def environment(language: Language) -> Environment:
    """Return templates whose texts are escaped unless they are ``MdSafe``."""
    result = templates.environment(autoescape=False, finalize=md.finalize)
    result.globals.update(language=language, code=md.code, gettext=language.gettext)
    return result
