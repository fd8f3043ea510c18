"""The blocks of a document, line by line: quotes, fences, headings, comments, tags.

Tables and running text are found among them in the same way. Not the block parser of
markdown-it-py: it keeps all of a document as objects, some kilobytes a line of a log.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

_FRONT_MATTER = 100  # lines in which it must end
_FRONT_KEYS = ("title:", "layout:", "date:", "author", "slug:", "tags:", "description:")
_QUOTES = re.compile(r"(?:[ \t]{0,9}>)+ ?")
_BULLET = re.compile(
    r"([ \t]*+)(?:[-*+•·▪‣◦●○–]|\d{1,9}[.)])(?:[ \t]++|$)(?:\[[ xX]\] )?"
)
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`]*)$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)")
_BOLD = re.compile(
    r"(?:\*\*(?=\S)([^*]+)\*\*|\*\*\*(?=\S)([^*]+)\*\*\*|__(?=\S)([^_]+)__"
    r"|<b>([^<]+)</b>|<strong>([^<]+)</strong>)[ \t]*:?"
)
_RULES = ("=", "-", "*", "_", "~", "─", "━", "═")
_FOLDS = ("<details", "</details", "<summary", "</summary")
_LONE_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_HIDING = re.compile(r"<(script|style)(?=[\s>])", re.IGNORECASE)
_PREFORMATTED = re.compile(r"<pre(?=[\s>])", re.IGNORECASE)

Part = Literal["text", "blank", "rule", "open", "close", "tag", "hidden"]


class Line(msgspec.Struct, frozen=True):
    """A line: *text* is what is seen of *raw*, out of quotes, indentation kept.

    *number* is 1 for the first. It opens or closes a code block, is inside (*fenced*),
    or outside of any.
    """

    raw: str
    text: str
    quotes: int = 0
    number: int = 0
    part: Part = "text"
    fenced: bool = False

    @property
    def words(self) -> str:
        """Return the text without its indentation."""
        return self.text.lstrip()

    @property
    def indent(self) -> int:
        """Return how far the text is indented; a tab is four wide."""
        blank = len(self.text) - len(self.words)
        return len(self.text[:blank].expandtabs(4))


class Scanner:
    """The lines of a document in order.

    *at* is the place of the next line, 0 for the first; who takes more than a line
    moves it on. *end* is the place of what closes the code block that is open
    (*fenced*), or the number of lines. What is *seen* of a line may be less than what
    stands there.
    """

    def __init__(
        self, written: Sequence[str], seen: Callable[[str], str] | None = None
    ) -> None:
        """Begin behind the front matter."""
        self.written = written
        self.at = _front_matter(written)
        self.end = len(written)
        self.fenced = False
        self._seen = seen

    def line(self, place: int) -> Line:
        """Return the line at *place*, as text."""
        raw = self.written[place]
        return unquoted(self._seen(raw) if self._seen else raw)

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines from *at* on, those that nobody sees as hidden."""
        hidden = 0  # the place up to which nothing is seen
        while self.at < len(self.written):
            place = self.at
            self.at += 1
            line = self.line(place)
            text, words, inside = line.text, line.words, self.fenced
            part, tagged = _part(words), words.startswith("<")
            if place < hidden:
                part = "hidden"
            elif self.fenced and place == self.end:
                self.end, part = len(self.written), "close"
                self.fenced = False
            elif self.fenced:
                pass
            elif fence(words)[0]:
                self.end, part = self._closing(place), "open"
                self.fenced = True
            elif tagged and _PREFORMATTED.match(words) and "</pre" not in words.lower():
                self.end, part = self._behind("</pre", place + 1) - 1, "open"
                self.fenced = True
            elif tagged and (silent := _HIDING.match(words)):
                hidden, part = self._behind(f"</{silent[1]}", place), "hidden"
            elif "<!--" in text and (start := _open_comment(text)) is not None:
                hidden, text = self._behind("-->", place + 1), text[:start].rstrip()
                part = "text" if text else "hidden"
            raw = self.written[place]
            yield Line(raw, text, line.quotes, place + 1, part, inside and self.fenced)

    def _behind(self, pattern: str, place: int) -> int:
        """Return the place behind the first line from *place* on with *pattern*."""
        closing = re.compile(pattern, re.IGNORECASE)
        places = range(place, len(self.written))
        last = (number for number in places if closing.search(self.written[number]))
        return next(last, len(self.written) - 1) + 1

    def _closing(self, place: int) -> int:
        """Return the place of the line that closes the fence at *place*.

        The end of the quote that it stands in closes it as well.
        """
        first = unquoted(self.written[place])
        mark = fence(first.words)[0]
        for at in range(place + 1, len(self.written)):
            line = unquoted(self.written[at])
            closes = mark and line.words.startswith(mark) and not line.words.strip(mark)
            if closes or line.quotes < first.quotes:
                return at
        return len(self.written)


