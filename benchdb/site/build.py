"""Write a site into a folder, and touch nothing there that is not its own.

A list of what was written lies in the folder (``.benchdb-site.json``). The next build
makes only pages anew whose facts or words changed, and takes away pages that are gone.
"""

import hashlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchdb import resources
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.report import language as languages
from benchdb.site import pages
from benchdb.site.pages import Frame, Page

MANIFEST = ".benchdb-site.json"
_ENOUGH = 50  # pages for which another process is started


class Entry(msgspec.Struct, frozen=True):
    """A file of ours: *key* of what it was made from, digest and size of it.

    The size is -1 where a build was to write it and did not come to its end.
    """

    key: str
    sha256: str
    size: int


class Outcome(NamedTuple):
    """How many files are *written*, *kept* as they were, *removed*; bytes of all."""

    written: int
    kept: int
    removed: int
    size: int


class _File(NamedTuple):
    path: str
    entry: Entry
    is_new: bool


class Plan(NamedTuple):
    """What a site consists of.

    Pages in every language are *shared*. *local* ones are known by their *addresses*
    with a key that tells whether one is as it was; only others are made. *files* are
    all that is no page: path and content.
    """

    shared: Sequence[Page]
    local: Callable[[Collection[str]], Iterator[Page]]
    addresses: Mapping[str, str]
    files: Sequence[tuple[str, bytes]]

    def paths(self, frame: Frame) -> Iterator[str]:
        """Yield the path of every file."""
        yield from (path for path, _ in self.files)
        for page in self.shared:
            yield f"{page.address}.json"
            yield from (frame.path(page.address, code) for code in frame.codes)
        for address in self.addresses:
            yield f"{address}.json"
            yield frame.path(address, frame.codes[0])


def build(plan: Plan, frame: Frame, folder: Path) -> Outcome:
    """Write a site into *folder*, and return what was done.

    Other processes make the shared pages, one language each, while this one makes the
    rest. Raise ``UsageError`` before anything is written where a file of others is in
    the way. What an interrupted build has left is ours for the next one.
    """
    folder = folder.resolve()
    known = _manifest(folder)
    planned = dict.fromkeys(plan.paths(frame), Entry("", "", -1))
    for path in planned.keys() - known.keys():
        if (folder / path).exists():
            raise UsageError(f"{folder / path} is not of this site; move it away")
    if planned.keys() - known.keys():
        folder.mkdir(parents=True, exist_ok=True)
        _save(folder, planned | known)
    writer = _Writer(folder, known, frame)
    made: list[_File] = []
    _jobs.append(_Job(writer, plan.shared))
    with _workers(len(plan.shared) * len(frame.codes)) as pool:
        results = pool.map(_in_language, frame.codes) if pool else ()
        made += (writer.content(path, content) for path, content in plan.files)
        for page in plan.shared:
            made.append(writer.content(f"{page.address}.json", pages.data(page)))
        made += _local(plan, writer)
        for some in results if pool else map(_in_language, frame.codes):
            made += some
    _jobs.pop()
    entries = {file.path: file.entry for file in made}
    gone = [path for path in known if path not in entries]
    removed = sum(_removed(folder, path, known[path]) for path in gone)
    if entries != known:
        _save(folder, entries)
    new = sum(file.is_new for file in made)
    size = sum(entry.size for entry in entries.values())
    return Outcome(new, len(entries) - new, removed, size)


def _local(plan: Plan, writer: "_Writer") -> Iterator[_File]:
    """Yield the files of local pages, those that are as they were first."""
    frame, new = writer.frame, dict[str, str]()
    code = frame.codes[0]
    for address, key in plan.addresses.items():
        own = _digest(key, *frame.codes, frame.base)
        if (kept := writer.kept(address, code, own)) is None:
            new[address] = own
        else:
            yield from kept
    for page in plan.local(new):
        path, key = frame.path(page.address, code), new[page.address]
        yield writer.content(f"{page.address}.json", pages.data(page), key)
        text = pages.render(page, languages.load(code), frame)
        yield writer.content(path, text.encode(), key)


class _Job(NamedTuple):
    writer: "_Writer"
    shared: Sequence[Page]


# What processes that are forked from this one find there.
_jobs: list[_Job] = []


def _in_language(code: str) -> list[_File]:
    return [*_jobs[-1].writer.pages(_jobs[-1].shared, code)]


