"""The files of a short report: one a language and format, charts, data beside them.

Each format is imported where it is made: one page needs half of what all formats do.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from benchdb.report import filters
from benchdb.report.charts.spec import Chart
from benchdb.report.language import Language, load
from benchdb.site.output import File, Format
from benchdb.site.pages import Sheet
from benchdb.site.single import Single, page

if TYPE_CHECKING:  # what reads a database takes as long to import as all the rest
    from benchdb.report.view.report_view import Report
    from benchdb.site.content import Site

_DATA = {"csv": "CSV", "json": "JSON", "sqlite": "SQLite"}  # by label, as on the page


class Edition(msgspec.Struct, frozen=True):
    """What of a report is wanted.

    *options* are the words of the command line that decide what it shows, *database*
    is what the format ``sqlite`` has. One that is *alone* is a single file, with
    nothing beside it.
    """

    languages: Sequence[str]
    formats: Sequence[Format]
    options: Sequence[str] = ()
    database: bytes = b""
    alone: bool = False

    def sheet(self, digest: str, code: str) -> Sheet:
        """Return what stands around a page of the database of that *digest*."""
        typed = filters.typed(self.options)
        command = " ".join((f"benchdb report --lang {code}", typed)).strip()
        if self.alone:
            return Sheet(command, digest)
        data = [
            (label, f"report.{name}")
            for name, label in _DATA.items()
            if name in self.formats
        ]
        return Sheet(command, digest, tuple(self.languages), tuple(data))


def files(site: "Site", edition: Edition) -> Iterator[File]:
    """Yield the files of the report of *site*, always in the same order."""
    if {*edition.formats} - {*_DATA}:
        from benchdb.site.short_facts import single  # noqa: PLC0415  SQLAlchemy

        yield from pages(single(site), edition)
    for name in edition.formats:
        if name in _DATA:
            yield File(f"report.{name}", _data(site.report, name, edition))


def pages(facts: Single, edition: Edition) -> Iterator[File]:
    """Yield the files of *facts* that are in a language."""
    for code in edition.languages:
        yield from _in_language(facts, load(code), edition)


def _in_language(facts: Single, language: Language, edition: Edition) -> Iterator[File]:
    sheet = edition.sheet(facts.front.digest, language.code)
    if "html" in edition.formats:
        text = page(facts, language, sheet)
        yield File(f"report.{language.code}.html", text.encode())
    if "markdown" in edition.formats:
        yield from _markdown(facts, language, edition, sheet)
    if "snippet" in edition.formats:
        yield from _snippet(facts, language, edition)


def _markdown(
    facts: Single, language: Language, edition: Edition, sheet: Sheet
) -> Iterator[File]:
    from benchdb.site import short_markdown  # noqa: PLC0415

    images = {}
    if not edition.alone:
        for chart in short_markdown.charts(language, facts):
            stem = f"report.{language.code}.{chart.name}"
            names = images[chart.name] = (f"{stem}.svg", f"{stem}.dark.svg")
            yield from map(File, names, drawings(chart, language))
    text = short_markdown.render(language, facts, images, sheet)
    yield File(f"report.{language.code}.md", text.encode())


def drawings(chart: Chart, language: Language) -> tuple[bytes, bytes]:
    """Return *chart* for light paper and for dark.

    By matplotlib, whose letters are outlines, where the extra ``charts`` is installed;
    else as pages draw it, which serves both.
    """
    if find_spec("matplotlib") is None:
        from benchdb.report.charts.svg_file import svg_file  # noqa: PLC0415

        return (svg_file(chart, language).encode(),) * 2
    from benchdb.report.charts import mpl  # noqa: PLC0415

    return mpl.image(chart, language), mpl.image(chart, language, "dark")


def _snippet(facts: Single, language: Language, edition: Edition) -> Iterator[File]:
    from benchdb.site import short_markdown  # noqa: PLC0415

    text = short_markdown.snippet(language, facts)
    yield File(f"report.{language.code}.snippet.md", text.encode())
    if not edition.alone:
        image = short_markdown.badge(language, facts)
        yield File(f"report.{language.code}.badge.svg", image.encode())


def _data(report: "Report", wanted: Format, edition: Edition) -> bytes:
    if wanted == "sqlite":
        return edition.database
    from benchdb.report import data_files  # noqa: PLC0415

    return (data_files.csv_table if wanted == "csv" else data_files.json_document)(
        report
    )
