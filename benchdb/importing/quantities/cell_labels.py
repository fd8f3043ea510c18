"""The words beside the figures of a cell: ``54,17s user 3,32s system``."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from benchdb.importing.quantities.characters import plain
from benchdb.importing.quantities.measures import Measure, quantity
from benchdb.importing.quantities.quantity import (
    AmbiguousError,
    Quantity,
    UnreadableError,
    shown,
)
from benchdb.importing.quantities.units import Unit

_TIMES = ("user", "system", "real", "total", "elapsed", "wall")
_KNOWN = (  # what may stand beside the one figure of a cell
    *(*_TIMES, "cpu", "time", "mean", "avg", "average", "median", "best", "worst"),
    *("peak", "max", "maximum", "minimum", "faster", "slower", "speedup"),
)
_SIGNS = re.compile("[<>~=≈≤≥≃\uff1c\uff1e\uff5e]+[ \u00a0]*$")


def role_of_only(measure: Measure) -> str | None:
    """Return the word beside a cell's only figure; refuse what is not known to be one.

    What ``12.3 (batch 64)`` says besides must not get lost.
    """
    beside = (*measure.label, *measure.trail)
    roles = [_role(words) for words in beside]
    for words, role in zip(beside, roles, strict=True):
        if role not in _KNOWN:
            raise UnreadableError(f"{shown(words)} is no unit or word that is known")
    if len(roles) > 1:
        raise UnreadableError("several words stand beside the figure")
    return roles[0] if roles else None


def named(text: str, found: Sequence[Measure]) -> Iterator[Quantity]:
    """Yield what is *found* in *text*, each figure with its role."""
    labelled = bool(found[0].label) or any(one.named for one in found)
    beyond = found[-1].trail or any(len(one.label) > 1 for one in found[1:])
    if labelled and beyond:
        raise UnreadableError("words stand before the figures, and behind them too")
    roles = _roles(found, labelled=labelled)
    _require_units(found, roles)
    for one, role in zip(found, roles, strict=True):
        seconds = "user" in roles and role in _TIMES and not one.spelt
        measure = replace(one, unit=Unit("s")) if seconds else one
        yield quantity(measure, _printed(text, one, labelled=labelled), role)


def _roles(found: Sequence[Measure], *, labelled: bool) -> list[str | None]:
    if not labelled:
        return [_role(" ".join(one.trail)) or None for one in found]
    roles = [_role(one.label[-1]) if one.label else None for one in found]
    # IPython's total is user + system; everywhere else a total is wall time.
    if [_role(title) for title in found[0].label[:-1]] == ["cpu"]:
        return ["cpu total" if role == "total" else role for role in roles]
    return list(roles)


def _role(words: str) -> str:
    name = re.sub(" times?$", "", words.casefold().strip(" .-+"))
    return "system" if name == "sys" else name


def _require_units(found: Sequence[Measure], roles: Sequence[str | None]) -> None:
    """Refuse ``12.3 / 45.6 ms``, where the first may be in milliseconds too."""
    if any(one.spelt for one in found) and not all(
        one.spelt or role for one, role in zip(found, roles, strict=True)
    ):
        raise AmbiguousError("one figure has a unit, another neither unit nor name")


def _printed(text: str, measure: Measure, *, labelled: bool) -> str:
    """Return the figure as it stands in *text*, with its sign, unit and word."""
    sign = _SIGNS.search(text, 0, measure.start)
    start = sign.start() if sign else measure.start
    end = measure.end
    if labelled and measure.label:
        at = plain(text).rfind(measure.label[-1], 0, start)
        start = at if at >= 0 else start
    elif measure.trail and not labelled:
        last = measure.trail[-1]
        at = plain(text).find(last, end)
        end = at + len(last) if at >= 0 else end
        own = text[start:end]  # a bracket that opens before it is not its own
        if own.count("(") > own.count(")") and text[end:][:1] == ")":
            end += 1
    return text[start:end].strip()
