"""The sections that compare, in the order of the page.

Each is a module, or a folder for a long one. Of a folder, ``data`` has the structs and
``section``, which computes them, or ``None`` where there is nothing to show; ``words``
has ``title``, ``lead``, ``alt``, the Markdown ``tables`` and perhaps ``remarks``. The
template of its part of the page has its name. All are imported where they are used.
"""

from importlib import import_module
from types import ModuleType
from typing import Literal

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


def module(section: str, part: Literal["data", "words"]) -> ModuleType:
    """Return a part of one of the ``SECTIONS``: in its folder, or in its module."""
    found = import_module(f"{__name__}.{section}")
    is_folder = hasattr(found, "__path__")
    return import_module(f"{found.__name__}.{part}") if is_folder else found
