"""The lines that a reader takes for its own, each with what stands above it."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.lines import (
    Heading,
    Told,
    bullet,
    command,
    heading,
    indentation,
    is_chatter,
    is_row,
    lines,
    minor_heading,
    unmarked,
)

_T = TypeVar("_T")
_LABELS = 3  # plain lines right above that are told
_LABEL_WIDTH = 300
_DEPTH = 20  # headings and groups that hold at once
_SUMMARY, _OUTER, _COMMAND = 10, 25, 40  # levels of ``Heading``


class Found(msgspec.Struct, Generic[_T], frozen=True):
    """A line that a reader knows, and *made*, what it made of it.

    *command* is the latest command line above, which is part of the context too. Lines
    with equal *block* stand together with nothing but rules between them.
    """

    line: int
    raw: str
    text: str
    context: tuple[str, ...]
    block: int
    made: _T
    command: Heading | None = None


class _Group(msgspec.Struct):
    """A line that holds for those indented deeper; *nested* once there was one."""

    width: int
    text: str
    nested: bool = False


class _Above(msgspec.Struct):
    """What holds for the next line: headings, groups by indentation, plain lines."""

    headings: list[Heading] = []
    groups: list[_Group] = []
    labels: list[str] = []
    growing: bool = False
    outside: list[tuple[str, list[Heading], list[str]]] = []

    def begin(self, one: Heading) -> None:
        self.headings = [old for old in self.headings if old.level < one.level]
        self.headings = [*self.headings[-_DEPTH:], one]
        self.groups, self.labels = [], []

    def enter(self, what: str) -> None:
        """Remember what holds outside a fence or a fold, and keep it inside."""
        self.outside.append((what, self.headings, self.labels))
        self.outside = self.outside[-_DEPTH:]
        outer = [Heading(_OUTER, text) for text in self.labels]
        self.headings = [*self.headings, *outer][-_DEPTH:]
        self.groups, self.labels = [], []

    def leave(self, what: str) -> None:
        """Forget what held inside alone."""
        if any(one[0] == what for one in self.outside):
            while self.outside[-1][0] != what:
                self.outside.pop()
            _, self.headings, self.labels = self.outside.pop()
        self.groups, self.growing = [], False

    def narrow(self, width: int) -> None:
        """Drop the groups that a line indented by *width* is no part of."""
        while self.groups and self.groups[-1].width >= width:
            gone = self.groups.pop()
            if gone.nested:
                self.labels = [one for one in self.labels if one != gone.text]
        for group in self.groups:
            group.nested = True

    def label(self, text: str, width: int) -> None:
        listed = bullet(text)
        words = unmarked(text if listed is None else listed[1])[:_LABEL_WIDTH]
        if text.endswith("{"):
            words = words.strip(" \"'{:")
        if not words:
            return
        if not self.growing:
            self.labels = []
        self.labels = [*self.labels, words][-_LABELS:]
        self.growing = True
        if listed or text.endswith((":", "：", "{")):
            self.groups = [*self.groups, _Group(width, words)][-_DEPTH:]

    def context(self) -> tuple[str, ...]:
        grouped = [one.text for one in self.groups]
        labels = [text for text in self.labels if text not in grouped]
        headings = [one.text for one in self.headings]
        return (*headings, *grouped, *labels)


def found(document: Document, own: Callable[[Told], _T | None]) -> Iterator[Found[_T]]:
    """Yield the lines of *document* that *own* makes something of, in their order.

    Every other line is structure, context, or nothing.
    """
    above = _Above()
    block = 0
    for told, after in _with_next(lines(document)):
        made = None
        if told.part == "text" and not _begins(told, above):
            above.narrow(indentation(told.text))
            made = own(told)
            if made is None and not is_chatter(told.text):
                _tell(told, after, above)
        else:
            _step(told, above)
        if made is not None:
            above.growing = False
            context = above.context()
            last = above.headings[-1] if above.headings else None
            shell = last if last is not None and last.level == _COMMAND else None
            yield Found(told.number, told.raw, told.text, context, block, made, shell)
        elif told.part != "rule":
            block += 1


def _with_next(all_lines: Iterator[Told]) -> Iterator[tuple[Told, Told | None]]:
    before: Told | None = None
    for one in all_lines:
        if before is not None:
            yield before, one
        before = one
    if before is not None:
        yield before, None


def _begins(told: Told, above: _Above) -> bool:
    one = heading(told.text, fenced=told.fenced)
    if one is not None:
        above.begin(one)
    return one is not None


def _tell(told: Told, after: Told | None, above: _Above) -> None:
    """Keep a line of text that is nobody's own as context."""
    text = told.text
    if shell := command(text):
        above.begin(Heading(_COMMAND, shell[:_LABEL_WIDTH], told.number))
    elif one := minor_heading(text):
        above.begin(one)
    elif is_row(text):
        above.growing = False
    elif after is not None and after.part == "rule" and after.text.lstrip()[0] in "=-":
        level = 1 if after.text.lstrip()[0] == "=" else 2
        above.begin(Heading(level + (30 if told.fenced else 0), unmarked(text)))
    else:
        above.label(text, indentation(text))


def _step(told: Told, above: _Above) -> None:
    """Follow a line that is no text: fences, folds, blank lines."""
    if told.part == "blank":
        above.growing = False
    elif told.part == "open":
        above.enter("fence")
    elif told.part == "close":
        above.leave("fence")
    elif told.part == "tag":
        if "<details" in told.text:
            above.enter("fold")
        if "<summary" in told.text and (words := unmarked(told.text)):
            above.begin(Heading(_SUMMARY, words[:_LABEL_WIDTH]))
        if "</details" in told.text:
            above.leave("fold")
