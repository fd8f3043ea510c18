"""One result of a tool's file on its way to a record, and what becomes of bad ones."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Claim, Label, Source
from benchdb.exchange.reader import BadLine, Item, SourceClaim
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools.json_numbers import characters, number
from benchdb.importing.tools.texts import line

_RAW_LIMIT = 2000  # characters of a refused record that are kept to look at
# Beyond these a hostile file would cost the product of its parts.
SHARED_LIMIT = 2**16  # characters of JSON that all records of a file share
MANY = 200  # figures, phases or columns of one result


def attempt(
    make: Callable[[Any, str], Record], raw: object, at: str
) -> Record | BadLine:
    """Return the record that *make* makes of the JSON *raw* at *at*, or why not."""
    outcome = building.attempt(lambda: make(raw, at), locator=at)
    if isinstance(outcome, BadLine):
        shown = json.dumps(raw, ensure_ascii=True)
        return replace(outcome, raw=shown[:_RAW_LIMIT])
    return outcome


class Origin(msgspec.Struct, frozen=True):
    """The document that results are read from, and what its importer tells of it."""

    source: Source
    told_label: Label | None

    def label(self, samples: object) -> Label:
        """Return how far from the measurement figures are that have *samples*."""
        return self.told_label or ("imported" if samples else "aggregate")


def origin(document: Document, about: About, importer: str, **missing: str) -> Origin:
    """Return *document* as what *importer* reads results from."""
    source = building.source(document, about, importer, missing=missing)
    return Origin(source, about.label)


def claim(origin: Origin, statement: str, found: object, at: str, unit: str) -> Item:
    """Return the figure *found* that the tool derived, or why it cannot be kept."""
    try:
        derived = Claim(
            source=origin.source.key,
            kind="derived",
            statement=line(statement),
            printed=characters(found),
            locator=at,
            value=number(found, at),
            unit=unit,
        )
        return SourceClaim(building.acceptable(derived), origin.source)
    except UNDERSTANDABLE as why:
        return building.bad(reason(why), locator=at, raw=json.dumps(found))


def require_modest(**shared: object) -> None:
    """Raise ``DocumentError`` if what all records share is too much to repeat."""
    for name, found in shared.items():
        if len(json.dumps(found)) > SHARED_LIMIT:
            size = f"more than {SHARED_LIMIT // 1024} KiB"
            raise DocumentError(f"{name} takes {size}, which no tool writes")


def require_few(count: int, what: str) -> None:
    """Refuse a record that would be told apart into hundreds."""
    if count > MANY:
        raise RefusedError(f"{count} {what}; {MANY} are read")


def mapping(found: object, what: str) -> Mapping[str, Any]:
    """Return the object that *found* is, or refuse *what*."""
    if not isinstance(found, dict):
        raise RefusedError(f"{what} is no object")
    return found


def started(found: object, missing: dict[str, str]) -> str | None:
    """Return the moment that the text *found* is; without one, *missing* says so."""
    if isinstance(found, str) and found.strip():
        return building.date(found)
    if found not in (None, ""):
        raise RefusedError(f"{str(found)[:40]!r} is no date")
    missing["started"] = "not in the file"
    return None


def pointer(*parts: object) -> str:
    """Return the JSON pointer (RFC 6901) to what the keys and indexes lead to."""
    escaped = (str(one).replace("~", "~0").replace("/", "~1") for one in parts)
    return "".join(f"/{one}" for one in escaped)
