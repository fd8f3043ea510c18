"""Cells with several figures, each with a unit, as a column for each of them.

``293tps/40tps (34MB RAM)`` under ``LFM2 (Prefill/Decode)`` are the columns ``LFM2
(Prefill)``, ``LFM2 (Decode)`` and ``LFM2 (RAM)``. Below ``speed avg/max``, or beside
it, ``1900 / 1992 tok/s`` are two columns, or rows: ``speed avg`` and ``speed max``.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from benchdb.importing.logs.line_text import words_of
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.quantity import parsed
from benchdb.importing.quantities.tokens import Mark
from benchdb.importing.quantities.unit_names import doubts, understood
from benchdb.importing.sheet import Cell, Sheet, SheetRow

_UNDIVIDED = ("key-value", "bullets", "sentences")  # a name for each figure
_BETWEEN = re.compile(r"\s*(?:[/;|&+·]|,\s)\s*(?=[~≈<>]?\d)|\s*[()]\s*")
_FIGURE = re.compile(
    r"(?P<figure>[~≈<>]?\d[\d.,]*\s?(?P<unit>[^\W\d_]{1,9}(?:/[^\W\d_]{1,9})?|%))"
    r"(?:\s(?P<word>[^\W\d_][\w ]{0,40}))?"
)
_LISTED = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*$")
_LIST = re.compile(r"\s*[/&|,;+]\s*")
_NAMED = words_of("statistics")
_STATISTICS = re.compile(
    rf"(?i)(?P<base>.*?)\s*\(?(?P<list>{_NAMED}(?:\s?/\s?{_NAMED})+)\)?"
)
_SLASH = re.compile(r"\s*/\s*(?=[~≈<>]?\d)")
_NUMBER = re.compile(r"[~≈<>]?\d[\d.,]*\s?(?P<unit>(?:[^\W\d_][\w/]{0,15}|%)?)")
_MOSTLY = 0.8  # of the cells: a remark among them is no part
_LIMIT = 100  # characters of a cell
_LOOKED_AT = 20  # cells of a column, of which some has several


class _Part(msgspec.Struct, frozen=True):
    """A figure of a cell as printed, its unit, and the word behind it."""

    printed: str
    spelt: str
    unit: tuple[str, str | None]
    word: str


def with_rows_of_statistics(sheet: Sheet) -> Sheet:
    """Return *sheet* with a row for each statistic that the first cell of one lists."""
    rows: list[SheetRow] = []
    for row in sheet.rows:
        label, *others = row.cells or (Cell("", row.line),)
        rows += [
            SheetRow(row.line, (replace(label, text=name), *cells))
            for name, cells in _of_statistics(label.text, others)
        ] or [row]
    return replace(sheet, rows=tuple(rows)) if len(rows) > len(sheet.rows) else sheet


def _of_statistics(name: str, cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    """Return *cells* for each statistic that *name* lists: ``speed avg/max``.

    What is no figure stays as it is in each; of which a single one is, nothing tells.
    """
    listed = _STATISTICS.fullmatch(name) if "/" in name else None
    titles = listed["list"].split("/") if listed else []
    lists = [_listed_figures(cell.text, len(titles)) for cell in cells]
    read = [*zip(cells, lists, strict=True)]
    if not any(lists) or any(_NUMBER.match(it.text) for it, own in read if not own):
        return []
    return [
        (
            f"{listed['base'] if listed else ''} {title.strip()}".strip(),
            [replace(cell, text=own[n]) if own else cell for cell, own in read],
        )
        for n, title in enumerate(titles)
    ]


def _listed_figures(text: str, count: int) -> list[str]:
    """Return the *count* figures that *text* lists; the last may have their unit."""
    pieces = _SLASH.split(text) if count else []
    numbers = [*filter(None, map(_NUMBER.fullmatch, pieces))]
    if not numbers or not len(pieces) == len(numbers) == count:
        return []
    unit = numbers[-1]["unit"]
    return [it[0] if it["unit"] else f"{it[0]} {unit}".strip() for it in numbers]


def divided(sheet: Sheet) -> Sheet:
    """Return *sheet* with a column for each figure of cells that have several."""
    if sheet.kind in _UNDIVIDED:
        return sheet
    columns: list[tuple[str, list[Cell]]] = []
    for n, header in enumerate(sheet.header):
        cells = [row.cells[n] for row in sheet.rows]
        parted = _of_statistics(header, cells) or _columns(header, cells)
        columns += parted or [(header, cells)]
    names = [name for name, _ in columns]
    if len(names) == len(sheet.header) or len({*map(str.casefold, names)}) < len(names):
        return sheet
    rows = zip(*(cells for _, cells in columns), strict=True)
    lines = (row.line for row in sheet.rows)
    return replace(
        sheet,
        header=tuple(names),
        rows=tuple(SheetRow(*it) for it in zip(lines, rows, strict=True)),
    )


def _columns(header: str, cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    """Return the columns that *cells* are; none where they hold a figure each."""
    printed = [cell for cell in cells if missing_of(cell.text) is None]
    if not any(len(_parts(cell.text)) > 1 for cell in printed[:_LOOKED_AT]):
        return []
    read = {cell.text: _parts(cell.text) for cell in printed}
    longest = max(read.values(), key=len, default=())
    divisible = sum(bool(read[cell.text]) for cell in printed)
    if len(longest) < 2 or divisible < len(printed) * _MOSTLY:
        return []
    texts = {text: _placed(parts, longest) for text, parts in read.items()}
    if any(placed is None and _is_figure(text) for text, placed in texts.items()):
        return []  # of which part it is, cannot be told
    # What else cannot be told stays whole, and is refused as such.
    return [
        (
            name,
            [
                replace(cell, text=placed.get(n, "") if placed else cell.text)
                for cell in cells
                for placed in [texts.get(cell.text)]
            ],
        )
        for n, name in enumerate(_names(header, longest))
    ]


def _parts(text: str) -> tuple[_Part, ...]:
    """Return the figures of a cell; none where it holds anything else."""
    pieces = [item for item in _BETWEEN.split(text[: _LIMIT + 1]) if item]
    matches = [_FIGURE.fullmatch(piece) for piece in pieces]
    if len(text) > _LIMIT or not all(matches) or (len(pieces) > 1 and _is_figure(text)):
        return ()
    parts = []
    for match in filter(None, matches):
        unit = understood(match["unit"])
        if not doubts(match["unit"]) and (unit is None or unit.base in "1x"):
            return ()
        key = (unit.base, unit.per) if unit else (match["unit"].casefold(), None)
        parts.append(_Part(match["figure"], match["unit"], key, match["word"] or ""))
    return tuple(parts)


def _is_figure(text: str) -> bool:
    """Tell whether a cell is one figure, whatever its decimal mark is."""
    marks: tuple[Mark, ...] = (".", ",")
    for mark in marks:
        with suppress(ValueError):
            parsed(text, decimal=mark)
            return True
    return False


def _placed(parts: Sequence[_Part], longest: Sequence[_Part]) -> dict[int, str] | None:
    """Return which of the *longest* parts those of a cell are, in the same order."""
    placed: dict[int, str] = {}
    at = 0
    for part in parts:
        fitting = [
            n
            for n, it in enumerate(longest[at:], at)
            if (it.unit, it.word.casefold()) == (part.unit, part.word.casefold())
        ]
        if not fitting or (len(fitting) > 1 and len(parts) < len(longest)):
            return None
        placed[fitting[0]] = part.printed
        at = fitting[0] + 1
    return placed


def _names(header: str, parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the names of the columns: by words, the list in *header*, or units."""
    listed = _LISTED.search(header)
    base = header[: listed.start()] if listed else header
    units = [part.unit for part in parts]
    unnamed = [part for part in parts if not part.word]
    titles = _LIST.split(listed[1]) if listed else []
    if len(titles) != len(unnamed):
        titles, whole = [], _LIST.split(header)
        if len(whole) == len(parts):
            yield from whole
            return
    for n, part in enumerate(parts, 1):
        if part.word:
            yield f"{base} ({part.word})"
        elif titles:
            yield f"{base} ({titles.pop(0)})"
        elif units.count(part.unit) == 1:
            yield f"{header} ({part.spelt})"
        else:
            yield f"{header} [{n}]"
