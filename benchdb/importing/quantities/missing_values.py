"""Every way people write that there is no figure, and the few reasons it comes down to.

What a word claims is kept, and no more is read into it: a dash is ``not printed``, a
cross says nothing but that it is a cross.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from benchdb.exchange.messages import Status
from benchdb.importing.quantities.characters import PLAIN, UnreadableError, visible
from benchdb.resources import folder

_LIMIT = 2000  # characters: messages of errors stand in cells, whole logs do not
_FILE = folder("schema") / "words" / "missing.toml"
_WORDS: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_STARTS = tuple((why, re.compile(it)) for why, it in _WORDS.pop("starts").items())
_MEMORY = "out of memory"
CROSS = "a cross"  # beside check marks it says no
_MEMORY_ANYWHERE = re.compile(_WORDS.pop("anywhere")[_MEMORY])
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}
_STATUSES: dict[str, Status] = {
    _MEMORY: "oom",
    "failed": "failed",
    "timed out": "failed",
    "not supported": "unsupported",
}
_FIGURE_FIRST = re.compile(r"[-+~<>=(]{0,3} ?[.,]?\d")
_REMARK = re.compile(r"[ ]?[(\[][^()\[\]]{1,200}[)\]]$")
_FOOTNOTE = re.compile(r"(?<=[\w.!/)])[ ]?[*†‡§¶#¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}$")
_ORNAMENTS = "❌❎✗✘🚫⛔⚠💥💣🤯☠💀🔴⏳⌛🚧 "
_BLANKS = frozenset("-. ·…_=*")


class Missing(msgspec.Struct, frozen=True):
    """No figure, and why: ``not printed``, ``out of memory`` or ``failed``."""

    reason: str
    printed: str


def missing_of(text: str, extra: Mapping[str, str] = {}) -> Missing | None:
    """Return why *text* is no figure, if it says so; *extra* are words of the source.

    Those come first, so that ``{"0": "not measured"}`` takes a zero out.
    """
    seen = (_seen(text) if extra else None) or ""
    for word, reason in extra.items():
        if word.strip().casefold() in (seen.casefold(), text.strip().casefold()):
            return Missing(reason, seen)
    return _missing(text)


def _seen(text: str) -> str | None:
    try:
        return visible(text, _LIMIT)
    except UnreadableError:
        return None


@lru_cache(maxsize=4096)  # a column says the same in many rows
def _missing(text: str) -> Missing | None:
    seen = _seen(text)
    if seen is None:
        return None
    if not seen:
        return Missing("not printed", "")
    if len(seen) > 4 and seen.startswith("~~") and seen.endswith("~~"):
        return Missing("struck out", seen)
    why = _reason(seen)
    return Missing(why, seen) if why else None


def status_of(missing: Missing) -> Status:
    """Return ``oom``, ``failed``, ``unsupported``, or else ``not-measured``.

    A reason that a map gives in its own words (``crashed``) is read like a cell.
    """
    return _STATUSES.get(_reason(missing.reason) or missing.reason, "not-measured")


def _reason(text: str) -> str | None:
    words = " ".join(text.translate(PLAIN).casefold().split())
    bare = words.lstrip(_ORNAMENTS) or words
    for form in (words, bare, _FOOTNOTE.sub("", bare), _REMARK.sub("", bare)):
        if exact := _REASONS.get(form) or _REASONS.get(form.rstrip(" .!:;,")):
            return exact
    if words and _BLANKS.issuperset(words):
        return "not printed"
    if _FIGURE_FIRST.match(bare):
        return None
    if _MEMORY_ANYWHERE.search(bare):
        return _MEMORY
    return next((reason for reason, start in _STARTS if start.match(bare)), None)
