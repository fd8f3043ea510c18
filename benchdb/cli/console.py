"""What commands print: text that commands nothing, counts, bytes; and how they end."""

import atexit
import errno
import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Annotated, Any

import typer

from benchdb.errors import UsageError

# Control characters move the cursor or worse; format characters reorder a line.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")
_NARROWEST = 20  # columns
_FOLDED, _SHORTEST = 26, 8  # columns of a cell of several lines, and beside one other
NAME_LIMIT = 80  # characters; a name of a megabyte would hide the rest of a list
PROSE_LIMIT = 400
# What a full or broken disk answers; a stream, unlike a file, has no name.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

ONLY = "Only what is"


def option(
    text: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    panel: str | None = None,
    **more: Any,
) -> Any:
    """Return an option, explained by *text*, in a *panel* of the help.

    Its *default* is ``...`` where it has to be given, or a type has the option.
    """
    before = names if default is ... else (default, *names)
    return typer.Option(
        *before, metavar=metavar, help=text, rich_help_panel=panel, **more
    )


def argument(
    text: str,
    metavar: str | None = None,
    *,
    default: Any = ...,
    panel: str | None = None,
    **more: Any,
) -> Any:
    """Return an argument, explained by *text*; without a *default* it has to be."""
    return typer.Argument(
        default, metavar=metavar, help=text, rich_help_panel=panel, **more
    )


def flag(text: str, name: str, *, default: Any = False, **more: Any) -> Any:
    """Return an option of this *name* alone, such as one that is there or not."""
    return option(text, None, name, default=default, **more)


def narrowing(text: str, metavar: str = "NAME", *names: str, **more: Any) -> Any:
    """Return an option that leaves only some of what there is."""
    return option(text, metavar, *names, panel=ONLY, **more)


AsJson = Annotated[bool, flag("Print JSON, for programs.", "--json", default=...)]
Db = Annotated[
    str | None,
    option(
        "Another database than your own; or BENCHDB_DB.",
        *("PATH|URL", "--db"),
        envvar="BENCHDB_DB",
        show_default=False,
        default=...,
    ),
]


def plain(text: str, limit: int | None = None) -> str:
    """Return *text* with control and direction characters as visible escapes.

    What is longer than *limit* is cut there.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _HARMFUL
        else character
        for character in text
    )


def tell(text: str) -> None:
    """Say *text* on standard error, and go on where nobody can be told.

    The log of a night's campaign may have filled its disk; what was measured is safe
    in the database, so the campaign goes on.
    """
    with suppress(OSError):
        typer.echo(plain(text), err=True)


def conclude(lines: Iterable[str]) -> None:
    """Print *lines*, and go on where nobody can be told, as ``tell`` does."""
    every = [plain(line) for line in lines]
    try:
        for line in every:
            typer.echo(line)
    except OSError:
        sys.stdout = None  # nor is it tried at the end


def warn(text: str) -> None:
    """Say what the user should know, and go on."""
    tell(f"benchdb: warning: {text}")


def label_text(label: str, *, mine: bool) -> str:
    """Return a run's *label*, with whose measurement it is."""
    if label != "measured":
        return label
    return "measured here" if mine else "measured, contributed"


