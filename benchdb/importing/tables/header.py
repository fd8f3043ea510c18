"""The names of columns: every one has its own, and none is empty."""

from collections.abc import Sequence


def names(printed: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns headed by *printed*.

    A name met before, in whatever case, gets `` (2)``; one that is empty is
    ``column 3``.
    """
    taken: set[str] = set()
    counted: dict[str, int] = {}
    given = []
    for place, text in enumerate(printed, start=1):
        base = text or f"column {place}"
        name = base
        while name.casefold() in taken:
            counted[base.casefold()] = counted.get(base.casefold(), 1) + 1
            name = f"{base} ({counted[base.casefold()]})"
        taken.add(name.casefold())
        given.append(name)
    return tuple(given)
