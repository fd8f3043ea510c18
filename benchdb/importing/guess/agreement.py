"""Answers to the lines of a card, entered into the tables of a map."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing.document import Document
from benchdb.importing.guess.card import card_lines
from benchdb.importing.guess.corrections import (
    NOT_STATED,
    Line,
    facts_in,
    of_column,
    of_row,
    stated,
)
from benchdb.importing.guess.facts import FACTS, Fact, column_of, fact_named
from benchdb.importing.guess.questions import AGREED, LEAVE_OUT
from benchdb.importing.mapping.fields import plain_name
from benchdb.importing.mapping.language import Map, Table
from benchdb.importing.mapping.recognition import GPU


class Corrected(msgspec.Struct, frozen=True):
    """Tables as somebody corrected them, and the lines of what is inferred in them.

    *numbers* are the places that the *tables* had before some were left out; *used*
    are keys of the answers that made sense.
    """

    tables: tuple[Table, ...]
    numbers: tuple[int, ...]
    lines: Sequence[Line]
    used: frozenset[str]


def correct(
    document: Document,
    tables: Sequence[Table],
    sources: Sequence[Mapping[str, str]],
    answers: Mapping[str, str],
    doubted: Iterable[str],
    stood: Mapping[str, frozenset[int]],
) -> Corrected:
    """Return *tables* as *answers* to lines of their card correct them.

    A key is that of a line, or the name of a fact or a column, ``of table 2`` perhaps.
    What a correction brings up may be answered as well. *stood* says about which
    tables a key was on an earlier card: it is now that of the line about the rest.
    """
    edited: list[Table | None] = list(tables)
    used: set[str] = set()
    settled: dict[tuple[str, int], str] = {}
    known = {*doubted}
    while True:
        numbers = [n for n, table in enumerate(edited) if table is not None]
        kept = tuple(table for table in edited if table is not None)
        lines = [
            replace(line, tables=tuple(numbers[n] for n in line.tables))
            for line in card_lines(
                document, Map(table=kept), [sources[n] for n in numbers], known
            )
        ]
        lines = [it for it in lines if not _is_settled(it, settled)]
        new = [key for key in answers if key not in used]
        entered = [
            key
            for key in new
            if _enter(key, answers[key], lines, stood, edited, settled)
        ]
        if not entered:
            return Corrected(kept, tuple(numbers), lines, frozenset(used))
        used.update(entered)
        named = ((key, fact_named(answers[key])) for key in entered)
        known |= {
            f"{fact.name} of {_header_of(key)[:30]}" for key, fact in named if fact
        }


def _meant(
    key: str, lines: Sequence[Line], stood: Mapping[str, frozenset[int]]
) -> Sequence[Line]:
    """Return those of *lines* that *key* is of, or was on an earlier card."""
    if now := [line for line in lines if key in (line.key, line.name)]:
        return now
    name = key.rpartition(" at line ")[0]
    return [
        replace(line, tables=own)
        for line in lines
        if line.name == name
        and (own := tuple(n for n in line.tables if n in stood.get(key, ())))
    ]


def _header_of(key: str) -> str:
    """Return the name of the column in a key: "Type", "machine in Type at line 3"."""
    name = key.partition(" of table ")[0].partition(" at line ")[0]
    return name.partition(" in ")[2] or name


def _is_settled(line: Line, settled: Mapping[tuple[str, int], str]) -> bool:
    """Tell whether a line was answered; that it was a GPU of no known maker is not."""
    answers = [settled.get((line.fact.name, number)) for number in line.tables]
    unclear = line.kind == "nowhere" and GPU in answers
    return None not in answers and not unclear


def _enter(
    key: str,
    answer: str,
    lines: Sequence[Line],
    stood: Mapping[str, frozenset[int]],
    tables: list[Table | None],
    settled: dict[tuple[str, int], str],
) -> bool:
    """Enter an answer into *tables*; tell whether its key is one of theirs."""
    plain, _, place = key.partition(" of table ")
    numbers = [n for n, table in enumerate(tables) if table is not None]
    if place:
        numbers = [n for n in numbers if str(n + 1) == place.strip()]
    as_column = column_of(answer, plain) is not None  # "Version: version"
    if as_column and _enter_column(plain, answer, numbers, tables):
        return True
    fact = fact_named(plain)
    meant = _meant(key, lines, stood) or [
        replace(it, tables=own)
        for it in lines
        if it.fact == fact and (own := tuple(n for n in it.tables if n in numbers))
    ]
    if not meant and fact is None:
        return _enter_column(plain, answer, numbers, tables)
    for line in meant:
        line.corrected(tables, answer)
    about = [
        (name, number)
        for line in meant
        for name in _facts_told(line.fact, answer)
        for number in line.tables
    ]
    if not meant and fact is not None:
        about = _state(fact, answer, numbers, tables)
    settled.update(dict.fromkeys(about, answer.casefold()))
    return bool(about)


def _state(
    fact: Fact, answer: str, numbers: Sequence[int], tables: list[Table | None]
) -> list[tuple[str, int]]:
    """Make *answer* all that some tables tell of a fact; return what is settled so."""
    leaving, agreed = (answer.casefold() == it for it in (LEAVE_OUT, AGREED))
    facts = {} if leaving or agreed else facts_in(fact, answer, fact.name)
    for number in numbers if not agreed else ():
        table = tables[number]
        kept = table is not None and not leaving
        tables[number] = stated(table, fact, facts) if table and kept else None
    return [(it, number) for it in _facts_told(fact, answer) for number in numbers]


def _facts_told(fact: Fact, answer: str) -> list[str]:
    """Return what an answer about *fact* settles: a framework may have its version."""
    plain = answer.casefold() in (AGREED, LEAVE_OUT, NOT_STATED) or "->" in answer
    said = frozenset(() if plain else fact.read(answer))
    return [it.name for it in FACTS.values() if it is fact or it.fields & said] or [
        fact.name
    ]


def _enter_column(
    name: str, answer: str, numbers: Sequence[int], tables: list[Table | None]
) -> bool:
    entered = False
    for number in numbers:
        table = tables[number]
        for header in table.columns if table is not None else ():
            if table is not None and plain_name(header) == plain_name(name):
                table = tables[number] = of_column(table, header, answer)
                entered = True
        row = of_row(table, name, answer) if table is not None else None
        if row is not None:
            tables[number], entered = row, True
    return entered
