"""What an importer made of a document, told apart from what another made of it.

A newer version of an importer, or a corrected map, may read the same bytes otherwise.
That is another reading: its source has another identity, so that none of its runs gets
mixed up with those of the reading before. Where it reads the same, nothing is new.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Source
from benchdb.exchange.reader import BadLine, Item, LoneSource, SourceClaim
from benchdb.exchange.record import Record, claim_digest
from benchdb.identity import digest


def told_apart(
    items: Iterable[Item], importer: str, version: str | None = None
) -> Iterator[Item]:
    """Yield *items*, read by *importer*, from sources that say which reading this is.

    All of a document is held meanwhile; it was in memory as a whole anyway.
    """
    found = list(items)
    reading = digest(sorted(filter(None, map(_said, found))))
    facts = {"reading": reading, "importer": importer}
    if version is not None:
        facts["importer_version"] = version
    sources: dict[int, Source] = {}  # by the object: records share it

    def marked(source: Source) -> Source:
        known = sources.get(id(source))
        if known is None:
            known = sources[id(source)] = msgspec.structs.replace(source, **facts)
        return known

    for item in found:
        match item:
            case BadLine():
                yield item
            case LoneSource() | SourceClaim():
                yield replace(item, source=marked(item.source))
            case Record(source=Source() as source):
                yield replace(item, source=marked(source))
            case _:
                yield item


def _said(item: Item) -> str | None:
    """Identify what *item* says, whichever document it says it of."""
    match item:
        case Record():
            return replace(item, source=None).digest
        case SourceClaim():
            return claim_digest(item.claim, "")
        case _:
            return None
