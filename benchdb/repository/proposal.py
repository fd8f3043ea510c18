"""What a pull request may change: files are added, in the folder of one contributor.

A request without results is a maintainer's and may change anything else; the list of
tombstones may only grow. Who may merge is the host's business, not ours.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from benchdb.repository import git
from benchdb.repository.collection import (
    CONTRIBUTORS,
    TOMBSTONES,
    largest,
    owner,
    place,
)
from benchdb.repository.git import Change, Entry
from benchdb.repository.problems import Problem

_KINDS = {
    git.PROGRAM: "is marked as a program",
    git.LINK: "is a link",
    git.SUBMODULE: "is another repository (a submodule)",
}
_SHOWN = 20  # problems of one kind


class Proposal(msgspec.Struct, frozen=True):
    """How many files are *changed*, and which paths are *added*.

    They are of a *contributor*, unless there are no results, or those of several.
    """

    changed: int = 0
    added: tuple[str, ...] = ()
    contributor: str | None = None


def whole(tree: Mapping[str, Entry]) -> list[Problem]:
    """Return what is wrong with the files of a collection, whoever added them."""
    problems = [*_placed(tree), *_modes(tree, tree), *_sizes(tree, tree)]
    return [*problems, *_alike(tree, tree)]


def look_at(folder: Path, base: str, head: str) -> tuple[Proposal, list[Problem]]:
    """Return what *head* proposes to *base*, and all that may not be so."""
    changed = git.changes(folder, base, head)
    tree = git.tree(folder, head)
    paths = [change.path for change in changed]
    owners = sorted({who for path in paths if (who := owner(path)) is not None})
    kept = {change.path: tree[change.path] for change in changed if change.path in tree}
    problems = [*_modes(kept, kept), *_sizes(kept, kept), *_alike(tree, kept)]
    if not owners:
        problems += _tombstones(folder, base, tree)
        return Proposal(len(changed)), problems
    problems += _of_one(changed, owners)
    problems += _placed(kept)
    if git.passing(folder, base, head):
        problems.append(
            Problem(
                "history",
                "a commit holds a file that the last one does not",
                "make a single commit of it: git rebase --interactive, squash",
            )
        )
    added = tuple(change.path for change in changed if change.status == "A")
    own = owners[0] if len(owners) == 1 else None
    return Proposal(len(changed), added, own), problems


def _of_one(changed: Sequence[Change], owners: Sequence[str]) -> Iterator[Problem]:
    """Yield changes other than new files in the folder of one contributor."""
    if len(owners) > 1:
        yield Problem(
            f"{CONTRIBUTORS}/",
            f"files of {len(owners)} contributors: {', '.join(owners[:_SHOWN])}",
            "make a pull request for each",
        )
    others = [change.path for change in changed if owner(change.path) is None]
    for path in others[:_SHOWN]:
        yield Problem(
            path,
            "is changed together with results",
            "results come alone: leave it as it is, or make a pull request of its own",
        )
    words = {"D": "is deleted or renamed", "M": "is changed", "T": "is changed"}
    old = [
        change
        for change in changed
        if change.status != "A" and owner(change.path) is not None
    ]
    for change in old[:_SHOWN]:
        yield Problem(
            change.path,
            words.get(change.status, "is changed"),
            "results stay as they were signed: add a file; 'benchdb retract' withdraws "
            "a run of yours",
        )


def _placed(tree: Iterable[str]) -> Iterator[Problem]:
    strange = [path for path in tree if owner(path) is not None and not place(path)]
    for path in strange[:_SHOWN]:
        yield Problem(
            path,
            "is no file that a contributor has",
            f"{CONTRIBUTORS}/NAME/ holds key.pub with its signatures and "
            "FILE.benchdb; names have a-z, 0-9, hyphens and dots",
        )


def _modes(tree: Mapping[str, Entry], paths: Iterable[str]) -> Iterator[Problem]:
    for path in paths:
        mode = tree[path].mode
        if mode != git.FILE and (mode != git.PROGRAM or owner(path) is not None):
            what = _KINDS.get(mode, f"has the mode {mode}")
            yield Problem(path, what, "add a plain file")


def _sizes(tree: Mapping[str, Entry], paths: Iterable[str]) -> Iterator[Problem]:
    for path in paths:
        if tree[path].size > largest(path):
            yield Problem(
                path,
                f"has {tree[path].size:,} bytes, more than {largest(path):,}",
                "split it: benchdb export --mine --campaign NAME --bundle FILE",
            )


def _alike(tree: Iterable[str], paths: Iterable[str]) -> Iterator[Problem]:
    """Yield those of *paths* that some file systems take for another name of *tree*."""
    names = defaultdict[str, set[str]](set)
    for path in tree:
        whole = path
        while whole:
            names[_folded(whole)].add(whole)
            whole = whole.rpartition("/")[0]
    for path in sorted(paths):
        whole = path
        while whole:
            others = sorted(names[_folded(whole)] - {whole})
            if others:
                yield Problem(
                    path,
                    f"differs from {others[0]} in the case of letters alone",
                    "give another name",
                )
                break
            whole = whole.rpartition("/")[0]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _tombstones(folder: Path, base: str, tree: Mapping[str, Entry]) -> list[Problem]:
    """Return a problem if the list of tombstones lost or changed a line."""
    before = git.tree(folder, base).get(TOMBSTONES)
    old = git.content(folder, before) if before else b""
    new = git.content(folder, tree[TOMBSTONES]) if TOMBSTONES in tree else b""
    if new.startswith(old) and (not new or new.endswith(b"\n")):
        return []
    return [
        Problem(
            TOMBSTONES,
            "lost or changed a line",
            "add lines at its end, each ended; what stands there stays",
        )
    ]
