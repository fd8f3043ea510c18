"""What a collection consists of: its files, and how those of contributors are named."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from benchdb import __version__
from benchdb.errors import BenchdbError, UsageError
from benchdb.repository import git
from benchdb.resources import folder

FORMAT = 1
CONTRIBUTORS = "contributors"
MARK = "collection.toml"  # that it is a collection, and what it is called
TOMBSTONES = "tombstones.jsonl"
REVOKED = "revoked"
_LARGEST = 16 * 2**20  # bytes of a bundle
_LARGEST_OTHER = 2**20  # of what is no contributor's
_LARGEST_KEY = 64 * 2**10  # of a key, a signature or retractions
# One spelling for every file system; as long as the names of accounts are elsewhere.
_NAME = re.compile(r"(?=.{1,39}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
_FILE = re.compile(
    rf"{CONTRIBUTORS}/(?P<name>[^/]+)/(?:"
    r"(?P<bundle>[a-z0-9][a-z0-9._-]{0,99}\.benchdb)"
    r"|(?P<key>key(?:-(?P<number>[2-9]|[1-9][0-9]))?\.pub)"
    r"|(?P<proof>key(?:-(?:[2-9]|[1-9][0-9]))?\.pub\.sig)"
    r"|(?P<pass>key-(?:[2-9]|[1-9][0-9])\.pub\.by-old\.sig)"
    r")"
)
# Where a file of the templates goes: names with a dot are easily lost on the way here.
_HIDDEN = {"github": ".github", "gitattributes": ".gitattributes"}
_TITLE = re.compile(r"[^\x00-\x1f\x7f<>`\[\]\"\\]{1,80}")

Kind = Literal["bundle", "key", "proof", "pass"]


class Place(msgspec.Struct, frozen=True):
    """Whose file a path is, and of what kind; *number* counts keys from 1."""

    contributor: str
    kind: Kind
    number: int = 1


def checked_name(name: str) -> str:
    """Return the *name* of a contributor, or raise ``UsageError`` for what is none."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a contributor; 1 to 39 of a-z, 0-9 and single "
            "hyphens between them"
        )
    return name


def place(path: str) -> Place | None:
    """Return what the file at *path* is, None if no contributor may have it."""
    match = _FILE.fullmatch(path)
    if match is None or not _NAME.fullmatch(match["name"]):
        return None
    kinds: tuple[Kind, ...] = ("bundle", "key", "proof", "pass")
    kind = next(text for text in kinds if match[text])
    return Place(match["name"], kind, int(match["number"] or 1))


def largest(path: str) -> int:
    """Return how many bytes the file at *path* may have."""
    known = place(path)
    if known is None:
        return _LARGEST_OTHER
    return _LARGEST if known.kind == "bundle" else _LARGEST_KEY


def owner(path: str) -> str | None:
    """Return in whose folder *path* lies, None where it is nobody's."""
    top, slash, rest = path.partition("/")
    if top.casefold() != CONTRIBUTORS or not slash:
        return None
    return rest.partition("/")[0]


def bundles(paths: Iterable[str]) -> dict[str, str]:
    """Return whose each bundle among *paths* is, by its path, in one order."""
    places = {path: place(path) for path in sorted(paths)}
    return {
        path: bundle.contributor
        for path, bundle in places.items()
        if bundle is not None and bundle.kind == "bundle"
    }


def require_collection(target: Path) -> None:
    """Raise ``UsageError`` if *target* is no collection."""
    if not (target / MARK).is_file():
        raise UsageError(
            f"{target} has no {MARK}, so it is no collection; name a clone of one, or "
            "make one with 'benchdb init-repo'"
        )


def title(content: bytes) -> str:
    """Return what the collection with this ``collection.toml`` is called."""
    try:
        facts = tomllib.loads(content.decode())
    except ValueError as error:
        raise BenchdbError(f"{MARK} cannot be read: {error}") from None
    name = facts.get("name")
    if facts.get("format") != FORMAT or not _TITLE.fullmatch(str(name)):
        raise BenchdbError(f'{MARK} wants format = {FORMAT} and name = "…"')
    return str(name)


def make(target: Path, name: str) -> list[str]:
    """Make a collection called *name* in the folder *target*; return its files.

    The folder is new, empty, or a git repository without a file or commit; for any
    other ``UsageError`` is raised, and nothing is written.
    """
    if not _TITLE.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name; at most 80 plain characters")
    _require_empty(target)
    templates = folder("reports") / "repository"
    written = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        git.begin(target)
        for source in sorted(path for path in templates.rglob("*") if path.is_file()):
            first, *rest = source.relative_to(templates).parts
            path = Path(_HIDDEN.get(first, first), *rest)
            text = source.read_text(encoding="utf-8")
            text = text.replace("COLLECTION", name).replace("BENCHDB", __version__)
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, encoding="utf-8")
            written.append(path.as_posix())
    except OSError as error:
        raise BenchdbError(f"cannot write {target}: {error.strerror}") from error
    return written


def _require_empty(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; name a new or empty folder")
    if target.is_dir() and {path.name for path in target.iterdir()} - {".git"}:
        raise UsageError(f"{target} is not empty; name a new or empty folder")
    if (target / ".git").exists():
        try:
            git.commit(target, "HEAD")
        except UsageError:
            return
        raise UsageError(f"{target} has commits; name a new or empty folder")
