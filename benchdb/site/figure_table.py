"""The table of figures on pages: what varies is a column, the rest is said once."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from benchdb import catalogue
from benchdb.metric_kinds import LASTING
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Quantity, Workload
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording import cells, grades, terms
from benchdb.report.wording.flags import flag_text
from benchdb.report.wording.ladder import trust_text
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.parameters import distinction_text
from benchdb.site.lasting import stays_of
from benchdb.site.wording import bars

if TYPE_CHECKING:  # words of kept facts need no database
    from benchdb.site.content import Line, Site

MOST = 400  # rows of a table
_CHOICES = 12  # values of a column that are offered as filters


class FigureRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure: what it is of, how much it is, where it comes from.

    *run* is the address of the page that leads to its samples. *about* are the
    parameters that name its model, *distinction* tells it from rows that look alike,
    and *flags* are codes of what speaks against it. *stays* of a headline is the
    sustained rate in per cent of the burst.
    """

    run: str
    chip: str
    workload: Workload
    device: str
    framework: str
    metric: str
    label: str
    quantity: Quantity | None = None
    about: tuple[tuple[str, str], ...] = ()
    distinction: str = ""
    precision: str | None = None
    batch_size: int | None = None
    size: int | None = None
    trials: int | None = None
    tier: str | None = None
    started: str | None = None
    status: str = "ok"
    reason: str | None = None
    source: str = ""
    flags: tuple[str, ...] = ()
    mine: bool = False
    stays: Quantity | None = None


class FigureTable(msgspec.Struct, frozen=True):
    """The figures of a page, or the newest of each cell where there are too many.

    *total* is how many there are, on so many *machines*: at least, if not all of them
    are *identified*. *lacking* rows have no room. *pages* are
    addresses by chip, workload and source, and *command* is what lists all figures.
    """

    rows: tuple[FigureRow, ...]
    total: int
    lacking: int
    machines: int
    identified: bool
    pages: Mapping[str, str]
    command: str


class Head(NamedTuple):
    """A column: *key* names it, *kind* is its class.

    Its values are filters to choose from where there are *few*; *words* are other ones
    in each language.
    """

    key: str
    name: str
    kind: str = ""
    few: bool = False
    words: bool = False


class Cells(NamedTuple):
    """A row as it is read.

    A *figure* in a unit of its own *sorts_as* what it is in that of the others.
    """

    row: FigureRow
    chip: str
    work: str
    about: str
    distinction: str
    metric: str
    device: str
    framework: str
    precision: str
    batch: str
    figure: str
    sorts_as: str
    interval: str
    grade: str
    unit: str
    stays: str
    n: str
    trust: str
    bars: int
    source: str
    remarks: str


class Words(msgspec.Struct, frozen=True):
    """A table of figures in a language; *shown* are the keys of its columns."""

    heads: tuple[Head, ...]
    shown: frozenset[str]
    rows: tuple[Cells, ...]
    pages: Mapping[str, str]
    caption: str
    more: str


def figure_table(
    site: "Site", lines: "Iterable[Line]", command: str, most: int = MOST
) -> FigureTable:
    """Return the table of all figures in *lines*, *most* of them where it is too long.

    *command* lists what has no room.
    """
    lines = tuple(lines)
    every = [row for line in lines for row in _rows(site, line)]
    rows = sorted(every if len(every) <= most else _newest(every, most), key=_order)
    places = {site.places[line[0].run] for line in lines}
    pages = {}
    for row in rows:
        pages[f"chip {row.chip}"] = site.chips[row.chip]
        pages[f"workload {row.workload.name}"] = site.workloads[row.workload.name]
        if row.source:
            pages[f"source {row.source}"] = site.sources[row.source]
    return FigureTable(
        rows=tuple(rows),
        total=sum(row.quantity is not None for line in lines for row in line),
        lacking=len(every) - len(rows),
        machines=len({place.machine for place in places}),
        identified=all(place.anonymous_id is not None for place in places),
        pages=pages,
        command=command,
    )


def _rows(site: "Site", line: "Line") -> Sequence[FigureRow]:
    """Return the rows of a line, which four pages show: made once for all of them."""
    given, head = (line, site.common), line[0].run
    known = site.table_rows.get(head)
    if known is None or known[0] != given:
        rows = [
            _row(site, row, stays_of(line) if row is line[0] else None)
            for row in line
            if row.metric not in LASTING  # they have a column, and their own table
        ]
        known = site.table_rows[head] = given, rows
    return known[1]


