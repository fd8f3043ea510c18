"""What a proposed map takes for granted, entry by entry: to be read, or to be asked."""

from collections.abc import Iterable
from typing import Any

import msgspec

from benchdb.importing.mapping.language import Column

Path = tuple[str | int, ...]


class Assumption(msgspec.Struct, frozen=True):
    """One entry: *path* leads to what is proposed in the map, *text* says on what.

    Where no evidence decides it, *decided* is false, and *text* is the question.
    """

    text: str
    decided: bool = True
    path: Path = ()


class Guess(msgspec.Struct, frozen=True):
    """What a column is taken to be, with what is assumed or undecided in it."""

    column: Column
    assumptions: tuple[Assumption, ...] = ()

    @property
    def field(self) -> str | None:
        """Return the field that its cells set."""
        return self.column.field if self.column.is_ == "field" else None

    def with_facts(self, *why: str, **facts: Any) -> "Guess":
        """Return the guess with other *facts* of the column, assumed for *why*."""
        column = msgspec.structs.replace(self.column, **facts)
        return Guess(column, (*self.assumptions, *map(Assumption, why)))


def guess(*why: str, undecided: Iterable[str] = (), **facts: Any) -> Guess:
    """Return a column of these *facts*, assumed for *why*; and what is *undecided*."""
    questions = (Assumption(text, decided=False) for text in undecided)
    return Guess(Column(**facts), (*map(Assumption, why), *questions))


def leave_out(why: str) -> Guess:
    """Return a column that is left out."""
    return guess(f"left out: {why}", is_="ignore")


def fields_of(guesses: Iterable[Guess]) -> set[str]:
    """Return the fields that columns tell; as a pivot only all columns together do."""
    fields: set[str] = set()
    shared: list[set[str]] = []
    for item in guesses:
        column = item.column
        if column.is_ == "value":
            shared.append(set(column.set))
        elif column.is_ != "ratio":
            fields |= {item.field} if item.field else set()
            fields |= set(column.set)
            fields |= {name for cell in column.cells.values() for name in cell.set}
    fields |= set.intersection(*shared) if shared else set()
    return fields | ({"machine"} if fields & {"chip", "accelerator"} else set())
