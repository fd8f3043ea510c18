"""How new results stand beside those of their bin, as Markdown for a pull request."""

from collections.abc import Iterator, Sequence, Set

import msgspec
from sqlalchemy import Connection, Engine, select

from benchdb.report import markdown as md
from benchdb.report.language import Language, load
from benchdb.report.scope import Wanted, selected
from benchdb.report.wording.cells import Table
from benchdb.report.wording.notes import note_text
from benchdb.repository.problems import Problem
from benchdb.site import normal, usual
from benchdb.site.content import Site, content
from benchdb.store.database import reading
from benchdb.store.tables import machine, run

_ROWS, _LISTED = 12, 8  # a screen holds a table and two lists
_MACHINES = 3


class Standing(msgspec.Struct, frozen=True):
    """What a database says of new runs: *notes* against them, and *rows* of a table.

    Of each work: what it is and how it was done, the figure, the bin's median, how many
    results and machines that is of, and where the figure stands.
    """

    notes: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def standing(engine: Engine, runs: Set[str]) -> Standing:
    """Return how the new *runs*, by digest, stand among all that *engine* has."""
    language = load("en")
    notes: dict[str, None] = {}
    rows: list[tuple[str, ...]] = []
    with reading(engine) as connection:
        for here in _machines(connection, runs):
            wanted = Wanted(here=here or None)
            with selected(connection, wanted) as scope:
                site = content(connection, scope, here)
            for note in site.report.notes:
                if not runs.isdisjoint(note.runs):
                    notes[note_text(language, note)] = None
            rows += _rows(language, site, runs)
    return Standing(tuple(notes), tuple(rows))


def _machines(connection: Connection, runs: Set[str]) -> list[str | None]:
    """Return the anonymous ids of the machines of *runs*, the first few."""
    query = select(run.c.digest, machine.c.anonymous_id).join(
        machine, run.c.machine == machine.c.digest
    )
    result = {
        outcome for digest, outcome in connection.execute(query) if digest in runs
    }
    return sorted(result, key=lambda item: (item is None, item))[:_MACHINES]


def _rows(language: Language, site: Site, runs: Set[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each work that a new run of the marked machine did."""
    strips = normal.strips(site.inputs, site.bins)
    own = [item for item in strips if item.mine and item.mine.quantity.run in runs]
    if not own:
        return
    for strip, row in zip(
        own,
        usual.rows(language, site.runs, own, usual.scale(language, own)),
        strict=True,
    ):
        if strip.mine is None:  # never so; the types do not know
            continue
        figure = language.figure(language.compact(strip.mine.quantity))
        others = len(strip.dots) > 1
        yield (
            " · ".join(filter(None, (strip.chip, row.work, row.place))),
            figure,
            row.median.text if others else "–",
            str(strip.results),
            row.machines,
            row.standing if others else "the first of its kind here",
        )


def markdown(
    headline: str, problems: Sequence[Problem], standing: Standing | None
) -> str:
    """Return all of it on a screen: *problems*, notes against new runs, the table."""
    parts = [f"### {md.escape(headline)}"]
    parts += [_listed("To be mended", [str(problem) for problem in problems])]
    if standing is not None:
        parts += [_listed("Looks implausible (refuses nothing)", standing.notes)]
        if standing.rows:
            table = Table(_HEADS, standing.rows[:_ROWS], frozenset({1, 2, 3, 4}))
            parts += [str(md.written(table)), _more(len(standing.rows) - _ROWS, "row")]
        else:
            parts += ["No figure of these runs can be held against others of a bin."]
    return "\n\n".join(filter(None, parts)) + "\n"


_HEADS = ("Work", "New", "Median of the bin", "Results", "Machines", "Standing")


def _listed(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = [f"* {md.escape(line)}" for line in lines[:_LISTED]]
    more = _more(len(lines) - _LISTED, "line")
    return "\n".join([f"**{title}**", "", *shown, *([more] if more else [])])


def _more(count: int, what: str) -> str:
    return f"… and {count:,} more {what}{'s' * (count > 1)}" if count > 0 else ""
