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

from benchdb.importing.blocks import Line
from benchdb.importing.document import Document
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
from benchdb.importing.sheet import Sheet

_EPOCH = re.compile(r"Epoch\s{1,4}(\d{1,9})\s{0,4}/\s{0,4}(\d{1,9})\s{0,4}")
_COUNT = re.compile(
    r"(\d{1,9})/(\d{1,9}|Unknown|\?)\s{0,4}(?:\(?\s{0,2}\d{1,3}%\)?\s{0,4})?"
)
_BAR = re.compile(r"(?:\[[=>.\s]{0,200}\]|[━╸╺╴╶─]{1,200})\s{0,4}(?:-\s)?\s{0,4}")
_QUIET = re.compile(r"-\s{1,4}(?=\d)")
_BUSY = "ETA:"
_METRIC_LIMIT = 60
_Named = tuple[tuple[str, str], ...]


class _State(msgspec.Struct, frozen=True):
    """What a line says: an epoch that begins, how far it is, or both."""

    epoch: tuple[str, str] | None = None
    done: str = ""
    steps: str = ""
    times: _Named = ()
    metrics: _Named = ()

    @property
    def ended(self) -> bool:
        return self.done == self.steps and (not self.steps or bool(self.times))


def progress(line: Line) -> _State | None:
    """Return what a line of progress says, with or without a bar."""
    text, epoch, done, steps = line.text.strip(), None, "", ""
    if begun := _EPOCH.match(text):
        epoch = (begun[1], begun[2])
        text = text[begun.end() :].lstrip("-: ")
        if not text:
            return _State(epoch)
    bar = None
    if count := _COUNT.match(text):
        done, steps, text = count[1], count[2], text[count.end() :]
        bar = _BAR.match(text)
    # Keras without a bar prints "- 2s - loss: 0.3" under the line of the epoch.
    drawn = bar or (_QUIET.match(text) if count or " - " in text else None)
    if drawn is None:
        return None
    times, metrics = _times_and_metrics(text[drawn.end() :])
    if not bar and not (times and (metrics or (count and "per step" in dict(times)))):
        return None
    return _State(epoch, done, steps, times, metrics)


def _times_and_metrics(text: str) -> tuple[_Named, _Named]:
    """Return what stands behind the bar; none where it is still busy."""
    times: dict[str, str] = {}
    metrics: list[tuple[str, str]] = []
    for part in map(str.strip, re.split(r"\s-\s", text)):
        name, colon, value = part.partition(": ")
        if part.startswith(_BUSY):
            return (), ()
        if colon and name and len(name) <= _METRIC_LIMIT:
            metrics.append((name.strip(), value.strip()))
            continue
        for word in part.split():
            if not word[:1].isdigit():
                continue
            if "/" in word:
                unit = "per epoch" if word.endswith("/epoch") else "per step"
                times.setdefault(unit, word)
            elif word[-1] in "smh" or ":" in word:
                times.setdefault("seconds", word)
    return tuple(times.items()), tuple(metrics)


class _Bar(msgspec.Struct):
    """The bar being drawn: of which epoch, and its last state. *moved* once it did."""

    epoch: tuple[str, str] | None = None
    line: LineMatch[_State] | None = None
    moved: bool = False

    def entries(self, part: int) -> Iterator[Entry]:
        """Yield the row of the bar, if it was drawn at all."""
        if self.line is None:
            return
        state, line = self.line.made, self.line
        times = dict(state.times)
        named = [*zip(("epoch", "of"), self.epoch or (), strict=False)]
        named += [("steps", state.steps)] if state.steps else []
        named += [(name, times.get(name, "")) for name in ("seconds", "per step")]
        named += [(name, time) for name, time in state.times if name == "per epoch"]
        why = f"not finished: {state.done} of {state.steps} steps"
        fault = None if state.ended else why
        cells = (*named, *state.metrics)
        yield Entry(line.line, line.raw, line.context, cells, part, fault)

    def goes_on(self, state: _State) -> bool:
        """Tell whether *state* is the same bar again, drawn later.

        Keras draws a bar that has reached its end once more, with the validation: for
        that it must have been seen moving, or its time was still that to come, 0 s.
        """
        if self.line is None:
            return True
        before = self.line.made
        if not before.ended:
            same = before.steps == state.steps or not before.steps.isdigit()
            return same and int(state.done or 0) >= int(before.done)
        names = [name for name, _ in before.metrics]
        again = [name for name, _ in state.metrics][: len(names)] == names
        to_come = self.epoch is not None and dict(before.times).get("seconds") == "0s"
        longer = state.ended and state.steps == before.steps != ""
        return again and longer and (self.moved or to_come)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the epochs, and what was evaluated, of the Keras logs in *document*."""
    return as_sheets("keras", _entries(matching_lines(document, progress)))


def _entries(lines: Iterator[LineMatch[_State]]) -> Iterator[Entry]:
    bar, part = _Bar(), 0
    for line in lines:
        state = line.made
        if state.epoch is not None:
            yield from bar.entries(part)
            # No later epoch of the training before: another training.
            part += bar.epoch is not None and int(state.epoch[0]) <= int(bar.epoch[0])
            bar = _Bar(state.epoch)
        if not (state.times or state.metrics or state.steps):
            continue
        if not bar.goes_on(state):
            yield from bar.entries(part)
            bar = _Bar()  # no line of an epoch between: an evaluation
        bar.line = line
        bar.moved = bar.moved or not state.ended
    yield from bar.entries(part)
