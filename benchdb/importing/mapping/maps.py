"""Load and check maps, and find those that are shipped for documents we know."""

import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from benchdb.catalogue import metrics
from benchdb.errors import UsageError, suggestion
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.fields import DEVICES, plain_name
from benchdb.importing.mapping.language import (
    FIGURES,
    OF_ENVIRONMENTS,
    OF_MACHINES,
    OF_RUNS,
    RESULTS,
    Column,
    Map,
    Table,
)
from benchdb.importing.mapping.recognition import GPU
from benchdb.resources import folder

SIZE_LIMIT = 2**20  # bytes; the longest of ours has 13 thousand
_FIELDS = (*OF_RUNS, *OF_MACHINES, *OF_ENVIRONMENTS)
# Keys of a map by what they hold: fields with values; regular expressions as text, in
# a list or as keys; those whose named groups set fields.
_SETTING = ("set", "numerator", "denominator")
_OF_GROUPS = ("name", "context", "pattern")
_EXPRESSIONS = (*_OF_GROUPS, "files", "under", "skip", "rows", "headings")


class LoadedMap(msgspec.Struct, frozen=True):
    """A map with the name it goes by, that of its file without ending; and its text."""

    name: str
    map_: Map
    text: str

    @property
    def sha256(self) -> str:
        """Identify the map by its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __contains__(self, sha256: str) -> bool:
        """Tell whether the map is for the document with this digest."""
        return sha256 in (*self.map_.documents, *self.map_.paths.values())


def find(name: str) -> LoadedMap:
    """Return the map of a file that is there, else the shipped one of that name."""
    path = Path(name)
    if path.is_file() or path.suffix:
        return load(path)
    if name not in _contents():
        raise UsageError(
            f"no map {name!r} is shipped{suggestion(name, _contents())}; there are "
            f"{len(_contents())}, in published/maps/, and files"
        )
    return parse(_contents()[name], name)


def load(path: Path) -> LoadedMap:
    """Return the map in the file *path*.

    Raise ``UsageError`` that names the file, the key, and what is expected there.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the map {path}: {error.strerror}") from error
    return parse(content, path.stem)


def parse(content: bytes, name: str) -> LoadedMap:
    """Return the map that *content* is, in TOML, by the *name* that it goes by."""
    file = f"{name}.toml"
    if len(content) > SIZE_LIMIT:
        raise UsageError(f"{file}: larger than {SIZE_LIMIT // 2**20} MiB; no map is")
    try:
        map_ = msgspec.toml.decode(content, type=Map)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {_with_key(str(error))}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: no TOML ({error})") from error
    for fault in faults(map_):
        raise UsageError(f"{file}: {fault}")
    return LoadedMap(name, map_, content.decode())


def shipped_for(document: Document) -> LoadedMap | None:
    """Return the map that we ship for exactly this *document*, if there is one."""
    sha256 = document.sha256.encode()
    for name, content in _contents().items():
        # To parse them all would take longer than to read most documents.
        if sha256 in content and document.sha256 in (known := parse(content, name)):
            return known
    return None


def remembered(agreed: Path, document: Document) -> LoadedMap | None:
    """Return the map in the folder *agreed* that was agreed on for *document*."""
    for path in remembered_files(agreed, document.sha256):
        try:
            return parse(path.read_bytes(), path.name.split(".")[0])
        except (UsageError, OSError) as error:
            raise DocumentError(
                f"the answers kept for it cannot be used ({error}); delete {path}"
            ) from error
    return None


def remembered_files(agreed: Path, sha256: str) -> list[Path]:
    """Return where maps for the document with that digest are kept: one, or none."""
    return sorted(agreed.glob(f"*.{sha256}.toml"))


@cache
def _contents() -> dict[str, bytes]:
    paths = sorted(folder("published").glob("maps/*.toml"))
    return {path.stem: path.read_bytes() for path in paths}


def _with_key(message: str) -> str:
    what, _, where = message.partition(" - at `$")
    key = where.rstrip("`").lstrip(".").replace("[...]", ".*")
    if "got `object`" in what and re.search(r"\bset\b|ator\b", key):
        what += '; a field with a dot stands in quotes: "parameters.epochs" = 3'
    return f"{key}: {what}" if key else what


def faults(map_: Map) -> Iterator[str]:
    """Yield what is wrong although the TOML is right: the key, and what is expected."""
    for key, part in _parts(map_, ""):
        for name in part.__struct_fields__:
            yield from _of_key(part, name, f"{key}{name}", map_)
        match part:
            case Table():
                yield from _of_table(part, key)
            case Column():
                yield from _of_column(part, key, map_)
    has_figures = bool(map_.table or map_.figure)
    if map_.tool is not None and has_figures:
        yield "tool: but a [[table]] or [[figure]] is there"
    if map_.nothing is None and map_.tool is None and not has_figures:
        yield "[[table]] or [[figure]] is expected, or 'nothing' with the reason"
    if map_.nothing is not None and has_figures:
        yield "nothing: but a [[table]] or [[figure]] is there"


