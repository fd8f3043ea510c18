"""Load maps, and find those that are shipped for documents we know."""

import hashlib
import re
from functools import cache
from pathlib import Path

import msgspec

from benchdb.errors import UsageError
from benchdb.importing.document import Document
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.validate import faults
from benchdb.resources import folder

SIZE_LIMIT = 2**20  # bytes; the longest of ours has 13 thousand


class LoadedMap(msgspec.Struct, frozen=True):
    """A map with the name it goes by, that of its file without ending; and its text."""

    name: str
    map_: Map
    text: str

    @property
    def sha256(self) -> str:
        """Identify the map by its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def load(path: Path) -> LoadedMap:
    """Return the map in the file *path*.

    Raise ``UsageError`` that names the file, the key, and what is expected there.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the map {path}: {error.strerror}") from error
    return parsed(content, path.stem)


def parsed(content: bytes, name: str) -> LoadedMap:
    """Return the map that *content* is, by the *name* that it goes by."""
    map_ = decoded(content, f"{name}.toml")
    return LoadedMap(name, map_, content.decode())


def chosen(wanted: str) -> LoadedMap:
    """Return the map of a file that is there, else the shipped one of that name."""
    path = Path(wanted)
    return load(path) if path.is_file() or path.suffix else named(wanted)


def decoded(content: bytes, name: str) -> Map:
    """Return the map that *content* is, in TOML; *name* is for the error."""
    if len(content) > SIZE_LIMIT:
        raise UsageError(f"{name}: larger than {SIZE_LIMIT // 2**20} MiB; no map is")
    try:
        map_ = msgspec.toml.decode(content, type=Map)
    except msgspec.ValidationError as error:
        raise UsageError(f"{name}: {_placed(str(error))}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{name}: no TOML ({error})") from error
    for fault in faults(map_):
        raise UsageError(f"{name}: {fault}")
    return map_


def shipped(document: Document) -> LoadedMap | None:
    """Return the map that we ship for exactly this *document*, if there is one."""
    known = _shipped()
    return next((one for one in known if document.sha256 in one.map_.documents), None)


def named(name: str) -> LoadedMap:
    """Return the shipped map *name*; raise ``UsageError`` with those there are."""
    for one in _shipped():
        if one.name == name:
            return one
    names = ", ".join(one.name for one in _shipped())
    raise UsageError(f"no map {name!r} is shipped; there are {names}, and files")


@cache
def _shipped() -> tuple[LoadedMap, ...]:
    return tuple(load(path) for path in sorted(folder("published").glob("maps/*.toml")))


def _placed(message: str) -> str:
    """Return a message of msgspec with the key first, as TOML spells it."""
    what, _, where = message.partition(" - at `$")
    key = where.rstrip("`").lstrip(".").replace("[...]", ".*")
    if "got `object`" in what and re.search(r"\bset\b|ator\b", key):
        what += '; a field with a dot stands in quotes: "parameters.epochs" = 3'
    return f"{key}: {what}" if key else what
