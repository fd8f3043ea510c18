"""The sections that list: values, machines, notes, and sources with their claims."""

from typing import Literal

import msgspec

from benchdb.report.view.atoms import Quantity, System, Workload


class Ground(msgspec.Struct, frozen=True):
    """Why a figure is disqualified: ``gate-failed`` or ``implausible``, and which."""

    code: str
    about: str | float


class ValueRow(msgspec.Struct, frozen=True):
    """A figure of the table of values, as printed, and how it was *made*.

    *against* is what disqualifies it, where its grade is X. *parameters* are all that
    were set, *conditions* what was not chosen: versions and load, "" if not stated.
    """

    run: str
    workload: Workload
    system: System
    batch_size: int | None
    size: int | None  # matrix size
    precision: str | None
    compiler: str | None
    metric: str
    quantity: Quantity | None  # None: not measured, see status and reason
    status: str
    reason: str | None
    label: str
    source: str | None  # key of Report.sources
    locator: str | None
    started: str | None
    tier: str | None = None  # "smoke": it shows that something works, not how fast
    trials: int | None = None  # of which the source printed the mean
    runs: tuple[str, ...] = ()  # run first, all processes of its cell; empty: alone
    made: str | None = None
    setting: str = "standard"
    distinction: str = ""  # what tells it from rows that have all else in common
    against: tuple[Ground, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()


class MachineRow(msgspec.Struct, frozen=True):
    """A machine and the environments it was measured in.

    *sessions* is in how many it was measured, None where others published the figures.
    One that is not *identified* may be as many machines as sessions.
    """

    chip: str
    model: str | None
    cpu_cores: int | None
    gpu_cores: int | None
    ram_bytes: int | None
    accelerators: tuple[str, ...]
    os: str | None
    frameworks: tuple[str, ...]
    here: bool
    sources: tuple[str, ...]
    runs: int
    mine: bool = False
    measured: bool = False
    sessions: int | None = None
    identified: bool = True


class Note(msgspec.Struct, frozen=True):
    """Why a value deserves a second look: flag code, facts, the runs it touches."""

    key: str  # a, b, c …
    code: str
    detail: dict[str, object]
    subject: dict[str, object]  # chip, device, workload, batch_size of the first run
    runs: tuple[str, ...]


class SourceRow(msgspec.Struct, frozen=True):
    """A source, what it gave, and its claims."""

    key: str  # "1", "2" …
    slug: str
    title: str
    authors: tuple[str, ...]
    url: str | None
    licence: str | None
    language: str | None
    document: str | None
    document_sha256: str | None
    runs: int
    claims: tuple["ClaimRow", ...]
    protocol_only: bool
    left_out: int = 0  # of its runs: repeated elsewhere, or of an older version


class ClaimRow(msgspec.Struct, frozen=True):
    """A derived or asserted figure of a source, with what follows from its values."""

    kind: Literal["derived", "claimed"]
    statement: str
    printed: str
    locator: str
    recomputed: float | None
    codes: tuple[str, ...]
    details: tuple[dict[str, object], ...] = ()  # the facts of each code
