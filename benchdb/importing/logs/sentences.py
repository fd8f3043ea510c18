"""Figures in lines of no other habit, each with the words of its clause.

``Speed: 1.2ms preprocess, 25.8ms inference``, ``It took about 12 s on the M1``: the
columns are ``key``, the words around a figure without any number, and ``value``, the
figure with its unit. Only times and rates are looked for. Those of one kind under the
same headings are one sheet. Prose is read where a document has nothing else, short
lines that a program printed always.
"""

import re
from collections.abc import Iterator
from functools import partial

import msgspec

from benchdb.importing.blocks import Line, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import (
    STATISTIC,
    any_of,
    command,
    is_chatter,
    shows_bar,
    unmarked,
    unstamped,
    words_of,
)
from benchdb.importing.logs.log_lines import Entry, as_sheets, is_output, matching_lines
from benchdb.importing.quantities.unit_names import Unit, understood
from benchdb.importing.sheet import Sheet

_MEASURED = frozenset(("s", "1/s", "FLOP/s", "B/s"))
_LARGER = r"(?:\d{1,4} ?(?:d|h|m|days?|hours?|hrs?|minutes?|mins?)[ ,]{0,2}(?:and )?)"
_FIGURE = re.compile(
    rf"(?<![\w.,/:+#-])(?P<larger>{_LARGER}{{0,3}})(?P<value>[~≈]?\d{{1,9}}"
    r"(?:,\d{3})*(?:\.\d+)?)\s?"
    r"(?P<unit>[A-Za-zµ]{1,20}(?:(?:/| per | a )[A-Za-z]{1,20})?)(?![\w/%])"
    r"(?P<spread> ?(?:±|\+/-) ?\d[\d.]* ?[A-Za-zµ]{1,5}(?![\w/%]))?"
)
_BREAK = re.compile(r"[,;|()\[\]{}=]|\s[-–—→]\s|[.!?]\s|\s(?:and|vs\.?|but|while)\s")
_HEAD = re.compile(r"([^:.,;\d]{2,60}):\s")
_LABELLED = any_of("labelled_times")
# A number says nothing in a key, but in a name such as RTX 4090 and Q4_K_M.
_NUMBER = re.compile(r"(?P<name>\b[A-Z]\w* )?(?<![\w.-])[~≈<>]?\d[\d.,]*%?(?![\w-])")
_REPEATED = re.compile(
    r"(?i)(?<![\w-])(?:rep(?:eat)?|run|trial|iter)[#_]?\d{1,4}:?(?!\S)"
)
_NAMED = re.compile(r"([\w./-]{1,40}) ?= ?$")
_PAIR = re.compile(r"(?<![\w./-])[\w./-]{1,40} ?=")
_LIMITED = re.compile(rf"(?i)(?<![a-z]){words_of('bounds')}\s*$")
_STATEMENT = 12  # words of a line that a program prints to say what it measured
_LIMIT = 600  # characters of a line
_WIDTH = 60  # characters of a key


class _Measured(msgspec.Struct, frozen=True):
    key: str
    value: str
    name: str


def sheets(document: Document, *, prose: bool = True) -> tuple[Sheet, ...]:
    """Return the figures in lines of *document*, those of *prose* as well."""
    return as_sheets("sentences", _entries(document, prose=prose))


def figures(text: str) -> list[str]:
    """Return the times and rates in *text*, each with its unit."""
    return [text[start:end] for start, end, _ in _found(text)]


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    for one in _FIGURE.finditer(text):
        short = re.split(r"/| per | a ", one["unit"])[0]
        for spelt in (one["unit"], short):
            unit = understood("min" if one["larger"] and spelt == "m" else spelt)
            if unit is not None and unit.base in _MEASURED:
                end = one.start("unit") + len(spelt)
                end = max(end, one.end("spread"))
                yield one.start(), end, _named(unit)
                break


def _named(unit: Unit) -> str:
    """Return the name of a column of figures in *unit*."""
    if unit.base == "s":
        return f"time per {unit.per}" if unit.per else "time"
    return f"{unit.per}s per second" if unit.per else "rate"


def _entries(document: Document, *, prose: bool) -> Iterator[Entry]:
    output = is_output(document)
    own = partial(_measured, prose=prose, output=output)
    for line in matching_lines(document, own):
        for one in line.made:
            yield line.entry((("key", one.key), (one.name, one.value)))


def _measured(line: Line, *, prose: bool, output: bool) -> list[_Measured] | None:
    """Return the figures of a line, with the words of their clauses.

    Without *prose*, of a line in code blocks, a bullet, or a short one of an *output*.
    """
    text = line.text
    if len(text) > _LIMIT or not any(map(str.isdigit, text)) or text.lstrip()[0] == "|":
        return None
    if command(text) or is_chatter(text) or shows_bar(text):
        return None
    listed = bullet(text)
    text = unmarked(listed[1] if listed else unstamped(text))
    labelled = _LABELLED.match(text)
    short = output and not (prose or line.fenced or listed or labelled)
    short = short and len(text.split()) <= _STATEMENT
    if not (prose or line.fenced or listed or labelled or short):
        return None
    found = [it for it in _found(text) if not _LIMITED.search(text[: it[0]])]
    if not found:
        return None
    head = labelled or _HEAD.match(text)
    made: list[_Measured] = []
    before = head.end() if head else 0
    for (start, end, name), (following, *_) in zip(
        found, [*found[1:], (len(text), 0, "")], strict=True
    ):
        cut = _BREAK.search(text, end, following)
        until = cut.start() if cut else following if following == len(text) else end
        breaks = [one.end() for one in _BREAK.finditer(text, before, start)]
        since = breaks[-1] if breaks else before
        words = f"{text[since:start]} {text[end:until]}"
        if named := _NAMED.search(text[before:start]):  # "decode=66 tok/s ttft=…"
            words, until = named[1], end
            if len(words) == 1:  # "WARM lang=en t=18.36s", and "TIMED" on the next
                words = f"{_BREAK.split(_PAIR.split(text, maxsplit=1)[0])[-1]} {words}"
        if STATISTIC.fullmatch(words.strip(" :=")) and made:  # "p50 1 ms p95 2 ms"
            words = f"{STATISTIC.sub('', made[0].key)} {words}"
        words = _REPEATED.sub(" ", words)  # of a run again, as "run 1" is
        words = _NUMBER.sub(lambda it: it[0] if it["name"] else " ", words)
        key = " ".join(f"{head[1] if head else ''} {words}".split())
        key = key[:_WIDTH].strip(" -–:.") or ("" if short else name)
        if key:
            made.append(_Measured(key, text[start:end], name))
        before = max(until, end)
    return made or None
