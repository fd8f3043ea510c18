"""What a git repository holds and what changed in it, asked of git itself.

Everything is read from commits, never from the work tree: a link in it leads nowhere,
and what is not committed does not count. git runs no program of the repository's here.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchdb.errors import BenchdbError, UsageError

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
_SECONDS = 600
_TOGETHER = 32 * 2**20  # bytes of files that are read at once
_SHOWN = 200  # characters of what git says
_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",  # reading writes nothing
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
# Set inside a hook, where they name the repository of the hook.
_ELSE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")


class Entry(msgspec.Struct, frozen=True):
    """A file of a commit: its *mode* as git writes it, its *object*, its *size*.

    A submodule has no size: it is of another repository.
    """

    mode: str
    object: str
    size: int


class Change(msgspec.Struct, frozen=True):
    """A file that a proposal adds (A), deletes (D) or alters (M, T)."""

    path: str
    status: str


def top(folder: Path) -> Path:
    """Return *folder*, the top of a repository with a commit, or raise ``UsageError``.

    One that lies inside another repository is none: its checks would be the other's.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name a clone of a collection")
    try:
        folder_above = _git(folder, "rev-parse", "--show-toplevel").decode().strip()
    except UsageError:
        raise
    except BenchdbError as error:
        raise UsageError(f"{folder} is no git repository ({error})") from None
    if Path(folder_above).resolve() != folder.resolve():
        raise UsageError(
            f"{folder} is a part of the repository {folder_above}; name that"
        )
    return folder


def commit(folder: Path, name: str) -> str:
    """Return the full id of the commit *name*; raise ``UsageError`` for none."""
    wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    try:
        return _git(folder, *wanted, f"{name}^{{commit}}").decode().strip()
    except BenchdbError:
        raise UsageError(
            f"{folder} has no commit {name!r}; commit first, or fetch all of the "
            "history: git fetch --unshallow origin"
        ) from None


def common(folder: Path, base: str, head: str) -> str:
    """Return the commit from which *head* went away from *base*."""
    try:
        return _git(folder, "merge-base", base, head).decode().split()[0]
    except (BenchdbError, IndexError):
        raise UsageError(
            f"{base[:12]} and {head[:12]} have no history in common here; fetch all "
            "of it: git fetch --unshallow origin"
        ) from None


def tree(folder: Path, name: str) -> dict[str, Entry]:
    """Return every file of the commit *name* by its path.

    What is no UTF-8 in a path is a question mark in a diamond.
    """
    blobs = {}
    listed = _git(folder, "ls-tree", "-r", "-z", "--long", "--full-tree", name)
    for line in filter(None, listed.decode(errors="replace").split("\0")):
        facts, _, path = line.partition("\t")
        mode, _, key, size = facts.split()
        blobs[path] = Entry(mode, key, int(size) if size != "-" else 0)
    return blobs


def changes(folder: Path, base: str, head: str) -> list[Change]:
    """Return what *head* changes against *base*; a rename deletes and adds."""
    options = ("-r", "-z", "--no-renames", "--name-status", "--no-ext-diff")
    listed = _git(folder, "diff-tree", *options, base, head)
    words = listed.decode(errors="replace").split("\0")
    pairs = zip(words[0:-1:2], words[1::2], strict=True)
    return [Change(path, status) for status, path in pairs]


def passing(folder: Path, base: str, head: str) -> set[str]:
    """Return the contents that commits after *base* had, and *head* has no more.

    They would stay in the history for ever.
    """
    listed = _git(
        folder, "rev-list", "--objects", "--no-object-names", head, f"^{base}"
    )
    kinds = _git(
        folder, "cat-file", "--batch-check=%(objecttype) %(objectname)", given=listed
    )
    words = (line.split() for line in kinds.decode().splitlines())
    blobs = {name for kind, name in words if kind == "blob"}
    return blobs - {entry.object for entry in tree(folder, head).values()}


def content(folder: Path, entry: Entry) -> bytes:
    """Return the bytes of a file."""
    return _git(folder, "cat-file", "blob", entry.object)


def extract(folder: Path, files: Mapping[str, Entry], room: Path) -> None:
    """Write *files* below *room*, whose paths have been looked at."""
    lot: list[str] = []
    size = 0
    for path in [*files, None]:
        if path is None or size > _TOGETHER:
            _extract(folder, {text: files[text] for text in lot}, room)
            lot, size = [], 0
        if path is not None:
            lot.append(path)
            size += files[path].size


def _extract(folder: Path, files: Mapping[str, Entry], room: Path) -> None:
    asked = "".join(f"{entry.object}\n" for entry in files.values())
    rest = memoryview(_git(folder, "cat-file", "--batch", given=asked.encode()))
    for path, entry in files.items():
        head = f"{entry.object} blob {entry.size}\n".encode()
        if rest[: len(head)] != head:
            raise BenchdbError(f"git cannot read {path}; look with: git fsck")
        target = room / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rest[len(head) : len(head) + entry.size])
        rest = rest[len(head) + entry.size + 1 :]


def begin(folder: Path) -> None:
    """Make *folder* a repository whose branch is called main, if it is none."""
    if not (folder / ".git").exists():
        _git(folder, "init", "--quiet", "--initial-branch=main")


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Return what git prints; raise ``BenchdbError`` with what it says if it fails."""
    settings = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    command: Sequence[str] = ("git", "-C", str(folder), *settings, *arguments)
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={name: os.environ[name] for name in os.environ if name not in _ELSE}
            | _OURS,
        )
    except FileNotFoundError:
        raise UsageError("a collection needs git, which is not on PATH") from None
    except subprocess.TimeoutExpired:
        raise BenchdbError(f"git did not answer within {_SECONDS} s") from None
    if done.returncode:
        texts = done.stderr.decode(errors="replace").strip().splitlines()
        raise BenchdbError(f"git: {texts[-1][:_SHOWN] if texts else 'it failed'}")
    return done.stdout
