"""The whole report: its headlines, and all its sections."""

from typing import Literal

import msgspec

from benchdb.report.sections.batches import Batches
from benchdb.report.sections.distance import Distance
from benchdb.report.sections.efficiency import Efficiency
from benchdb.report.sections.metal import MetalSection
from benchdb.report.sections.normal import Normal
from benchdb.report.sections.ranking import Ranking
from benchdb.report.sections.scaling import Scaling
from benchdb.report.sections.sweep import Sweep
from benchdb.report.view.atoms import Filter, Room
from benchdb.report.view.listed import MachineRow, Note, SourceRow, ValueRow


class Answer(msgspec.Struct, frozen=True):
    """A headline: the range or number (*low* == *high*), and what it rests on.

    *facts* fill the sentence of its *kind*: names, ratios, counts. One that is
    *bounded* is of figures under unlike conditions: it is no verdict, and no mean.
    """

    kind: Literal["metal", "mac", "distance", "watt", "here"]
    low: float | None
    high: float | None
    facts: dict[str, object]
    bounded: bool = False


class Report(msgspec.Struct, frozen=True):
    """Everything on the page. A section is ``None`` when its data do not exist."""

    values_count: int
    systems_count: int
    sources_count: int
    newest: str | None  # ISO date of the newest measured run; never the clock
    database_digest: str
    answers: tuple[Answer, ...]
    metal: MetalSection | None
    ranking: Ranking | None
    distance: Distance | None
    values: tuple[ValueRow, ...]
    machines: tuple[MachineRow, ...]
    notes: tuple[Note, ...]
    sources: tuple[SourceRow, ...]
    chosen: tuple[Filter, ...] = ()  # the filters
    there: tuple[Filter, ...] = ()  # where they leave nothing: what there is
    efficiency: Efficiency | None = None
    batches: Batches | None = None
    scaling: Scaling | None = None
    sweep: Sweep | None = None
    normal: Normal | None = None
    room: Room | None = None  # where not all of a large database is on the page
