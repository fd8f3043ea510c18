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

    A bullet is one only where the table has a star. Others may stand behind lines of
    their paragraph that are none.
    """
    notes: dict[str, str] = {}
    missed = False
    for text in texts:
        match = _NOTE.match(text)
        if match is None or (match["bullet"] and "*" not in marks):
            if missed and not text:
                break
            missed = missed or bool(text)
            continue
        *written, words = filter(None, match.groups())
        mark = "*" * match[0].count("*", 0, match.start("text")) or written[0]
        mark = mark.translate(inline.LOWER)
        if missed and (match["bullet"] or mark not in marks):
            break
        notes.setdefault(mark, inline.words(words)[0])
    return tuple(notes.items())
