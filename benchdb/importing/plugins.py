"""Formats of installed packages: their entry points in the group ``benchdb.formats``.

A package is imported only when a document is of no format of ours. What is wrong with
it is a fault, told where no format knows a document; it ends no import.
"""

from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib import metadata

import msgspec

from benchdb.errors import ExchangeError
from benchdb.exchange.reader import BadLine, Item, LoneSource, SourceClaim
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.building import acceptable
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.formats import EXCHANGE, FORMATS, Format
from benchdb.importing.provenance import About

GROUP = "benchdb.formats"
_REASON_LIMIT = 300  # characters of an error of a package
_FUNCTIONS = ("recognises", "read")
_ANYTHING = (Exception, SystemExit)  # code of others; a script leaves when imported


class EntryPoint(msgspec.Struct, frozen=True):
    """The *name* of a format, and the package that adds it."""

    name: str
    package: str
    version: str

    def fault(self, problem: str) -> str:
        """Return in one line what is wrong with the format, and what to try."""
        package = f"the package {self.package} {self.version}"
        line = f"format {self.name!r} of {package} {problem}"
        return f"{line}; update or uninstall {self.package}"


class Plugin(msgspec.Struct, frozen=True):
    """A format that can be used."""

    entry_point: EntryPoint
    format: Format


class Installed(msgspec.Struct, frozen=True):
    """The formats that can be used, in the order they are asked, and all faults."""

    plugins: tuple[Plugin, ...]
    faults: tuple[str, ...]


class Recognition(msgspec.Struct, frozen=True):
    """The format that a document has; where none has it, *faults* may say why."""

    plugin: Plugin | None
    faults: tuple[str, ...] = ()


def recognise(document: Document) -> Recognition:
    """Ask the formats of installed packages for *document*."""
    available = installed()
    faults = list(available.faults)
    for plugin in available.plugins:
        try:
            if plugin.format.recognises(document):
                return Recognition(plugin)
        except _ANYTHING as error:
            problem = f"failed to recognise the document: {_reason(error)}"
            faults.append(plugin.entry_point.fault(problem))
    return Recognition(None, tuple(faults))


def read(plugin: Plugin, document: Document, about: About) -> Iterator[Item]:
    """Yield the items that *plugin* reads, as acceptable as those of our formats.

    Raise ``DocumentError`` that names the package where it fails otherwise than it may.
    """
    try:
        for item in plugin.format.read(document, about):
            yield _accepted(item)
    except ExchangeError:
        raise
    except _ANYTHING as error:
        problem = f"failed to read the document: {_reason(error)}"
        raise DocumentError(plugin.entry_point.fault(problem)) from error


def _accepted(item: object) -> Item:
    match item:
        case Record():
            make = partial(building.accepted, item)
            return building.attempt(make, locator=item.run.locator or "")
        case SourceClaim():
            return SourceClaim(acceptable(item.claim), acceptable(item.source))
        case LoneSource():
            return LoneSource(acceptable(item.source))
        case BadLine():
            return msgspec.convert(msgspec.structs.asdict(item), BadLine)
    kind = type(item).__name__
    raise RefusedError(f"'read' yields {kind}, which is no item of an exchange file")


@cache
def installed() -> Installed:
    """Return the formats of installed packages, by name; they are imported once."""
    return _usable(sorted(metadata.entry_points(group=GROUP), key=_order))


def _order(entry_point: metadata.EntryPoint) -> tuple[str, str]:
    return entry_point.name, entry_point.value


def _usable(entry_points: Iterable[metadata.EntryPoint]) -> Installed:
    plugins: dict[str, Plugin] = {}
    faults = []
    for entry_point in entry_points:
        described = _described(entry_point)
        try:
            _require_new(described.name, plugins)
            plugins[described.name] = Plugin(described, _loaded(entry_point))
        except _ANYTHING as error:
            faults.append(described.fault(f"cannot be used: {_reason(error)}"))
    return Installed(tuple(plugins.values()), tuple(faults))


def _described(entry_point: metadata.EntryPoint) -> EntryPoint:
    package = entry_point.dist
    known = (package.name, package.version) if package else (entry_point.module, "")
    return EntryPoint(entry_point.name, *known)


def _require_new(name: str, plugins: dict[str, Plugin]) -> None:
    if name == EXCHANGE or name in FORMATS:
        raise RefusedError("benchdb has a format of this name itself")
    if name in plugins:
        package = plugins[name].entry_point.package
        raise RefusedError(f"the package {package} has a format of this name")


def _loaded(entry_point: metadata.EntryPoint) -> Format:
    loaded: Format = entry_point.load()
    for name in _FUNCTIONS:
        if not callable(getattr(loaded, name, None)):
            raise RefusedError(f"{entry_point.value} has no function {name!r}")
    return loaded


def _reason(error: BaseException) -> str:
    """Return *error* on one line; what benchdb itself refuses needs no class."""
    kind = "" if isinstance(error, RefusedError) else f"{type(error).__name__}: "
    text = " ".join(f"{kind}{error}".split())
    return text if len(text) <= _REASON_LIMIT else f"{text[:_REASON_LIMIT]} …"
