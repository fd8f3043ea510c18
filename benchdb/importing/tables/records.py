"""The records of a CSV file with the lines that they stand in."""

import csv
import re
from collections.abc import Iterator, Sequence

import msgspec

_TOO_LONG = re.compile("field larger")


class Entry(msgspec.Struct, frozen=True):
    """A record in line *line*: its cells as they stand there.

    ``cells`` is empty for a blank line, and for one that cannot be read because of
    *fault*. *comment* is what stands behind the ``#`` of a comment.
    """

    line: int
    raw: str
    cells: tuple[str, ...] = ()
    comment: str | None = None
    fault: str | None = None

    @property
    def filled(self) -> tuple[str, ...]:
        """The cells that hold something."""
        return tuple(cell for cell in self.cells if cell)


def entries(lines: Sequence[str], first: int, delimiter: str) -> Iterator[Entry]:
    """Yield what stands in *lines*, the first of which is line *first*.

    A quote that is never closed makes its own line bad, and not those that follow.
    """
    at = 0
    while at < len(lines):
        raw = lines[at]
        if raw.lstrip().startswith("#"):
            yield _comment(raw, first + at, delimiter)
            at += 1
        elif '"' not in raw:
            yield Entry(first + at, raw, _plain(raw, delimiter))
            at += 1
        else:
            entry, taken = _quoted(lines, at, first, delimiter)
            yield entry
            at += taken


def _plain(raw: str, delimiter: str) -> tuple[str, ...]:
    if not raw.strip():
        return ()
    return tuple(cell.strip() for cell in raw.split(delimiter))


def _comment(raw: str, line: int, delimiter: str) -> Entry:
    behind = raw.lstrip()[1:]
    if behind[:1].isdigit() and delimiter in behind:  # "#1" is a rank
        return Entry(line, raw, _plain(raw, delimiter))
    return Entry(line, raw, comment=behind.lstrip("# ").rstrip())


def _quoted(
    lines: Sequence[str], at: int, first: int, delimiter: str
) -> tuple[Entry, int]:
    """Return the record that begins at place *at*, and how many lines it takes."""
    following = (lines[place] + "\n" for place in range(at, len(lines)))
    reader = csv.reader(
        following, delimiter=delimiter, strict=True, skipinitialspace=True
    )
    try:
        cells = next(reader)
    except csv.Error as error:
        why = "a field is too long" if _TOO_LONG.match(str(error)) else str(error)
        why = why.replace("unexpected end of data", "its quote is never closed")
        return Entry(first + at, lines[at], fault=why), 1
    taken = reader.line_num
    raw = "\n".join(lines[at : at + taken])
    return Entry(first + at, raw, tuple(cell.strip() for cell in cells)), taken