@contextmanager
def _workers(renderings: int) -> Iterator[ProcessPoolExecutor | None]:
    """Give processes to share the work with, ``None`` where they do not pay."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    # On macOS a fork may end in the system's own libraries.
    if cores == 1 or renderings < _ENOUGH:
        yield None
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(cores, mp_context=context) as pool:
        yield pool


class _Writer:
    """Writes files of a site into its folder, as far as they are not there."""

    def __init__(self, folder: Path, known: Mapping[str, Entry], frame: Frame) -> None:
        self._folder = folder
        self._known = known
        self.frame = frame
        self._within: set[Path] = set()

    def pages(self, some: Iterable[Page], code: str) -> Iterator[_File]:
        """Write the pages in a language."""
        for page in some:
            facts = pages.data(page)
            path = self.frame.path(page.address, code)
            key = _key(page, facts, code, self.frame)
            entry = self._known.get(path)
            if entry is not None and entry.key == key and self._is_there(path, entry):
                yield _File(path, entry, is_new=False)
            else:
                text = pages.render(page, languages.load(code), self.frame)
                yield self.content(path, text.encode(), key)

    def kept(self, address: str, code: str, key: str) -> list[_File] | None:
        """Return the data and the page at an address, if both were made from *key*."""
        files = []
        for path in (f"{address}.json", self.frame.path(address, code)):
            entry = self._known.get(path)
            if entry is None or entry.key != key or not self._is_there(path, entry):
                return None
            files.append(_File(path, entry, is_new=False))
        return files

    def content(self, path: str, content: bytes, key: str = "") -> _File:
        """Write a file with this *content* if it is not there."""
        entry = Entry(key, hashlib.sha256(content).hexdigest(), len(content))
        old, place = self._known.get(path), self._folder / path
        if old and old.sha256 == entry.sha256 and self._is_there(path, old):
            return _File(path, entry, is_new=False)
        self._refuse_detour(place.parent)
        _write(place, content)
        return _File(path, entry, is_new=True)

    def _refuse_detour(self, place: Path) -> None:
        """Raise ``UsageError`` if a link leads from the site's folder elsewhere."""
        if place not in self._within:
            if not place.resolve().is_relative_to(self._folder):
                raise UsageError(f"{place} leads out of {self._folder}; move it away")
            self._within.add(place)

    def _is_there(self, path: str, entry: Entry) -> bool:
        try:
            return (self._folder / path).stat().st_size == entry.size
        except OSError:
            return False


def _write(path: Path, content: bytes) -> None:
    """Write a file of which a reader sees the old one or the new one whole.

    ``files.replacing`` waits for the disk, thousands of times; a site can be built
    again.
    """
    unfinished = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


def _manifest(folder: Path) -> dict[str, Entry]:
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Entry])
    except FileNotFoundError:
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty and was not made by 'benchdb report --site'; "
                "name a new or empty folder"
            ) from None
        return {}
    except NotADirectoryError:
        raise UsageError(f"{folder} is a file; name a folder") from None
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}; name a new folder") from None


def _save(folder: Path, entries: Mapping[str, Entry]) -> None:
    with replacing(folder / MANIFEST) as stream:
        stream.write(msgspec.json.encode(entries, order="sorted"))


def _key(page: Page, facts: bytes, code: str, frame: Frame) -> str:
    """Return the digest of all that a page is made from."""
    names = (code, page.address, *frame.codes, frame.base)
    return _digest(hashlib.sha256(facts).hexdigest(), *names)


def _digest(*parts: str) -> str:
    """Return the digest of *parts* and of our own program."""
    whole = hashlib.sha256(_program())
    for part in parts:
        whole.update(f"{len(part)} {part}".encode())
    return whole.hexdigest()


@cache
def _program() -> bytes:
    """Return the digest of our own program, templates and messages."""
    whole = hashlib.sha256()
    folders = [Path(__file__).parent.parent, resources.folder("reports")]
    for folder in (*folders, resources.folder("schema")):
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".py", ".j2", ".po", ".css", ".js", ".json", ".svg"}:
                whole.update(path.name.encode() + path.read_bytes())
    return whole.digest()


def _removed(folder: Path, path: str, entry: Entry) -> bool:
    """Remove a file of ours that the site no longer has, unless somebody changed it."""
    place = folder / path
    try:
        own = hashlib.sha256(place.read_bytes()).hexdigest() == entry.sha256
        if own and place.resolve().is_relative_to(folder):
            place.unlink()
    except OSError:
        return False
    return own