def _parts(part: msgspec.Struct, key: str) -> Iterator[tuple[str, msgspec.Struct]]:
    """Yield all parts below *part*, then itself; each with how its keys begin."""
    for name in part.__struct_fields__:
        below = getattr(part, name)
        named = below.items() if isinstance(below, dict) else ()
        shown = str if name == "workloads" else repr  # those are short names
        pairs = [(f".{shown(word)}", inner) for word, inner in named]
        if isinstance(below, tuple):
            pairs = [(f"[{index}]", inner) for index, inner in enumerate(below)]
        for at, inner in pairs:
            if isinstance(inner, msgspec.Struct):
                yield from _parts(inner, f"{key}{name}{at}.")
    yield key, part


def _of_key(part: msgspec.Struct, name: str, at: str, map_: Map) -> Iterator[str]:
    """Yield what is wrong in what the key *name* of *part* holds."""
    held = getattr(part, name)
    if name in _SETTING:
        yield from _of_fields(held, at, map_)
    elif name in _EXPRESSIONS:
        texts = (held,) if isinstance(held, str) else held or ()
        sets = name in _OF_GROUPS and getattr(part, "is_", "") not in FIGURES
        yield from _of_patterns(texts, at, groups=sets)
    elif name in ("metric", "parts"):
        yield from _of_metrics(held.values() if name == "parts" else [held], at)


def _of_table(table: Table, key: str) -> Iterator[str]:
    plain: dict[str, str] = {}
    by_row = any(value.is_ == "metric" for value in table.columns.values())
    for name, column in table.columns.items():
        at = f"{key}columns.{name!r}"
        if column.is_ in FIGURES and not (column.metric or column.parts or by_row):
            yield f"{at}.metric: one of schema/metrics.json is expected, or parts"
        if plain_name(name) in plain:
            yield f"{at}: the same as {plain[plain_name(name)]!r}"
        plain[plain_name(name)] = name
    if not any(value.is_ in RESULTS for value in table.columns.values()):
        ignored = [n for n, it in table.columns.items() if it.is_ == "ignore"]
        hint = f", but {ignored[0]!r} is ignored" if len(ignored) == 1 else ""
        hint += "; a table without figures is left out of the map whole"
        yield f'{key}columns: one with is = "value" is expected{hint}'


def _of_column(column: Column, key: str, map_: Map) -> Iterator[str]:
    if column.is_ in FIGURES:
        if any("(?P<value>" not in pattern for pattern in column.patterns):
            yield f"{key}pattern: a group (?P<value>…) is expected around the figure"
    elif column.is_ == "metric":
        if not column.values:
            yield f"{key}values: labels with their metrics are expected"
        yield from _of_metrics(map(str, column.values.values()), f"{key}values")
    elif column.is_ == "field" and column.field is not None:
        for value in (*column.values.values(), None):
            yield from _of_fields({column.field: value}, f"{key}field", map_)
    elif column.is_ == "field" and not (
        column.names or column.patterns or column.cells
    ):
        yield f"{key}field: the name of a field is expected, or names, or is = …"


def _of_fields(fields: Mapping[str, object], key: str, map_: Map) -> Iterator[str]:
    for name, value in fields.items():
        at = f"{key}.{name}"
        if not _is_field(name):
            listed = ", ".join(sorted(_FIELDS))
            yield f"{at}: no field; these are: {listed}, parameters.*, conditions.*"
        if name == "device" and value is not None and value not in (*DEVICES, GPU):
            listed = ", ".join((*DEVICES, GPU))
            yield f"{at}: {value!r}; one of {listed} is expected"
        unknown = value is not None and value not in map_.environments
        if name == "environment" and unknown:
            yield f"{at}: no environments.{value} is in the map"


def _is_field(name: str) -> bool:
    return name in _FIELDS or bool(re.match(r"(?:parameters|conditions)\..", name))


def _of_metrics(names: Iterable[str | None], key: str) -> Iterator[str]:
    for name in names:
        if name and name not in metrics():
            yield f"{key}: {name!r} is no metric of schema/metrics.json"


def _of_patterns(patterns: Iterable[str], key: str, *, groups: bool) -> Iterator[str]:
    """Yield faults of expressions; with *groups* their named ones set fields."""
    for pattern in patterns:
        try:
            # What a later Python would read otherwise is a warning in this version.
            with warnings.catch_warnings(action="error", category=FutureWarning):
                names = re.compile(pattern).groupindex
        except (re.error, RecursionError, OverflowError, FutureWarning) as error:
            yield f"{key}: {pattern!r} is no regular expression ({error})"
            continue
        for name in names if groups else ():
            if not _is_field(name.replace("__", ".")):
                yield f"{key}: group {name!r} is no field"
        if groups and not names:
            yield f"{key}: a named group is expected: (?P<machine>…)"
