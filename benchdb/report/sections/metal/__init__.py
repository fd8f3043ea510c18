"""Does Metal help? The same work on one chip, with it and without."""

import msgspec

from benchdb.report.view.atoms import Axis, Quantity, Ratio, Workload


class MetalRow(msgspec.Struct, frozen=True):
    """The same work on one chip with and without Metal; a side may be missing."""

    chip: str
    framework: str
    model: str | None
    cpu: Quantity | None
    metal: Quantity | None
    ratio: Ratio | None
    missing: str | None = None  # reason, as the source or collector gave it


class MetalGroup(msgspec.Struct, frozen=True):
    """All chips for one workload, batch size and protocol, slowest chip first.

    *apart* tells its work from that of others with the same name and batch size.
    """

    workload: Workload
    batch_size: int | None
    metric: str
    rows: tuple[MetalRow, ...]
    apart: tuple[str, ...] = ()


class MetalSection(msgspec.Struct, frozen=True):
    """Does Metal help? All groups share one axis."""

    groups: tuple[MetalGroup, ...]
    axis: Axis
    sources: tuple[str, ...]
