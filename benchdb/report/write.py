"""Write a report's files: one page per language and format, and its charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchdb.files import replacing
from benchdb.report import html, markdown
from benchdb.report.language import Language, load
from benchdb.report.view import Report

Format = Literal["html", "markdown"]


@dataclass(frozen=True)
class Written:
    """A file that was written."""

    path: Path
    size: int  # bytes


def write(
    report: Report, languages: Sequence[str], formats: Sequence[Format], folder: Path
) -> list[Written]:
    """Write *report* into *folder*; return the files in the order written."""
    written: list[Written] = []
    for code in languages:
        language = load(code)
        if "html" in formats:
            page = html.render(report, language, languages=languages)
            written.append(_write(folder / f"report.{code}.html", page.encode()))
        if "markdown" in formats:
            written += _markdown(report, language, folder)
    return written


def _markdown(report: Report, language: Language, folder: Path) -> list[Written]:
    # Imported here: matplotlib takes longer to import than a page takes to render.
    from benchdb.report import figures  # noqa: PLC0415

    charts, written = {}, []
    for name, draw in figures.FIGURES.items():
        image = draw(report, language)
        if image is not None:
            path = folder / f"report.{language.code}.{name}.svg"
            written.append(_write(path, image))
            charts[name] = path.name
    text = markdown.render(report, language, charts)
    return [*written, _write(folder / f"report.{language.code}.md", text.encode())]


def _write(path: Path, content: bytes) -> Written:
    with replacing(path) as stream:
        stream.write(content)
    return Written(path, len(content))
