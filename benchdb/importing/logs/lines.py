"""The lines of a document with their parts: text, fences, folds, and what is hidden."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from benchdb.importing import blocks
from benchdb.importing.document import Document

_BANNER = re.compile(r"(?P<mark>[=\-*#~_])(?P=mark){1,200}[ \t]{1,20}(?P<text>\S.*)")
_RULE = re.compile(r"(?P<mark>[=\-*_~─━═])(?P=mark){2,}")
_BOLD = re.compile(
    r"(?:\*\*|__|<b>|<strong>)([^*<]{1,200})(?:\*\*|__|</b>|</strong>):?"
)
_BULLET = re.compile(
    r"(\s*+)(?:[-*+•·▪‣◦●○–][ \t]++|\d{1,3}[.)][ \t]++)(?:\[[ xX]\] )?"
)
_QUOTE = re.compile(r"(?: {0,3}> ?){1,8}")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--.{0,300}?-->")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_PROMPT = re.compile(
    r"""
    (?:\([\w.\-]{1,40}\)[ ]{1,2})?
    (?: [\w.\-]{1,40}@[\w.\-]{1,60}[^$%#]{0,80}[$%\#]
      | [$%\u276f\u279c] | >>> | In[ ]\[[\d ]{0,6}\]: | (?:PS[ ])?[A-Z]:\\[^<>|]{0,80}>
    )[ \t]{1,8}(\S.*)
    """,
    re.VERBOSE,
)
_BANG = re.compile(r"!([\w./]{1,200}(?: .*)?)")
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|debug|info|warning)"
_DATE = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
)
_STAMP = re.compile(
    rf"""
    (?: [IWE]\d{{4}}[ ][\d:.]{{8,20}}[ ]{{1,8}}\d{{1,10}}[ ]
        [\w./\-]{{1,80}}:\d{{1,6}}\][ ]
      | (?:{_LEVEL}:[\w.]{{1,80}}:)
      | \[?{_DATE}\]?[ ]{{0,4}}(?:[\-|:,][ ]{{1,4}})?
        (?:[\w.]{{1,80}}[ ][\-|:][ ](?={_LEVEL}))?
        (?:[\[(]?{_LEVEL}[\])]?(?:[ ]{{0,4}}[\-|:])?[ ]{{1,8}})?
      | [\[(]?{_LEVEL}(?:[\])][ ]{{0,4}}[\-|:]?|[ ]{{0,4}}[\-|:])[ ]{{1,8}}
    )
    """,
    re.VERBOSE,
)
_CHATTER = re.compile(
    r"(?:WARN|Warning|warnings\.warn|\[W\b)|[^:]{0,300}:\d{1,6}: \w{0,40}Warning: "
)
_TENSORFLOW = re.compile(r" [IWE] tensorflow/")
_BAR = re.compile(r"\d%\||\d ?\[=*[>.=]|━━|[█▏▎▍▌▋▊▉]")
_GAP = re.compile(r" {2}|\t")
_PROGRAM = re.compile(
    r"import [\w.]{1,80}(?:,| as |;|$)|from [\w.]{1,80} import |def \w{1,80}\("
    r"|class \w{1,80}[(:]|if __name__|#include|#!/|fn main|func \w{1,80}\("
    r"|using (?:namespace|[A-Z]\w{0,80}[.;])|public (?:class|static)|const \w{1,80} ="
)
_LANGUAGES = (
    " python py python3 swift c cpp c++ objc metal cuda rust go js javascript ts "
    "typescript java julia r ruby html css sql dockerfile makefile bibtex latex "
)


class Heading(msgspec.Struct, frozen=True):
    """A heading; of two, the one with the larger *level* is the inner one."""

    level: int
    text: str
    line: int = 0


def heading(text: str, *, fenced: bool) -> Heading | None:
    """Return the heading that *text* is by its own marks; a comment inside a fence."""
    found = blocks.heading(text.lstrip(" ")) if indentation(text) < 4 else None
    words = unmarked(found[1]) if found else ""
    return Heading(found[0] + (30 if fenced else 0), words) if found and words else None


def minor_heading(text: str) -> Heading | None:
    """Return the banner or the bold line that *text* is."""
    stripped = text.strip()
    if found := _BOLD.fullmatch(stripped):
        return Heading(20, found[1].strip().rstrip(":"))
    if found := _BANNER.fullmatch(stripped):
        words = found["text"].rstrip(found["mark"])
        if words != found["text"] and words.strip():
            return Heading(15, unmarked(words))
    return None


def is_rule(text: str) -> bool:
    """Tell whether *text* is a line of one mark, such as ``-----``."""
    return _RULE.fullmatch(text.strip()) is not None


def is_program(text: str) -> bool:
    """Tell whether *text* is a line of a program, not of what one prints."""
    return _PROGRAM.match(text.strip()) is not None


def is_programming(language: str) -> bool:
    """Tell whether a fence of *language* holds a program."""
    return bool(language) and f" {language.strip('{}.')} " in _LANGUAGES


def command(text: str) -> str | None:
    """Return the command that *text* shows behind a prompt."""
    stripped = text.strip()
    found = _PROMPT.fullmatch(stripped) or _BANG.fullmatch(stripped)
    return None if found is None else found[1].strip()


def bullet(text: str) -> tuple[int, str] | None:
    """Return how far the bullet *text* is indented, and its words."""
    found = _BULLET.match(text)
    if found is None or is_rule(text):
        return None
    return len(found[1].expandtabs(4)), text[found.end() :].strip()


def indentation(text: str) -> int:
    """Return the width of the blank before *text*; a tab is four wide."""
    return len(text[: len(text) - len(text.lstrip())].expandtabs(4))


def unquoted(text: str) -> str:
    """Return *text* without the marks of a block quote; a prompt ``>>>`` stays."""
    if text.lstrip().startswith(">>>"):
        return text
    found = _QUOTE.match(text)
    return text if found is None else text[found.end() :]


def unstamped(text: str) -> str:
    """Return *text* without what a logger writes before it: time, name, level."""
    found = _STAMP.match(text.lstrip())
    return text if found is None else text.lstrip()[found.end() :]


def is_chatter(text: str) -> bool:
    """Tell whether *text* is a warning of a program, which names nothing."""
    if " tensorflow/" in text and _TENSORFLOW.search(text):
        return True
    return _CHATTER.match(text.strip()) is not None


def is_row(text: str) -> bool:
    """Tell whether *text* is a row of a table or a bar, which names nothing either."""
    if shows_bar(text) or text.lstrip()[0] in "|+│┃║":
        return True
    return ":" not in text and "=" not in text and _GAP.search(text.strip()) is not None


def shows_bar(text: str) -> bool:
    """Tell whether *text* holds a bar of progress, drawn by Keras or tqdm."""
    return _BAR.search(text) is not None


def unmarked(text: str) -> str:
    """Return *text* without emphasis, links, tags and a colon at its end."""
    if "<" in text:
        text = _TAG.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text.replace("**", "").replace("`", "").strip().rstrip(":： \t")


WIDTH_LIMIT = 10_000  # characters of a line; a longer one is no line for people

# CSI, OSC, character sets, and single characters; nothing in it can backtrack.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|[()*+][0-9A-Z]|[ -~])?"
    r"|\x9b[0-?]*+[ -/]*+[@-~]"
)
# What is left of colours where the escape character itself was lost on the way.
_ORPHAN = re.compile(r"\[[0-9]{0,3}(?:;[0-9]{1,3}){0,4}m")


def shown(line: str) -> str:
    """Return *line* as it looks in the end; empty if it is too long to be one."""
    if "\b" in line:
        line = line.rstrip("\b \r")
        line = line[line.rfind("\b") + 1 :]
    if len(line) > 4 * WIDTH_LIMIT:
        return ""
    if "\x1b" in line or "\x9b" in line:
        line = _ESCAPE.sub("", line)
    if "[0m" in line:
        line = _ORPHAN.sub("", line)
    return "" if len(line) > WIDTH_LIMIT else line.rstrip()


Part = Literal["text", "blank", "rule", "open", "close", "tag", "hidden"]
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
    front = blocks.front_matter(written)
    ends, program, comment = 0, False, False  # the fence we are in ends on that line
    for number, raw in enumerate(written, start=1):
        text = unquoted(shown(raw))
        if "<pre" in text or "</pre" in text or "<code>" in text:
            text = _PRE.sub("", text)
        part = _part(text)
        if number <= front:
            part = "hidden"
        elif ends and number == ends:
            ends, part = 0, "close"
        elif ends:
            part = "hidden" if program else part
        elif opened := blocks.fence(text.lstrip()):
            ends = blocks.closing(written, number - 1, len(written)) + 1
            program = _is_program(written[number : ends - 1], opened.language)
            part = "open"
        elif comment or (text.lstrip().startswith("<!--") and "-->" not in text):
            comment, part = "-->" not in text, "hidden"
        yield Told(number, raw, text, part, fenced=bool(ends) and part != "open")


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


def _is_program(inside: Sequence[str], language: str) -> bool:
    short = [raw for raw in inside if len(raw) < 1000]
    if is_programming(language):
        return not any(command(raw) for raw in short)
    return any(is_program(raw) for raw in short)
