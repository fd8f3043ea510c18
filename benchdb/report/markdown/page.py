"""Render a report as Markdown, with charts beside it.

``reports/templates/report.md.j2`` holds the order of the page, the ``words`` of the
sections their tables, ``wording`` the sentences. Tables have eight columns at most.
Whatever a template prints is escaped unless it is ``MdSafe``.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from urllib.parse import urlsplit

from jinja2 import Environment
from wcwidth import wcswidth

from benchdb.report import bounds, templates, untrusted
from benchdb.report.language import Language
from benchdb.report.markdown import escape as md
from benchdb.report.sections import words
from benchdb.report.view.atoms import unlike_sets
from benchdb.report.view.listed import MachineRow, ValueRow
from benchdb.report.view.page import Report
from benchdb.report.wording import cells, filters, metrics, sentences, terms
from benchdb.report.wording.cells import Table

_RUN_LETTERS = 12
_WIDEST = 40  # a longer cell sticks out instead of stretching every row


def render(
    report: Report,
    language: Language,
    charts: Mapping[str, str],
    files: Mapping[str, str] | None = None,
) -> str:
    """Return *report* in *language*; *charts* maps a section to its image file.

    *files* are the data beside it: label to file name.
    """
    report = untrusted.cleaned(bounds.fitted(report))
    sections: list[tuple[str, Sequence[str]]] = []  # with their sources
    tables: dict[str, list[Table]] = {}
    unlike: dict[str, list[str]] = {}  # what the signs of each mean
    for name, part in report.sections.items():
        if part:
            sections.append((name, part.sources))
            tables[name] = words(name).tables(language, part)
        sets = unlike_sets(part)
        unlike[name] = [
            cells.sign(one, sets) + terms.differs_text(language, one) for one in sets
        ]
    if report.values:
        sections.append(("values", ()))
        tables["values"] = [_values(language, report.values)]
    if report.machines:
        sections.append(("machines", ()))
        tables["machines"] = [_machines(language, report.machines)]
    beside = [
        md.MdSafe(f"[{md.escape(label)}](<{untrusted.file_name(file) or ''}>)")
        for label, file in (files or {}).items()
    ]
    return (
        environment(language)
        .get_template("report.md.j2")
        .render(
            report=report,
            charts=charts,
            files=md.join(beside, " · "),
            limits=filters.limits(language, report),
            sections=sections,
            unlike=unlike,
            tables={name: list(map(written, parts)) for name, parts in tables.items()},
        )
    )


def environment(language: Language) -> Environment:
    """Return the template of a page with what it needs to speak *language*."""
    # This is Markdown: finalize escapes.
    templating = templates.environment(autoescape=False, finalize=md.finalize)
    templating.globals.update(
        say=sentences.speaker(language),
        language=language,
        image=md.image,
        code=md.code,
        link=_link,
    )
    return templating


def _link(url: str) -> md.MdSafe:
    parts = urlsplit(url)
    return md.link(parts.netloc + parts.path, url)


def _values(language: Language, rows: Sequence[ValueRow]) -> Table:
    """Return one row for each figure, as printed, with its place and its runs."""
    head = (
        language.pgettext("table header", "Run"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Conditions"),
        language.pgettext("table header", "Measured"),
        language.pgettext("table header", "Value"),
        language.pgettext("table header", "n"),
        language.pgettext("table header", "Source"),
    )
    body = [
        (
            md.code(" ".join(run[:_RUN_LETTERS] for run in row.runs or (row.run,))),
            cells.workload(language, row),
            cells.system(language, row.system),
            cells.beside(language, filter(None, (row.precision, row.compiler))),
            metrics.metric_text(language, row.metric),
            cells.value(language, row),
            cells.repeats(language, row),
            cells.place(language, row),
        )
        for row in rows
    ]
    return Table(head, body, frozenset({5, 6}))


def _machines(language: Language, rows: Sequence[MachineRow]) -> Table:
    head = (
        language.pgettext("table header", "Machine"),
        language.pgettext("table header", "CPU cores"),
        language.pgettext("table header", "GPU cores"),
        language.pgettext("table header", "Memory"),
        language.pgettext("table header", "Operating system"),
        language.pgettext("table header", "Frameworks"),
        language.comma.join(
            (
                language.pgettext("table header", "Runs"),
                language.pgettext("table header", "Sessions"),
            )
        ),
        language.pgettext("table header", "Source"),
    )
    body = []
    for row in rows:
        frameworks = [terms.framework_text(language, name) for name in row.frameworks]
        amounts = [n for n in (row.runs, row.sessions) if n is not None]
        sources = row.sources
        if not sources and row.measured:  # by whom
            sources = (terms.label_text(language, "measured", mine=row.mine),)
        body.append(
            (
                cells.machine(language, row),
                cells.count(language, row.cpu_cores),
                cells.count(language, row.gpu_cores),
                language.isolate(language.bytes(row.ram_bytes))
                if row.ram_bytes
                else cells.DASH,
                language.isolate(row.os) if row.os else cells.DASH,
                cells.beside(language, frameworks),
                cells.beside(language, map(language.number, amounts)),
                cells.beside(language, sources),
            )
        )
    return Table(head, body, frozenset({1, 2, 3, 6}))


def written(table: Table) -> md.MdSafe:
    """Return *table* as GitHub-flavoured Markdown, every cell escaped.

    Its columns also line up when the file is read as it is.
    """
    rows = [[md.escape(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [
        max(3, *(wide for wide in map(_shown, column) if wide <= _WIDEST), 0)
        for column in zip_longest(*rows, fillvalue="")
    ]
    lines = []
    for row in rows:
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * max(0, width - _shown(cell))
            padded.append(space + cell if place in table.figures else cell + space)
        lines.append(f"| {' | '.join(padded)} |")
    rules = [
        "-" * (width - 1) + (":" if place in table.figures else "-")
        for place, width in enumerate(widths)
    ]
    lines.insert(1, f"| {' | '.join(rules)} |")
    return md.MdSafe("\n".join(lines))


def _shown(cell: str) -> int:
    # Terminals show a CJK character in two columns and an isolate in none.
    width: int = wcswidth(cell)
    return width if width >= 0 else len(cell)
