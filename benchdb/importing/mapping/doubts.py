"""Doubts of somebody who read the document, by hand: flags for the runs at a place."""

from collections.abc import Iterable, Iterator, Sequence, Set

from benchdb.exchange.lines import Flag
from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.mapping.language import Map, MappedFlag
from benchdb.importing.mapping.observations import Observation


def met(flags: Sequence[MappedFlag], run: Iterable[Observation]) -> tuple[int, ...]:
    """Return which of *flags*, by index, are about a run with these figures."""
    figures = tuple(run)
    return tuple(
        index
        for index, flag in enumerate(flags)
        if any(_is_about(flag, figure) for figure in figures)
    )


def stated(flag: MappedFlag) -> Flag:
    """Return *flag* as the end of a run has it."""
    detail = {**flag.detail, **dict.fromkeys(flag.unknown)}
    return Flag(code=flag.code, metric=flag.metric, detail=detail)


def unmet(map_: Map, met: Set[int]) -> Iterator[BadLine]:
    """Yield a ``BadLine`` for each flag of *map_* that is about no run."""
    for index, flag in enumerate(map_.flag):
        if index not in met:
            why = f"the map's flag {flag.code!r} is about no run"
            yield building.bad(why, line=flag.lines[0])


def _is_about(flag: MappedFlag, one: Observation) -> bool:
    first, last = flag.lines
    if not first <= one.line <= last:
        return False
    if flag.column is not None and not one.locator.endswith(
        (f", {flag.column}", f", column {flag.column}")
    ):
        return False
    metric = one.figure.value.metric if one.figure is not None else None
    return flag.metric in (None, metric)
