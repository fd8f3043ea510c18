"""Make text and links that others wrote harmless before they reach a page.

Autoescaping stops markup; this stops what escaping does not: invisible controls,
text that reorders its neighbours, endless names, and links to anything but https.
"""

import operator
import unicodedata
from collections import deque
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from msgspec.structs import replace

from benchdb.report.view.atoms import field_names

NAME_LIMIT = 80
PROSE_LIMIT = 400
LINK_LIMIT = 2000

# Fields that hold our own keys and digests: cutting one would break a reference.
_KEYS = {"url", "key", "run", "runs", "database_digest", "document_sha256"}
# Fields in which people write sentences, not names.
_PROSE = {"locator", "made", "missing", "reason", "statement", "title", "unsettled"}
_PROSE |= {"again", "counterpart", "program"}  # commands

_DROPPED = {"Cc", "Cs", "Cn"}
_SPACES = {"Zl", "Zp", "Zs"}
_BIDI = {chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F))}
_BIDI |= {chr(code) for code in range(0x2066, 0x206A)}
# Names that differ in these alone look the same, and tags spell what nobody sees.
# Joiners (U+200C, U+200D) stay: Persian and Hindi are written with them.
_INVISIBLE = {chr(code) for code in (0xAD, 0x34F, 0x180E, 0x200B, 0xFEFF)}
_INVISIBLE |= {chr(code) for code in (*range(0x2060, 0x2066), *range(0xFFF9, 0xFFFC))}
_INVISIBLE |= {chr(code) for code in range(0xE0000, 0xE0080)}
_NEVER = _BIDI | _INVISIBLE
T = TypeVar("T")


@lru_cache(maxsize=4096)  # the same names stand in hundreds of rows
def plain(text: str, limit: int | None = NAME_LIMIT) -> str:
    """Return *text* in NFC on one line, without controls, cut to *limit* characters."""
    if limit is not None:
        text = text[: limit * 8]  # before the costly steps: a name may have megabytes
    # Most text is plain ASCII, and a page has a hundred thousand pieces of it.
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_kept, unicodedata.normalize("NFC", text)))
    line = " ".join(text.split())
    if limit is not None and len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line


def _kept(character: str) -> str:
    if character in _NEVER:
        return ""
    if character in "\t\n\r" or unicodedata.category(character) in _SPACES:
        return " "
    return "" if unicodedata.category(character) in _DROPPED else character


def link(url: str | None) -> str | None:
    """Return *url* if it is a plain https address, else nothing."""
    if url is None or len(url) > LINK_LIMIT or plain(url, None) != url or " " in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    usable = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
    return url if usable else None


_NO_TEXT = frozenset({int, float, bool, type(None)})
_recent: deque[tuple[Any, Any]] = deque(maxlen=2)


@lru_cache(maxsize=100_000)
def _text(text: str, field: str) -> str:
    limit = PROSE_LIMIT if field in _PROSE else NAME_LIMIT
    kept = (link(text) or "") if field == "url" else text
    result = plain(kept, None if field in _KEYS else limit)
    return text if result == text else result


def cleaned(value: T, field: str = "") -> T:
    """Return a copy of *value*, a tree of parts, with every text plain.

    How long a text may be depends on the *field* of a part that it stands in.
    """
    # All pages, charts and tables of a report ask for the same.
    for dirty, clean in () if field else _recent:
        if value is dirty or value is clean:
            return cast(T, clean)
    result: Any = _clean(value, field, {})
    if not field:
        _recent.append((value, result))
    return cast(T, result)


_Seen = dict[tuple[int, str], Any]  # what became of a part that many others share


def _clean(value: Any, field: str, seen: _Seen) -> Any:
    if isinstance(value, str):
        return _text(value, field)
    if (fields := _fields(value.__class__)) is not None:
        key = id(value), ""
        if key not in seen:
            seen[key] = _part(value, fields, seen)
        return seen[key]
    if isinstance(value, tuple | list):
        key = id(value), field
        if key not in seen:
            seen[key] = _items(value, field, seen)
        return seen[key]
    if isinstance(value, dict):
        return {
            _clean(k, "key", seen): _clean(v, field, seen) for k, v in value.items()
        }
    return value


def _items(value: Any, field: str, seen: _Seen) -> Any:
    """Return a tuple or list with clean items, itself where all are."""
    # By far the most are text; a call for each would take as long again.
    items = [
        _text(item, field) if type(item) is str else _clean(item, field, seen)
        for item in value
    ]
    same = all(map(operator.is_, items, value))
    return value if same else type(value)(items)


_Fields = tuple[tuple[str, ...], Callable[[Any], Any]]


@cache
def _fields(kind: type) -> _Fields | None:
    """Return the names of the fields of a kind of part, and what gets them all."""
    names = field_names(kind)
    if len(names) == 1:
        return names, lambda part: (getattr(part, names[0]),)
    return (names, operator.attrgetter(*names)) if names else None


def _part(value: Any, fields: _Fields, seen: _Seen) -> Any:
    """Return a part with clean fields, itself where all are."""
    new = {}
    names, values_of = fields
    for name, part in zip(names, values_of(value), strict=True):
        kind = type(part)
        if kind is str:
            clean = _text(part, name)
        elif kind in _NO_TEXT or part == ():
            continue
        else:
            clean = _clean(part, name, seen)
        if clean is not part and clean != part:
            new[name] = clean
    return replace(value, **new) if new else value
