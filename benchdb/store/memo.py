"""What a process made of equal things before, so that it makes only the rest anew.

A report follows from its database alone. Whoever makes one again after some runs were
added gives what it read and computed by parts, and each part is made anew where what
it is made of is not equal to what it was.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

Key = TypeVar("Key")
Made = TypeVar("Made")
_NEVER = (object(), None)  # equal to nothing that is given


class Memo:
    """Parts by their kind, as they were made last."""

    def __init__(self) -> None:
        """Start with nothing, as who makes a report once does."""
        self._parts: dict[str, dict[Any, tuple[object, Any]]] = {}
        self._tables: dict[str, dict[Any, Any]] = {}

    def each(
        self,
        kind: str,
        given: Mapping[Key, object],
        make: Callable[[Sequence[Key]], Iterable[Made]],
    ) -> list[Made]:
        """Return the part of each key, in the order of what is *given*.

        A part follows from its key and from what is given of it alone. *make* returns
        the parts of keys together, in their order: of those that are new, or of which
        something else was given the last time. Parts of other keys are forgotten.
        """
        last = self._parts.get(kind, {})
        stale = [key for key, of in given.items() if last.get(key, _NEVER)[0] != of]
        made = dict(zip(stale, make(stale), strict=True)) if stale else {}
        parts = {key: made[key] if key in made else last[key][1] for key in given}
        self._parts[kind] = {key: (of, parts[key]) for key, of in given.items()}
        return [*parts.values()]

    def table(self, kind: str) -> dict[Any, Any]:
        """Return what lasts as long as this, for who sees of each entry if it holds."""
        return self._tables.setdefault(kind, {})
