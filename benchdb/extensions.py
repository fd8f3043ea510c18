"""What other packages add to benchdb: their entry points, by kind.

Code of others may fail in any way: that is a fault of one line, which names the
package, and everything else goes on.
"""

import logging
import re
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.validation import RefusedError

# What can be added, the group of its entry points, and the functions that it must have.
GROUPS = {
    "collector": ("benchdb.collectors", ()),
    "format": ("benchdb.formats", ("recognises", "read")),
    "rule": ("benchdb.rules", ("doubts",)),
    "section": ("benchdb.sections", ("page",)),
}
ANYTHING = (Exception, SystemExit)  # code of others; a script leaves when imported
_GROUP = re.compile(r"^\[([^\]]+)\]", re.MULTILINE)
_REASON_LIMIT = 300  # characters of an error of a package


class Extension(msgspec.Struct, frozen=True):
    """Something of a *kind* that an installed *package* adds under a *name*.

    *loaded* is what its entry point names, ``None`` where it cannot be used, for the
    reason that is its *fault*.
    """

    kind: str
    name: str
    package: str
    version: str
    loaded: Any = None
    fault: str = ""

    @property
    def origin(self) -> str:
        """Return where it comes from, as people say it."""
        return f"the package {self.package} {self.version}"

    def failure(self, what: str, error: BaseException) -> str:
        """Return in one line *what* went wrong with it, and what to try.

        What benchdb itself refuses needs no class of its error.
        """
        refused = isinstance(error, RefusedError)
        why = f"{error}" if refused else f"{type(error).__name__}: {error}"
        why = " ".join(why.split())
        if len(why) > _REASON_LIMIT:
            why = f"{why[:_REASON_LIMIT]} …"
        line = f"{self.kind} {self.name!r} of {self.origin} {what}: {why}"
        return f"{line}; update or uninstall {self.package}"


_log = logging.getLogger("benchdb")


@cache
def tell(fault: str) -> None:
    """Say once, on standard error, that something of others is left out."""
    _log.warning("benchdb: warning: %s", fault)


@cache
def _named(path: tuple[str, ...]) -> frozenset[str]:
    """Return the groups that packages on *path* have entry points of.

    Its folders are looked through once, for all kinds.
    """
    groups: set[str] = set()
    for place in path:
        with suppress(OSError):
            for file in Path(place).glob("*.*-info/entry_points.txt"):
                groups.update(_GROUP.findall(file.read_text(errors="replace")))
    return frozenset(groups)


@cache
def installed(kind: str, taken: Collection[str] = ()) -> tuple[Extension, ...]:
    """Return what packages add of a *kind*, by name; those with a fault come last.

    Nothing may have a name that is *taken*. The packages are imported, once.
    """
    group, functions = GROUPS[kind]
    if group not in _named(tuple(sys.path)):
        return ()
    from importlib import metadata  # noqa: PLC0415 - a tenth of a second, if for nothing

    usable: dict[str, Extension] = {}
    broken: list[Extension] = []
    entry_points = metadata.entry_points(group=group)
    for entry_point in sorted(entry_points, key=lambda it: (it.name, it.value)):
        package = entry_point.dist
        name, version = (
            (package.name, package.version) if package else (entry_point.module, "")
        )
        extension = Extension(kind, entry_point.name, name, version)
        try:
            if extension.name in taken:
                raise RefusedError(f"benchdb has a {kind} of this name itself")
            if first := usable.get(extension.name):
                why = f"the package {first.package} has a {kind} of this name"
                raise RefusedError(why)
            loaded = entry_point.load()
            for function in functions:
                if not callable(getattr(loaded, function, None)):
                    raise RefusedError(
                        f"{entry_point.value} has no function {function!r}"
                    )
            usable[extension.name] = replace(extension, loaded=loaded)
        except ANYTHING as error:
            fault = extension.failure("cannot be used", error)
            broken.append(replace(extension, fault=fault))
    return (*usable.values(), *broken)
