"""The whole report: every figure with its machine, notes and source."""

import msgspec

from benchdb.report.view.atoms import Filter, Room
from benchdb.report.view.listed import MachineRow, Note, SourceRow, ValueRow


class Report(msgspec.Struct, frozen=True):
    """Every figure that a report is made of, and what belongs to it."""

    values_count: int
    systems_count: int
    sources_count: int
    newest: str | None  # ISO date of the newest measured run; never the clock
    database_digest: str
    values: tuple[ValueRow, ...]
    machines: tuple[MachineRow, ...]
    notes: tuple[Note, ...]
    sources: tuple[SourceRow, ...]
    chosen: tuple[Filter, ...] = ()  # the filters
    there: tuple[Filter, ...] = ()  # where they leave nothing: what there is
    room: Room | None = None  # where it is not made of all of a large database
    everything: bool = False  # that was asked for, however much it is
