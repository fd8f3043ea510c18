"""The lines that a reader of running text takes for its own, and what holds there.

Blocks and what stands above a line are those of every document; what a program printed
of its settings holds for the figures below as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import replace

from benchdb.importing import blocks, naming, outline
from benchdb.importing.blocks import Line, Scanner, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import (
    banner,
    command,
    is_chatter,
    is_measured,
    is_program,
    names_nothing,
    shown,
    shows_bar,
    unmarked,
    unstamped,
)
from benchdb.importing.logs.settings import (
    Setting,
    begins_anew,
    settings_in,
    with_settings,
)
from benchdb.importing.outline import Outline
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRows

_T = TypeVar("_T")
Named = tuple[tuple[str, str | Cell], ...]
_LABEL_WIDTH = 300
_MACHINE_WIDTH = 60
_MEASURED = re.compile(r"\d\.\d|\d ?(?:[mµun]?s|[A-Za-z]+/s\w*|fps|[KMGT]i?B|x)(?!\w)")
_CELLS = 2  # marks between cells that are as many in the next line
_CODE_INDENT = 4  # from which on Markdown has code, and no headings
_LOGGER = re.compile(r"\[(?P<logger>[A-Za-z]\w{1,40})\]\s+(?P<name>\S.*)")
_GAP = re.compile(r" {2}|\t")


class Entry(msgspec.Struct, frozen=True):
    """A row to be: *named* are its cells by column, in their order.

    A text stands in the line of the row, a cell may stand in another. Entries with
    equal *part*, *context* and *settings* may stand in one sheet. One with a *fault*
    cannot be taken; it says why. *begins* is the line of a header above it.
    """

    line: int
    raw: str
    context: tuple[str, ...]
    named: Named
    part: int = 0
    fault: str | None = None
    settings: tuple[Setting, ...] = ()
    begins: int = 0


class LineMatch(msgspec.Struct, Generic[_T], frozen=True):
    """A line that a reader knows, and *made*, what it made of it.

    Lines with equal *block* stand together with nothing but rules between them.
    """

    line: int
    raw: str
    text: str
    context: tuple[str, ...]
    settings: tuple[Setting, ...]
    block: int
    made: _T

    def entry(self, cells: Named, part: int = 0, fault: str | None = None) -> Entry:
        """Return the row of *cells* that stands here."""
        above, settings = self.context, self.settings
        return Entry(self.line, self.raw, above, cells, part, fault, settings)


def matching_lines(
    document: Document, own: Callable[[Line], _T | None], *, everywhere: bool = False
) -> Iterator[LineMatch[_T]]:
    """Yield the lines of *document* that *own* makes something of, in their order.

    Every other line is structure, context, a setting, or nothing. With *everywhere*
    *own* is asked about headings, lines of programs and what nobody sees of a page as
    well, and a plain line right below one of its lines is nothing.
    """
    reader = _Lines(document)
    below = 0  # the number of a line that is nothing unless it leads others
    for line in reader.scanner:
        is_text = reader.is_text(line)
        asked = is_text or (everywhere and line.part in ("text", "hidden"))
        made = own(line) if asked else None
        if everywhere and (made is not None or (line.number == below and is_text)):
            below = line.number + 1
        if made is None:
            if is_text and (below != line.number + 1 or _leads(line)):
                reader.tell(line)
            continue
        reader.above.end_labels()
        context, settings = reader.above.context(), tuple(reader.settings.values())
        seen = (line.number, line.raw, line.text, context, settings)
        yield LineMatch(*seen, reader.block, made)
        if listed := bullet(line.text):
            words = unmarked(listed[1])[:_LABEL_WIDTH]
            reader.above.lead(words, line.indent, listed=True)


def _leads(line: Line) -> bool:
    """Tell whether *line* is marked as what stands above others."""
    ends = line.text.endswith((":", "："))
    return bool(ends or blocks.bold(line.words) or banner(line.words))


def is_output(document: Document) -> bool:
    """Tell whether a program printed *document*, as far as it shows.

    Beside fences, and in Markdown, lines are prose.
    """
    marked = document.name.lower().endswith((".md", ".markdown"))
    return not marked and "\n```" not in document.text


class _Lines:
    """The lines of a document, what holds where they are, and how they hang together.

    *measured* tells that a figure stood above in the same block, *warned* where the
    last warning stands: what is indented right below it is its line of source.
    """

    def __init__(self, document: Document) -> None:
        self.above = Outline()
        self.scanner = Scanner(document.lines, shown)
        self.settings: dict[str, Setting] = {}
        self.block = self._warned = 0
        self._outside: dict[str, Setting] = {}  # settings around a fence
        self._program = False
        self._measured = False
        self._printed = is_output(document)

    def is_text(self, line: Line) -> bool:
        """Tell whether *line* is one of text; follow it where it is structure."""
        written = self.scanner.written
        if line.part == "open":
            inside = written[line.number : self.scanner.end]
            self._program = is_program(inside, blocks.fence(line.words)[1])
            self._outside = dict(self.settings)
        if line.part == "close":
            self.settings = self._outside
        if line.fenced and self._program:
            pass
        elif line.part != "text":
            self._measured = False
            _step(line, self.above)
        elif title := _heading(line):
            self.above.begin(*title)
            if not (line.fenced or self._printed):
                self.settings = {}
        else:
            self._take(line)
            return True
        if line.part != "rule" or (line.fenced and self._program):
            self.block += 1
        return False

    def _take(self, line: Line) -> None:
        """Take what a line of text says of those below it: a fact, or settings."""
        self.above.narrow(line.indent, listed=bullet(line.text) is not None)
        if begins_anew(line.text):
            self.settings, self._measured = {}, False
        settings = [] if bullet(line.text) else settings_in(line.text, line.number)
        for setting in settings:
            if not self._measured or setting.key in self.settings or len(settings) > 1:
                self.settings[setting.key] = setting
        if not (settings or command(line.text)):
            self._measured = self._measured or bool(_MEASURED.search(line.text))

    def tell(self, line: Line) -> None:
        """Keep a line of text that is nobody's own as context."""
        source = line.indent > 0 and line.number == self._warned + 1
        if is_chatter(line.text):
            self._warned = line.number
        elif not source:
            _tell(line, self.scanner, self.above, printed=self._printed or line.fenced)
        self.block += 1


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


