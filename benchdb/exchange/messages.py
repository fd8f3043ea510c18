"""The lines of an exchange file, typed; ``schema/README.md`` explains them.

Keys (``key``, ``run``, ``machine`` …) tie lines together inside one file and mean
nothing outside it: identity is a digest over content, see ``benchdb.identity``.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

FORMAT_VERSION = 1

Scalar = str | int | float | bool | None
Status = Literal["ok", "failed", "oom", "unsupported", "interrupted", "not-measured"]
Label = Literal["measured", "imported", "aggregate", "transcribed", "claimed"]
Device = Literal[
    "cpu", "metal", "cuda", "rocm", "vulkan", "opencl", "sycl", "npu", "tpu", "unknown"
]
Phase = Literal["seed", "warmup", "burst", "measure", "settle", "step"]

_EXACT = 2**53 - 1  # the largest integer that canonical JSON keeps
_COLUMN = 2**31 - 1  # the largest integer of a PostgreSQL column
Cores = Annotated[int, Meta(ge=1, le=10**6)]
Bytes = Annotated[int, Meta(ge=1, le=_EXACT)]
Steps = Annotated[int, Meta(ge=1, le=10**9)]
Seconds = Annotated[float, Meta(ge=0)]
Seed = Annotated[int, Meta(ge=0, le=_EXACT)]
Counted = Annotated[int, Meta(ge=1, le=_COLUMN)]
Turn = Annotated[int, Meta(ge=0, le=_COLUMN)]
# The length too: in a pattern, $ also matches before a line break at the end.
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", min_length=64, max_length=64)]


class _Strict(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """A misspelt field is an error here, never data silently dropped."""


class _Line(_Strict, frozen=True, tag_field="type"):
    pass


class CoreLevel(_Strict, frozen=True, kw_only=True):
    """One tier of CPU cores, as the operating system names it."""

    name: str
    cores: Cores


class Accelerator(_Strict, frozen=True, kw_only=True):
    """A discrete GPU of a machine; *count* of them."""

    vendor: str
    name: str
    memory_bytes: Bytes | None = None
    count: Counted = 1


class Chip(_Strict, frozen=True, kw_only=True):
    """A chip class: what machines of the same configuration have in common."""

    vendor: str
    name: str
    cpu_cores: Cores | None = None
    cpu_levels: tuple[CoreLevel, ...] = ()
    gpu_cores: Cores | None = None
    ram_bytes: Bytes | None = None
    memory_bandwidth_bytes_per_second: float | None = None
    accelerators: tuple[Accelerator, ...] = ()


class Header(_Line, frozen=True, kw_only=True, tag="header"):
    """The first line: which format, and who wrote it."""

    format: int
    producer: str
    producer_version: str


class Source(_Line, frozen=True, kw_only=True, tag="source"):
    """A document that others published.

    *importer* with its version is what read it; that is told, and no part of what the
    source is. *reading* identifies what was read, so that another reading of the same
    document is another source. *supersedes* are the digests of earlier versions of the
    document.
    """

    key: str
    slug: str
    title: str
    authors: tuple[str, ...] = ()
    url: str | None = None
    licence: str | None = None
    published: str | None = None
    retrieved: str | None = None
    language: str | None = None
    document: str | None = None
    document_sha256: Sha256 | None = None
    importer: str | None = None
    importer_version: str | None = None
    reading: Sha256 | None = None
    supersedes: tuple[Sha256, ...] = ()
    protocol: dict[str, Any] = {}
    missing: dict[str, str] = {}


class Machine(_Line, frozen=True, kw_only=True, tag="machine"):
    """One machine: its chip class, its model, and a random, anonymous identity."""

    key: str
    chip: Chip
    model: str | None = None
    label: str | None = None
    anonymous_id: str | None = None
    virtual: bool | None = None
    missing: dict[str, str] = {}


class Environment(_Line, frozen=True, kw_only=True, tag="environment"):
    """The software around a run: system, framework, drivers, math modes."""

    key: str
    os_name: str | None = None
    os_version: str | None = None
    os_build: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    rosetta: bool | None = None
    python: str | None = None
    framework: str | None = None
    framework_version: str | None = None
    packages: dict[str, str] = {}
    devices: tuple[dict[str, Scalar], ...] = ()
    math: dict[str, Scalar] = {}
    variables: dict[str, str] = {}
    missing: dict[str, str] = {}


class Collector(_Strict, frozen=True, kw_only=True):
    """The program that produced a run, and the digest of its source."""

    name: str
    version: str
    sha256: Sha256


class Run(_Line, frozen=True, kw_only=True, tag="run"):
    """The start of a run: everything known before the first measurement.

    *reproduces* is the digest of the run that it was started to reproduce.
    """

    key: str
    machine: str
    environment: str
    workload: str
    workload_version: Counted = 1
    setting: str = "standard"
    framework: str
    device: Device
    device_name: str | None = None
    precision: str | None = None
    compiler: str | None = None
    parameters: dict[str, Any] = {}
    seed: Seed | None = None
    tier: str | None = None
    campaign: str | None = None
    replicate: Turn | None = None
    replicates: Counted | None = None
    collector: Collector | None = None
    started: str | None = None
    label: Label
    source: str | None = None
    locator: str | None = None
    reproduces: Sha256 | None = None
    conditions: dict[str, Scalar] = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}


class Samples(_Line, frozen=True, kw_only=True, tag="samples"):
    """Raw times of one phase, in the order taken: *per* steps each, in seconds."""

    run: str
    phase: Phase
    per: Steps = 1
    values: tuple[Seconds, ...]


class Value(_Strict, frozen=True, kw_only=True):
    """One figure of a run; ``None`` needs its *reason*.

    *uncertainty* is what a source prints after ±; what it means is the source's to say.
    """

    metric: str
    value: float | None = None
    uncertainty: float | None = None
    reason: str | None = None
    printed: str | None = None
    locator: str | None = None
    derived: str | None = None


class Flag(_Strict, frozen=True, kw_only=True):
    """Something that does not add up; the value stays as it was printed."""

    code: str
    metric: str | None = None
    detail: dict[str, Scalar] = {}


class End(_Line, frozen=True, kw_only=True, tag="end"):
    """The end of a run: its outcome, figures, gates, and conditions after it."""

    run: str
    status: Status
    reason: str | None = None
    ended: str | None = None
    values: tuple[Value, ...] = ()
    checks: dict[str, Any] = {}
    conditions: dict[str, Scalar] = {}
    flags: tuple[Flag, ...] = ()


class Claim(_Line, frozen=True, kw_only=True, tag="claim"):
    """What a source derives or asserts, kept apart from what it measured."""

    source: str
    kind: Literal["derived", "claimed"]
    statement: str
    printed: str
    locator: str
    value: float | None = None
    unit: str | None = None
    about: dict[str, Scalar] = {}
    recomputed: float | None = None
    flags: tuple[Flag, ...] = ()


class Retraction(_Line, frozen=True, kw_only=True, tag="retraction"):
    """Whoever measured a run withdraws it, by its digest: it stays, and counts nowhere.

    *signature* is over the canonical JSON of the line without it and its *key*.
    """

    run: Sha256
    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
    retracted: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    key: Annotated[str, Meta(max_length=2000)] | None = None
    signature: Annotated[str, Meta(max_length=8000)] | None = None


Line = (
    Header | Source | Machine | Environment | Run | Samples | End | Claim | Retraction
)
