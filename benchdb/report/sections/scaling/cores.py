"""How many GPU cores a machine has, and of which generation its chip is."""

import re
from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection, select

from benchdb.catalogue import chips
from benchdb.report.sections.scaling import Basis
from benchdb.report.systems import Place, chip_at_work, tidy
from benchdb.store.machines import canonical
from benchdb.store.tables import chip, machine

# "M1", "M1 Max", "A18 Pro": a letter and a number, then what tells the variants apart.
_FAMILY = re.compile(r"([A-Z]\d{1,2})(?: [A-Z][a-z]+)?")


def generation(place: Place) -> tuple[str, str] | None:
    """Return vendor and generation of the chip at work, ``None`` for one without."""
    found = _FAMILY.fullmatch(chip_at_work(place))
    if found is None or tidy(place.chip) != found[0]:
        return None
    return place.vendor, found[1]


class Cores:
    """Tells the GPU cores of places: as their machines say, or all chips of a name."""

    def __init__(self, stated: Mapping[str, int]) -> None:
        """Take what is *stated* of the machines that stand for others."""
        self._stated = stated

    def of(self, place: Place) -> tuple[int, Basis] | None:
        """Return the cores of *place* and who says so; ``None`` where nobody does."""
        stated = self._stated.get(place.machine)
        if stated is not None:
            return stated, "stated"
        variants = {
            one.gpu_cores
            for one in chips()
            if (one.vendor, one.name) == (place.vendor, tidy(place.chip))
        }
        only = variants.pop() if len(variants) == 1 else None
        return None if only is None else (only, "catalogue")


def cores(connection: Connection) -> Cores:
    """Return the cores of all machines; what is stated in two ways is not known."""
    same = canonical(connection)
    said: defaultdict[str, set[int]] = defaultdict(set)
    query = select(machine.c.digest, chip.c.gpu_cores).join(
        chip, machine.c.chip == chip.c.digest
    )
    for row in connection.execute(query.where(chip.c.gpu_cores > 0)):
        said[same.get(row.digest, row.digest)].add(row.gpu_cores)
    return Cores({root: min(found) for root, found in said.items() if len(found) == 1})
