"""Whether a campaign reproduced a run: the figures, and what surrounded them.

Ratio and verdict are those of ``cell_rows.compare``; what the word is follows from
``statistics.agreement``. Software may differ, and is named; other work, another chip or
other load is no reproduction, whatever the figures say.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, select

from benchdb.compare.cell_rows import CellRow, Comparison, compare
from benchdb.compare.differing_facts import Fact
from benchdb.compare.sides import Side, sides
from benchdb.grading import mapping
from benchdb.statistics.agreement import SENSITIVITY, deviation, outcome
from benchdb.store.database import reading
from benchdb.store.tables import environment, machine, run

Word = Literal["reproduced", "differs", "unclear", "conditions differ", "failed"]

# Conditions that may differ where they are named: nobody chooses them by an option.
_SOFT = ("version", "system", "driver", "variables", "threads", "path")
# Columns of a comparison that are no conditions, or that are told otherwise.
_NO_CONDITIONS = {
    *("grade", "label", "trust", "started"),
    *("collector", "load", "machine model"),
}
_OTHER_WORK = ("accelerator", "device")
_LETTERS = 12  # of a digest


class Judgement(msgspec.Struct, frozen=True):
    """What came of a reproduction.

    *row* has the original's figure as its base and the rerun's as the other, if both
    have one. *conditions* are those that differ. *why* says what a word alone does not:
    the failed gates, or why nothing follows. *elsewhere* tells that the rerun was on
    another machine, *fresh* that it had another seed.
    """

    word: Word
    row: CellRow | None = None
    conditions: tuple[Fact, ...] = ()
    why: str = ""
    elsewhere: bool = False
    fresh: bool = False

    @property
    def within(self) -> float:
        """Return by what share the figures are apart."""
        return deviation(self.row.ratio.value) if self.row else 0.0


class _Process(msgspec.Struct, frozen=True):
    """A process of either side, as the table has it."""

    digest: str
    status: str
    reason: str | None
    replicate: int | None
    seed: int | None
    machine: str
    anonymous_id: str | None
    program: str | None
    packages: str
    failed: tuple[str, ...]


def judge(engine: Engine, original: str, campaign: str) -> Judgement | None:
    """Return whether my processes of *campaign* reproduced the run *original*.

    ``None`` where it has none yet.
    """
    with reading(engine) as connection:
        here = run.c.campaign == campaign, run.c.mine
        again = _processes(connection, *here)
        first = next(iter(_processes(connection, run.c.digest == original)), None)
    if not again:
        return None
    if first is None:
        return Judgement("unclear", why="the original is not in this database any more")
    done = [process for process in again if process.status == "ok"]
    base = f"run:{original}"
    seeds = {
        process.seed - (process.replicate or 0)
        for process in again
        if process.seed is not None
    }
    own = None if first.seed is None else first.seed - (first.replicate or 0)
    judgement = Judgement(
        "failed",
        why="; ".join(_failures(again)),
        elsewhere=any(_elsewhere(first, process) for process in again),
        fresh=bool(seeds - {own}),
    )
    if not done:
        return judgement
    old, new = sides(engine, [base, f"run:{done[0].digest}"])
    usual, wide = (
        compare(old, new, accepted=_SOFT, threshold=limit)
        for limit in (None, SENSITIVITY)
    )
    conditions = (*_conditions(usual, old, new), *_programs(first, done))
    row = usual.cells[0] if usual.cells else None
    judgement = replace(judgement, row=row, conditions=conditions)
    if judgement.why:
        return judgement
    word, why = _word(usual, wide, conditions)
    return replace(judgement, word=word, why=why)


def _elsewhere(first: _Process, process: _Process) -> bool:
    """Tell whether a process ran on another machine: by its id, where both have one."""
    if first.anonymous_id and process.anonymous_id:
        return first.anonymous_id != process.anonymous_id
    return first.machine != process.machine


def _word(
    usual: Comparison, wide: Comparison, conditions: tuple[Fact, ...]
) -> tuple[Word, str]:
    """Return the word, and why it is no other."""
    if not usual.cells:  # such as NumPy with another number of processors
        return "conditions differ", usual.reason or ""
    ratio = usual.cells[0].ratio
    hard = [name for name in ratio.differs if name != "load"]
    other = [
        condition.name for condition in conditions if condition.name in _OTHER_WORK
    ]
    if hard or other:
        return "conditions differ", ""
    if ratio.differs:
        return "unclear", "more other work ran beside one of them"
    if ratio.verdict == "insufficient":
        return "unclear", usual.reason or ""
    text = outcome(ratio.value, ratio.verdict, wide.cells[0].ratio.verdict)
    if text == "unclear":
        return text, "chance alone may do as much; measure again, or more processes"
    return text, ""


def _failures(again: list[_Process]) -> Iterator[str]:
    """Say which processes of a rerun did not succeed, and in which gates."""
    for number, process in enumerate(again, 1):
        if process.failed:
            gates = ", ".join(process.failed)
            yield f"process {number} failed the gate {gates}"
        elif process.status != "ok":
            why = f" ({process.reason})" if process.reason else ""
            yield f"process {number} is {process.status}{why}"


def _conditions(comparison: Comparison, old: Side, new: Side) -> Iterator[Fact]:
    differs = comparison.cells[0].ratio.differs if comparison.cells else ()
    for fact in comparison.facts:
        if fact.name not in _NO_CONDITIONS or fact.name in differs:
            yield fact
    named = {fact.name for fact in comparison.facts}
    for name in differs:
        if name not in named:
            yield Fact(name, old.name, new.name)


def _programs(first: _Process, done: list[_Process]) -> Iterator[Fact]:
    """Yield collector program and packages where they are not those of *first*."""
    others = {process.program for process in done} - {first.program}
    if others:
        shown = sorted((it or "unknown")[:_LETTERS] for it in others)
        yield Fact(
            "collector program",
            (first.program or "unknown")[:_LETTERS],
            ", ".join(shown),
        )
    packages = {process.packages for process in done} - {first.packages}
    if packages:
        yield Fact("packages", first.packages, "; ".join(sorted(packages)))


def _processes(connection: Connection, *wanted: object) -> list[_Process]:
    columns = ("digest", "status", "reason", "replicate", "seed", "machine")
    query = (
        select(
            *(run.c[name] for name in columns),
            machine.c.anonymous_id,
            run.c.collector_sha256,
            environment.c.packages,
            run.c.checks,
        )
        .join(environment, environment.c.digest == run.c.environment)
        .join(machine, machine.c.digest == run.c.machine)
        .where(*wanted)  # type: ignore[arg-type]
        .order_by(run.c.replicate, run.c.started, run.c.digest)
    )
    return [
        _Process(
            **{name: row._mapping[name] for name in columns},
            anonymous_id=row.anonymous_id,
            program=row.collector_sha256,
            packages=" ".join(f"{name} {it}" for name, it in row.packages.items()),
            failed=tuple(_failed(row.checks)),
        )
        for row in connection.execute(query)
    ]


def _failed(checks: object) -> Iterator[str]:
    for name, gate in mapping(mapping(checks).get("gates")).items():
        if mapping(gate).get("status") == "failed":
            yield name
