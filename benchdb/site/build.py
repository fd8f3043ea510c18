"""Write a site into a folder, and touch nothing there that is not its own.

A list of what was written lies in the folder (``.benchdb-site.json``). The next build
makes only pages anew whose facts or words changed, and takes away pages that are gone.
One process reads the database and makes facts; others make their pages.
"""

import ctypes
import gc
import hashlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from benchdb import resources
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.report import language as languages
from benchdb.site import pages
from benchdb.site.pages import Frame, Page

MANIFEST = ".benchdb-site.json"
_ENOUGH = 50  # pages for which another process is started
_TOGETHER = 50  # pages that a process is given at a time
_AHEAD = 40  # such portions wait at most, so that memory is bounded
_PR_SET_PDEATHSIG = 1
Item = TypeVar("Item")


class Entry(msgspec.Struct, frozen=True):
    """A file of ours: *key* of what it was made from, digest and size of it.

    The size is -1 where a build was to write it and did not come to its end. The entry
    of the list itself has the state that it was made of as its key, "" until a build
    has come to its end.
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


class Local(NamedTuple):
    """Pages in the first language alone, by their *addresses*.

    The key at an address tells whether a page is as it was. Of others *facts_at* yields
    address and facts, and *page_of* makes the page, in any process.
    """

    addresses: Mapping[str, str]
    facts_at: Callable[[Collection[str]], Iterator[tuple[str, Any]]]
    page_of: Callable[[str, Any], Page]


class Plan(NamedTuple):
    """What a part of a site consists of.

    Pages in every language are *shared*. *files* are all that is no page: path and
    content; *keys* tell what some of them were made from.
    """

    shared: Sequence[Page]
    files: Sequence[tuple[str, bytes]]
    local: Local | None = None
    keys: Mapping[str, str] = {}

    def paths(self, frame: Frame) -> Iterator[str]:
        """Yield the path of every file."""
        yield from (path for path, _ in self.files)
        for page in self.shared:
            yield f"{page.address}.json"
            yield from (frame.path(page.address, code) for code in frame.codes)
        for address in self.local.addresses if self.local else ():
            yield f"{address}.json"
            yield frame.path(address, frame.codes[0])


def state(frame: Frame, *parts: str) -> str:
    """Return what tells whether a site is as one of the same *parts* would be."""
    return _digest(*frame.codes, frame.base, *parts)


def as_it_was(folder: Path, wanted: str) -> Outcome | None:
    """Return the outcome for a site of the state *wanted*, ``None`` for any other.

    It has all its files, as far as their sizes tell. Errors are those of ``build``.
    """
    folder = folder.resolve()
    known = _manifest(folder)
    own = known.pop(MANIFEST, None)
    if own is None or own.key != wanted:
        return None
    if not all(_is_there(f"{folder}/{path}", entry) for path, entry in known.items()):
        return None
    return Outcome(0, len(known), 0, sum(entry.size for entry in known.values()))


def there(folder: Path, below: str) -> Iterator[tuple[str, bytes]]:
    """Yield key and content of files of a site *below* a path, if they have a key.

    They are as they were written. Errors are those of ``build``.
    """
    folder = folder.resolve()
    for path, entry in _manifest(folder).items():
        if entry.key and path.startswith(below):
            with suppress(OSError):
                content = (folder / path).read_bytes()
                if hashlib.sha256(content).hexdigest() == entry.sha256:
                    yield entry.key, content


def build(
    plans: Iterable[Plan], frame: Frame, folder: Path, made_of: str = "whole"
) -> Outcome:
    """Write a site into *folder*, and return what was done.

    One of the *plans* is asked for when those before are written; *made_of* is the
    state of all. Raise ``UsageError`` before anything of a plan is written where a
    file of others is in the way. What an interrupted build has left is ours for the
    next one.
    """
    folder = folder.resolve()
    known = _manifest(folder)
    own = known.pop(MANIFEST, None)
    writer = _Writer(folder, known, frame, is_sure=own is not None and own.key != "")
    planned, made = dict[str, Entry](), list[_File]()
    for plan in plans:
        planned |= dict.fromkeys(plan.paths(frame), Entry("", "", -1))
        for path in planned.keys() - known.keys() - {file.path for file in made}:
            if (folder / path).exists():
                raise UsageError(f"{folder / path} is not of this site; move it away")
        folder.mkdir(parents=True, exist_ok=True)
        _save(folder, planned | known | {file.path: file.entry for file in made}, "")
        made += [
            writer.content(path, content, plan.keys.get(path, ""))
            for path, content in plan.files
        ]
        made += _pages(plan, writer)
    entries = {file.path: file.entry for file in made}
    gone = [path for path in known if path not in entries]
    removed = sum(_removed(folder, path, known[path]) for path in gone)
    _save(folder, entries, made_of)
    new = sum(file.is_new for file in made)
    size = sum(entry.size for entry in entries.values())
    return Outcome(new, len(entries) - new, removed, size)


def _pages(plan: Plan, writer: "_Writer") -> Iterator[_File]:
    """Yield the files of all pages, those that are as they were first."""
    codes, shared, local = writer.frame.codes, list[_Shared](), dict[str, str]()
    for n, page in enumerate(plan.shared):
        facts = pages.data(page)
        yield writer.content(f"{page.address}.json", facts)
        for code in codes:
            key = writer.key(hashlib.sha256(facts).hexdigest(), code, page.address)
            if kept := writer.kept((writer.frame.path(page.address, code),), key):
                yield from kept
            else:
                shared.append(_Shared(n, code, key))
    for address, facts_key in plan.local.addresses.items() if plan.local else ():
        key = writer.key(facts_key)
        paths = f"{address}.json", writer.frame.path(address, codes[0])
        if kept := writer.kept(paths, key):
            yield from kept
        else:
            local[address] = key
    with _workers(_Job(plan, writer), len(shared) + len(local)) as pool:
        pending = deque(pool.submit(_in_languages, some) for some in _portions(shared))
        pairs = plan.local.facts_at(local) if plan.local else ()
        facts_of = ((address, local[address], facts) for address, facts in pairs)
        for some in _portions(facts_of):
            pending.append(pool.submit(_of_facts, some))
            if len(pending) > _AHEAD:
                yield from pending.popleft().result()
        for future in pending:
            yield from future.result()


def _portions(items: Iterable[Item]) -> Iterator[list[Item]]:
    left = iter(items)
    while some := [*islice(left, _TOGETHER)]:
        yield some


class _Shared(NamedTuple):
    """A page to be made: its number among those that are shared, language and key."""

    number: int
    code: str
    key: str


class _Job(NamedTuple):
    plan: Plan
    writer: "_Writer"


# What processes that are forked from this one find there.
_jobs: list[_Job] = []


def _in_languages(some: Iterable[_Shared]) -> list[_File]:
    plan, writer = _jobs[-1]
    return [
        writer.page(plan.shared[shared.number], shared.code, shared.key)
        for shared in some
    ]


def _of_facts(some: Iterable[tuple[str, str, Any]]) -> list[_File]:
    plan, writer = _jobs[-1]
    made: list[_File] = []
    if plan.local is None:
        return made
    for address, key, facts in some:
        page = plan.local.page_of(address, facts)
        made += [
            writer.content(f"{address}.json", pages.data(page), key),
            writer.page(page, writer.frame.codes[0], key),
        ]
    return made


class _Here(Executor):
    """Does at once, in this process, what it is given."""

    def submit(self, do: Any, /, *given: Any, **named: Any) -> Future[Any]:
        done = Future[Any]()
        done.set_result(do(*given, **named))
        return done


@contextmanager
def aside(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Have another process do *work* meanwhile; give what waits for the outcome.

    Where there is no core for it, or that process was killed, this one does it.
    """
    if _cores() == 1:
        yield work
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    gc.freeze()  # what a collection touches would be copied

    def send() -> None:
        _end_with_parent()
        sender.send_bytes(work())

    other = context.Process(target=send, daemon=True)
    other.start()
    sender.close()

    def outcome() -> bytes:
        try:
            return receiver.recv_bytes()
        except EOFError:
            return work()

    try:
        yield outcome
    finally:
        gc.unfreeze()
        other.terminate()
        other.join()
        receiver.close()


