"""Where a document comes from, and whose it is."""

import msgspec

from benchdb.exchange.lines import Label


class About(msgspec.Struct, frozen=True):
    """Facts that are rarely in the file itself; ``None`` and ``()`` where not known.

    *published* is the date of publication, *retrieved* that of the download, both ISO
    8601. *supersedes* are SHA-256 digests of earlier versions of the same document.
    *label* says how far from the measurement the figures are, where that is not the
    importer's usual one.
    """

    slug: str | None = None
    title: str | None = None
    url: str | None = None
    authors: tuple[str, ...] = ()
    licence: str | None = None
    published: str | None = None
    retrieved: str | None = None
    language: str | None = None
    supersedes: tuple[str, ...] = ()
    label: Label | None = None


NOTHING = About()
