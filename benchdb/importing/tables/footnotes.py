"""Texts of footnotes, right below their table."""

import re
from collections.abc import Collection, Iterable

from benchdb.importing.tables import inline

_NOTE = re.compile(
    r"""(?: \[\^ (?P<label>[^\[\]\s]{1,40}) \] :
      | (?P<stars>(?: \\\* \s* )+ | \*{2,3} (?= \s ) )
      | (?P<bullet>\*) (?= \s )
      | (?P<star>\*) (?= [^\s*] [^*]* $ )
      | (?P<sign>[†‡§¶]{1,3})
      | <sup> \s* (?P<sup>[^\s<>]{1,4}) \s* </sup>
      | (?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})
      ) \s* (?: : \s* )? (?P<text> \S.* )""",
    re.VERBOSE,
)
FOOTNOTE_LINES = 40  # that are looked at below a table
Footnotes = tuple[tuple[str, str], ...]


def below(texts: Iterable[str], marks: Collection[str]) -> Footnotes:
    """Return the footnotes that *texts* begin with, below a table that has *marks*.

    A bullet is one only where the table has a star.
    """
    notes: dict[str, str] = {}
    for text in filter(None, texts):
        match = _NOTE.match(text)
        if match is None or (match["bullet"] and "*" not in marks):
            break
        *written, words = filter(None, match.groups())
        mark = "*" * match[0].count("*", 0, match.start("text")) or written[0]
        notes.setdefault(mark.translate(inline.LOWER), inline.words(words)[0])
    return tuple(notes.items())
