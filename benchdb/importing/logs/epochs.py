"""Lines of a training log, each with several named figures: one row a line.

``Epoch 3, time 12.3s``, ``Epoch [3/10] Loss: 0.5 Time: 12.3s``, ``epoch=3 step=100``,
``| epoch 3 | 200/ 2983 batches | lr 5.00 | ms/batch 12.3 |``, ``{'runtime': 12.3}``.

A column has the name that is printed, with these exceptions. ``epoch`` is whatever
counts epochs, ``of`` how many there are; ``step`` and ``steps`` are the same for
steps, iterations, and batches with a total. ``phase`` is the word before ``Epoch``
(``Train``). A figure without a name is called by its unit (``tok/s``), else ``value``;
what stands in brackets behind a figure, often its mean, is ``NAME (in brackets)``.
Lines with equal names under equal headings are one sheet, up to where the epochs start
again.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.literals import flat
from benchdb.importing.logs.markings import bullet, command, shows_bar, unstamped
from benchdb.importing.logs.named_figures import UNNAMED, Named, read
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.logs.unit_names import is_unit
from benchdb.importing.logs.values import is_figure, is_name
from benchdb.importing.sheet import Sheet

_LIMIT = 2000  # characters; a longer line is no line of a log
_COLUMNS = 60
_PHASES = frozenset(
    ("train", "training", "test", "testing", "val", "valid", "validation", "eval")
)
_EPOCH_WORDS = _PHASES | {"epoch", "epochs", "ep", "number", "no", "no.", "#", "global"}
_STEP = frozenset(
    ("step", "steps", "iter", "iters", "iteration", "iterations", "global_step", "it")
)
_BATCH = frozenset(("batch", "batches"))
_COUNT = re.compile(
    r"[\[(]?\s{0,9}(\d{1,12})\s{0,9}(?:(?:/|of)\s{0,9}(\d{1,12}))?\s{0,9}"
    r"[A-Za-z]{0,12}[\])]?"
)
_PLACE = re.compile(r"\[\s{0,9}(\d{1,9})\s{0,3},\s{0,9}(\d{1,9})\s{0,9}\]:?\s")
_FOR_EPOCH = re.compile(
    r"(\w[\w .\-()]{1,60}?) (?:for|of|in|at|after) (epoch|step|iteration)s? "
    r"(\d{1,9}(?:/\d{1,9})?)\s{0,4}[:=\-]\s{0,4}(?=[\d.])",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\d{1,9}/\d{1,9} - \d|CPU times: ")  # Keras, IPython
_BRACKETED = re.compile(r"\[([A-Za-z ]{2,20}[:\s]\s{0,8}\d{1,9}(?:\s?/\s?\d{1,9})?)\]")


class _Row(msgspec.Struct, frozen=True):
    cells: tuple[tuple[str, str], ...]
    epoch: int | None = None


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the lines of named figures in *document*."""
    return as_sheets("epochs", _entries(found(document, _own)))


def _entries(lines: Iterator[Found[_Row]]) -> Iterator[Entry]:
    part, latest = 0, 0
    for one in lines:
        epoch = one.made.epoch
        if epoch is not None:
            part += epoch < latest
            latest = epoch
        yield Entry(one.line, one.raw, one.context, one.made.cells, part)


def _own(told: Told) -> _Row | None:
    text = told.text.strip()
    if len(text) > _LIMIT or not any(char.isdigit() for char in text):
        return None
    if text.endswith("}") and (entries := flat(text)) is not None:
        return _from_dict(entries)
    if text[0] == "{":
        return None
    if bullet(told.text) or command(text) or shows_bar(text) or _OTHERS.match(text):
        return None
    return _from_log(unstamped(text))


def _from_dict(entries: tuple[tuple[str, str], ...]) -> _Row | None:
    if len(entries) < 2 or not any(is_figure(value) for _, value in entries):
        return None
    return _row([Named(name, value, explicit=True) for name, value in entries])


def _from_log(text: str) -> _Row | None:
    place = _PLACE.match(text)
    if place is not None:
        text = f"epoch={place[1]} step={place[2]} {text[place.end() :]}"
    elif behind := _FOR_EPOCH.match(text):
        text = f"{behind[2]}={behind[3]}, {behind[1]}: {text[behind.end() :]}"
    said = read(_BRACKETED.sub(r"\1 ", text) if text[0] == "[" else text)
    marked = any(_is_epoch(one.name) or _is_step(one) for one in said.named)
    figures = [one for one in said.named if is_figure(one.value.lstrip("[("))]
    if len(said.named) > _COLUMNS or not all(
        is_unit(one.name) or is_name(one.name, words=6) for one in said.named
    ):
        return None
    if marked:
        ours = len(figures) > 1 and said.loose <= 2
    else:
        explicit = sum(one.explicit for one in said.named)
        ours = bool(figures) and explicit > 1 and said.loose == 0
    return _row(said.named) if ours else None


def _is_epoch(name: str) -> bool:
    words = name.casefold().split()
    return bool({"epoch", "epochs", "ep"} & set(words)) and set(words) <= _EPOCH_WORDS


def _is_step(one: Named) -> bool:
    name = one.name.casefold()
    found_ = _COUNT.fullmatch(one.value)
    if found_ is None:
        return False
    return name in _STEP or (name in _BATCH and found_[2] is not None)


def _row(named: list[Named]) -> _Row:
    cells: list[tuple[str, str]] = []
    epoch: int | None = None
    for one in named:
        counted = _COUNT.fullmatch(one.value)
        if counted is not None and _is_epoch(one.name):
            epoch = int(counted[1]) if epoch is None else epoch
            cells += [("phase", word) for word in one.name.split() if _is_phase(word)]
            cells += _counts("epoch", "of", counted)
        elif counted is not None and (_is_step(one) or _follows_epoch(one, cells)):
            cells += _counts("step", "steps", counted)
        else:
            cells.append((one.name, one.value))
    return _Row(tuple(cells), epoch)


def _is_phase(word: str) -> bool:
    return word.casefold() in _PHASES


def _follows_epoch(one: Named, cells: list[tuple[str, str]]) -> bool:
    """Tell whether *one* is a bare count right behind the epoch: ``[0][ 10/391]``."""
    return (
        one.name == UNNAMED
        and "/" in one.value
        and bool(cells)
        and cells[-1][0] in ("epoch", "of")
    )


def _counts(name: str, total: str, counted: re.Match[str]) -> list[tuple[str, str]]:
    cells = [(name, counted[1])]
    return [*cells, (total, counted[2])] if counted[2] is not None else cells
