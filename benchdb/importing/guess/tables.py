"""One table of a document: what its columns, rows and headings are taken to be."""

import re
from collections.abc import Mapping, Sequence
from typing import get_args

import msgspec

from benchdb.importing.guess import fields, logs, sections
from benchdb.importing.guess.devices import with_sides
from benchdb.importing.guess.facts import PROSE
from benchdb.importing.guess.fields import ASSUMED, Guess, told_by
from benchdb.importing.guess.hardware import hardware
from benchdb.importing.guess.header_terms import Ideas, ideas
from benchdb.importing.guess.headings import headings
from benchdb.importing.guess.machines import Machines
from benchdb.importing.guess.pivots import Pivot, pivots
from benchdb.importing.guess.profile import Cells, cells, unit_in
from benchdb.importing.guess.repeats import with_tellers
from benchdb.importing.guess.rows import metric_rows
from benchdb.importing.guess.values import value
from benchdb.importing.guess.workloads import words_of
from benchdb.importing.mapping.language import Column, Fields, Table
from benchdb.importing.quantities.cell import convention
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.chips import chips
from benchdb.importing.sheet import Reader, Sheet

Note = tuple[str, str]
_READERS = get_args(Reader)


class Drafted(msgspec.Struct):
    """A table in the making; *notes* go by the part of the table they are about."""

    table: Table
    sheet: Sheet
    notes: dict[tuple[str, ...], list[Note]] = {}
    told: set[str] = set()


def drafted(
    sheets: Sequence[Sheet], machines: Machines, *, alone: bool
) -> Drafted | None:
    """Return the table that explains *sheets*, which have the same header.

    *alone*: others with that header mean something else. ``None`` where they have no
    figures.
    """
    looks = _looks(sheets)
    notes: dict[tuple[str, ...], list[Note]] = {}
    guesses = _guesses(looks, sheets, machines)
    if not any(one.column.is_ in ("value", "ratio") for one in guesses.values()):
        return None
    columns: dict[str, Column] = {}
    for n, guess in sorted(guesses.items()):
        header = sheets[0].header[n]
        columns[header] = guess.column
        if guess.notes:
            notes["columns", header] = list(guess.notes)
    told = told_by(guesses.values())
    if not any(one.column.is_ == "value" for one in guesses.values()):
        told |= {"device", "machine", "framework"}  # a ratio is between two of them
    differ = {"machine"} if _name_chips(looks, guesses) else set()
    values = [one.column for one in guesses.values() if one.column.is_ == "value"]
    if any("framework" in one.set for one in values):  # and not in the others
        differ.add("framework")
    said = headings(sheets, told | differ, machines, notes)
    said |= sections.told_apart(sheets, columns, said, notes)
    table = Table(
        header=tuple(sheets[0].header),
        lines=(sheets[0].line, sheets[0].line) if alone else None,
        read=_reader(sheets[0]),
        headings=said,
        columns=columns,
    )
    told |= {name for one in said.values() for name in one.set}
    return Drafted(table, sheets[0], notes, told)


def _name_chips(looks: Sequence[Cells], guesses: Mapping[int, Guess]) -> bool:
    """Tell whether words of the rows name chips, so that no heading's holds for all."""
    words = [one for n, one in enumerate(looks) if guesses[n].column.is_ == "field"]
    named = {chip.name for one in words for text in one.texts for chip in chips(text)}
    return len(named) > 1


def _reader(sheet: Sheet) -> Reader | None:
    return next((one for one in _READERS if one == sheet.kind), None)


def _looks(sheets: Sequence[Sheet]) -> list[Cells]:
    rows = [row for sheet in sheets for row in sheet.rows]
    full = [row for row in rows if any(cell.text.strip() for cell in row.cells[1:])]
    texts = [
        [row.cells[n].text for row in full or rows]
        for n in range(len(sheets[0].header))
    ]
    named = list(zip(sheets[0].header, texts, strict=True))
    alone = [cells(header, own) for header, own in named]
    numbers = (text for one in alone if one.figures for text in one.texts)
    whole = convention(numbers)
    return [cells(header, own, whole) for header, own in named] if whole else alone


def _guesses(
    looks: Sequence[Cells], sheets: Sequence[Sheet], machines: Machines
) -> dict[int, Guess]:
    settled = logs.known(sheets[0])
    found = {
        n: guess
        for n, one in enumerate(looks)
        if (guess := settled.get(n) or fields.field(one)) is not None
    }
    _drop_doubles(found)
    open_ = [n for n in range(len(looks)) if n not in found]
    found |= hardware(looks, open_, machines)
    found |= _memory(looks, found)
    open_ = [n for n in open_ if n not in found]
    pivoted, nameless = pivots([looks[n] for n in open_], machines)
    pivot = {open_[n]: one for n, one in pivoted.items()}
    around, unit = _around(sheets, looks)
    labels = metric_rows(looks, open_, sheets) if pivot or nameless else None
    words = [n for n in open_ if not looks[n].figures]
    for n in open_:
        if labels is not None and n == words[0]:
            found[n] = labels
        elif looks[n].figures:
            found[n] = _figures(
                looks[n], pivot.get(n), around, unit, by_row=labels is not None
            )
    found |= _settings(looks, found, pivot)
    found |= words_of(looks, [n for n in words if n not in found], found, sheets)
    _tell_apart(found, looks)
    return with_sides(looks, with_tellers(looks, found, sheets))


