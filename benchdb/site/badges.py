"""Badges: of the snippet for a README, and of figures that were measured again."""

import unicodedata
from typing import Any

from benchdb.report.templates import environment

_LETTER, _WIDE_LETTER, _ROOM = 7, 11, 12  # pixels


def badge(name: str, text: str) -> dict[str, Any]:
    """Return what the template of a badge shows: a *name*, and what is said of it."""
    wide, rest = (sum(map(_advance, part)) + _ROOM for part in (name, text))
    return {"name": name, "text": text, "wide": wide, "rest": rest}


def _advance(letter: str) -> int:
    """Return the pixels that a letter takes; those of East Asia are square."""
    return _WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else _LETTER


def drawn(name: str, text: str) -> str:
    """Return a badge as SVG."""
    template = environment(autoescape=True).get_template("site/badge.svg.j2")
    return template.render(badge(name, text))
