"""Filters of a report: what was asked for, in the names that the results have.

A name that neither the results nor our catalogues have is a mistake. Known names that
no run has together are none: the page then says what there is.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence

from benchdb.report.untrusted import plain
from benchdb.report.view.atoms import Filter

OPTIONS = (
    *("chip", "workload", "framework", "device"),
    *("precision", "source", "campaign", "grade"),
)
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
    from benchdb.store import known_names  # noqa: PLC0415  pages need only words

    return known_names.alike(option, plain(name, None))


def words(chosen: Iterable[Filter]) -> list[str]:
    """Return the filters as words of a command line."""
    return [
        word
        for item in chosen
        for name in item.names
        for word in (f"--{item.option}", name)
    ]


def typed(options: Iterable[str]) -> str:
    """Return *options* as one types them; none of them can reorder the line."""
    return shlex.join(plain(word, None) for word in options)


def as_line(chosen: Iterable[Filter]) -> str:
    """Return the filters, or what there is for them, as one line."""
    return "; ".join(f"--{item.option} {_listing(item.names)}" for item in chosen)


def _resolved(option: str, asked: Sequence[str], there: Sequence[str]) -> Filter:
    from benchdb.store import known_names  # noqa: PLC0415  pages need only words

    those = {plain(name, None) for name in there}
    values: dict[str, None] = {}
    for value in asked:
        whole = alike(option, value) in {alike(option, name) for name in those}
        for part in [value] if whole else value.split(","):
            values[known_names.known(option, plain(part, None), sorted(those))] = None
    return Filter(option, tuple(values))


def _listing(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(plain(name) for name in names[:_LISTED]) + more
