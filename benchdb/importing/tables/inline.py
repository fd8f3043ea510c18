"""What a cell or a line says once its markup is taken off: Markdown, HTML, entities.

Read from left to right, once. What is struck out was withdrawn, so it says nothing.
"""

import html
import re
from collections.abc import Callable

from benchdb.importing.tables import emphasis, formula, links, notes
from benchdb.importing.tables.code_spans import CodeSpans
from benchdb.importing.tables.emphasis import Run
from benchdb.importing.tables.links import NO_REFERENCES, Brackets
from benchdb.importing.tables.notes import Words
from benchdb.importing.tables.tags import Tag, tag_at

_MARKUP = re.compile(r"[\\`<\[\]!*_~&]")
_HTML = re.compile(r"[<&]")
_WORD = r"[^\\`<\[\]!*_~&$†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹\u00ad\u200b\u2060\ufeff\s]+"
_PLAIN = re.compile(f"{_WORD}(?: {_WORD})*")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_STRUCK = re.compile("del|s|strike")
_BREAKING = re.compile("br|p|div|li|ul|ol|tr|td|th|hr|table|thead|tbody")
# Others, such as <none> or <unknown>, are what the author wanted to say.
_SILENT = re.compile(
    "!|a|abbr|b|big|center|cite|code|dd|details|dl|dt|em|font|h[1-6]|i|img|ins|kbd|mark"
    "|nobr|picture|pre|q|samp|script|small|source|span|strong|style|sub|summary|svg"
    "|time|tt|u|var|wbr"
)
_NOTE_LENGTH = 12


def words(
    raw: str, *, references: frozenset[str] = NO_REFERENCES, markdown: bool = True
) -> Words:
    """Return what *raw* says, without markup and marks of footnotes.

    *references* are the labels, in lower case, of links and notes that are defined
    elsewhere in the document. Without *markdown* only HTML is markup.
    """
    if not raw or _PLAIN.fullmatch(raw):
        return Words(raw)
    raw = formula.plain(raw) if markdown else raw
    reading = _Reading(raw, references, markdown=markdown)
    marked = notes.without_marks(notes.spaced(reading.text()), stars="`" not in raw)
    return Words(marked.text, (*reading.notes, *marked.notes))


class _Reading:
    """A text on its way: *pieces* are what it says so far, markup to be decided on."""

    def __init__(self, raw: str, references: frozenset[str], *, markdown: bool) -> None:
        self._raw = raw
        self._code = CodeSpans(raw)
        self._brackets = Brackets(raw, references)
        self._runs: list[Run] = []
        self._struck: list[tuple[int, int]] = []
        self._open: dict[str, list[int]] = {}
        self.pieces: list[str] = []
        self.notes: list[str] = []
        take: dict[str, Callable[[int], int]] = {"<": self._tag, "&": self._entity}
        if markdown:
            take |= {"\\": self._escaped, "`": self._code_span, "!": self._bang}
            take |= {"[": self._opening, "]": self._closing}
            take |= dict.fromkeys("*_~", self._run)
        self._take = take
        self._scan(_MARKUP if markdown else _HTML)

    def text(self) -> str:
        """Return what is said, once it is known which runs are emphasis."""
        self._struck += emphasis.resolve(self._runs, self.pieces)
        depth = [0] * (len(self.pieces) + 1)
        for first, last in self._struck:
            depth[first] += 1
            depth[last] -= 1
        said, withdrawn = [], 0
        for piece, change in zip(self.pieces, depth, strict=False):
            withdrawn += change
            if not withdrawn:
                said.append(piece)
        return "".join(said)

    def _scan(self, markup: re.Pattern[str]) -> None:
        at = 0
        while found := markup.search(self._raw, at):
            if found.start() > at:
                self.pieces.append(self._raw[at : found.start()])
            at = self._take[found[0]](found.start())
        self.pieces.append(self._raw[at:])

    def _literal(self, text: str, after: int) -> int:
        self.pieces.append(text)
        return after

    def _escaped(self, at: int) -> int:
        behind = self._raw[at + 1 : at + 2]
        if behind and behind in _PUNCTUATION:
            return self._literal(behind, at + 2)
        return self._literal("\\", at + 1)

    def _code_span(self, at: int) -> int:
        length = emphasis.run_length(self._raw, at)
        end = self._code.closing(at, length)
        if end is None:
            return self._literal("`" * length, at + length)
        return self._literal(self._raw[at + length : end], end + length)

    def _entity(self, at: int) -> int:
        found = _ENTITY.match(self._raw, at)
        if found is None:
            return self._literal("&", at + 1)
        return self._literal(html.unescape(found[0]), found.end())

    def _run(self, at: int) -> int:
        length = emphasis.run_length(self._raw, at)
        run = emphasis.run(self._raw, at, length, len(self.pieces))
        if run is not None:
            self._runs.append(run)
        return self._literal(self._raw[at : at + length], at + length)

    def _bang(self, at: int) -> int:
        if self._raw.startswith("![", at):
            self._brackets.open(len(self.pieces), at + 1)
            return self._literal("![", at + 2)
        return self._literal("!", at + 1)

    def _opening(self, at: int) -> int:
        note = links.note(self._raw, at, self._brackets.references)
        if note is not None:
            self.notes.append(note.mark)
            return note.end
        self._brackets.open(len(self.pieces), at)
        return self._literal("[", at + 1)

    def _closing(self, at: int) -> int:
        link = self._brackets.close(at)
        if link is None:
            return self._literal("]", at + 1)
        self.pieces[link.piece] = ""
        return link.end

    def _tag(self, at: int) -> int:
        tag = tag_at(self._raw, at)
        if tag is None:
            return self._no_tag(at)
        name = tag.name
        if _BREAKING.fullmatch(name):
            self.pieces.append(" ")
        elif name == "sup" or _STRUCK.fullmatch(name):
            self._paired(tag)
        elif not _SILENT.fullmatch(name):
            return self._no_tag(at)
        return tag.end

    def _no_tag(self, at: int) -> int:
        """Take ``<https://…>`` without its brackets, and any other ``<`` as it is."""
        end = links.bare(self._raw, at)
        if end is None:
            return self._literal("<", at + 1)
        return self._literal(self._raw[at + 1 : end - 1], end)

    def _paired(self, tag: Tag) -> None:
        kind = "sup" if tag.name == "sup" else "struck"
        if not tag.closing:
            self._open.setdefault(kind, []).append(len(self.pieces))
        elif self._open.get(kind):
            first = self._open[kind].pop()
            if kind == "struck":
                self._struck.append((first, len(self.pieces)))
            else:
                self._raise(first)

    def _raise(self, first: int) -> None:
        """Take what is raised since piece *first* as the mark of a note, or a power."""
        inner = "".join(self.pieces[first:]).strip()
        before = "".join(self.pieces[max(0, first - 3) : first])
        power = notes.raised(before, inner)
        if power is None and len(inner) <= _NOTE_LENGTH:
            self.notes += [one for one in re.split(r"[\s,;\[\]()]+", inner) if one]
        for place in range(first, len(self.pieces)):
            self.pieces[place] = ""
        while self._runs and self._runs[-1].piece >= first:
            self._runs.pop()
        if power is not None or len(inner) > _NOTE_LENGTH:
            self.pieces.append(power or f" {inner}")