def _end_with_parent() -> None:
    """Have the system end this process with the one that it was forked from.

    They hold each other's pipes open, and would wait for ever.
    """
    parent = multiprocessing.parent_process()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if parent is not None and os.getppid() != parent.pid:  # it has ended by now
        os._exit(1)


def _cores() -> int:
    """Return for how many processes there is room beside each other."""
    # On macOS a fork may end in the system's own libraries.
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@contextmanager
def _workers(job: _Job, renderings: int) -> Iterator[Executor]:
    """Give processes that know the job, this one where others do not pay."""
    cores = _cores()
    _jobs.append(job)
    try:
        if cores == 1 or renderings < _ENOUGH:
            yield _Here()
            return
        for code in job.writer.frame.codes:
            languages.load(code)  # once, not in each of them
        gc.freeze()  # what a collection touches would be copied in each of them
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(cores, context, _end_with_parent) as pool:
            yield pool
    except BrokenProcessPool as error:
        raise BenchdbError(
            "a process that made pages was killed, perhaps for lack of memory; build "
            "again: what is written stays"
        ) from error
    finally:
        gc.unfreeze()
        _jobs.pop()


class _Writer:
    """Writes files of a site into its folder, as far as they are not there."""

    def __init__(
        self,
        folder: Path,
        known: Mapping[str, Entry],
        frame: Frame,
        *,
        is_sure: bool,
    ) -> None:
        self._folder = folder
        self._known = known
        self.frame = frame
        self._is_sure = is_sure
        self._within: set[Path] = set()

    def key(self, facts: str, *more: str) -> str:
        """Return the key of a page of *facts*, given by their digest."""
        return _digest(facts, *more, *self.frame.codes, self.frame.base)

    def kept(self, paths: Sequence[str], key: str) -> list[_File] | None:
        """Return the files at *paths* if all are there and were made from *key*."""
        files = []
        for path in paths:
            entry = self._known.get(path)
            if entry is None or entry.key != key or not self._is_there(path, entry):
                return None
            files.append(_File(path, entry, is_new=False))
        return files

    def page(self, page: Page, code: str, key: str) -> _File:
        """Write a page in a language."""
        text = pages.render(page, languages.load(code), self.frame)
        return self.content(self.frame.path(page.address, code), text.encode(), key)

    def content(self, path: str, content: bytes, key: str = "") -> _File:
        """Write a file with this *content* if it is not there."""
        entry = Entry(key, hashlib.sha256(content).hexdigest(), len(content))
        old, place = self._known.get(path), self._folder / path
        if old and old.sha256 == entry.sha256 and self._is_there(path, old):
            return _File(path, entry, is_new=False)
        self._enter(place.parent)
        _write(place, content)
        return _File(path, entry, is_new=True)

    def _enter(self, place: Path) -> None:
        """Make a folder; raise ``UsageError`` if a link leads out of the site."""
        if place not in self._within:
            if not place.resolve().is_relative_to(self._folder):
                raise UsageError(f"{place} leads out of {self._folder}; move it away")
            try:
                place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BenchdbError(f"cannot make {place}: {error.strerror}") from error
            self._within.add(place)

    def _is_there(self, path: str, entry: Entry) -> bool:
        """Tell whether a file is as in the list, by its content after an interruption.

        A build that did not come to its end may have written another of that size.
        """
        place = f"{self._folder}/{path}"
        if not _is_there(place, entry):
            return False
        return self._is_sure or _sha256(place) == entry.sha256


