"""Reports of like work in one bin, as multiples of their median.

``normal`` finds them; what shows kept facts loads this alone, and nothing that reads a
database.
"""

import msgspec

from benchdb.exchange.messages import Device
from benchdb.report.view.atoms import Quantity, Workload


class Dot(msgspec.Struct, frozen=True):
    """One result; *share* is its speed over the median's."""

    quantity: Quantity
    share: float
    mine: bool = False


class Strip(msgspec.Struct, frozen=True):
    """One work in one bin under like conditions: a dot for each result, by speed.

    *memory* are the least and the most GiB, *facts* what else the work was. The median
    and the *middle* half are of the results that nothing is noted about, which come
    from so many *machines*, *at_least* if not all are told apart; *slowest* and
    *fastest* are the ends. *differs* names what is not alike among them. *standing* is
    the marked machine's, unless there is none or its own figure is doubtful.
    """

    chip: str
    device: Device
    gpu_cores: int | None
    memory: tuple[int, int] | None
    framework: str
    setting: str
    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    facts: tuple[tuple[str, str], ...]
    dots: tuple[Dot, ...]
    results: int
    machines: int
    at_least: bool
    median: Quantity
    middle: tuple[float, float]
    slowest: Quantity
    fastest: Quantity
    differs: tuple[str, ...] = ()

    @property
    def mine(self) -> Dot | None:
        """Return the dot of the marked machine."""
        return next((dot for dot in self.dots if dot.mine), None)
