"""The sections that compare, in the order of the page.

Each is a folder. Its structs are in ``__init__``, ``data.section`` computes them;
``words`` has ``title``, ``lead``, ``alt``, ``figures`` and perhaps ``remarks``,
``views`` the Markdown ``tables`` and perhaps ``unlike``. The template of its part of
the page has its name. Modules are imported where they are used.
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
)


def module(section: str, name: Literal["data", "words", "views"]) -> ModuleType:
    """Return a module of one of the ``SECTIONS``."""
    return import_module(f"{__name__}.{section}.{name}")
