"""A collection as a commit has it: everything in it read, and looked at on the way."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchdb.errors import UsageError
from benchdb.repository import arrivals, contributors, git, tombstones
from benchdb.repository.arrivals import Bundle
from benchdb.repository.collection import MARK, TOMBSTONES, bundles, largest, title
from benchdb.repository.contributors import Contributors
from benchdb.repository.problems import Problem
from benchdb.repository.tombstones import Tombstone


class Snapshot(msgspec.Struct, frozen=True):
    """A collection and what is wrong with it; its bundles are files below *room*."""

    title: str
    room: Path
    known: Contributors
    bundles: tuple[Bundle, ...]
    tombstones: Mapping[str, Tombstone]
    problems: tuple[Problem, ...]


@contextmanager
def snapshot(folder: Path, head: str, fresh: Sequence[str] = ()) -> Iterator[Snapshot]:
    """Give the collection of the commit *head*; *fresh* are paths that are new in it.

    Raise ``UsageError`` if there is none.
    """
    tree = {
        path: entry
        for path, entry in git.tree(folder, head).items()
        if entry.mode == git.FILE and entry.size <= largest(path)
    }
    if MARK not in tree:
        raise UsageError(
            f"{folder} has no {MARK} in its last commit, so it is no collection; "
            "'benchdb init-repo' makes one, 'git commit' keeps it"
        )

    def content(path: str) -> bytes:
        return git.content(folder, tree[path])

    name = title(content(MARK))
    known, wrong = contributors.read(tree, content, fresh)
    buried, more = tombstones.read(content(TOMBSTONES) if TOMBSTONES in tree else b"")
    owners = bundles(tree)
    with tempfile.TemporaryDirectory(prefix="benchdb-") as place:
        room = Path(place)
        git.extract(folder, {path: tree[path] for path in owners}, room)
        there, doubts = arrivals.look_at(room, owners, fresh, known)
        problems = (*wrong, *more, *doubts)
        yield Snapshot(name, room, known, tuple(there), buried, problems)
