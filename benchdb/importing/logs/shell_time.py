"""What ``time`` prints: of zsh, bash, POSIX, tcsh, GNU, macOS, fish, and IPython.

The first column is ``command``: what was timed, blank where nothing shows it. The other
columns are named by the words that the program prints beside its figures:
zsh ``user``, ``system``, ``cpu``, ``total``; bash, POSIX ``real``, ``user``, ``sys``;
macOS ``real``, ``user``, ``sys`` and, with ``-l``, ``maximum resident set size`` and so
on; GNU ``user``, ``system``, ``elapsed``, ``CPU``, ``maxresident``; with ``-v`` its
labels, such as ``Elapsed (wall clock) time (h:mm:ss or m:ss)``; fish ``Executed in``,
``usr time``, ``sys time``; IPython ``user``, ``sys``, ``total``, ``Wall time``, and of
``timeit`` ``per loop``, ``runs``, ``loops``, ``best of``.

Cells are as printed: macOS, POSIX, GNU, and the ``total`` of zsh have no unit; they
are seconds. GNU ``-v`` and ``maxresident`` count kbytes of 1024, macOS counts bytes.
"""

import re
from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told, command
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.sheet import Sheet

_FIGURE = r"[\d.,:hms']{1,20}"
_SHELL = re.compile(rf"(real|user|sys)[ \t]{{1,20}}({_FIGURE})")
_MACOS = re.compile(
    r"([\d.,]{1,16})[ ]real[ ]{1,20}([\d.,]{1,16})[ ]user[ ]{1,20}([\d.,]{1,16})[ ]sys"
)
_MACOS_MORE = re.compile(r"(\d{1,19})[ ]{1,4}([a-z][a-z ]{3,50})")
_MACOS_LABELS = frozenset(
    {
        "maximum resident set size",
        "average shared memory size",
        "average unshared data size",
        "average unshared stack size",
        "page reclaims",
        "page faults",
        "swaps",
        "block input operations",
        "block output operations",
        "messages sent",
        "messages received",
        "signals received",
        "voluntary context switches",
        "involuntary context switches",
        "instructions retired",
        "cycles elapsed",
        "peak memory footprint",
    }
)
_GNU = re.compile(
    r"([\d.]{1,16})user ([\d.]{1,16})system ([\d.:]{1,16})elapsed (\??[\d.]{0,8}%)CPU"
)
_MAXRESIDENT = re.compile(r"(\d{1,16})maxresident\)k")
_GNU_MORE = re.compile(r"\d{1,19}inputs\+\d{1,19}outputs \(.{1,80}\)pagefaults .{1,40}")
_GNU_LABELS = (
    "User time (seconds)",
    "System time (seconds)",
    "Percent of CPU this job got",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)",
    "Average ",
    "Maximum resident set size (kbytes)",
    "Major (requiring I/O) page faults",
    "Minor (reclaiming a frame) page faults",
    "Voluntary context switches",
    "Involuntary context switches",
    "Swaps",
    "File system ",
    "Socket messages ",
    "Signals delivered",
    "Page size (bytes)",
    "Exit status",
)
_TIMED = "Command being timed:"
_TCSH = re.compile(
    r"([\d.]{1,16})u ([\d.]{1,16})s ([\d.:]{1,16}) ([\d.]{1,8}%) \d.{0,80}"
)
_FISH = re.compile(
    r"(Executed in|usr time|sys time)[ ]{1,8}([\d.]{1,16} [a-z]{1,12})"
    r"(?:[ ]{2}.{0,120})?"
)
_CPU_TIMES = "CPU times:"
_WALL = re.compile(r"Wall time:[ ]{1,4}(\S.{0,60})")
_LOOPS = re.compile(
    r"([\d.,]{1,12}) loops?, best of ([\d.,]{1,12}): (\S.{1,40}) per loop.{0,80}"
)
_TIMEIT = re.compile(
    r"(\S.{1,80}?) per loop \(mean ± std\. dev\. of ([\d.,]{1,12}) runs?, "
    r"([\d.,]{1,12}) loops? each\)"
)


class Timed(msgspec.Struct, frozen=True):
    """What one line says; one that *begins* is the first of a reading."""

    kind: str
    figures: tuple[tuple[str, str], ...] = ()
    command: str = ""
    begins: bool = False


def timed(text: str) -> Timed | None:
    """Return what a line of a program that takes the time says."""
    line = text.strip()
    if not line or not (line[0].isdigit() or any(char.isdigit() for char in line)):
        return _gnu_long(line)
    return (
        _zsh(line)
        or _shell(line)
        or _macos(line)
        or _gnu(line)
        or _gnu_long(line)
        or _ipython(line)
        or _others(line)
    )


def _zsh(line: str) -> Timed | None:
    if not line.endswith(" total"):
        return None
    words = line.rsplit(None, 8)
    if len(words) == 8:
        words = ["", *words]
    if len(words) != 9 or tuple(words[2::2]) != ("user", "system", "cpu", "total"):
        return None
    named = tuple((words[at], words[at - 1]) for at in (2, 4, 6, 8))
    if not all(figure[:1].isdigit() for _, figure in named):
        return None
    return Timed("zsh", named, words[0].strip(), begins=True)