def _is_there(place: str, entry: Entry) -> bool:
    # To make a path of each of thousands takes longer than to ask for it.
    try:
        return os.stat(place).st_size == entry.size  # noqa: PTH116
    except OSError:
        return False


def _sha256(place: str | Path) -> str:
    return hashlib.sha256(Path(place).read_bytes()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file of which a reader sees the old one or the new one whole.

    ``files.replacing`` waits for the disk, thousands of times; a site can be built
    again.
    """
    unfinished = _unfinished(path)
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


def _unfinished(path: Path) -> Path:
    """Return where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.part")


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


def _save(folder: Path, entries: Mapping[str, Entry], made_of: str) -> None:
    whole = {**entries, MANIFEST: Entry(made_of, "", -1)}
    with replacing(folder / MANIFEST) as stream:
        stream.write(msgspec.json.encode(whole, order="sorted"))


def _digest(*parts: str) -> str:
    """Return the digest of *parts* and of our own program."""
    whole = hashlib.sha256(resources.program())
    for part in parts:
        whole.update(f"{len(part)} {part}".encode())
    return whole.hexdigest()


def _removed(folder: Path, path: str, entry: Entry) -> bool:
    """Remove a file of ours that the site no longer has, unless somebody changed it.

    What an interrupted build was to write is ours as well, whatever is in it.
    """
    place = folder / path
    try:
        own = entry.size < 0 or _sha256(place) == entry.sha256
        if own and place.resolve().is_relative_to(folder):
            if entry.size < 0:
                _unfinished(place).unlink(missing_ok=True)
            place.unlink()
    except OSError:
        return False
    return own
