"""What stands above a place in a document: headings, bold lines, a paragraph."""

from collections.abc import Callable
from itertools import takewhile
from typing import Literal

import msgspec

# Levels of headings beside those of Markdown, 1 to 6; the larger one is the inner one.
SUMMARY, BANNER, BOLD, LEAD, OUTER, FENCED, COMMAND = 0, 15, 20, 21, 25, 30, 40
TEXT_LIMIT = 2000  # characters; a longer paragraph is no caption
_LABELS = 3  # plain lines right above that are told
_DEPTH = 20  # headings and groups that hold at once
Inner = Literal["fence", "fold"]


class Heading(msgspec.Struct, frozen=True):
    """A heading; of two, the one with the larger *level* is the inner one."""

    level: int
    text: str


class _Group(msgspec.Struct):
    """A line that holds for those indented deeper; *nested* once there was one.

    A *listed* one, a bullet, is right above what follows it without a gap alone.
    """

    width: int
    text: str
    listed: bool = False
    nested: bool = False


class _Outside(msgspec.Struct, frozen=True):
    """What held where something inner began."""

    inner: Inner
    headings: list[Heading]
    labels: list[str]
    fold: int


class Outline:
    """What was read so far and still holds; every table asks for its ``context``."""

    def __init__(self) -> None:
        """Begin where nothing was read yet."""
        self.headings: list[Heading] = []
        self._fold = 0  # headings that hold outside the fold that is open
        self._groups: list[_Group] = []
        self._labels: list[str] = []
        self.grows = False
        self._outside: list[_Outside] = []

    def context(self, *nearer: str) -> tuple[str, ...]:
        """Return what holds here, outermost first; *nearer* comes before what is right
        above.
        """
        headings = (heading.text for heading in self.headings)
        groups = (group.text for group in self._groups)
        texts = dict.fromkeys((*headings, *groups, *nearer, *self._labels))
        return tuple(text for text in texts if 0 < len(text) <= TEXT_LIMIT)

    def begin(self, level: int, text: str) -> None:
        """Take a heading: what was under its peers holds no more.

        A line that begins in bold (``LEAD``) may be another heading, or a note on what
        is above it: it holds beside one that is bold as a whole.
        """
        nearer = self.headings[self._fold :]
        inside = takewhile(lambda heading: heading.level < level, nearer)
        self.headings = [*self.headings[: self._fold], *inside]
        self.headings.append(Heading(level, text))
        self._groups, self._labels = [], []

    def enter(self, inner: Inner) -> None:
        """Remember what holds outside; inside a fence all of it holds as well."""
        outside = _Outside(inner, self.headings, self._labels, self._fold)
        self._outside = [*self._outside, outside][-_DEPTH:]
        if inner == "fence":
            above = [Heading(OUTER, text) for text in self._labels]
            self.headings = [*self.headings, *above][-_DEPTH:]
        else:
            self.headings = self.headings[-_DEPTH:]
            self._fold = len(self.headings)
        self._groups, self._labels = [], []

    def leave(self, inner: Inner) -> None:
        """Forget what held inside alone."""
        self._groups, self.grows = [], False
        if any(outside.inner == inner for outside in self._outside):
            while (outside := self._outside.pop()).inner != inner:
                pass
            self.headings, self._fold = outside.headings, outside.fold
            self._labels = outside.labels
        if inner == "fold":
            self._labels = []

    def above(self, text: str) -> None:
        """Take the paragraph or caption that now is right above; ``""`` for none."""
        self._labels = [text]

    def keep(self) -> None:
        """Let what is right above hold for all below, up to the next that does."""
        for text in self._labels[-1:]:
            self.begin(OUTER, text)

    def label(self, words: str, width: int, *, leads: bool) -> None:
        """Take a plain line indented by *width*, one of the few right above.

        One that *leads* holds for those indented deeper, and for bullets below it.
        """
        if words:
            labels = self._labels if self.grows else []
            self._labels = [*labels, words][-_LABELS:]
            self.grows = True
            if leads:
                self.lead(words, width)

    def prose(self, raw: str, seen: Callable[[str], str]) -> None:
        """Take a line of a paragraph, as it is *seen*, or one that goes on a bullet."""
        if self.grows and self._labels:
            begun = self._labels[-1]
            if len(begun) > TEXT_LIMIT:
                return  # no caption, however it goes on
            words = f"{begun} {seen(raw)}"
            for group in self._groups[-1:]:
                group.text = words if group.text == begun else group.text
        else:
            words = seen(raw)
        self._labels, self.grows = [words], True

    def item(self, words: str, width: int) -> None:
        """Take a bullet indented by *width*; a paragraph above it is none any more."""
        self._labels, self.grows = [words], True
        self.lead(words, width, listed=True)

    def title(self) -> str:
        """Return the paragraph that a rule below it makes a heading; else blank."""
        return self._labels[-1] if self.grows and self._labels else ""

    def lead(self, words: str, width: int, *, listed: bool = False) -> None:
        """Let *words*, indented by *width*, hold for what is indented deeper alone."""
        group = _Group(width, words, listed)
        self._groups = [*self._groups, group][-_DEPTH:]

    def end_labels(self) -> None:
        """Let the next plain line replace those above it."""
        self.grows = False

    def narrow(self, width: int, *, listed: bool = False) -> None:
        """Drop the groups that a line indented by *width* is no part of.

        A *listed* line has no other bullet above it but those that it is part of. It is
        part of a plain line that is indented as far.
        """
        for gone in self._groups[::-1]:
            if gone.width < width + (listed and not gone.listed):
                break
            self._groups.pop()
            if gone.nested or listed or (gone.listed and not self.grows):
                self._labels = [text for text in self._labels if text != gone.text]
        for group in self._groups:
            group.nested = True
