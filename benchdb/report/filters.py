"""Filters of a report: what was asked for, in the names that the results have.

A name that neither the results nor our catalogues have is a mistake. Known names that
no run has together are none: the page then says what there is.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from benchdb.catalogue import chips, workloads
from benchdb.errors import UsageError
from benchdb.exchange.messages import Device
from benchdb.grading import Letter
from benchdb.report.untrusted import plain
from benchdb.report.view.atoms import Filter
from benchdb.store.places import tidy

OPTIONS = ("chip", "workload", "framework", "device", "precision", "source", "grade")
LETTERS: tuple[str, ...] = get_args(Letter)
_LISTED = 40  # more names make no line

Names = Mapping[str, Sequence[str]]  # by option


def resolve(asked: Names, there: Names) -> tuple[Filter, ...]:
    """Return what *asked* means, in the order of ``OPTIONS``; commas part names.

    *there* are the names in the results. Capitals do not matter, nor a chip's maker.
    Raise ``UsageError`` for a name that nothing has.
    """
    return tuple(
        _resolved(option, asked[option], there.get(option, ()))
        for option in OPTIONS
        if asked.get(option)
    )


def alike(option: str, name: str) -> str:
    """Return what is equal for names of *option* that mean the same."""
    line = plain(name, None)
    return (tidy(line) if option == "chip" else line).casefold()


def words(chosen: Iterable[Filter]) -> list[str]:
    """Return the filters as words of a command line."""
    return [
        word
        for one in chosen
        for name in one.names
        for word in (f"--{one.option}", name)
    ]


def typed(options: Iterable[str]) -> str:
    """Return *options* as one types them; none of them can reorder the line."""
    return shlex.join(plain(word, None) for word in options)


def as_line(chosen: Iterable[Filter]) -> str:
    """Return the filters, or what there is for them, as one line."""
    return "; ".join(f"--{one.option} {_listing(one.names)}" for one in chosen)


def _resolved(option: str, asked: Sequence[str], there: Sequence[str]) -> Filter:
    catalogues: Names = {
        "chip": [tidy(chip.name) for chip in chips()],
        "workload": [*workloads()],
        "device": get_args(Device),
        "grade": LETTERS,
    }
    names = *catalogues.get(option, ()), *there
    known = {alike(option, name): name for name in names}
    values: dict[str, None] = {}
    for value in asked:
        parts = [value] if alike(option, value) in known else value.split(",")
        for part in parts:
            if (same := alike(option, part)) not in known:
                names = LETTERS if option == "grade" else tuple(there)
                rest = (
                    f"there are: {_listing(names)}"
                    if names
                    else "the results have none"
                )
                raise UsageError(f"no {option} {part.strip()!r}; {rest}")
            values[plain(known[same], None)] = None
    return Filter(option, tuple(values))


def _listing(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(plain(name) for name in names[:_LISTED]) + more
