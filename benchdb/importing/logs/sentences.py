"""Figures in lines of no other habit, each with the words of its clause.

``Speed: 1.2ms preprocess, 25.8ms inference``, ``It took about 12 s on the M1``: the
columns are ``key``, the words around a figure without any number, and ``value``, the
figure with its unit. Only times, rates, and sizes of memory in use are looked for. What
stands before a colon with blanks around it, or before a dash, names the line. Figures
of one kind under the same headings are one sheet. Prose is read where a document has
nothing else, short lines that a program printed always.
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
from benchdb.importing.quantities.unit_names import Unit, doubts, understood
from benchdb.importing.sheet import Sheet

_MEASURED = frozenset(("s", "1/s", "FLOP/s", "B/s"))
_TIMED = ("/s", "seconds")  # what a unit in doubt may mean
_SIZE = re.compile(r"[KMGTkmg]i?[Bb]")  # B are billions as well
_IN_USE = any_of("in_use", re.IGNORECASE)
_OF_MEMORY = re.compile(f"{words_of('in_use')}|{words_of('memory')}", re.IGNORECASE)
_USED = "memory used"
_MEMORY = re.compile(rf"(?i){words_of('memory')}(?:\W|\b(?:of|is|was)\b)*$")
_FIGURE, _TALLY = any_of("figures"), any_of("tallies")
_BREAK = re.compile(r"[,;|()\[\]{}=]|\s[-–—→]\s|[.!?]\s|\s(?:and|vs\.?|but|while)\s")
_HEAD = re.compile(r"(.{2,160}\S)\s+:\s+|([^:.,;\d]{2,60}):\s|([^:,;]{2,60}\S)\s[–—]\s")
_LABELLED = any_of("labelled_times")
# A number says nothing in a key, but in a name such as RTX 4090 and Q4_K_M.
_NUMBER = re.compile(r"(?P<name>\b[A-Z]\w* )?(?<![\w.-])[~≈<>]?\d[\d.,]*%?(?![\w-])")
_REPEATED = any_of("numbers_of_runs", re.IGNORECASE)
_NAMED = re.compile(r"([\w./-]{1,40}) ?= ?$")
_PAIR = re.compile(r"(?<![\w./-])[\w./-]{1,40} ?=")
_LIMITED = re.compile(rf"(?i)(?<![a-z]){words_of('bounds')}\s*$")
_OPERAND = re.compile(r"\d ?[A-Za-zµ]{0,4} [/×*÷] [~≈]?$")  # 2 GB / 300 GB/s
_STATEMENT = 12  # words of a line that a program prints to say what it measured
_LIMIT = 600  # characters of a line
_WIDTH = 60  # characters of a key
_CLAUSE = 200  # characters on each side of a size


class _Measured(msgspec.Struct, frozen=True):
    key: str
    value: str
    name: str


def sheets(document: Document, *, prose: bool = True) -> tuple[Sheet, ...]:
    """Return the figures in lines of *document*, those of *prose* as well."""
    return as_sheets("sentences", _entries(document, prose=prose))


def figures(text: str, *, sizes: bool = False) -> list[str]:
    """Return the times and rates in *text*, and all *sizes*, each with its unit.

    What may be a rate or a time, such as 15 TPS, and ranges are among them.
    """
    return [item.text for item in _figures(text, sizes=sizes)]


class _Figure(msgspec.Struct, frozen=True):
    """A figure of a line: where it stands, its *text*, the *name* of its column.

    Ranges, and figures whose unit is in doubt, have no name.
    """

    start: int
    end: int
    text: str
    name: str


def _figures(text: str, *, sizes: bool = False) -> Iterator[_Figure]:
    spoken = sizes or _OF_MEMORY.search(text) is not None
    for match in () if _TALLY.match(text) else _FIGURE.finditer(text):
        short = re.split(r" ?/| per | a ", match["unit"])[0]
        for spelt in (match["unit"], short):
            unit = understood("min" if match["larger"] and spelt == "m" else spelt)
            size = _SIZE.fullmatch(spelt) is not None
            maybe = any(it.endswith(_TIMED) for it in doubts(spelt))
            if (unit is None and not maybe) or (match["of"] and not size):
                continue
            used = size and spoken and (sizes or _in_use(text, match))
            if unit is None or unit.base in _MEASURED or used:
                end = max(match.start("unit") + len(spelt), match.end("spread"))
                shown = text[match.start() : end].replace(match["of"] or "", "", 1)
                name = _named(unit) if unit and not match["upto"] else ""
                yield _Figure(match.start(), end, shown, name)
                break


def _in_use(text: str, size: re.Match[str]) -> bool:
    """Tell whether the clause around a *size* says that so much memory is in use."""
    before = _BREAK.split(text[max(0, size.start() - _CLAUSE) : size.start()])[-1]
    after = _BREAK.split(text[size.end() : size.end() + _CLAUSE], maxsplit=1)[0]
    return bool(_MEMORY.search(before) or _IN_USE.search(f"{before}| {after}"))


def _named(unit: Unit) -> str:
    """Return the name of a column of figures in *unit*."""
    if unit.base == "s":
        return f"time per {unit.per}" if unit.per else "time"
    if unit.base == "B":
        return _USED
    return f"{unit.per}s per second" if unit.per else "rate"


def _entries(document: Document, *, prose: bool) -> Iterator[Entry]:
    output = is_output(document)
    own = partial(_measured, prose=prose, output=output)
    for line in matching_lines(document, own):
        for measured in line.made:
            yield line.entry((("key", measured.key), (measured.name, measured.value)))


def _measured(line: Line, *, prose: bool, output: bool) -> list[_Measured] | None:
    """Return the figures of a line, with the words of their clauses.

    Without *prose*, of a line in code blocks, or a short one: a bullet, or any of an
    *output*.
    """
    text = line.text
    if len(text) > _LIMIT or not any(map(str.isdigit, text)) or text.lstrip()[0] == "|":
        return None
    if command(text) or is_chatter(text) or shows_bar(text):
        return None
    listed = bullet(text)
    text = unmarked(listed[1] if listed else unstamped(text))
    labelled = _LABELLED.match(text)
    short = len(text.split()) <= _STATEMENT
    known = prose or line.fenced or labelled or (listed and short)
    if not (known or (output and short)):
        return None
    founds = [
        it
        for it in _figures(text)
        for before in [text[: it.start]]
        if it.name and not (_LIMITED.search(before) or _OPERAND.search(before))
    ]
    if not founds:
        return None
    head = labelled or _HEAD.match(text[: founds[0].start])
    made: list[_Measured] = []
    before = head.end() if head else 0
    title = next(filter(None, head.groups()), "") if head else ""
    for result, following in zip(
        founds, [*(it.start for it in founds[1:]), len(text)], strict=True
    ):
        start, end = result.start, result.end
        cut = _BREAK.search(text, end, following)
        until = cut.start() if cut else following if following == len(text) else end
        breaks = [match.end() for match in _BREAK.finditer(text, before, start)]
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
        words = _IN_USE.sub("", words) if title and result.name == _USED else words
        key = " ".join(words.split())[:_WIDTH]
        key = f"{title} {key}".strip(" -–:.") or (result.name if known else "")
        if key:
            made.append(_Measured(key, result.text, result.name))
        before = max(until, end)
    return made or None