def _tell(line: Line, scanner: Scanner, above: Outline, *, printed: bool) -> None:
    """Keep a line of text that is nobody's own as context, if it names something."""
    text, words = line.text, line.words
    bold = blocks.bold(words)
    gapped = ":" not in text and "=" not in text and _GAP.search(text.strip())
    nothing = names_nothing(text) if printed else is_measured(text)
    below = scanner.written[line.number] if line.number < scanner.end else ""
    # Names of the columns below.
    heads = any(_CELLS <= text.count(it) == below.count(it) for it in ",;\t")
    ruled = "---" in below or "===" in below
    below = scanner.line(line.number).words if ruled else ""
    if shell := command(text):
        if not line.fenced:
            above.keep()
        above.begin(outline.COMMAND, shell[:_LABEL_WIDTH])
    elif bold:
        above.begin(outline.BOLD, bold.strip().rstrip(":")[:_LABEL_WIDTH])
    elif (title := banner(words)) and not names_nothing(title):
        above.begin(outline.BANNER + unstamped(words).startswith("-"), title)
    elif _is_machine(line, scanner):
        above.begin(outline.BOLD, words)
    elif (
        shows_bar(text) or words[0] in "|+│┃║" or gapped or nothing or settings_in(text)
    ) or heads:
        above.end_labels()
    elif below[:1] in ("=", "-") and blocks.is_rule(below):
        level = 1 if below[0] == "=" else 2
        above.begin(level + (outline.FENCED if line.fenced else 0), unmarked(text))
    else:
        listed = bullet(text)
        plain = unmarked(listed[1] if listed else unstamped(text))[:_LABEL_WIDTH]
        if text.endswith("{"):
            plain = plain.strip(" \"'{:")
        if listed:
            above.item(plain, line.indent)
        else:
            leads = text.endswith((":", "：", "{"))
            above.label(plain, line.indent, leads=leads)


def _is_machine(line: Line, scanner: Scanner) -> bool:
    """Tell whether *line* stands alone and is a machine's name: ``M4 Max, 64 GB``."""
    beside = scanner.written[max(line.number - 2, 0) : line.number + 1]
    if len(line.words) > _MACHINE_WIDTH or "".join(beside).strip() != line.words:
        return False
    chip = naming.chip(line.words)
    return chip is not None and not chip.rest.strip(" ,:()[]-/")


def as_sheets(kind: Kind, entries: Iterable[Entry]) -> tuple[Sheet, ...]:
    """Return the sheets of *entries*: one for each context, part and set of columns.

    They come in the order of their first rows.
    """
    groups: dict[object, list[Entry]] = {}
    latest: dict[object, list[Entry]] = {}
    for entry in map(_under_logger, entries):
        place = (entry.context, entry.settings, entry.part)
        if not (entry.fault and place in latest):
            header = tuple(name for name, _ in entry.named)
            latest[place] = groups.setdefault((place, header), [])
        latest[place].append(entry)
    sheets = []
    for group in groups.values():
        rows = SheetRows([name for name, _ in group[0].named])
        for entry in group:
            cells = [
                cell(it, entry.line, entry.raw) if isinstance(it, str) else it
                for _, it in entry.named
            ]
            rows.add(entry.line, cells, entry.raw, entry.fault)
        first = group[0].begins or group[0].line
        sheet = rows.sheet(kind, first, group[0].context)
        sheets.append(with_settings(sheet, group[0].settings))
    return tuple(sheets)


def _under_logger(entry: Entry) -> Entry:
    """Return *entry* under the name of the logger, ``[VAD]``, before its own name."""
    title, name = entry.named[0]
    logger = _LOGGER.match(name) if title == "key" and isinstance(name, str) else None
    if logger is None:
        return entry
    named = ((title, logger["name"]), *entry.named[1:])
    return replace(entry, context=(*entry.context, logger["logger"]), named=named)


def cell(text: str, line: int, raw: str) -> Cell:
    """Return the cell of *text*; *raw*, its line, is kept where it had escapes."""
    return Cell(text, line, raw if "\x1b" in raw or "\b" in raw else text)
