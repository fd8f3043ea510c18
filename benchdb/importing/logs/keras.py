"""Progress lines of Keras 2 and 3: what stands there when an epoch has ended.

The columns are ``epoch``, ``of``, ``steps``, ``seconds``, ``per step`` (what Keras
prints of these), then ``per epoch`` where it is printed, then the metrics under their
own names. Times keep their unit: ``2s``, ``998us/step``. A line without an ``Epoch``
line above, as of ``evaluate``, is in a sheet without ``epoch`` and ``of``. An epoch
that never came to its end is bad.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.sheet import Sheet

_EPOCH = re.compile(r"Epoch\s{1,4}(\d{1,9})\s{0,4}/\s{0,4}(\d{1,9})\s{0,4}")
_COUNT = re.compile(r"(\d{1,9})/(\d{1,9}|Unknown|\?)\s{0,4}")
_BAR = re.compile(r"(?:\[[=>.\s]{0,200}\]|[━╸╺╴╶─]{1,200})\s{0,4}(?:-\s)?\s{0,4}")
_QUIET = re.compile(r"-\s{1,4}(?=\d)")
_SHARE = re.compile(r"(?:\(?\s{0,2}\d{1,3}%\)?|\d{1,3}%)\s{0,4}")
_BUSY = "ETA:"
_METRIC_LIMIT = 60


class _State(msgspec.Struct, frozen=True):
    """What a line says: an epoch that begins, how far one is, or both."""

    epoch: tuple[str, str] | None = None
    done: str = ""
    steps: str = ""
    times: tuple[tuple[str, str], ...] = ()
    metrics: tuple[tuple[str, str], ...] = ()

    @property
    def shows_progress(self) -> bool:
        return bool(self.times or self.metrics or self.steps)

    @property
    def ended(self) -> bool:
        return self.done == self.steps and (not self.steps or bool(self.times))


_Line = Found[_State]


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the epochs, and what was evaluated, of the Keras logs in *document*."""
    return as_sheets("keras", _entries(found(document, _own)))


def _own(told: Told) -> _State | None:
    text = told.text.strip()
    epoch = None
    if begun := _EPOCH.match(text):
        epoch = (begun[1], begun[2])
        text = text[begun.end() :].lstrip("-: ")
        if not text:
            return _State(epoch)
    return _progress(text, epoch)


def _progress(text: str, epoch: tuple[str, str] | None) -> _State | None:
    """Return what a line of progress says, with or without a bar."""
    count = _COUNT.match(text)
    if count is not None:
        rest = text[count.end() :]
        if share := _SHARE.match(rest):
            rest = rest[share.end() :]
        drawn = _BAR.match(rest) or _QUIET.match(rest)
        if drawn is None:
            return None
        done, steps = count[1], count[2]
        rest = rest[drawn.end() :]
    else:  # Keras without a bar prints "- 2s - loss: 0.3" under the line of the epoch
        drawn = _QUIET.match(text)
        if drawn is None or " - " not in text:
            return None
        done = steps = ""
        rest = text[drawn.end() :]
    times, metrics = _said(rest)
    is_quiet = drawn.re is _QUIET
    if is_quiet and not (times and (metrics or (count and "per step" in dict(times)))):
        return None
    return _State(epoch, done, steps, times, metrics)


_Named = tuple[tuple[str, str], ...]


def _said(rest: str) -> tuple[_Named, _Named]:
    """Return the times and the metrics after the bar; none where it is still busy."""
    times: dict[str, str] = {}
    metrics: list[tuple[str, str]] = []
    for part in re.split(r"\s-\s", rest):
        name, colon, value = part.strip().partition(": ")
        if part.strip().startswith(_BUSY):
            return (), ()
        if colon and name and len(name) <= _METRIC_LIMIT:
            metrics.append((name.strip(), value.strip()))
            continue
        for word in part.split():
            times.setdefault(_time(word), word)
    times.pop("", None)
    return tuple(times.items()), tuple(metrics)


def _time(word: str) -> str:
    """Return the column of the time *word*; empty if it is none."""
    if not word[:1].isdigit():
        return ""
    if word.endswith("/epoch"):
        return "per epoch"
    if "/" in word:
        return "per step"
    return "seconds" if word[-1] in "smh" or ":" in word else ""


class _Bar(msgspec.Struct):
    """The bar being drawn: of which epoch, and its last state. *moved* once it did."""

    number: tuple[str, str] | None
    line: _Line | None = None
    moved: bool = False


def _entries(lines: Iterator[_Line]) -> Iterator[Entry]:
    bar = _Bar(None)
    part = 0
    for one in lines:
        state = one.made
        if state.epoch is not None:
            yield from _drawn(bar, part)
            part += _restarts(bar.number, state.epoch)
            bar = _Bar(state.epoch)
        if not state.shows_progress:
            continue
        if bar.line is not None and not _goes_on(bar, bar.line.made, state):
            yield from _drawn(bar, part)
            bar = _Bar(None)  # no line of an epoch between: an evaluation
        bar.line = one
        bar.moved = bar.moved or not state.ended
    yield from _drawn(bar, part)


def _restarts(before: tuple[str, str] | None, epoch: tuple[str, str]) -> bool:
    """Tell whether *epoch* is no later one of the training before."""
    return before is not None and int(epoch[0]) <= int(before[0])


def _goes_on(bar: _Bar, before: _State, state: _State) -> bool:
    """Tell whether *state* is the same bar again, drawn later.

    Keras draws a bar that has reached its end once more, with the validation: for that
    it must have been seen moving, or its time was still that to come, 0 s.
    """
    if not before.ended:
        same = before.steps == state.steps or not before.steps.isdigit()
        return same and int(state.done or 0) >= int(before.done)
    names = tuple(name for name, _ in before.metrics)
    again = tuple(name for name, _ in state.metrics)[: len(names)] == names
    to_come = bar.number is not None and dict(before.times).get("seconds") == "0s"
    return (
        again
        and state.ended
        and state.steps == before.steps != ""
        and (bar.moved or to_come)
    )


def _drawn(bar: _Bar, part: int) -> Iterator[Entry]:
    """Yield the row of *bar*, if it was drawn at all."""
    if bar.line is None:
        return
    state = bar.line.made
    why = None if state.ended else f"not finished: {state.done} of {state.steps} steps"
    yield _entry(bar.line, bar.number, part, fault=why)


def _entry(
    one: _Line, epoch: tuple[str, str] | None, part: int, *, fault: str | None = None
) -> Entry:
    times = dict(one.made.times)
    named = [] if epoch is None else [("epoch", epoch[0]), ("of", epoch[1])]
    if one.made.steps:
        named.append(("steps", one.made.steps))
    named += [(name, times.get(name, "")) for name in ("seconds", "per step")]
    named += [("per epoch", times["per epoch"])] if "per epoch" in times else []
    return Entry(
        one.line, one.raw, one.context, (*named, *one.made.metrics), part, fault
    )
