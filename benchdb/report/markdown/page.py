"""Render a report as Markdown, with charts beside it.

``reports/templates/report.md.j2`` holds the order of the page, ``rows`` the
tables, ``wording`` the sentences. Whatever a template prints is escaped unless it is
``MdSafe``.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from jinja2 import Environment

from benchdb.report import templates, untrusted
from benchdb.report.language import Language
from benchdb.report.markdown import escape as md
from benchdb.report.markdown import rows as markdown_rows
from benchdb.report.markdown.tables import written
from benchdb.report.view.page import Report
from benchdb.report.wording import filters, sentences


def render(
    report: Report,
    language: Language,
    charts: Mapping[str, str],
    files: Mapping[str, str] | None = None,
) -> str:
    """Return *report* in *language*; *charts* maps a section to its image file.

    *files* are the data beside it: label to file name.
    """
    report = untrusted.cleaned(report)
    tables = markdown_rows.tables(language, report)
    return (
        environment(language)
        .get_template("report.md.j2")
        .render(
            report=report,
            charts=charts,
            files=md.join([_beside(*one) for one in (files or {}).items()], " · "),
            limits=filters.limits(language, report),
            sections=_sections(report),
            unlike=markdown_rows.unlike(language, report),
            tables={name: list(map(written, parts)) for name, parts in tables.items()},
        )
    )


def _sections(report: Report) -> list[tuple[str, Sequence[str]]]:
    """Return the sections that there is something to show in, with their sources."""
    compared = [(name, it.sources) for name, it in report.sections.items() if it]
    listed = {"values": report.values, "machines": report.machines}
    return [*compared, *((name, ()) for name, rows in listed.items() if rows)]


def environment(language: Language) -> Environment:
    """Return the template of a page with what it needs to speak *language*."""
    # This is Markdown: finalize escapes.
    found = templates.environment(autoescape=False, finalize=md.finalize)
    found.globals.update(
        say=sentences.speaker(language),
        language=language,
        image=md.image,
        code=md.code,
        link=_link,
    )
    return found


def _beside(label: str, file: str) -> md.MdSafe:
    return md.MdSafe(f"[{md.escape(label)}](<{untrusted.file_name(file) or ''}>)")


def _link(url: str) -> md.MdSafe:
    parts = urlsplit(url)
    return md.link(parts.netloc + parts.path, url)
