"""Badges: of the snippet for a README, and of figures that were measured again."""

from typing import Any

from benchdb.report.templates import environment

_LETTER, _ROOM = 7, 12  # pixels


def badge(name: str, text: str) -> dict[str, Any]:
    """Return what the template of a badge shows: a *name*, and what is said of it."""
    wide, rest = (len(part) * _LETTER + _ROOM for part in (name, text))
    return {"name": name, "text": text, "wide": wide, "rest": rest}


def drawn(name: str, text: str) -> str:
    """Return a badge as SVG."""
    template = environment(autoescape=True).get_template("site/badge.svg.j2")
    return template.render(badge(name, text))
