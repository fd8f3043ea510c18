"""Bars of tqdm as they stood last: ``A: 100%|███| 250/250 [03:08<00:00, 1.33it/s]``.

The columns are ``description``, ``done``, ``of``, ``elapsed`` and ``rate``, then what
the program put behind them (``loss=0.5``). ``of`` is blank where the total was unknown.
A bar that never reached its total is bad.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.sheet import Sheet

_AMOUNT = r"[\d.,]{1,20}[kKMGTP]?i?"
_STATE = re.compile(
    rf"""
    (?P<share>\d{{1,3}})%
    (?: \|(?P<bar>[^|\[\]]{{0,400}})\| | (?=[ ]) ) [ ]{{0,4}}
    (?P<done>{_AMOUNT})[A-Za-z]{{0,8}}/(?P<of>{_AMOUNT})[A-Za-z]{{0,8}} [ ]{{0,4}}
    \[(?P<inside>[^\[\]]{{1,400}}) (?:\]|$)
    """,
    re.VERBOSE,
)
_OPEN = re.compile(
    r"(?P<done>\d[\d.,]{0,20}[kKMGTP]?)(?P<unit>it|[A-Za-z]{1,12}) ?"
    r"\[(?P<inside>[^\[\]]{1,400})\]"
)
_ELAPSED = re.compile(r"(?:\d{1,4}:)?(?:\d{1,2}:)?\d{1,4}:\d\d")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")


class _State(msgspec.Struct, frozen=True):
    description: str
    done: str
    of: str
    elapsed: str
    rate: str
    more: tuple[tuple[str, str], ...]

    @property
    def finished(self) -> bool:
        return not self.of or self.done == self.of


_Line = Found[_State]


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the last states of the bars in *document*."""
    return as_sheets("tqdm", _entries(found(document, _own)))


def _own(told: Told) -> _State | None:
    """Return the last state in a line; several stand there where returns were lost."""
    text = told.text
    if "[" not in text or ":" not in text:
        return None
    last, begins = None, 0
    for one in (_STATE if "%" in text else _OPEN).finditer(text):
        if last is not None:
            begins = last.end()
        last = one
    if last is None:
        return None
    return _state(last, text[begins : last.start()])


def _state(drawn: re.Match[str], before: str) -> _State | None:
    elapsed, _, rest = drawn["inside"].partition(",")
    elapsed = elapsed.partition("<")[0].strip()
    if not _ELAPSED.fullmatch(elapsed):
        return None
    rate, *more = (part.strip() for part in rest.split(","))
    named = (part.partition("=") for part in more)
    return _State(
        before.strip().rstrip(":").rstrip(),
        drawn["done"],
        drawn.groupdict().get("of") or "",
        elapsed,
        rate,
        tuple((name.strip(), value.strip()) for name, _, value in named if value),
    )


def _entries(lines: Iterator[_Line]) -> Iterator[Entry]:
    """Yield an entry for each bar. Bars may be drawn in turns, several at once."""
    running: dict[tuple[str, str], _Line] = {}
    entries: list[Entry] = []
    for one in lines:
        key = (_DIGITS.sub("#", one.made.description), one.made.of)
        before = running.get(key)
        if before is not None and _is_another(before, one):
            entries.append(_entry(before))
        running[key] = one
    entries += [_entry(one) for one in running.values()]
    yield from sorted(entries, key=lambda entry: entry.line)


def _is_another(before: _Line, one: _Line) -> bool:
    """Tell whether *one* is no later state of the bar that stood as *before*.

    tqdm draws a bar once more when it closes it: the same again, on the next line.
    """
    old, new = before.made, one.made
    if new.of and old.finished:
        return not (new == old and one.line - before.line <= 1)
    if not new.of:
        return _number(new.done) < _number(old.done) or one.block != before.block
    return _number(new.done) < _number(old.done)


def _number(text: str) -> float:
    digits = "".join(char for char in text if char.isdigit() or char == ".")
    power = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}.get(
        text.rstrip("i")[-1:], 0
    )
    try:
        return float(digits or 0) * 1000.0**power
    except ValueError:
        return 0.0


def _entry(one: _Line) -> Entry:
    state = one.made
    named = (
        ("description", state.description),
        ("done", state.done),
        ("of", state.of),
        ("elapsed", state.elapsed),
        ("rate", state.rate),
        *state.more,
    )
    fault = None if state.finished else f"the bar stopped at {state.done} of {state.of}"
    return Entry(one.line, one.raw, one.context, named, fault=fault)
