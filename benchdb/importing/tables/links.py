"""Links, images and marks of footnotes in square brackets."""

import re

import msgspec

NO_REFERENCES: frozenset[str] = frozenset()

_NOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")
_NUMBER = re.compile(r"\[(\d{1,3})\](?![(\[])")
_BARE = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>@]{1,64}@)[^\s<>]*>")


class Note(msgspec.Struct, frozen=True):
    """A mark of a footnote, and where it ends."""

    mark: str
    end: int


class Link(msgspec.Struct, frozen=True):
    """A link or an image: the piece that its bracket is, and where all of it ends."""

    piece: int
    end: int


def note(text: str, at: int, references: frozenset[str]) -> Note | None:
    """Return the mark at *at*: ``[^1]``, or ``[1]`` where that is defined."""
    found = _NOTE.match(text, at)
    if found is None:
        found = _NUMBER.match(text, at)
        if found is None or found[1] not in references:
            return None
    return Note(found[1], found.end())


def bare(text: str, at: int) -> int | None:
    """Return the end of the address in pointed brackets at *at*, if there is one."""
    found = _BARE.match(text, at)
    return found.end() if found else None


class Brackets:
    """The square brackets of one text that are open, and what can follow them."""

    def __init__(self, text: str, references: frozenset[str]) -> None:
        """Look *text* over, once; *references* are the labels defined elsewhere."""
        self._text = text
        self._closing = _closing(text)
        self._open: list[tuple[int, int]] = []
        self.references = references

    def open(self, piece: int, at: int) -> None:
        """Remember the bracket at *at*, which is *piece* of what is said so far."""
        self._open.append((piece, at))

    def close(self, at: int) -> Link | None:
        """Return the link that the bracket at *at* closes the words of."""
        if not self._open:
            return None
        piece, start = self._open.pop()
        end = self._target(at + 1)
        if end is None:
            end = self._reference(self._text[start + 1 : at][:60], at + 1)
        return None if end is None else Link(piece, end)

    def _target(self, at: int) -> int | None:
        if not self._text.startswith("(", at) or at not in self._closing:
            return None
        end = self._closing[at]
        _, _, title = self._text[at + 1 : end].strip().partition(" ")
        return end + 1 if title.strip()[:1] in ("", '"', "'", "(") else None

    def _reference(self, words: str, at: int) -> int | None:
        end = self._text.find("]", at) if self._text.startswith("[", at) else -1
        label = self._text[at + 1 : end] if end >= 0 else ""
        known = (label or words).casefold() in self.references
        if not known:
            return None
        return end + 1 if end >= 0 else at


def _closing(text: str) -> dict[int, int]:
    """Return for each round bracket where it is closed."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for sign in re.finditer(r"\\.|[()]", text):
        if sign[0] == "(":
            waiting.append(sign.start())
        elif sign[0] == ")" and waiting:
            found[waiting.pop()] = sign.start()
    return found
