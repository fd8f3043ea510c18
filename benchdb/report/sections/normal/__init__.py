"""Is a result normal? All runs of the same work on the same chip, one marked."""

import msgspec

from benchdb.exchange.lines import Device
from benchdb.report.view.atoms import Quantity, Workload


class Dot(msgspec.Struct, frozen=True):
    """The newest figure of one machine; *share* is its speed over the median's."""

    quantity: Quantity
    share: float
    mine: bool = False


class Standing(msgspec.Struct, frozen=True):
    """Of *others*, how many are clearly faster and slower than the marked machine.

    *below* is the share of all machines that is slower by the figures alone, where
    there are enough for a percentile.
    """

    others: int
    faster: int
    slower: int
    below: float | None = None

    @property
    def even(self) -> int:
        """Return from how many there is no clear difference."""
        return self.others - self.faster - self.slower


class Strip(msgspec.Struct, frozen=True):
    """One work on one chip under like conditions: a dot for each machine, by speed.

    *median*, *slowest* and *fastest* are those of the *machines* whose figures nothing
    is noted about; between two machines the median is derived from both. *standing* is
    the marked machine's, unless there is none or its own figure is doubtful.
    """

    chip: str
    device: Device
    framework: str
    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    dots: tuple[Dot, ...]
    machines: int
    median: Quantity
    slowest: Quantity
    fastest: Quantity
    standing: Standing | None = None

    @property
    def mine(self) -> Dot | None:
        """Return the dot of the marked machine."""
        return next((dot for dot in self.dots if dot.mine), None)

    @property
    def spread(self) -> float:
        """Return how many times as fast the fastest of the machines is."""
        sound = [dot.share for dot in self.dots if not dot.quantity.notes]
        return max(sound) / min(sound)


class Normal(msgspec.Struct, frozen=True):
    """What is normal for a chip? The strips to draw, and the *rest* for the table.

    *asked*: a machine is marked. Where it has strips, they are the ones that are drawn.
    """

    strips: tuple[Strip, ...]
    rest: tuple[Strip, ...]
    asked: bool
    sources: tuple[str, ...]

    @property
    def mine(self) -> tuple[Strip, ...]:
        """Return the strips that the marked machine is in."""
        return tuple(one for one in (*self.strips, *self.rest) if one.mine)
