"""Where a document comes from, what read it, and what stands at a place in it."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Label, Sha256, Source
from benchdb.exchange.reader import BadLine, Item, SourceClaim
from benchdb.exchange.record import Record, claim_digest
from benchdb.identity import digest
from benchdb.importing.document import (
    Document,
    DocumentError,
    PrintedFloat,
    parsed_json,
)

SHOWN = 400  # characters of a place that are shown
_LINE = re.compile(r"(?:^|\b)line (\d{1,9})\b")


class SourceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Where a document comes from; ``None`` and ``()`` for what is not known.

    *published* is the date of publication, *retrieved* that of the download, both ISO
    8601. *supersedes* are digests of earlier versions of the same document.
    """

    slug: str | None = None
    title: str | None = None
    url: str | None = None
    authors: tuple[str, ...] = ()
    licence: str | None = None
    published: str | None = None
    retrieved: str | None = None
    language: str | None = None
    supersedes: tuple[Sha256, ...] = ()


class About(SourceFacts, frozen=True):
    """What the importing person knows; *label*: how far from the measurement."""

    label: Label | None = None


NOTHING = About()


def mark_reading(
    items: Iterable[Item], importer: str, version: str | None = None
) -> Iterator[Item]:
    """Yield *items*, read by *importer*, from sources that say which reading this is.

    A newer version of an importer, or a corrected map, may read the same bytes
    otherwise. Its source then has another identity, so that none of its runs gets mixed
    up with those of the reading before; where it reads the same, nothing is new. All of
    a document is held meanwhile; it was in memory as a whole anyway.
    """
    held = list(items)
    contents = [  # what each says, whichever document it says it of
        replace(item, source=None).digest
        if isinstance(item, Record)
        else claim_digest(item.claim, "")
        for item in held
        if isinstance(item, Record | SourceClaim)
    ]
    facts = {"reading": digest(sorted(contents))}
    facts |= {"importer": importer} | ({"importer_version": version} if version else {})
    sources: dict[int, Source] = {}  # by the object: records share it
    for item in held:
        if isinstance(item, BadLine) or item.source is None:
            yield item
            continue
        place = id(item.source)
        if place not in sources:
            sources[place] = replace(item.source, **facts)
        yield replace(item, source=sources[place])


def excerpt(document: Document, locator: str) -> str | None:
    """Return what stands at *locator*, on one line and cut off where it is long.

    That is a line (``line 39, column Throughput``) or, in JSON, what a pointer leads to
    (``/benchmarks/0/stats``). ``None`` where there is no such place.
    """
    try:
        if locator.startswith("/"):
            value: Any = _json(document.text)
            for name in locator.split("/")[1:]:  # a JSON pointer (RFC 6901)
                key = name.replace("~1", "/").replace("~0", "~")
                value = value[int(key)] if isinstance(value, list) else value[key]
        elif match := _LINE.search(locator):
            value = document.lines[int(match[1]) - 1]
        else:
            return None
    except (DocumentError, LookupError, ValueError, TypeError):
        return None
    # repr-like text of a huge holder would be made whole only to be cut.
    part = value[:SHOWN] if isinstance(value, list) else value
    text = value if isinstance(value, str) else re.sub(r"\s+", " ", str(part))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


# A run has many places in one document.
_json = lru_cache(maxsize=1)(partial(parsed_json, nan=True, real=PrintedFloat))
