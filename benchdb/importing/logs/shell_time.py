"""What ``time`` prints: of zsh, bash, POSIX, GNU, macOS, and IPython.

The first column is ``command``: what was timed, blank where nothing shows it. The other
columns are named by the words that the program prints beside its figures:
zsh ``user``, ``system``, ``cpu``, ``total``; bash, POSIX ``real``, ``user``, ``sys``;
macOS ``real``, ``user``, ``sys`` and, with ``-l``, ``maximum resident set size`` and so
on; GNU ``user``, ``system``, ``elapsed``, ``CPU``, ``maxresident``; with ``-v`` its
labels, such as ``Elapsed (wall clock) time (h:mm:ss or m:ss)``; IPython ``user``,
``sys``, ``total``, ``Wall time``, and of ``timeit`` ``per loop``, ``runs``, ``loops``,
``best of``.

Cells are as printed: macOS, POSIX, GNU, and the ``total`` of zsh have no unit; they
are seconds. GNU ``-v`` and ``maxresident`` count kbytes of 1024, macOS counts bytes.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.blocks import Line
from benchdb.importing.document import Document
from benchdb.importing.logs.log_lines import (
    Entry,
    LineMatch,
    as_sheets,
    command,
    matching_lines,
)
from benchdb.importing.sheet import Sheet

_LINES = 40  # of one reading
# By program, whether the line begins a reading, and the columns of the groups. Groups
# may also be a name and its figure, or pairs of them.
_FORMS = {
    "zsh begins: user, system, cpu, total": (
        r"(?:(?P<command>\S.*?) {1,8})?(\d\S*) {1,8}user {1,8}(\d\S*) {1,8}system"
        r" {1,8}(\d\S*) {1,8}cpu {1,8}(\d\S*) total"
    ),
    "shell:": r"(?P<name>real|user|sys)[ \t]{1,20}(?P<figure>\d[\d.,:hms']{0,19})",
    "macos begins: real, user, sys": (
        r"([\d.,]{1,16}) real {1,20}([\d.,]{1,16}) user {1,20}([\d.,]{1,16}) sys"
    ),
    "macos:": r"(?P<figure>\d{1,19}) {1,4}(?P<name>[a-z][a-z -]{2,40})",
    "gnu begins: user, system, elapsed, CPU, maxresident": (
        r"([\d.]{1,16})user ([\d.]{1,16})system ([\d.:]{1,16})elapsed "
        r"(\??[\d.]{0,8}%)CPU(?:.*?(\d{1,16})maxresident\)k)?.*"
    ),
    "gnu:": r"\d{1,19}inputs\+\d{1,19}outputs \(.{1,80}\)pagefaults .{1,40}",
    "gnu -v begins:": r'Command being timed:\s*"*(?P<command>.*?)"*',
    "ipython begins:": (
        r"CPU times:(?P<pairs>\s*[^\s,]+\s[^,]+(?:,\s*[^\s,]+\s[^,]+){0,3})"
    ),
    "ipython: Wall time": r"Wall time: {1,4}(?=\D*\d)(\S.{0,60})",
    "timeit begins: per loop, runs, loops": (
        r"(\S.{1,80}?) per loop \(mean ± std\. dev\. of ([\d.,]{1,12}) runs?, "
        r"([\d.,]{1,12}) loops? each\)"
    ),
    "timeit begins: per loop, loops, best of": (
        r"(?=.{0,50}: (\S.{1,40}) per loop)([\d.,]{1,12}) loops?, "
        r"best of ([\d.,]{1,12}): \S.{1,40} per loop.{0,80}"
    ),
    "gnu -v:": r"(?P<name>[A-Z][^:]{3,60}(?:\(h:mm:ss or m:ss\))?): (?P<figure>\S.*)",
}
_HEAD = re.compile(r"(?P<program>.*?)(?P<begins> begins)?: ?(?P<columns>.*)")
_PATTERNS = tuple(
    (head["program"], bool(head["begins"]), head["columns"], re.compile(pattern))
    for text, pattern in _FORMS.items()
    if (head := _HEAD.fullmatch(text))
)
_ALONE = ("shell", "ipython")  # of these a line may stand without the first one
_PREFIXES = ("%%timeit", "%timeit", "%%time", "%time", "\\time", "gtime", "time")
_OPTIONS = ("-v", "-l", "-p", "-lp", "-al", "--verbose")


class _Timed(msgspec.Struct, frozen=True):
    """What one line says; one that *begins* is the first of a reading."""

    program: str
    begins: bool
    figures: dict[str, str]
    command: str


class _Reading(msgspec.Struct):
    """One reading of the clock; its figures, each with its line."""

    first: LineMatch[_Timed]
    command: str
    figures: dict[str, tuple[str, int]] = {}

    def goes_on(self, line: LineMatch[_Timed]) -> bool:
        """Tell whether *line* is one more of this reading."""
        return (
            line.made.program == self.first.made.program
            and line.command == self.first.command
            and not line.made.begins
            and line.line - self.first.line <= _LINES
            and not self.figures.keys() & line.made.figures.keys()
        )


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the readings of ``time`` in *document*, one a row."""
    latest, since = "", 0

    def own(line: Line) -> _Timed | None:
        nonlocal latest, since
        open_ = latest if line.number - since <= _LINES else ""
        timed = None if command(line.text) else _timed(line.words, open_)
        if timed is not None and timed.begins:
            latest, since = timed.program, line.number
        return timed

    return as_sheets("time", map(_entry, _readings(matching_lines(document, own))))


