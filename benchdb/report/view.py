"""What a report shows, as plain data: no words, no SQL, no rounding.

Every figure carries its run, so a reader can walk from it to its source.
"""

from dataclasses import dataclass
from typing import Literal

from benchdb.exchange.lines import Device
from benchdb.report.chosen import Chosen

Verdict = Literal["faster", "slower", "even", "unclear"]


@dataclass(frozen=True)
class Quantity:
    """One displayed figure.

    *unit* is a token such as ``s``, ``img/s``, ``GB``, ``TFLOPS``. *printed* keeps the
    digits of the source (``91.80``), with a point as decimal mark, when the figure is
    shown as published; so does *uncertainty*, what the source gives after ±. *low* and
    *high* bound an interval only where n >= 2. *notes* are keys of ``Report.notes``.
    """

    value: float
    unit: str
    run: str
    n: int = 1
    printed: str | None = None
    low: float | None = None
    high: float | None = None
    notes: tuple[str, ...] = ()
    derived: bool = False
    uncertainty: str | None = None


@dataclass(frozen=True)
class System:
    """A chip at work on one device with one framework: a row of a comparison."""

    key: str
    chip: str  # "M1 Max", "Core i7", "GeForce RTX 3090", "H200"
    device: Device
    framework: str
    model: str | None  # "Mac Studio"
    ram_bytes: int | None
    here: bool = False  # measured on this machine, by this installation
    measured: bool = False  # by a benchdb collector, here or elsewhere


@dataclass(frozen=True)
class Workload:
    """A column or group: the catalogue's name and title, and its kind."""

    name: str
    title: str
    kind: Literal["rnn", "mlp", "cnn", "transformer", "operation"]


@dataclass(frozen=True)
class Ratio:
    """*value* times as fast (>= 1) or, below 1, 1/value times as long.

    *low* and *high* bound a 95 % interval where both sides were repeated.
    *differs* names the conditions that are not alike (``precision``, ``compiler``,
    ``batch``, ``framework``, ``protocol``, ``tier``): such a ratio is in no headline.
    """

    value: float
    verdict: Verdict
    low: float | None = None
    high: float | None = None
    differs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetalRow:
    """The same work on one chip with and without Metal; a side may be missing."""

    chip: str
    framework: str
    model: str | None
    cpu: Quantity | None
    metal: Quantity | None
    ratio: Ratio | None
    missing: str | None = None  # reason, as the source or collector gave it


@dataclass(frozen=True)
class MetalGroup:
    """All chips for one workload, batch size and protocol, slowest chip first."""

    workload: Workload
    batch_size: int | None
    metric: str
    rows: tuple[MetalRow, ...]


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis."""

    low: float
    high: float
    ticks: tuple[float, ...]
    unit: str


@dataclass(frozen=True)
class MetalSection:
    """Does Metal help? All groups share one axis."""

    groups: tuple[MetalGroup, ...]
    axis: Axis
    sources: tuple[str, ...]


@dataclass(frozen=True)
class RankCell:
    """One system on one workload, relative to the baseline; ratio 1 for itself."""

    quantity: Quantity | None
    ratio: Ratio | None
    missing: str | None = None


@dataclass(frozen=True)
class RankRow:
    """One system: its geometric mean over the common workloads, and its cells.

    *mean* is ``None`` unless every common workload has a like, unflagged cell;
    *covered* of ``len(Ranking.workloads)`` have any figure.
    """

    system: System
    mean: Ratio | None
    covered: int
    cells: tuple[RankCell, ...]


@dataclass(frozen=True)
class Ranking:
    """Which system trains fastest? Rows best first; *common* enter the mean."""

    baseline: System
    workloads: tuple[Workload, ...]
    common: tuple[str, ...]
    rows: tuple[RankRow, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class DistanceCell:
    """One system's share of the reference on one workload and batch size."""

    system: System
    quantity: Quantity | None
    share: Ratio | None  # throughput / reference throughput


@dataclass(frozen=True)
class DistanceRow:
    """A workload at the reference's batch size."""

    workload: Workload
    batch_size: int | None
    reference: Quantity
    cells: tuple[DistanceCell, ...]


@dataclass(frozen=True)
class Distance:
    """How far is a reference GPU? Shares up to 1 and beyond."""

    reference: System
    systems: tuple[System, ...]
    rows: tuple[DistanceRow, ...]
    axis: Axis
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """A headline: the range or number (*low* == *high*), and what it rests on.

    *facts* fill the sentence of its *kind*: names, ratios, counts.
    """

    kind: Literal["metal", "mac", "distance", "here"]
    low: float | None
    high: float | None
    facts: dict[str, object]


@dataclass(frozen=True)
class ValueRow:
    """A figure of the table of values, as printed, and how it was *made*."""

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


@dataclass(frozen=True)
class MachineRow:
    """A machine and the environments it was measured in."""

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


@dataclass(frozen=True)
class Note:
    """Why a value deserves a second look: flag code, facts, the runs it touches."""

    key: str  # a, b, c …
    code: str
    detail: dict[str, object]
    subject: dict[str, object]  # chip, device, workload, batch_size of the first run
    runs: tuple[str, ...]


@dataclass(frozen=True)
class SourceRow:
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


@dataclass(frozen=True)
class ClaimRow:
    """A derived or asserted figure of a source, with what follows from its values."""

    kind: Literal["derived", "claimed"]
    statement: str
    printed: str
    locator: str
    recomputed: float | None
    codes: tuple[str, ...]
    details: tuple[dict[str, object], ...] = ()  # the facts of each code


@dataclass(frozen=True)
class Report:
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
    chosen: tuple[Chosen, ...] = ()  # the filters
    there: tuple[Chosen, ...] = ()  # where they leave nothing: what there is