def _shell(line: str) -> Timed | None:
    found = _SHELL.fullmatch(line)
    if found is None or not found[2][0].isdigit():
        return None
    return Timed("shell", ((found[1], found[2]),))


def _macos(line: str) -> Timed | None:
    if found := _MACOS.fullmatch(line):
        figures = zip(("real", "user", "sys"), found.groups(), strict=True)
        return Timed("macos", tuple(figures), begins=True)
    more = _MACOS_MORE.fullmatch(line)
    if more and more[2] in _MACOS_LABELS:
        return Timed("macos", ((more[2], more[1]),))
    return None


def _gnu(line: str) -> Timed | None:
    if found := _GNU.match(line):
        figures = list(
            zip(("user", "system", "elapsed", "CPU"), found.groups(), strict=True)
        )
        if memory := _MAXRESIDENT.search(line, found.end()):
            figures.append(("maxresident", memory[1]))
        return Timed("gnu", tuple(figures), begins=True)
    return Timed("gnu") if _GNU_MORE.fullmatch(line) else None


def _gnu_long(line: str) -> Timed | None:
    if line.startswith(_TIMED):
        timed_ = line[len(_TIMED) :].strip()
        return Timed("gnu -v", command=timed_.strip('"'), begins=True)
    name, colon, figure = line.rpartition(": ")
    if colon and name.startswith(_GNU_LABELS) and len(name) < 60:
        return Timed("gnu -v", ((name, figure.strip()),))
    return None


def _ipython(line: str) -> Timed | None:
    if line.startswith(_CPU_TIMES):
        parts = [part.split(None, 1) for part in line[len(_CPU_TIMES) :].split(",")]
        if len(parts) <= 4 and all(len(part) == 2 for part in parts):
            named = tuple((name.rstrip(":"), figure) for name, figure in parts)
            return Timed("ipython", named, begins=True)
    if found := _WALL.fullmatch(line):
        return Timed("ipython", (("Wall time", found[1]),))
    if found := _TIMEIT.fullmatch(line):
        named = tuple(zip(("per loop", "runs", "loops"), found.groups(), strict=True))
        return Timed("timeit", named, begins=True)
    if found := _LOOPS.fullmatch(line):
        named = (("per loop", found[3]), ("loops", found[1]), ("best of", found[2]))
        return Timed("timeit", named, begins=True)
    return None


def _others(line: str) -> Timed | None:
    """Return what tcsh and fish print."""
    if found := _TCSH.fullmatch(line):
        names = ("user", "system", "total", "cpu")
        return Timed(
            "tcsh", tuple(zip(names, found.groups(), strict=True)), begins=True
        )
    if found := _FISH.fullmatch(line):
        begins = found[1] == "Executed in"
        return Timed("fish", ((found[1], found[2]),), begins=begins)
    return None


_PREFIXES = ("%%timeit", "%timeit", "%%time", "%time", "\\time", "gtime", "time")
_OPTIONS = ("-v", "-l", "-p", "-lp", "-al", "--verbose")


class _Reading(msgspec.Struct):
    """One reading of the clock: lines of it are still to come."""

    first: Found[Timed]
    command: str
    figures: dict[str, str] = {}


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the readings of ``time`` in *document*, one a row."""
    return as_sheets("time", map(_entry, _readings(found(document, _own))))


def _own(told: Told) -> Timed | None:
    return None if command(told.text) else timed(told.text)


def _readings(lines: Iterator[Found[Timed]]) -> Iterator[_Reading]:
    """Yield the readings. A command line is that of the first one below it."""
    told = 0
    reading: _Reading | None = None
    for one in lines:
        if reading is not None and not _continues(reading, one):
            yield reading
            reading = None
        if reading is None:
            shell = one.command
            is_new = shell is not None and shell.line > told
            text = _bare(shell.text) if shell is not None and is_new else ""
            reading = _Reading(one, one.made.command or text)
            told = shell.line if shell is not None else told
        reading.figures.update(one.made.figures)
    if reading is not None:
        yield reading


def _continues(reading: _Reading, one: Found[Timed]) -> bool:
    line = one.made
    return (
        line.kind == reading.first.made.kind
        and one.command == reading.first.command
        and not line.begins
        and one.line - reading.first.line <= 40
        and not reading.figures.keys() & dict(line.figures).keys()
    )


def _entry(reading: _Reading) -> Entry:
    first = reading.first
    shell = first.command.text if first.command is not None else None
    context = tuple(text for text in first.context if text != shell)
    named = (("command", reading.command), *reading.figures.items())
    return Entry(first.line, first.raw, context, named)


def _bare(shell: str) -> str:
    """Return the command that is timed, without ``time`` and its options."""
    words = shell.split(None, 1)
    if not words or words[0].rpartition("/")[2] not in _PREFIXES:
        return shell
    rest = words[1] if len(words) > 1 else ""
    while (option := rest.split(None, 1)) and option[0] in _OPTIONS:
        rest = option[1] if len(option) > 1 else ""
    return rest