def _timed(text: str, open_: str) -> _Timed | None:
    """Return what a line of a program that takes the time says, after *open_* began."""
    for program, begins, columns, pattern in _PATTERNS:
        follows = begins or program in (open_, *_ALONE)
        match = pattern.fullmatch(text) if follows else None
        if match is None:
            continue
        named = match.groupdict()
        figures = {named["name"]: named["figure"].strip()} if "name" in named else {}
        for pair in named["pairs"].split(",") if "pairs" in named else ():
            name, figure = pair.split(None, 1)
            figures[name.rstrip(":")] = figure
        places = range(1, pattern.groups + 1)
        unnamed = [at for at in places if at not in pattern.groupindex.values()]
        for name, at in zip(filter(None, columns.split(", ")), unnamed, strict=False):
            figures |= {name: match[at]} if match[at] else {}
        return _Timed(program, begins, figures, named.get("command") or "")
    return None


def _readings(lines: Iterator[LineMatch[_Timed]]) -> Iterator[_Reading]:
    """Yield the readings. A command line is that of the first one below it."""
    latest = 0
    reading: _Reading | None = None
    for line in lines:
        if reading is not None and not reading.goes_on(line):
            yield reading
            reading = None
        if reading is None:
            shell = line.command
            is_new = shell is not None and shell.line > latest
            text = _timed_command(shell.text) if shell is not None and is_new else ""
            reading = _Reading(line, line.made.command or text)
            latest = shell.line if shell is not None else latest
        reading.figures |= {
            name: (text, line.line) for name, text in line.made.figures.items()
        }
    if reading is not None:
        yield reading


def _entry(reading: _Reading) -> Entry:
    first = reading.first
    shell = first.command.text if first.command is not None else None
    context = tuple(text for text in first.context if text != shell)
    texts = {name: text for name, (text, _) in reading.figures.items()}
    named = (("command", reading.command), *texts.items())
    lines = (first.line, *(line for _, line in reading.figures.values()))
    return Entry(first.line, first.raw, context, named, lines=lines)


def _timed_command(shell: str) -> str:
    """Return the command that is timed, without ``time`` and its options."""
    words = shell.split(None, 1)
    if not words or words[0].rpartition("/")[2] not in _PREFIXES:
        return shell
    rest = words[1] if len(words) > 1 else ""
    while (option := rest.split(None, 1)) and option[0] in _OPTIONS:
        rest = option[1] if len(option) > 1 else ""
    return rest
