"""Bars of progress as they stood last: those of Keras 2 and 3, and those of tqdm.

Of Keras the columns are ``epoch``, ``of``, ``steps``, ``seconds``, ``per step`` (what
it prints of these), ``per epoch`` where it is printed, then the metrics under their own
names. Times keep their unit: ``2s``, ``998us/step``. A line without an ``Epoch`` line
above, as of ``evaluate``, is in a sheet without ``epoch`` and ``of``.

Of tqdm (``A: 100%|███| 250/250 [03:08<00:00, 1.33it/s]``) they are ``description``,
``done``, ``of``, ``elapsed`` and ``rate``, then what the program put behind them
(``loss=0.5``). ``of`` is blank where the total was unknown. A bar that never came to
its end is no row.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.blocks import Line
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import any_of, tells_loading
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
from benchdb.importing.sheet import Sheet

_EPOCH, _COUNT = any_of("keras_epoch"), any_of("keras_count")
_BAR, _QUIET = any_of("keras_bar"), any_of("keras_quiet")
_METRIC_LIMIT = 60
_Named = tuple[tuple[str, str], ...]


class _State(msgspec.Struct, frozen=True):
    """What a line of Keras says: an epoch that begins, how far it is, or both."""

    epoch: tuple[str, str] | None = None
    done: str = ""
    steps: str = ""
    times: _Named = ()
    metrics: _Named = ()

    @property
    def ended(self) -> bool:
        return self.done == self.steps and (not self.steps or bool(self.times))


def of_keras(line: Line) -> _State | None:
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
    times, metrics = _behind(text[drawn.end() :])
    if not bar and not (times and (metrics or (count and "per step" in times))):
        return None
    return _State(epoch, done, steps, tuple(times.items()), tuple(metrics))


def _behind(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return times and metrics behind a bar; none where it is still busy."""
    times: dict[str, str] = {}
    metrics: list[tuple[str, str]] = []
    parts = () if "ETA:" in text else re.split(r"\s-\s", text)
    for part in map(str.strip, parts):
        name, colon, value = part.partition(": ")
        if colon and name and len(name) <= _METRIC_LIMIT:
            metrics.append((name.strip(), value.strip()))
            continue
        for word in part.split():
            if word[:1].isdigit() and "/" in word:
                unit = "per epoch" if word.endswith("/epoch") else "per step"
                times.setdefault(unit, word)
            elif word[:1].isdigit() and (word[-1] in "smh" or ":" in word):
                times.setdefault("seconds", word)
    return times, metrics


def keras_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the epochs, and what was evaluated, of the Keras logs in *document*."""
    return as_sheets("keras", _epochs(matching_lines(document, of_keras)))


def _epochs(lines: Iterator[LineMatch[_State]]) -> Iterator[Entry]:
    """Yield each bar as it stood last; *moved* once it was seen on its way."""
    epoch: tuple[str, str] | None = None
    last: LineMatch[_State] | None = None
    moved, part = False, 0
    for line in lines:
        state = line.made
        if state.epoch is not None:
            yield from _bar(last, epoch, part)
            # No later epoch of the training before: another training.
            part += epoch is not None and int(state.epoch[0]) <= int(epoch[0])
            epoch, last, moved = state.epoch, None, False
        if not (state.times or state.metrics or state.steps):
            continue
        if last and not _goes_on(last.made, state, moved=moved, within=epoch):
            yield from _bar(last, epoch, part)
            epoch, moved = None, False  # no line of an epoch between: an evaluation
        last, moved = line, moved or not state.ended
    yield from _bar(last, epoch, part)


def _bar(
    line: LineMatch[_State] | None, epoch: tuple[str, str] | None, part: int
) -> Iterator[Entry]:
    """Yield the row of the bar that *line* is the last state of, if there was one."""
    if line is not None:
        state, times = line.made, dict(line.made.times)
        named = [*zip(("epoch", "of"), epoch or (), strict=False)]
        named += [("steps", state.steps)] if state.steps else []
        named += [(name, times.pop(name, "")) for name in ("seconds", "per step")]
        why = f"not finished: {state.done} of {state.steps} steps"
        cells = (*named, *times.items(), *state.metrics)
        yield line.entry(cells, part, None if state.ended else why)


def _goes_on(
    before: _State, state: _State, *, moved: bool, within: tuple[str, str] | None
) -> bool:
    """Tell whether *state* is the same bar again, drawn later.

    Keras draws a bar that has reached its end once more, with the validation: for that
    it must have been seen moving, or its time was still that to come, 0 s.
    """
    if not before.ended:
        same = before.steps == state.steps or not before.steps.isdigit()
        return same and int(state.done or 0) >= int(before.done)
    names = [name for name, _ in before.metrics]
    again = [name for name, _ in state.metrics][: len(names)] == names
    to_come = within is not None and dict(before.times).get("seconds") == "0s"
    longer = state.ended and state.steps == before.steps != ""
    return again and longer and (moved or to_come)


_STATE = any_of("tqdm")
_OPEN = any_of("endless")
_ELAPSED = re.compile(r"(?:\d{1,4}:)?(?:\d{1,2}:)?\d{1,4}:\d\d")
_TQDM = ("description", "done", "of", "elapsed", "rate")
_Cells = dict[str, str]


def of_tqdm(line: Line) -> _Cells | None:
    """Return the last state in a line; several stand there where returns were lost."""
    text = line.text
    if "[" not in text or ":" not in text:
        return None
    counted = "%" in text or "<" in text
    before, last = [None, None, *(_STATE if counted else _OPEN).finditer(text)][-2:]
    if last is None:
        return None
    elapsed, _, rest = last["inside"].partition(",")
    elapsed = elapsed.partition("<")[0].strip()
    if not _ELAPSED.fullmatch(elapsed):
        return None
    result = text[before.end() if before else 0 : last.start()].strip().rstrip(":")
    rate, *more = (part.strip() for part in rest.split(","))
    texts = (
        re.split(r" {3}", result)[0].rstrip(),  # of a row of columns, its name
        last["done"],
        last.groupdict().get("of") or "",
        elapsed,
        rate,
    )
    named = (part.partition("=") for part in more)
    behind = {name.strip(): value.strip() for name, _, value in named if value}
    return dict(zip(_TQDM, texts, strict=True)) | behind


def tqdm_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the bars in *document* that came to their end, or have none.

    tqdm draws a bar once more when it closes it: the same again, on the next line.
    """
    ended: list[LineMatch[_Cells]] = []
    for line in matching_lines(document, of_tqdm):
        cells, before = line.made, ended[-1] if ended else None
        again = before and before.made == cells and line.line - before.line <= 1
        loads = tells_loading(cells["description"])
        ends = cells["done"] == (cells["of"] or cells["done"])
        if ends and not (again or loads):
            ended.append(line)
    return as_sheets("tqdm", (bar.entry(tuple(bar.made.items())) for bar in ended))
