"""The lines that a reader of running text takes for its own, and what they are.

Prompts, stamps of loggers, bars, warnings and terminal escapes are known here; blocks
and what stands above a line are those of every document.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from benchdb.importing import blocks, outline
from benchdb.importing.blocks import Line, Scanner, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.phrases import is_figure
from benchdb.importing.outline import Outline
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRows

_BANNER = re.compile(r"(?P<mark>[=\-*#~_])(?P=mark){1,200}[ \t]{1,20}(?P<text>\S.*)")
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
      | \d{{1,6}}(?:\.\d{{2}})?(?:\.\d{{3}}){{2}}[ ][DIWE][ ]{{1,4}}  # llama.cpp
      | \[?{_DATE}\]?[ ]{{0,4}}(?:[\-|:,][ ]{{1,4}})?
        (?:[\w.]{{1,80}}[ ][\-|:][ ](?={_LEVEL}))?
        (?:[\[(]?{_LEVEL}[\])]?(?:[ ]{{0,4}}[\-|:])?[ ]{{1,8}})?
      | [\[(]?{_LEVEL}(?:[\])][ ]{{0,4}}[\-|:]?|[ ]{{0,4}}[\-|:])[ ]{{1,8}}
    )
    """,
    re.VERBOSE,
)
_CHATTER = re.compile(
    r"(?:WARN|Warning|warnings\.warn|\[W\b|To enable them in other operations)"
    r"|[^:]{0,300}:\d{1,6}: \w{0,40}Warning: "
    r"|(?:ggml|llama|llm|whisper|clip|common)_\w{1,60}: "
    r"|\d[\d.]{8,20} [DIWE] |(?:slot|srv|que) +\w{1,60}: "  # llama-server's
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


def command(text: str) -> str | None:
    """Return the command that *text* shows behind a prompt."""
    stripped = text.strip()
    found = _PROMPT.fullmatch(stripped) or _BANG.fullmatch(stripped)
    return None if found is None else found[1].strip()


def unstamped(text: str) -> str:
    """Return *text* without what a logger writes before it: time, name, level."""
    found = _STAMP.match(text.lstrip())
    return text if found is None else text.lstrip()[found.end() :]


def is_chatter(text: str) -> bool:
    """Tell whether *text* is a warning of a program, which names nothing."""
    if " tensorflow/" in text and _TENSORFLOW.search(text):
        return True
    return _CHATTER.match(text.strip()) is not None


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


_PRE = re.compile(r"\s{0,20}<(?:pre|code)(?:\s[^<>]{0,200})?>|</(?:code|pre)>")


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
    if "<pre" in line or "</pre" in line or "<code>" in line:
        line = _PRE.sub("", line)
    return "" if len(line) > WIDTH_LIMIT else line.rstrip()


_T = TypeVar("_T")
_Named = tuple[tuple[str, str], ...]
_LABEL_WIDTH = 300
# Which model, machine and software: ``model_name = mistral:7b``, ``Device: mps``.
_STATED = re.compile(
    r"(?i)((?:model|network|device|machine|hardware|gpu|cpu|chip|framework|backend"
    r"|runtime|engine|dtype|precision|quanti[sz]ation)(?:[ _-]?(?:name|id|type))?)"
    r" ?(?:: |= ?)(?!=)([^\s:=][^:=|,]{0,60}?(?::\w[\w.-]{0,30})?)"
)
_MEASURED = re.compile(r"\d\.\d|\d ?(?:[mµun]?s|[A-Za-z]+/s\w*|fps|[KMGT]i?B|x)(?!\w)")
_CODE_INDENT = 4  # from which on Markdown has code, and no headings


class Entry(msgspec.Struct, frozen=True):
    """A row to be: *named* are its cells by column, in their order.

    Entries with equal *part* and *context* may stand in one sheet. One with a *fault*
    cannot be taken; it says why.
    """

    line: int
    raw: str
    context: tuple[str, ...]
    named: _Named
    part: int = 0
    fault: str | None = None


class LineMatch(msgspec.Struct, Generic[_T], frozen=True):
    """A line that a reader knows, and *made*, what it made of it.

    Lines with equal *block* stand together with nothing but rules between them.
    """

    line: int
    raw: str
    text: str
    context: tuple[str, ...]
    block: int
    made: _T

    def entry(self, cells: _Named, part: int = 0, fault: str | None = None) -> Entry:
        """Return the row of *cells* that stands here."""
        return Entry(self.line, self.raw, self.context, cells, part, fault)


def matching_lines(
    document: Document, own: Callable[[Line], _T | None]
) -> Iterator[LineMatch[_T]]:
    """Yield the lines of *document* that *own* makes something of, in their order.

    Every other line is structure, context, or nothing.
    """
    above, scanner = Outline(), Scanner(document.lines, shown)
    block, program, measured = 0, False, False
    for line in scanner:
        made = None
        if line.part == "open":
            inside = scanner.written[line.number : scanner.end]
            program = _is_program(inside, blocks.fence(line.words)[1])
        if line.fenced and program:
            pass
        elif line.part != "text":
            measured = False
            _step(line, above)
        elif title := _heading(line):
            above.begin(*title)
        else:
            above.narrow(line.indent)
            stated = _stated(line.text)
            if stated and not (measured and stated[0] not in above.stated):
                above.state(*stated)
            else:
                stated = None
                measured = measured or _MEASURED.search(line.text) is not None
            made = own(line)
            if made is None and not stated and not is_chatter(line.text):
                _tell(line, scanner, above)
        if made is not None:
            above.end_labels()
            context = above.context()
            yield LineMatch(line.number, line.raw, line.text, context, block, made)
        elif line.part != "rule" or (line.fenced and program):
            block += 1


def _stated(text: str) -> tuple[str, str] | None:
    """Return what a line such as ``model_name = X`` says of all below it, and itself.

    Below a figure of its own block it may be about that, unless it was said before.
    """
    plain = " ".join(unmarked(unstamped(text)).split())
    found = _STATED.fullmatch(plain) if len(plain) <= _LABEL_WIDTH else None
    if found is None or is_figure(found[2]):
        return None
    return found[1].casefold(), plain.replace(" :", ":", 1)


def _is_program(inside: Sequence[str], language: str) -> bool:
    short = [raw for raw in inside if len(raw) < 1000]
    if language and f" {language.strip('{}.')} " in _LANGUAGES:
        return not any(map(command, short))
    return any(_PROGRAM.match(raw.strip()) for raw in short)


def _heading(line: Line) -> tuple[int, str] | None:
    """Return the heading that *line* is by its own marks; a comment inside a fence."""
    marked = line.words.startswith("#") and line.indent < _CODE_INDENT
    title = blocks.heading(line.words) if marked else None
    words = unmarked(title[1]) if title else ""
    level = outline.FENCED if line.fenced else 0
    return (title[0] + level, words) if title and words else None


def _step(line: Line, above: Outline) -> None:
    """Follow a line that is no text: fences, folds, blank lines."""
    if line.part == "blank":
        above.end_labels()
    elif line.part == "open":
        above.enter("fence")
    elif line.part == "close":
        above.leave("fence")
    elif line.part == "tag":
        if "<details" in line.text:
            above.enter("fold")
        if "<summary" in line.text and (words := unmarked(line.text)):
            above.begin(outline.SUMMARY, words[:_LABEL_WIDTH])
        if "</details" in line.text:
            above.leave("fold")


def _tell(line: Line, scanner: Scanner, above: Outline) -> None:
    """Keep a line of text that is nobody's own as context."""
    text, words = line.text, line.words
    bold = blocks.bold(words)
    gapped = ":" not in text and "=" not in text and _GAP.search(text.strip())
    below = scanner.written[line.number] if line.number < scanner.end else ""
    ruled = "---" in below or "===" in below
    below = scanner.line(line.number).words if ruled else ""
    if shell := command(text):
        above.begin(outline.COMMAND, shell[:_LABEL_WIDTH])
    elif bold:
        above.begin(outline.BOLD, bold.strip().rstrip(":")[:_LABEL_WIDTH])
    elif title := banner(words):
        above.begin(outline.BANNER, title)
    elif shows_bar(text) or words[0] in "|+│┃║" or gapped:  # a row names nothing
        above.end_labels()
    elif below[:1] in ("=", "-") and blocks.is_rule(below):
        level = 1 if below[0] == "=" else 2
        above.begin(level + (outline.FENCED if line.fenced else 0), unmarked(text))
    else:
        listed = bullet(text)
        plain = unmarked(listed[1] if listed else unstamped(text))[:_LABEL_WIDTH]
        if text.endswith("{"):
            plain = plain.strip(" \"'{:")
        leads = listed is not None or text.endswith((":", "：", "{"))
        above.label(plain, line.indent, leads=leads)


def banner(words: str) -> str:
    """Return the title that *words* are, between two bars: ``=== vgg ===``."""
    drawn = _BANNER.fullmatch(words)
    title = drawn["text"].rstrip(drawn["mark"]) if drawn else ""
    named = title != drawn["text"] if drawn else False
    return unmarked(title) if named and any(map(str.isalnum, title)) else ""


def as_sheets(kind: Kind, entries: Iterable[Entry]) -> tuple[Sheet, ...]:
    """Return the sheets of *entries*: one for each context, part and set of columns.

    They come in the order of their first rows.
    """
    groups: dict[object, list[Entry]] = {}
    latest: dict[object, list[Entry]] = {}
    for entry in entries:
        place = (entry.context, entry.part)
        if not (entry.fault and place in latest):
            header = tuple(name for name, _ in entry.named)
            latest[place] = groups.setdefault((place, header), [])
        latest[place].append(entry)
    sheets = []
    for group in groups.values():
        rows = SheetRows([name for name, _ in group[0].named])
        for entry in group:
            cells = [cell(text, entry.line, entry.raw) for _, text in entry.named]
            rows.add(entry.line, cells, entry.raw, entry.fault)
        sheets.append(rows.sheet(kind, group[0].line, group[0].context))
    return tuple(sheets)


def cell(text: str, line: int, raw: str) -> Cell:
    """Return the cell of *text*; *raw*, its line, is kept where it had escapes."""
    return Cell(text, line, raw if "\x1b" in raw or "\b" in raw else text)
