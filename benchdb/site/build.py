"""Write a site into a folder, and touch nothing there that is not its own.

A list of what was written lies in the folder (``.benchdb-site.json``). The next build
makes only pages anew whose facts or words changed, and takes away pages that are gone.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from benchdb import resources
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.report import language as languages
from benchdb.site import pages
from benchdb.site.pages import Frame, Page

MANIFEST = ".benchdb-site.json"


class Entry(msgspec.Struct, frozen=True):
    """A file of ours: *key* of what it was made from, digest and size of it."""

    key: str
    sha256: str
    size: int


class Outcome(msgspec.Struct):
    """How many files a build has *written*, found as they are, and *removed*."""

    written: int = 0
    kept: int = 0
    removed: int = 0
    size: int = 0


def build(site_pages: Iterable[Page], frame: Frame, folder: Path) -> Outcome:
    """Write *site_pages* into *folder* and return what was done.

    Raise ``UsageError`` before anything is written where a file of others stands in
    the way.
    """
    known = _manifest(folder)
    made: dict[str, Entry] = {}
    outcome = Outcome()
    for path, content in pages.asset_files():
        made[path] = _written(folder, path, content, "", known, outcome)
    for page in site_pages:
        facts = pages.data(page)
        path = f"{page.address}.json"
        made[path] = _written(folder, path, facts, "", known, outcome)
        for path, content in page.files.items():
            made[path] = _written(folder, path, content, "", known, outcome)
        for code in frame.codes[:1] if page.local else frame.codes:
            path = frame.path(page.address, code)
            key = _key(page, facts, code, frame)
            if (
                (entry := known.get(path))
                and entry.key == key
                and _is(folder, path, entry)
            ):
                made[path] = entry
                outcome.kept += 1
                outcome.size += entry.size
                continue
            text = pages.render(page, languages.load(code), frame)
            made[path] = _written(folder, path, text.encode(), key, known, outcome)
    for path in known.keys() - made.keys():
        outcome.removed += _removed(folder, path, known[path])
    _save(folder, made)
    return outcome


def _manifest(folder: Path) -> dict[str, Entry]:
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Entry])
    except FileNotFoundError:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{folder} is there and was not made by 'benchdb report --site'; "
                "name a new or empty folder"
            ) from None
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}; name a new folder") from None


def _save(folder: Path, made: Mapping[str, Entry]) -> None:
    with replacing(folder / MANIFEST) as stream:
        stream.write(msgspec.json.encode(made, order="sorted"))


def _key(page: Page, facts: bytes, code: str, frame: Frame) -> str:
    """Return the digest of all that a page is made from."""
    names = (code, page.address, *frame.codes, frame.base)
    whole = hashlib.sha256()
    for raw in (_program(), facts, *(name.encode() for name in names)):
        whole.update(len(raw).to_bytes(8, "big") + raw)
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


def _is(folder: Path, path: str, entry: Entry) -> bool:
    """Tell whether the file at *path* is there as it was written."""
    try:
        return (folder / path).stat().st_size == entry.size
    except OSError:
        return False


def _written(
    folder: Path,
    path: str,
    content: bytes,
    key: str,
    known: Mapping[str, Entry],
    outcome: Outcome,
) -> Entry:
    entry = Entry(key, hashlib.sha256(content).hexdigest(), len(content))
    outcome.size += entry.size
    if path not in known and (folder / path).exists():
        raise UsageError(f"{folder / path} is there and not of this site; move it away")
    if (
        (old := known.get(path))
        and old.sha256 == entry.sha256
        and _is(folder, path, old)
    ):
        outcome.kept += 1
        return entry
    _write(folder / path, content)
    outcome.written += 1
    return entry


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


def _removed(folder: Path, path: str, entry: Entry) -> int:
    """Remove a file of ours that the site no longer has, unless somebody changed it."""
    place = folder / path
    try:
        own = hashlib.sha256(place.read_bytes()).hexdigest() == entry.sha256
    except OSError:
        return 0
    if own:
        place.unlink()
    return int(own)
