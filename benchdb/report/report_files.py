"""A report's files: pages by language and format, charts, and data beside them.

Each format is imported where it is made: one page needs half of what all formats do.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from benchdb.files import replacing
from benchdb.report.bounds import fitted
from benchdb.report.language import Language, load
from benchdb.report.view.page import Report

Format = Literal["html", "markdown", "csv", "json", "sqlite"]
FORMATS: tuple[Format, ...] = get_args(Format)
_DATA = {"csv": "CSV", "json": "JSON", "sqlite": "SQLite"}  # by label, as on the page


class File(msgspec.Struct, frozen=True):
    """A file of a report: its name below the report's folder."""

    name: str
    content: bytes


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

    @property
    def data(self) -> dict[str, str]:
        """Return the names of the data files by label; all languages share them."""
        return {
            label: f"report.{name}"
            for name, label in _DATA.items()
            if name in self.formats
        }


def files(report: Report, edition: Edition) -> Iterator[File]:
    """Yield the files of *report*, always in the same order."""
    for code in edition.languages:
        language = load(code)
        if "html" in edition.formats:
            yield _page(report, language, edition)
        if "markdown" in edition.formats:
            yield from _markdown(fitted(report), language, edition)
    for name in edition.formats:
        if name in _DATA:
            yield File(f"report.{name}", _data(report, name, edition))


def _page(report: Report, language: Language, edition: Edition) -> File:
    from benchdb.report import html  # noqa: PLC0415

    page = html.render(
        report,
        language,
        languages=() if edition.alone else edition.languages,
        files=edition.data,
        options=edition.options,
    )
    return File(f"report.{language.code}.html", page.encode())


def _data(report: Report, wanted: Format, edition: Edition) -> bytes:
    if wanted == "sqlite":
        return edition.database
    from benchdb.report import data_files  # noqa: PLC0415

    return (data_files.csv_table if wanted == "csv" else data_files.json_document)(
        report
    )


def write(found: Iterable[File], folder: Path) -> Iterator[tuple[Path, int]]:
    """Write the files into *folder*; yield each as it is written, with its bytes."""
    for file in found:
        path = folder / file.name
        if path.suffix == ".sqlite":
            from benchdb.report import database_file  # noqa: PLC0415

            database_file.write(path, file.content)
        else:
            with replacing(path) as stream:
                stream.write(file.content)
        yield path, len(file.content)


def differences(found: Iterable[File], folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file in *folder* that is not as it would be written, and why."""
    for file in found:
        path = folder / file.name
        try:
            same = path.read_bytes() == file.content
        except FileNotFoundError:
            yield path, "is missing"
        except OSError as error:
            yield path, f"cannot be read ({error.strerror})"
        else:
            if not same:
                yield path, "differs from the database"


def _markdown(report: Report, language: Language, edition: Edition) -> Iterator[File]:
    from benchdb.report.markdown import page as markdown  # noqa: PLC0415

    charts = {}
    if not edition.alone:
        from benchdb.report.charts import mpl  # noqa: PLC0415

        for name, image in mpl.images(report, language):
            charts[name] = f"report.{language.code}.{name}.svg"
            yield File(charts[name], image)
    text = markdown.render(report, language, charts, edition.data)
    yield File(f"report.{language.code}.md", text.encode())
