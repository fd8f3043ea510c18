"""Pages that other packages add to the site: entry points of ``benchdb.sections``."""

import re
from collections.abc import Iterator
from functools import partial

import msgspec

from benchdb.exchange.validation import RefusedError
from benchdb.extensions import ANYTHING, installed, tell
from benchdb.report.language import Language
from benchdb.site.content import Site
from benchdb.site.pages import Page, Words

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Section(msgspec.Struct, frozen=True):
    """A page of another package: its HTML is as its author wrote it."""

    address: str
    title: str
    html: str


def identity() -> str:
    """Return what tells the sections apart that are installed now from others."""
    return repr(
        [
            (extension.name, extension.package, extension.version)
            for extension in installed("section")
        ]
    )


def sections(site: Site) -> tuple[Section, ...]:
    """Return what packages add; one that fails is named, and left out.

    A section is made of the rows of ``report.csv``, by the names of its columns.
    """
    result = []
    for extension in installed("section"):
        if extension.fault:
            tell(extension.fault)
            continue
        try:
            if not _NAME.fullmatch(extension.name):
                raise RefusedError("its name is the address of its page: a-z, 0-9, -")
            # Without a section, no page needs what makes report.csv.
            from benchdb.report.data_files import figure_rows  # noqa: PLC0415

            outcome = extension.loaded.page(figure_rows(site.report))
            title, html = msgspec.convert(outcome, tuple[str, str])
            result.append(Section(f"section-{extension.name}", title, html))
        except ANYTHING as error:
            tell(extension.failure("failed, and is left out", error))
    return tuple(result)


def pages(some: tuple[Section, ...]) -> Iterator[Page]:
    """Yield the pages of these sections."""
    for section in some:
        yield Page(
            section.address, "answers", "section", section, partial(_words, section)
        )


def _words(its: Section, _language: Language) -> Words:
    return Words(title=its.title, parts={"facts": its})