def _row(site: "Site", row: ValueRow, stays: Quantity | None) -> FigureRow:
    notes = row.quantity.notes if row.quantity else ()
    chosen = dict(row.parameters)
    return FigureRow(
        run=site.runs[row.run],
        chip=row.system.chip,
        workload=row.workload,
        device=row.system.device,
        framework=row.system.framework,
        metric=row.metric,
        label=row.label,
        quantity=row.quantity,
        about=tuple(
            (name, chosen[name]) for name in terms.OF_A_MODEL if name in chosen
        ),
        distinction=row.distinction,
        precision=row.precision,
        batch_size=row.batch_size,
        size=row.size,
        trials=row.trials,
        tier=row.tier,
        started=row.started,
        status=row.status,
        reason=row.reason,
        source=site.source_of(row),
        flags=tuple(dict.fromkeys(site.notes[key].code for key in notes)),
        mine=row.system.mine,
        stays=stays,
    )


def _newest(rows: Sequence[FigureRow], most: int) -> Sequence[FigureRow]:
    """Return as many rows as there is room for, the newest of each cell first."""
    latest = sorted(rows, key=lambda row: row.started or "", reverse=True)
    newer, beside = Counter[object](), Counter[object]()
    ranks = []
    for row in latest:
        cell, group = _cell(row), (row.chip, row.workload)
        # Of all chips and workloads alike, not what somebody measured last alone.
        ranks.append((newer[cell], beside[group]))
        beside[group] += newer[cell] == 0
        newer[cell] += 1
    places = sorted(range(len(latest)), key=ranks.__getitem__)
    return [latest[place] for place in places[:most]]


def _cell(row: FigureRow) -> object:
    """Return what figures share that answer the same question."""
    work = row.workload.name, row.about, row.batch_size, row.size, row.metric
    return row.chip, row.device, row.framework, row.precision, work


def _order(row: FigureRow) -> tuple[object, ...]:
    return (
        *_place_of_workload(row.workload.name),
        [(fact.zfill(9) if fact.isdecimal() else fact) for _, fact in row.about],
        *place_of_chip(row.chip),
        row.device,
        row.framework,
        row.precision or "",
        row.batch_size or 0,
        row.size or 0,
        row.run,
    )


@cache
def place_of_chip(name: str) -> tuple[int, str]:
    """Return what sorts chips as the catalogue has them, the others after them."""
    known = [chip.name for chip in catalogue.chips()]
    return known.index(name) if name in known else len(known), name


@cache
def _place_of_workload(name: str) -> tuple[int, str]:
    known = [*catalogue.workloads()]
    return known.index(name) if name in known else len(known), name


def table_words(language: Language, table: FigureTable) -> Words:
    """Return what the template shows of *table*."""
    known = grades.grades_of(row.quantity for row in table.rows)
    rows = _cells(language, table.rows, known)
    values = {
        head.key: dict.fromkeys(getattr(row, head.key) for row in rows)
        for head in _heads(language)
    }
    shown = {key for key, texts in values.items() if len(texts) > 1} | {"figure"}
    if not shown & {"chip", "work", "about"}:
        shown.add("chip")
    if "source" in shown or not any(row.remarks for row in rows):
        shown.discard("remarks")
    if "work" in shown:  # which has the model below it
        shown.discard("about")
    alike = [
        text
        for key, texts in values.items()
        if len(texts) == 1 and key not in shown | {"n", "source", "remarks"}
        for text in texts
        if text not in {"", cells.DASH}
    ]
    return Words(
        heads=tuple(
            head._replace(few=head.few and len(values[head.key]) <= _CHOICES)
            for head in _heads(language)
            if head.key in shown
        ),
        shown=frozenset(shown),
        rows=rows,
        pages=table.pages,
        caption=language.sentences(
            [
                _extent(language, table),
                language.gettext("Alike in all rows: %(facts)s.", facts=alike)
                if alike
                else "",
                grades.grades_text(language, known),
            ]
        ),
        more=_more(language, table),
    )


