"""Texts of footnotes: defined anywhere (``[^1]: …``), or right below a table."""

import re
from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import inline

_DEFINED = re.compile(r"\[(\^?)([^\[\]]{1,60})\](:?)[ \t]*(.*)")
_BELOW = re.compile(
    r"""(?: (?P<escaped>\\\*) \s* (?:\\\*\s*)*
      | (?P<stars>\*{2,3}) (?= \s ) \s*
      | (?P<bullet>\*) \s+
      | (?P<star>\*) (?= [^\s*] )
      | (?P<sign>[†‡§¶]{1,3}) \s*
      | <sup> \s* (?P<sup>[^\s<>]{1,4}) \s* </sup> \s*
      | (?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}) \s*
      ) (?: : \s* )? (?P<text> \S.* )""",
    re.VERBOSE,
)
FOOTNOTE_LINES = 40  # that are looked at below a table


class Definitions(msgspec.Struct, frozen=True):
    """What a document defines: the texts of notes, and the labels of notes and links.

    The labels are in lower case.
    """

    notes: Mapping[str, str] = {}
    references: frozenset[str] = frozenset()


def definitions(lines: Iterable[str]) -> Definitions:
    """Return what *lines* define in square brackets at their beginning."""
    notes: dict[str, str] = {}
    labels: set[str] = set()
    for line in lines:
        match = _DEFINED.match(line.lstrip("> \t")) if "]" in line[:80] else None
        if match is None:
            continue
        caret, label, colon, text = match.groups()
        numbered = label.isdecimal() and bool(text) and text[0] not in "([:"
        if colon or numbered:
            labels.add(label.casefold())
        if (caret and colon) or numbered:
            notes.setdefault(label, inline.words(text)[0])
    return Definitions(notes, frozenset(labels))


def below(texts: Iterable[str], used: frozenset[str]) -> dict[str, str]:
    """Return the footnotes that *texts*, the lines right below a table, begin with.

    A bullet is one if it is the only one there and no blank line stands between, or if
    the table has the mark (*used*).
    """
    notes: dict[str, str] = {}
    blanks, bullets = 0, 0
    for text in texts:
        match = _BELOW.match(text)
        if match is None:
            if text or blanks:
                break
            blanks += 1
            continue
        if match["star"] and "*" in match["text"]:
            break  # italics
        bullets += bool(match["bullet"])
        if not match["bullet"] or not blanks or "*" in used:
            mark = next(filter(None, match.groups()))
            if match["escaped"]:
                mark = "*" * match[0][: match.start("text")].count("*")
            mark = mark.translate(inline.LOWER)
            notes.setdefault(mark, inline.words(match["text"])[0])
    if bullets > 1:
        notes.pop("*", None)
    return notes


def of_table(
    marks: Iterable[str], defined: Definitions, texts: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Return the footnotes of a table with *marks* in it and *texts* below it."""
    used = dict.fromkeys(marks)
    notes = {mark: defined.notes[mark] for mark in used if mark in defined.notes}
    return tuple((notes | below(texts, frozenset(used))).items())


def with_below(sheet: Sheet, texts: Iterable[str]) -> Sheet:
    """Return *sheet* with the footnotes that *texts*, right below it, begin with."""
    marks = (mark for row in sheet.rows for cell in row.cells for mark in cell.notes)
    notes = dict(sheet.footnotes) | below(texts, frozenset(marks))
    return replace(sheet, footnotes=tuple(notes.items()))
