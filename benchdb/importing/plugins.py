"""Formats of installed packages: their entry points in the group ``benchdb.formats``.

A package is imported only when a document is of no format of ours. What is wrong with
it is a fault, told where no format knows a document; it ends no import.
"""

from collections.abc import Iterator
from functools import cache, partial
from importlib import metadata

import msgspec
from msgspec.structs import replace

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
_ANYTHING = (Exception, SystemExit)  # code of others; a script leaves when imported


class Plugin(msgspec.Struct, frozen=True):
    """A format by its *name*, and the package that adds it.

    *format* is ``None`` where it cannot be used, for the reason that is its *fault*.
    """

    name: str
    package: str
    version: str
    format: Format | None = None
    fault: str = ""

    def failure(self, what: str, error: BaseException) -> str:
        """Return in one line *what* went wrong with the format, and what to try.

        What benchdb itself refuses needs no class of its error.
        """
        refused = isinstance(error, RefusedError)
        why = f"{error}" if refused else f"{type(error).__name__}: {error}"
        why = " ".join(why.split())
        if len(why) > _REASON_LIMIT:
            why = f"{why[:_REASON_LIMIT]} …"
        package = f"the package {self.package} {self.version}"
        line = f"format {self.name!r} of {package} {what}: {why}"
        return f"{line}; update or uninstall {self.package}"


def recognise(document: Document) -> tuple[Plugin | None, list[str]]:
    """Return the format of a package that *document* has, or why there may be none."""
    faults = [plugin.fault for plugin in installed() if plugin.fault]
    for plugin in installed():
        try:
            if plugin.format is not None and plugin.format.recognises(document):
                return plugin, []
        except _ANYTHING as error:
            what = "failed to recognise the document"
            faults.append(plugin.failure(what, error))
    return None, faults


def read(plugin: Plugin, document: Document, about: About) -> Iterator[Item]:
    """Yield the items that *plugin* reads, as acceptable as those of our formats.

    Raise ``DocumentError`` that names the package where it fails otherwise than it may.
    """
    try:
        for item in plugin.format.read(document, about) if plugin.format else ():
            yield _check(item)
    except ExchangeError:
        raise
    except _ANYTHING as error:
        what = "failed to read the document"
        raise DocumentError(plugin.failure(what, error)) from error


def _check(item: object) -> Item:
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
def installed() -> tuple[Plugin, ...]:
    """Return the formats of installed packages, in the order they are asked.

    The packages are imported, once.
    """
    entry_points = metadata.entry_points(group=GROUP)
    plugins: dict[str, Plugin] = {}
    broken: list[Plugin] = []
    for entry_point in sorted(entry_points, key=lambda it: (it.name, it.value)):
        package = entry_point.dist
        name, version = (
            (package.name, package.version) if package else (entry_point.module, "")
        )
        plugin = Plugin(entry_point.name, name, version)
        try:
            if plugin.name == EXCHANGE or plugin.name in FORMATS:
                raise RefusedError("benchdb has a format of this name itself")
            if first := plugins.get(plugin.name):
                why = f"the package {first.package} has a format of this name"
                raise RefusedError(why)
            plugins[plugin.name] = replace(plugin, format=_load(entry_point))
        except _ANYTHING as error:
            fault = plugin.failure("cannot be used", error)
            broken.append(replace(plugin, fault=fault))
    return (*plugins.values(), *broken)


def _load(entry_point: metadata.EntryPoint) -> Format:
    loaded: Format = entry_point.load()
    for name in ("recognises", "read"):
        if not callable(getattr(loaded, name, None)):
            raise RefusedError(f"{entry_point.value} has no function {name!r}")
    return loaded
