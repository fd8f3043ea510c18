"""The whole report: its headlines, and all its sections."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

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
    """Everything on the page; a section without data is ``None``, or not there."""

    values_count: int
    systems_count: int
    sources_count: int
    newest: str | None  # ISO date of the newest measured run; never the clock
    database_digest: str
    answers: tuple[Answer, ...]
    values: tuple[ValueRow, ...]
    machines: tuple[MachineRow, ...]
    notes: tuple[Note, ...]
    sources: tuple[SourceRow, ...]
    chosen: tuple[Filter, ...] = ()  # the filters
    there: tuple[Filter, ...] = ()  # where they leave nothing: what there is
    room: Room | None = None  # where it is not made of all of a large database
    everything: bool = False  # a page leaves nothing out
    more: Mapping[str, int] = {}  # what a page has no room for, by its section
    sections: Mapping[str, Any] = {}  # what compares, by the names of ``SECTIONS``