def _drop_doubles(found: dict[int, Guess]) -> None:
    """Leave each field to the first column that tells it."""
    seen: set[str] = set()
    for n, guess in list(found.items()):
        if guess.field in seen:
            del found[n]
        seen |= {guess.field} if guess.field else set()


def _figures(
    look: Cells, pivot: Pivot | None, around: Ideas, unit: str | None, *, by_row: bool
) -> Guess:
    fields = dict(pivot.fields) if pivot else {}
    assumed = tuple((ASSUMED, why) for why in pivot.assumed) if pivot else ()
    if by_row:
        return Guess(Column(is_="value", set=fields), assumed)
    guess = value(look, around, unit=unit, fields=fields)
    return Guess(guess.column, (*assumed, *guess.notes))


def _settings(
    looks: Sequence[Cells], found: Mapping[int, Guess], pivot: Mapping[int, Pivot]
) -> dict[int, Guess]:
    """Return columns of numbers that are settings, where others are the figures."""
    values = [n for n, guess in found.items() if guess.column.is_ == "value"]
    doubtful = [n for n in values if found[n].column.metric == "reported_value"]
    if len(doubtful) == len(values):
        return {}
    return {
        n: fields.parameter(looks[n])
        for n in doubtful
        if n not in pivot
        and {unit for unit, _ in looks[n].kinds} <= {"1", "B"}
        and not _repeated(looks[n].header, [looks[m].header for m in doubtful])
    }


def _repeated(header: str, others: Sequence[str]) -> bool:
    """Tell whether *header* is one of several like ``Run 1``, ``Run 2``."""
    stem = header.rstrip("0123456789")
    same = [one for one in others if one.rstrip("0123456789") == stem != one]
    return header in same and len(same) > 1


_SOLD = frozenset(
    (8, 12, 16, 18, 24, 32, 36, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512)
)


def _memory(looks: Sequence[Cells], found: Mapping[int, Guess]) -> dict[int, Guess]:
    """Return a column of memory that is what the machine has, not what was used."""
    if any(one.field == "ram" for one in found.values()):
        return {}
    for n, one in enumerate(looks):
        sizes = [re.fullmatch(r"(\d{1,3})\s?G(?:i?B|o)?", text) for text in one.texts]
        bare = one.ideas == {"memory"} and bool(sizes) and n not in found
        if bare and all(m and int(m[1]) in _SOLD for m in sizes):
            note = (
                ASSUMED,
                f"{one.header!r} is what the machine has, not what was used",
            )
            return {n: Guess(Column(field="ram"), (note,))}
    return {}


def _around(
    sheets: Sequence[Sheet], looks: Sequence[Cells]
) -> tuple[Ideas, str | None]:
    """Return the ideas above the table and in its corner, and the unit named there."""
    said, unit = above(sheets[0])
    if not looks or looks[0].figures:
        return said, unit
    return said | looks[0].ideas, unit_in(looks[0].header) or unit


def above(sheet: Sheet) -> tuple[Ideas, str | None]:
    """Return the ideas in the headings above *sheet*, and the unit named there."""
    texts = [text for text in reversed(sheet.context[-2:]) if len(text) <= PROSE]
    said = frozenset(idea for text in texts for idea in ideas(text)) & _OF_FIGURES
    if any(recognise.workload(text) == "matmul" for text in texts):
        said |= {"operation"}
    return said, next((unit for text in texts if (unit := unit_in(text))), None)


_TOLD_ABOVE = (
    "time power energy memory flops bandwidth score accuracy latency fps ttft loss "
    "epoch step token mean peak idle lower"
)
_OF_FIGURES = frozenset(_TOLD_ABOVE.split())


def _tell_apart(found: dict[int, Guess], looks: Sequence[Cells]) -> None:
    """Keep columns apart that would be the same figure of the same run."""
    seen: dict[tuple[object, ...], list[int]] = {}
    for n, guess in found.items():
        column = guess.column
        if column.is_ == "value":
            names = (column.metric, *sorted(column.parts.values()))
            same = (*names, *sorted(map(repr, column.set.items())))
            seen.setdefault(same, []).append(n)
    for several in seen.values():
        for n in several if len(several) > 1 else ():
            name = looks[n].header
            both: Fields = {**found[n].column.set, "parameters.column": name}
            note = (ASSUMED, f"{name!r} is told apart by the name of its column")
            column = msgspec.structs.replace(found[n].column, set=both)
            found[n] = Guess(column, (*found[n].notes, note))
