"""Bars of tqdm as they stood last: ``A: 100%|███| 250/250 [03:08<00:00, 1.33it/s]``.

The columns are ``description``, ``done``, ``of``, ``elapsed`` and ``rate``, then what
the program put behind them (``loss=0.5``). ``of`` is blank where the total was unknown.
A bar that never reached its total is bad.
"""

import re

import msgspec

from benchdb.importing.blocks import Line
from benchdb.importing.document import Document
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
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
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


class _State(msgspec.Struct, frozen=True):
    description: str
    done: str
    of: str
    elapsed: str
    rate: str
    more: tuple[tuple[str, str], ...]

    @property
    def amount(self) -> float:
        """Return how much is done, as a number."""
        digits = "".join(char for char in self.done if char.isdigit() or char == ".")
        try:
            return float(digits) * 1000.0 ** _POWERS.get(self.done.rstrip("i")[-1:], 0)
        except ValueError:
            return 0.0


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the last states of the bars in *document*, which may be drawn in turns."""
    running: dict[tuple[str, str], LineMatch[_State]] = {}
    ended: list[LineMatch[_State]] = []
    for line in matching_lines(document, progress):
        key = (_DIGITS.sub("#", line.made.description), line.made.of)
        if key in running and _is_another(running[key], line):
            ended.append(running[key])
        running[key] = line
    bars = sorted((*ended, *running.values()), key=lambda bar: bar.line)
    return as_sheets("tqdm", map(_entry, bars))


def progress(line: Line) -> _State | None:
    """Return the last state in a line; several stand there where returns were lost."""
    text = line.text
    if "[" not in text or ":" not in text:
        return None
    drawn = [None, *(_STATE if "%" in text else _OPEN).finditer(text)][-2:]
    before, last = drawn[0], drawn[-1]
    if last is None:
        return None
    elapsed, _, rest = last["inside"].partition(",")
    elapsed = elapsed.partition("<")[0].strip()
    if not _ELAPSED.fullmatch(elapsed):
        return None
    rate, *more = (part.strip() for part in rest.split(","))
    named = (part.partition("=") for part in more)
    return _State(
        text[before.end() if before else 0 : last.start()].strip().rstrip(":").rstrip(),
        last["done"],
        last.groupdict().get("of") or "",
        elapsed,
        rate,
        tuple((name.strip(), value.strip()) for name, _, value in named if value),
    )


def _is_another(before: LineMatch[_State], line: LineMatch[_State]) -> bool:
    """Tell whether *line* is no later state of the bar that stood as *before*.

    tqdm draws a bar once more when it closes it: the same again, on the next line.
    """
    old, new = before.made, line.made
    if new.of and old.done == old.of:
        return not (new == old and line.line - before.line <= 1)
    return new.amount < old.amount or (not new.of and line.block != before.block)


def _entry(bar: LineMatch[_State]) -> Entry:
    state = bar.made
    names = ("description", "done", "of", "elapsed", "rate")
    named = (*((name, getattr(state, name)) for name in names), *state.more)
    stopped = state.of and state.done != state.of
    fault = f"the bar stopped at {state.done} of {state.of}" if stopped else None
    return Entry(bar.line, bar.raw, bar.context, named, fault=fault)