def _heads(language: Language) -> tuple[Head, ...]:
    """Return all columns in their order."""
    pgettext = language.pgettext
    return (
        Head("chip", pgettext("table header", "Chip"), few=True),
        Head("work", pgettext("table header", "Workload"), few=True),
        Head("about", pgettext("table header", "Model")),
        Head("metric", pgettext("table header", "Metric"), few=True, words=True),
        Head("device", pgettext("table header", "Device"), few=True),
        Head("framework", pgettext("table header", "Framework"), few=True),
        Head("precision", pgettext("table header", "Precision"), few=True),
        Head("batch", pgettext("table header", "Batch size"), "num", few=True),
        Head("figure", pgettext("table header", "Figure"), "num"),
        Head("unit", pgettext("table header", "Unit")),
        Head("stays", pgettext("table header", "Sustained / burst"), "num"),
        Head("n", pgettext("table header", "n"), "num"),
        Head("trust", pgettext("table header", "Trust"), few=True, words=True),
        Head("source", pgettext("table header", "Source"), few=True),
        Head("remarks", pgettext("table header", "Remarks")),
    )


def _cells(
    language: Language, rows: Iterable[FigureRow], known: grades.Grades
) -> tuple[Cells, ...]:
    """Return the texts of *rows*; each that many rows share is made once."""
    title = cache(partial(terms.title_text, language))
    model = cache(lambda about: terms.model_text(language, dict(about)))
    trust = cache(partial(trust_text, language))
    number = cache(language.number)
    distinction = cache(partial(distinction_text, language))
    unit = cache(language.unit)
    flag = partial(flag_text, language)
    made = []
    for row in rows:
        quantity = row.quantity
        step = quantity.trust if quantity else None
        digits, token = (
            language.digits_and_unit(quantity) if quantity else (cells.DASH, "")
        )
        if row.size:
            about = f"{number(row.size)} × {number(row.size)}"
        else:
            about = model(row.about) if row.about else ""
        made.append(
            Cells(
                row=row,
                chip=terms.chip_text(language, row.chip),
                work=title(row.workload),
                about=about,
                distinction=distinction(row.distinction) if row.distinction else "",
                metric=metric_text(language, row.metric),
                device=terms.device_text(language, row.device),
                framework=terms.framework_text(language, row.framework),
                precision=row.precision or cells.DASH,
                batch=number(row.batch_size) if row.batch_size else cells.DASH,
                figure=digits,
                sorts_as=f"{quantity.value:.5g}"
                if quantity and (token != quantity.unit or "×" in digits)
                else "",
                interval=(cells.limits(language, quantity) or "") if quantity else "",
                grade=grades.grade_mark(quantity, known) if quantity else "",
                unit=unit(token) if token else "",
                stays=language.compact(row.stays) if row.stays else cells.DASH,
                n=_repeats(language, row),
                trust=trust(step, row.label, row.tier, mine=row.mine),
                bars=bars(step),
                source=row.source,
                remarks=_remarks(language, row, flag),
            )
        )
    return tuple(made)


def _repeats(language: Language, row: FigureRow) -> str:
    if row.quantity is None:
        return cells.DASH
    if row.trials is not None:
        return language.pgettext("repetitions", "mean of %(n)s", n=row.trials)
    return str(row.quantity.n)


def _remarks(language: Language, row: FigureRow, flag: Callable[[str], str]) -> str:
    """Say why there is no figure, or what speaks against it."""
    if row.quantity is None:
        return terms.missing_text(language, row.reason, row.status)
    if not row.flags:
        return ""
    return f"⚑ {language.comma.join(map(flag, row.flags))}"


def _extent(language: Language, table: FigureTable) -> str:
    """Say how many figures there are, and of how many machines."""
    figures = language.ngettext("%(n)s figure", "%(n)s figures", table.total)
    if table.identified:
        return language.ngettext(
            "%(figures)s of %(n)s machine.",
            "%(figures)s of %(n)s machines.",
            table.machines,
            figures=figures,
        )
    return language.ngettext(
        "%(figures)s of at least %(n)s machine.",
        "%(figures)s of at least %(n)s machines.",
        table.machines,
        figures=figures,
    )


def _more(language: Language, table: FigureTable) -> str:
    """Say what has no room, and what lists it; nothing if all has."""
    if not table.lacking:
        return ""
    return language.ngettext(
        "%(n)s more row has no room here; %(command)s shows it.",
        "%(n)s more rows have no room here; %(command)s shows them.",
        table.lacking,
        command=Name(table.command),
    )
