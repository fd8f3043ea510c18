"""The lines of a document with their parts: text, fences, folds, and what is hidden."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.markings import (
    command,
    fence,
    is_program,
    is_programming,
    is_rule,
    unquoted,
)
from benchdb.importing.logs.terminal import shown

Part = Literal["text", "blank", "rule", "open", "close", "tag", "hidden"]
_FRONT_MATTER = 100  # lines in which it must end
_FRONT_KEYS = ("title:", "layout:", "date:", "author", "slug:", "tags:", "description:")
_FOLDS = ("<details", "</details", "<summary", "</summary")
_PRE = re.compile(r"\s{0,20}<(?:pre|code)(?:\s[^<>]{0,200})?>|</(?:code|pre)>")
_LONE_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")


class Told(msgspec.Struct, frozen=True):
    """One line. *raw* is what stands there, *text* what is seen, indentation kept."""

    number: int
    raw: str
    text: str
    part: Part
    fenced: bool = False


def lines(document: Document) -> Iterator[Told]:
    """Yield the lines of *document*, the programs and the front matter as hidden."""
    written = document.lines
    front = _front_matter(written)
    mark, ends, program = "", 0, False  # the fence we are in, and where it closes
    comment = False
    for number, raw in enumerate(written, start=1):
        text = unquoted(shown(raw))
        if "<pre" in text or "</pre" in text or "<code>" in text:
            text = _PRE.sub("", text)
        part = _part(text)
        if number <= front:
            part = "hidden"
        elif mark:
            if number == ends:
                mark, part = "", "close"
            elif program:
                part = "hidden"
        elif (opened := fence(text)) and (after := _closing(written, number, opened)):
            mark, ends = opened[0], after
            program = _is_program(written[number : after - 1], opened[1])
            part = "open"
        elif comment or (text.lstrip().startswith("<!--") and "-->" not in text):
            comment, part = "-->" not in text, "hidden"
        yield Told(number, raw, text, part, fenced=bool(mark) and part != "open")


def _part(text: str) -> Part:
    stripped = text.lstrip()
    if not stripped:
        return "blank"
    if stripped[0] == "<" and (
        stripped.startswith(_FOLDS) or _LONE_TAG.fullmatch(stripped)
    ):
        return "tag"
    if stripped.startswith("<!--") and stripped.endswith("-->"):
        return "hidden"
    return "rule" if is_rule(stripped) else "text"


def _front_matter(written: Sequence[str]) -> int:
    """Return the number of the last line of the front matter, 0 without one."""
    if written[0].rstrip() != "---":
        return 0
    is_front = False
    for number, raw in enumerate(written[1:_FRONT_MATTER], start=2):
        if raw.rstrip() in ("---", "..."):
            return number if is_front else 0
        is_front = is_front or raw.startswith(_FRONT_KEYS)
    return 0


def _closing(written: Sequence[str], number: int, opened: tuple[str, str]) -> int:
    """Return the number of the line that closes the fence opened on line *number*."""
    mark = opened[0]
    for index in range(number, len(written)):
        raw = written[index]
        if mark[:3] in raw:
            found = fence(unquoted(raw))
            if found and found[0].startswith(mark) and not found[1]:
                return index + 1
    return len(written) + 1


def _is_program(inside: Sequence[str], language: str) -> bool:
    short = [raw for raw in inside if len(raw) < 1000]
    if is_programming(language):
        return not any(command(raw) for raw in short)
    return any(is_program(raw) for raw in short)
