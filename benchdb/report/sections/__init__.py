"""The sections that compare, in the order of the page.

Each is a module, or a folder for a long one. It has the structs and ``section``, which
computes them, or ``None`` where there is nothing to show. Beside them, of a folder in
``words``, are ``title``, ``lead`` and ``alt``, the Markdown ``tables``, perhaps
``remarks``, and the specification of its ``chart``, given all sections of the report.
The template of its part of the page has its name. All are imported where they are used.
"""

from importlib import import_module
from types import ModuleType

SECTIONS = (
    "metal",
    "ranking",
    "distance",
    "efficiency",
    "batches",
    "scaling",
    "sweep",
    "normal",
    "history",
)
# Where these have nothing to show, no format says so.
ONLY_WITH_DATA = frozenset({"history"})


def data(section: str) -> ModuleType:
    """Return what computes one of the ``SECTIONS``."""
    return import_module(f"{__name__}.{section}")


def words(section: str) -> ModuleType:
    """Return what says and draws one of the ``SECTIONS``: in its folder or module."""
    found = data(section)
    is_folder = hasattr(found, "__path__")
    return import_module(f"{found.__name__}.words") if is_folder else found
