"""Which machines are surely different ones: what counts for "so many machines"."""

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import Connection

from benchdb.report.systems import Place
from benchdb.store.machines import canonical

Owner = tuple[str, bool, bool, str | None]


class Owners:
    """Tells machines apart: merged ones are one, however many sources tell of them.

    Two documents that describe their machines in the same words tell of two, unless a
    person has said otherwise.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        """Take how many machines each one stands for."""
        self._sizes = sizes

    def of(self, place: Place) -> Owner:
        """Return what is equal for results of one machine."""
        own = place.measured or place.anonymous_id is not None
        merged = self._sizes.get(place.machine, 1) > 1
        whose = place.mine, place.shipped
        return place.machine, *whose, None if own or merged else place.source


def owners(connection: Connection) -> Owners:
    """Return the machines in the database."""
    return Owners(Counter(canonical(connection).values()))