def unquoted(raw: str) -> Line:
    """Return the line without the marks of block quotes; a prompt ``>>>`` stays."""
    quotes = 0
    quoted = ">" in raw[:80] and not raw.lstrip().startswith(">>>")
    if quoted and (marks := _QUOTES.match(raw)):
        quotes = marks[0].count(">")
        raw = raw[marks.end() :]
    return Line(raw, raw.rstrip(), quotes)


def _part(words: str) -> Part:
    if not words:
        return "blank"
    if words[0] == "<" and (words.startswith(_FOLDS) or _LONE_TAG.fullmatch(words)):
        return "tag"
    if words.startswith("<!--") and words.endswith("-->"):
        return "hidden"
    return "rule" if is_rule(words) else "text"


def _open_comment(text: str) -> int | None:
    """Return where a comment begins that goes on below *text*."""
    start = text.find("<!--")
    if start < 0 or text.find("-->", start) >= 0 or text.count("`", 0, start) % 2:
        return None
    return start


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines of front matter *lines* begin with.

    Logs may begin with a line of dashes too: a key that front matter has must follow.
    """
    marks = ("---", "...")
    ends = [
        at for at, line in enumerate(lines[:_FRONT_MATTER]) if line.rstrip() in marks
    ]
    if len(ends) < 2 or ends[0] > 0:
        return 0
    keyed = any(line.startswith(_FRONT_KEYS) for line in lines[: ends[1]])
    return ends[1] + 1 if keyed else 0


def fence(words: str) -> tuple[str, str]:
    """Return the mark and the language of the fence that *words* are; else blanks."""
    marked = _FENCE.match(words) if words[:1] in ("`", "~") else None
    if marked is None:
        return "", ""
    return marked[1], "".join(marked[2].split()[:1]).lower()


def bullet(text: str) -> tuple[int, str] | None:
    """Return how far the bullet *text* is indented, and its words."""
    mark = _BULLET.match(text)
    if mark is None or is_rule(text):
        return None
    return len(mark[1].expandtabs(4)), text[mark.end() :].strip()


def heading(words: str) -> tuple[int, str] | None:
    """Return the level and the words of an ATX heading, if *words* are one."""
    marked = _HEADING.match(words) if words.startswith("#") else None
    if marked is None:
        return None
    title = marked[2].rstrip()
    bare = title.rstrip("#")
    return len(marked[1]), bare.rstrip() if bare[-1:] in ("", " ", "\t") else title


def is_rule(text: str) -> bool:
    """Tell whether *text* is a line of one mark, such as ``-----``."""
    words = text.strip()
    return words[:1] in _RULES and len(words) > 2 and not words.strip(words[0])


def bold(words: str) -> str | None:
    """Return what is bold if *words* are so from their beginning to their end."""
    marked = _BOLD.fullmatch(words) if words[:1] in ("*", "_", "<") else None
    return marked and next(filter(None, marked.groups()))
