"""What of a report a page has room for: the first of each list, the rest counted.

A page stays as short for a hundred sources as for five. What the sections show has the
first rows of the table of values, with its notes and sources; a figure whose row has no
room leads nowhere. Answers rest on everything.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from benchdb.report.sections.batches import Batches
from benchdb.report.sections.distance import Distance
from benchdb.report.sections.metal import MetalSection
from benchdb.report.sections.normal import Normal
from benchdb.report.sections.ranking import Ranking
from benchdb.report.sections.scaling import Scaling
from benchdb.report.sections.sweep import Sweep
from benchdb.report.value_table import per_run
from benchdb.report.view.atoms import Quantity, parts
from benchdb.report.view.listed import MachineRow, SourceRow
from benchdb.report.view.page import Report
from benchdb.report.workloads import trains

PAGE = 250_000  # bytes
LINES = (100, 50, 20)  # of the table of values, fewer where a page would be longer
_MACHINES, _SOURCES, _SOURCES_EACH = 12, 12, 1
_CLAIMS = 8  # of a source
CITED = 4  # sources that a section names by number
_METAL, _SYSTEMS, _COLUMNS, _DISTANCES = 44, 12, 5, 8
_BATCHES, _STRIPS, _CURVES, _SWEEPS = 24, 6, 12, 0
Part = TypeVar("Part")


# Whose figures have rows before those of others.
_IN_TURN = (
    *("metal", "ranking", "distance", "efficiency", "normal"),
    *("scaling", "batches", "sweep", "history"),
)


def fitted(report: Report, lines_shown: int = LINES[0]) -> Report:
    """Return *report* as a page shows it, with what was left out by section.

    So many lines of the table of values are shown. One of everything is as long as it
    gets.
    """
    if report.everything or report.more:
        return report
    sections, more = dict(report.sections), dict[str, int]()
    for name, shorten in _SHORTEN.items():
        if part := sections.get(name):
            sections[name], left = shorten(part)
            more[name] = left
    lines, heads = per_run(report.values)
    cited = [it.run for name in _IN_TURN for it in _linked(sections.get(name))]
    first = [heads[run].run for run in cited if run in heads]
    others = sorted(lines, key=lambda line: not trains(line[0].workload.name))
    ordered = dict.fromkeys((*first, *(line[0].run for line in others)))
    linked = {*[*ordered][:lines_shown]}
    kept = {row.run for line in lines if line[0].run in linked for row in line}
    values = tuple(
        row for row in report.values if row.run in kept and heads[row.run].run in linked
    )
    machines = _machines(report.machines)
    shown = (*sections.values(), values)
    notes = {key for part in _every(shown) for key in getattr(part, "notes", ())}
    sources = _sources(report.sources, [*_cited((*shown, machines))])
    more["values"] = len(lines) - len(linked)
    more["machines"] = len(report.machines) - len(machines)
    more["sources"] = len(report.sources) - len(sources)
    if not any(more.values()):
        return report
    return replace(
        report,
        sections=sections,
        values=values,
        machines=machines,
        notes=tuple(note for note in report.notes if note.key in notes),
        sources=sources,
        more={name: count for name, count in more.items() if count},
    )


def _linked(part: object) -> Iterable[Quantity]:
    """Yield the figures of a section that lead to their rows: of strips the ends."""
    if not isinstance(part, Normal):
        return parts(part, Quantity)
    strips = (*part.strips, *part.rest)
    ends = [end for one in strips for end in (one.slowest, one.fastest)]
    return [*ends, *(one.mine.quantity for one in strips if one.mine)]


def _every(shown: object) -> Iterable[object]:
    return parts(shown, msgspec.Struct)


def _first(items: Sequence[Part], most: int, size: Callable[[Part], int]) -> int:
    """Return how many of *items* have room, at least one: at most *most* figures."""
    taken = 0
    for place, item in enumerate(items):
        taken += size(item)
        if place and taken > most:
            return place
    return len(items)


def _figures(part: object) -> int:
    return sum(1 for _ in parts(part, Quantity))


def _metal(part: MetalSection) -> tuple[MetalSection, int]:
    kept = _first(part.groups, _METAL, _figures)
    left = sum(len(group.rows) for group in part.groups[kept:])
    return replace(part, groups=part.groups[:kept]), left


def _ranking(part: Ranking) -> tuple[Ranking, int]:
    """Leave out systems with the fewest figures, never the baseline or a marked one."""

    def weight(place: int) -> tuple[bool, int, int]:
        row = part.rows[place]
        own = row.system.here or row.system == part.baseline
        return not own, -row.covered, place

    kept = sorted(sorted(range(len(part.rows)), key=weight)[:_SYSTEMS])
    rows = tuple(part.rows[place] for place in kept)
    return replace(part, rows=rows), len(part.rows) - len(rows)


def _distance(part: Distance) -> tuple[Distance, int]:
    """Keep the systems with most shares, and marked ones, and the first workloads."""

    def weight(place: int) -> tuple[bool, int, int]:
        shares = sum(row.cells[place].share is not None for row in part.rows)
        return not part.systems[place].here, -shares, place

    places = sorted(range(len(part.systems)), key=weight)
    kept = sorted(places[:_COLUMNS])
    rows = tuple(
        replace(row, cells=tuple(row.cells[place] for place in kept))
        for row in part.rows[:_DISTANCES]
    )
    left = max(0, len(part.rows) - len(rows)) + len(places) - len(kept)
    systems = tuple(part.systems[place] for place in kept)
    return replace(part, systems=systems, rows=rows), left


def _batches(part: Batches) -> tuple[Batches, int]:
    """Leave out lines that are in no chart, from the last on."""
    every = [line for system in part.systems for line in system.lines]
    ordered = sorted(every, key=lambda line: line.quiet)
    kept = ordered[: _first(ordered, _BATCHES, lambda line: len(line.levels))]
    systems = tuple(
        replace(one, lines=lines)
        for one in part.systems
        if (lines := tuple(line for line in one.lines if line in kept))
    )
    return replace(part, systems=systems), len(every) - len(kept)


def _normal(part: Normal) -> tuple[Normal, int]:
    return replace(part, rest=part.rest[:_STRIPS]), max(0, len(part.rest) - _STRIPS)


def _scaling(part: Scaling) -> tuple[Scaling, int]:
    generations, room = [], _CURVES
    for one in part.generations:
        generations.append(replace(one, curves=one.curves[:room]))
        room -= len(generations[-1].curves)
    kept = tuple(one for one in generations if one.curves)
    left = len(part.curves) - sum(len(one.curves) for one in kept)
    return replace(part, generations=kept), left


def _sweep(part: Sweep) -> tuple[Sweep, int]:
    return replace(part, rest=part.rest[:_SWEEPS]), max(0, len(part.rest) - _SWEEPS)


_SHORTEN: dict[str, Callable[[Any], tuple[Any, int]]] = {
    "metal": _metal,
    "ranking": _ranking,
    "distance": _distance,
    "batches": _batches,
    "scaling": _scaling,
    "sweep": _sweep,
    "normal": _normal,
}


def _machines(every: Sequence[MachineRow]) -> tuple[MachineRow, ...]:
    """Return marked and measured machines, then those of most runs, in their order."""

    def weight(place: int) -> tuple[bool, bool, int, int]:
        one = every[place]
        return not one.here, not one.measured, -one.runs, place

    kept = sorted(range(len(every)), key=weight)[:_MACHINES]
    return tuple(_brief(every[place]) for place in sorted(kept))


def _brief(one: MachineRow) -> MachineRow:
    """Return a machine with few frameworks and sources: strangers have dozens."""
    frameworks = one.frameworks
    if len(frameworks) > CITED:
        frameworks = (*frameworks[:CITED], "…")
    return replace(one, frameworks=frameworks, sources=one.sources[:_SOURCES_EACH])


def _cited(shown: object) -> Iterable[str]:
    for part in _every(shown):
        yield from (getattr(part, "sources", None) or ())[:CITED]
        if isinstance(source := getattr(part, "source", None), str):
            yield source


def _sources(
    every: Sequence[SourceRow], cited: Collection[str]
) -> tuple[SourceRow, ...]:
    """Return the sources that the page leads to; where room is left, others."""
    free = max(0, _SOURCES - len({*cited}))
    others = [one for one in every if one.key not in cited][:free]
    kept = (one for one in every if one.key in cited or one in others)
    return tuple(
        replace(
            one,
            claims=one.claims[:_CLAIMS],
            more_claims=max(0, len(one.claims) - _CLAIMS),
        )
        for one in kept
    )
