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

from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.markings import command
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.logs.time_lines import Timed, timed
from benchdb.importing.sheet import Sheet

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
