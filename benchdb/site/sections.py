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
    return repr([(one.name, one.package, one.version) for one in installed("section")])


def sections(site: Site) -> tuple[Section, ...]:
    """Return what packages add; one that fails is named, and left out.

    A section is made of the rows of ``report.csv``, by the names of its columns.
    """
    found = []
    for one in installed("section"):
        if one.fault:
            tell(one.fault)
            continue
        try:
            if not _NAME.fullmatch(one.name):
                raise RefusedError("its name is the address of its page: a-z, 0-9, -")
            # Without a section, no page needs what makes report.csv.
            from benchdb.report.data_files import figure_rows  # noqa: PLC0415

            said = one.loaded.page(figure_rows(site.report))
            title, html = msgspec.convert(said, tuple[str, str])
            found.append(Section(f"section-{one.name}", title, html))
        except ANYTHING as error:
            tell(one.failure("failed, and is left out", error))
    return tuple(found)


def pages(some: tuple[Section, ...]) -> Iterator[Page]:
    """Yield the pages of these sections."""
    for one in some:
        yield Page(one.address, "answers", "section", one, partial(_words, one))


def _words(its: Section, _language: Language) -> Words:
    return Words(title=its.title, parts={"facts": its})
