"""Check a collection, or what a pull request proposes to it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchdb.repository import git, proposal
from benchdb.repository.arrivals import Bundle
from benchdb.repository.assembly import assembled
from benchdb.repository.holdings import Standing, standing
from benchdb.repository.problems import Problem
from benchdb.repository.proposal import Proposal
from benchdb.repository.snapshot import snapshot


class Checked(msgspec.Struct, frozen=True):
    """What a check gives: *problems*, and how new results stand, if there are any.

    *fresh* are the bundles that bring them.
    """

    headline: str
    problems: tuple[Problem, ...]
    fresh: tuple[Bundle, ...] = ()
    standing: Standing | None = None


def check(folder: Path, base: str | None = None) -> Checked:
    """Check the last commit of *folder*: all of it, or what it proposes to *base*.

    Raise ``UsageError`` where there is no collection, or nothing in common with *base*.
    """
    git.top(folder)
    head = git.commit(folder, "HEAD")
    if base is None:
        problems = proposal.whole(git.tree(folder, head))
        wanted = Proposal()
    else:
        since = git.common(folder, git.commit(folder, base), head)
        wanted, problems = proposal.look_at(folder, since, head)
    with snapshot(folder, head, wanted.added) as state:
        problems += state.problems
        if base is None:
            what = f"{state.title}, {_counts(state.bundles)}"
            return Checked(_headline(what, problems), tuple(problems))
        fresh = tuple(bundle for bundle in state.bundles if bundle.path in wanted.added)
        runs = {digest for bundle in fresh for digest in bundle.runs}
        problems += [
            Problem(
                bundle.path,
                f"brings run {min(gone)[:12]}, which was taken out",
                "leave it out; tombstones.jsonl has the reason",
            )
            for bundle in fresh
            if (gone := bundle.runs & state.tombstones.keys())
        ]
        what = _counted(wanted.changed, "file") + " changed"
        if wanted.contributor:
            what = f"{wanted.contributor}, {_counts(fresh)}"
        stand = None
        if runs and not problems:
            paths = [bundle.path for bundle in state.bundles]
            with assembled(state.room, paths, state.known, state.tombstones) as engine:
                stand = standing(engine, runs)
    return Checked(_headline(what, problems), tuple(problems), fresh, stand)


def _counts(bundles: Sequence[Bundle]) -> str:
    runs = {run for bundle in bundles for run in bundle.runs}
    machines = {machine for bundle in bundles for machine in bundle.machines}
    counts = ((runs, "run"), (machines, "machine"), (bundles, "bundle"))
    return ", ".join(_counted(len(some), what) for some, what in counts)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _headline(what: str, problems: Sequence[Problem]) -> str:
    state = _counted(len(problems), "problem") if problems else "in order"
    return f"{what}: {state}"