def counted(number: int, what: str) -> str:
    """Return *number* with its noun: ``1 run``, ``2 runs``, ``1,000 processes``."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what}{'es' if what.endswith('s') else 's'}"


def clock(seconds: float) -> str:
    """Return *seconds* as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def aligned(rows: Sequence[Sequence[str]], figures: Collection[int] = ()) -> list[str]:
    """Return one line per row, columns below each other, *figures* to the right.

    Wide characters are counted as a terminal shows them; no cell can command it.
    """
    shown = [
        [*(plain(cell, NAME_LIMIT) for cell in row[:-1]), plain(row[-1], PROSE_LIMIT)]
        for row in rows
    ]
    widths = [max(map(_width, column)) for column in zip(*shown, strict=True)]

    def padded(place: int, cell: str) -> str:
        space = " " * (widths[place] - _width(cell))
        return space + cell if place in figures else cell + space

    return ["  ".join(map(padded, count(), row)).rstrip() for row in shown]


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    figures: Collection[int] = (),
    first: Sequence[str] = (),
    folded: str = "",
) -> list[str]:
    """Return a table; on a terminal that is too narrow, what fits of its columns.

    Those that *first* names are kept before others, which are kept in their order; the
    column *folded* goes on in a further line before any is left out. That some are left
    out is said on standard error.
    """
    places = {name: place for place, name in enumerate(head)}
    order = [*(places[name] for name in first), *range(len(head))]
    kept = list(dict.fromkeys(order))
    room = terminal_width()
    while True:
        shown = sorted(kept)
        right = [place for place, column in enumerate(shown) if column in figures]
        cells = [[row[column] for column in shown] for row in (head, *rows)]
        lines = aligned(cells, right)
        excess = 0 if room is None else max(map(_width, lines)) - room
        if excess > 0 and places.get(folded) in kept:
            place = shown.index(places[folded])
            width = max(_width(row[place]) for row in cells) - excess
            if width >= _FOLDED or (len(kept) == 2 and width >= _SHORTEST):
                parts = (part for row in cells for part in _parts(row, place, width))
                lines, excess = aligned(list(parts), right), 0
        if excess <= 0 or len(kept) == 1:
            break
        kept.pop()
    if room is not None:
        lines = [
            line if _width(line) <= room else line[: room - 1] + "…" for line in lines
        ]
        if left := len(head) - len(kept):
            tell(f"benchdb: no room for {counted(left, 'column')} here")
    return lines


def _parts(row: Sequence[str], place: int, width: int) -> Iterator[list[str]]:
    """Yield the lines of *row*, whose cell at *place* takes so much *width*."""
    for number, text in enumerate(textwrap.wrap(row[place], width) or [""]):
        cells = list(row) if number == 0 else [""] * len(row)
        yield [*cells[:place], text, *cells[place + 1 :]]


def terminal_width() -> int | None:
    """Return the columns of the terminal that shows what is printed; None of a pipe."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def wrapped(line: str, indent: int) -> list[str]:
    """Return *line* as lines that a terminal has room for, the later ones indented."""
    room = terminal_width()
    if room is None or _width(line) <= room:
        return [line]
    indent = min(indent, room // 4)
    kept = textwrap.wrap(
        line, room, subsequent_indent=" " * indent, drop_whitespace=False
    )
    return [text.rstrip() for text in kept]


@lru_cache(4096)
def _width(line: str) -> int:
    if line.isascii() and line.isprintable():
        return len(line)
    from wcwidth import wcswidth  # noqa: PLC0415 - help does without it

    return int(wcswidth(line))


def print_list(
    items: Sequence[Any],
    line: Callable[[Any], str],
    *,
    as_json: bool,
    empty: str | None = None,
) -> None:
    """Print *items* as JSON, or a *line* of each; *empty* where there is none."""
    if as_json:
        import msgspec  # noqa: PLC0415 - help does without it

        rows = [msgspec.to_builtins(each) for each in items]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for each in items:
        typer.echo(line(each))
    if empty is not None and not items:
        typer.echo(empty)


def print_bytes(parts: Iterable[bytes]) -> None:
    """Write *parts*; raise ``UsageError`` where standard output is closed."""
    # Closed by whoever started us, Python has none.
    if sys.stdout is None:
        raise UsageError("there is no standard output; name a place with -o")
    sys.stdout.write("")  # so that a line of waiting gives way
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def run(command: Callable[[], object]) -> None:
    """Run *command*, and end the process with its status.

    Python would first free hundreds of thousands of objects one by one: a fourth of
    the time that a report takes. An error that nobody foresaw goes its usual way.
    """
    status = 0
    try:
        command()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        status = _complain(error)
    atexit._run_exitfuncs()
    os._exit(_flush() or status)


def _flush() -> int:
    """Hand on what is still to be written; return the status, not 0 if that failed."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return 1  # a reader who has seen enough is told nothing
    except OSError as error:
        return _complain(error)
    finally:
        with suppress(OSError):  # nobody is left who could be told
            if sys.stderr is not None:
                sys.stderr.flush()
    return 0


def _complain(error: OSError) -> int:
    why = plain(error.strerror or str(error))
    with suppress(OSError, AttributeError):  # standard error may be full, or closed
        sys.stderr.write(f"benchdb: cannot write to standard output: {why}\n")
    return 1
