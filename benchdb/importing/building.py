"""From what an importer understood to the items of an exchange file.

An importer writes plain lines (``Run``, ``Machine`` …) and hands them over here. What
an exchange file would be refused for, a foreign record is refused for as well.
"""

import datetime
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import repeat
from typing import Any, TypeVar

import msgspec
import rfc8785

from benchdb import __version__
from benchdb.exchange.messages import (
    Chip,
    End,
    Environment,
    Flag,
    Machine,
    Run,
    Source,
    Status,
    Value,
)
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import BadLine
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, checked, reason
from benchdb.identity import canonical
from benchdb.importing.document import Document
from benchdb.importing.provenance import About

NAME_LIMIT = 300  # characters of one name; the longest honest one seen has 110
_RAW_LIMIT = 2000  # characters of a refused record that are kept to look at

_NO_TEXT = ("Cc", "Cs", "Co", "Cn")  # control, surrogate, private, unassigned
_L = TypeVar("_L", bound=msgspec.Struct)
_T = TypeVar("_T")
# Controls that reorder or hide text: a name must read as what it is.
_BIDI = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_NAMED = "workload framework device_name model label name vendor setting metric"
_NAMES = frozenset(_NAMED.split())
_DOTTED = re.compile(r"^([0-9]{4})[./]([0-9]{2})[./]([0-9]{2})(?![0-9])")
_DAY = datetime.timedelta(days=1)


def source(
    document: Document,
    about: About,
    importer: str,
    *,
    protocol: Mapping[str, Any] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Source:
    """Return the source line of *document*, read by *importer*.

    Where *about* names no slug or title they come from the file's name.
    """
    names = ("url", "authors", "licence", "published")
    facts = {name: getattr(about, name) for name in (*names, "retrieved", "language")}
    absent = {name: "not given at import" for name in names if not facts[name]}
    return Source(
        key="source",
        slug=about.slug or slug(document.name),
        title=about.title or document.name,
        document=document.name,
        document_sha256=document.sha256,
        importer=importer,
        importer_version=__version__,
        supersedes=about.supersedes,
        protocol=dict(protocol or {}),
        missing={**absent, **(missing or {})},
        **facts,
    )


def slug(name: str) -> str:
    """Return a short name for a document called *name*: ``results-2024``."""
    stem = name.rsplit(".", 1)[0] or name
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "document"


def run(**facts: Any) -> Run:
    """Return the start of a run from *facts*; its keys into the file are filled in."""
    keys = dict.fromkeys(("key", "machine", "environment", "source"), "-")
    return Run(**{**keys, **facts})


def unknown_machine(**facts: Any) -> Machine:
    """Return a machine of which the document says nothing but *facts*."""
    chip = Chip(vendor="unknown", name="unknown")
    missing = {"chip": "not in the file"}
    return Machine(**{"key": "-", "chip": chip, "missing": missing, **facts})


def record(  # noqa: PLR0913 - a record has as many parts
    *,
    run: Run,
    machine: Machine,
    environment: Environment,
    source: Source,
    values: Iterable[Value],
    series: Iterable[Series] = (),
    status: Status = "ok",
    reason: str | None = None,
    ended: str | None = None,
    flags: Iterable[Flag] = (),
) -> Record:
    """Return the whole record; raise ``RefusedError`` if an exchange file could not."""
    end = End(
        run=run.key,
        status=status,
        reason=reason,
        ended=ended,
        values=tuple(values),
        flags=tuple(flags),
    )
    return accepted(Record(run, machine, environment, source, tuple(series), end))


def accepted(record: Record) -> Record:
    """Return *record* as it would come out of an exchange file, or refuse it."""
    return Record(
        acceptable(record.run),
        acceptable(record.machine),
        acceptable(record.environment),
        record.source and acceptable(record.source),
        tuple(map(acceptable, record.series)),
        checked(acceptable(record.end)),
    )


def attempt(
    make: Callable[[], _T],
    *,
    line: int | None = None,
    locator: str = "",
    raw: object = "",
) -> _T | BadLine:
    """Return what *make* makes, or why it cannot be taken.

    *line* or *locator* say where it stands, *raw* what stands there.
    """
    try:
        return make()
    except UNDERSTANDABLE as why:
        return bad(reason(why), line=line, locator=locator, raw=raw)


def bad(
    why: str, *, line: int | None = None, locator: str = "", raw: object = ""
) -> BadLine:
    """Return a record that cannot be taken, for the quarantine."""
    text = raw if isinstance(raw, str) else json.dumps(raw, default=str)
    if not locator and line is not None:
        locator = f"line {line}"
    return BadLine(line or 0, why, locator=locator, raw=text[:_RAW_LIMIT])


def date(text: str) -> str:
    """Return *text* as the ISO 8601 date or moment that it is; 2025/03/19 is one too.

    Raise ``RefusedError`` if it is none, or one that has not come yet.
    """
    text = _DOTTED.sub(r"\1-\2-\3", text.strip())
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise RefusedError(f"{text[:40]!r} is no date") from None
    if moment.date() > datetime.datetime.now(datetime.UTC).date() + _DAY:
        raise RefusedError(f"the date {text[:40]} has not come yet")
    return text


def acceptable(line: _L) -> _L:
    """Return *line* as it would come out of an exchange file, or refuse it."""
    try:
        packed = msgspec.msgpack.encode(line)
    except UnicodeEncodeError:
        raise RefusedError("half a surrogate pair, which is no text") from None
    except OverflowError:
        raise RefusedError("an integer is beyond 64 bits") from None
    decoded = msgspec.msgpack.decode(packed, type=type(line))
    _require_readable(packed)
    return decoded


@lru_cache(maxsize=64)  # machine, environment and source are the same in many records
def _require_readable(packed: bytes) -> None:
    """Refuse text that nobody can read as what it is, and numbers without a value."""
    plain = msgspec.msgpack.decode(packed)
    facts: list[tuple[str, Any]] = [("", plain)]
    for name, fact in facts:  # which grows meanwhile
        if isinstance(fact, dict):
            facts += zip(repeat("a name"), fact)
            facts += fact.items()
        elif isinstance(fact, list):
            facts += zip(repeat(name), fact)
        elif isinstance(fact, str):
            _require_text(name, fact)
    try:
        canonical(plain)
    except rfc8785.FloatDomainError:
        raise RefusedError("a number is not finite") from None


def _require_text(name: str, text: str) -> None:
    if not (text.isascii() and text.isprintable()):  # most of it is, and quick to tell
        for char in text:
            if char in _BIDI or unicodedata.category(char) in _NO_TEXT:
                raise RefusedError(
                    f"{name} contains U+{ord(char):04X}, a character that is not text"
                )
    if name in _NAMES and len(text) > NAME_LIMIT:
        raise RefusedError(f"{name} has {len(text)} characters; {NAME_LIMIT} are read")
