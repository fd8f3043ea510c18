"""Every way people write that there is no figure, and the few reasons it comes down to.

What a word claims is kept, and no more is read into it: a dash is ``not printed``, a
cross says nothing but that it is a cross.
"""

import re
import tomllib
from collections.abc import Mapping

from benchdb.exchange.lines import Status
from benchdb.importing.quantities.characters import plain, visible
from benchdb.importing.quantities.quantity import Missing, UnreadableError
from benchdb.resources import folder

MEMORY = "out of memory"
FAILED = "failed"
TIMEOUT = "timed out"
UNSUPPORTED = "not supported"

_FILE = folder("schema") / "words" / "missing.toml"
_WORDS: dict[str, list[str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
REASONS = {word: reason for reason, words in _WORDS.items() for word in words}


_LIMIT = 2000  # characters: messages of errors stand in cells, whole logs do not

_MEMORY_ANYWHERE = re.compile(
    r"out[ -]of[ -](?:device |gpu |host |video )?memory|\boom\b|memoryallocation"
    r"|memoryerror|bad_alloc|resource_?exhausted|outofmemory"
)
_STARTS = tuple(
    (reason, re.compile(pattern))
    for reason, pattern in (
        (UNSUPPORTED, r"notimplemented|not (?:yet )?(?:supported|implemented)\b"),
        (UNSUPPORTED, r"unsupported\b|no \w{1,20} support\b|requires? [a-z]"),
        (TIMEOUT, r"time[d -]{0,2}out\b|time limit\b"),
        (FAILED, r"\w{0,40}(?:error|exception)\b|fail(?:ed|s|ure)?\b|crash\w{0,4}\b"),
        (FAILED, r"segmentation fault|segfault|abort(?:ed)?\b|killed\b|traceback\b"),
        ("not measured", r"not (?:yet )?(?:measured|tested|run)\b"),
        ("not available", r"n/a\b|not (?:yet )?(?:available|applicable)\b"),
    )
)
_FIGURE_FIRST = re.compile(r"[-+~<>=(]{0,3} ?[.,]?\d")
_REMARK = re.compile(r"[ ]?[(\[][^()\[\]]{1,200}[)\]]$")
_FOOTNOTE = re.compile(r"(?<=[\w.!/)])[ ]?[*†‡§¶#¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}$")
_ORNAMENTS = "❌❎✗✘🚫⛔⚠💥☠💀🔴⏳⌛🚧 "
_BLANKS = frozenset("-. ·…_=*")
_STATUSES: dict[str, Status] = {
    MEMORY: "oom",
    FAILED: "failed",
    TIMEOUT: "failed",
    UNSUPPORTED: "unsupported",
}


def missing(text: str, extra: Mapping[str, str]) -> Missing | None:
    """Return why *text* is no figure, if it says so; *extra* are the source's words."""
    if len(text) > _LIMIT:
        return None
    try:
        seen = visible(text)
    except UnreadableError:
        return None
    for word, reason in extra.items():
        if word.strip().casefold() in (seen.casefold(), text.strip().casefold()):
            return Missing(reason, seen)
    if not seen:
        return Missing("not printed", "")
    if len(seen) > 4 and seen.startswith("~~") and seen.endswith("~~"):
        return Missing("struck out", seen)
    told = _reason(_folded(seen))
    return Missing(told, seen) if told else None


def status_of(found: Missing) -> Status:
    """Return the outcome that a reason tells; ``not-measured`` where it tells none.

    A reason that a map gives in its own words (``crashed``) is read like a cell.
    """
    reason = _reason(_folded(found.reason)) or found.reason
    return _STATUSES.get(reason, "not-measured")


def _folded(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def _reason(words: str) -> str | None:
    bare = words.lstrip(_ORNAMENTS) or words
    for form in (words, bare, _FOOTNOTE.sub("", bare), _REMARK.sub("", bare)):
        if exact := REASONS.get(form) or REASONS.get(form.rstrip(" .!:;,")):
            return exact
    if words and _BLANKS.issuperset(words):
        return "not printed"
    if _FIGURE_FIRST.match(bare):
        return None
    if _MEMORY_ANYWHERE.search(bare):
        return MEMORY
    return next((reason for reason, one in _STARTS if one.match(bare)), None)
