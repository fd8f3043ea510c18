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


def says(text: str) -> Meta:
    """Return what a field means, which the schema and ``benchdb validate`` say."""
    return Meta(description=text)


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

    name: Annotated[str, says("Name of the tier, such as Performance")]
    cores: Annotated[Cores, says("How many cores it has")]


class Accelerator(_Strict, frozen=True, kw_only=True):
    """A discrete GPU of a machine; *count* of them."""

    vendor: Annotated[str, says("Who makes it")]
    name: Annotated[str, says("Name that its driver prints")]
    memory_bytes: Annotated[Bytes | None, says("Memory of one of them, in bytes")] = (
        None
    )
    count: Annotated[Counted, says("How many of them")] = 1


class Chip(_Strict, frozen=True, kw_only=True):
    """A chip class: what machines of the same configuration have in common."""

    vendor: Annotated[str, says("Who makes the chip")]
    name: Annotated[
        str, says("Name that the system prints; of a GPU machine, its processor")
    ]
    cpu_cores: Annotated[Cores | None, says("Cores of the CPU, all tiers together")] = (
        None
    )
    cpu_levels: Annotated[
        tuple[CoreLevel, ...], says("Tiers of CPU cores, fastest first")
    ] = ()
    gpu_cores: Annotated[Cores | None, says("Cores of the GPU on the chip")] = None
    ram_bytes: Annotated[Bytes | None, says("Memory in bytes")] = None
    memory_bandwidth_bytes_per_second: Annotated[
        float | None, says("Bandwidth of the memory as its maker states it")
    ] = None
    accelerators: Annotated[tuple[Accelerator, ...], says("Discrete GPUs")] = ()


class Header(_Line, frozen=True, kw_only=True, tag="header"):
    """The first line: which format, and who wrote it."""

    format: Annotated[int, says("Version of the exchange format")]
    producer: Annotated[str, says("Program that wrote the file")]
    producer_version: Annotated[str, says("Version of that program")]


class Definition(_Line, frozen=True, kw_only=True, tag="metric"):
    """A metric of one's own: what values of this name mean, before the first of them.

    Who reads the file takes such values only where that metric is known, and the same.
    """

    name: Annotated[str, says("Name by which values of this file call it")]
    unit: Annotated[str, says("Unit of its values: s, MB/s, 1 for a plain number")]
    direction: Annotated[
        Literal["higher", "lower", "none"], says("Which values are better")
    ]
    title: Annotated[str, says("What was measured, in a sentence")]
    short: Annotated[str | None, says("Its name in tables")] = None


class Source(_Line, frozen=True, kw_only=True, tag="source"):
    """A document that others published.

    *importer* with its version is what read it; that is told, and no part of what the
    source is. *reading* identifies what was read, so that another reading of the same
    document is another source. *supersedes* are the digests of earlier versions of the
    document.
    """

    key: Annotated[str, says("Name of this line in the file")]
    slug: Annotated[str, says("Short name of the source")]
    title: Annotated[str, says("Title of the document")]
    authors: Annotated[tuple[str, ...], says("Who wrote it")] = ()
    url: Annotated[str | None, says("Where it was published")] = None
    licence: Annotated[str | None, says("Licence as printed, or none given")] = None
    published: Annotated[str | None, says("Day of publication")] = None
    retrieved: Annotated[str | None, says("Day on which it was read")] = None
    language: Annotated[str | None, says("Language of the document")] = None
    document: Annotated[
        str | None, says("Name or path of the document in its source")
    ] = None
    document_sha256: Annotated[Sha256 | None, says("SHA-256 of the document")] = None
    importer: Annotated[str | None, says("What read the document")] = None
    importer_version: Annotated[str | None, says("Version of what read it")] = None
    reading: Annotated[Sha256 | None, says("SHA-256 of what was read of it")] = None
    supersedes: Annotated[
        tuple[Sha256, ...], says("SHA-256 of earlier versions of the document")
    ] = ()
    protocol: Annotated[dict[str, Any], says("What the source says of its method")] = {}
    missing: Annotated[
        dict[str, str], says("Reasons for fields that are absent, by name")
    ] = {}


class Machine(_Line, frozen=True, kw_only=True, tag="machine"):
    """One machine: its chip class, its model, and a random, anonymous identity."""

    key: Annotated[str, says("Name of this line in the file")]
    chip: Annotated[Chip, says("Its chip class")]
    model: Annotated[
        str | None, says("Model of the machine, as its maker calls it")
    ] = None
    label: Annotated[str | None, says("What a source calls the machine")] = None
    anonymous_id: Annotated[
        str | None, says("Random id of the machine, 16 hexadecimal digits")
    ] = None
    virtual: Annotated[bool | None, says("Whether it is a virtual machine")] = None
    missing: Annotated[
        dict[str, str], says("Reasons for fields that are absent, by name")
    ] = {}


class Environment(_Line, frozen=True, kw_only=True, tag="environment"):
    """The software around a run: system, framework, drivers, math modes."""

    key: Annotated[str, says("Name of this line in the file")]
    os_name: Annotated[
        str | None, says("Operating system: macOS, Debian GNU/Linux")
    ] = None
    os_version: Annotated[str | None, says("Its version")] = None
    os_build: Annotated[str | None, says("Its build")] = None
    kernel: Annotated[str | None, says("Version of the kernel")] = None
    architecture: Annotated[
        str | None, says("Architecture of the program: arm64, x86_64")
    ] = None
    rosetta: Annotated[
        bool | None, says("Whether the program was translated by Rosetta")
    ] = None
    python: Annotated[str | None, says("Version of Python")] = None
    framework: Annotated[str | None, says("Framework that computed")] = None
    framework_version: Annotated[str | None, says("Its version")] = None
    packages: Annotated[dict[str, str], says("Versions of packages, by name")] = {}
    devices: Annotated[
        tuple[dict[str, Scalar], ...], says("Devices with driver and limits")
    ] = ()
    math: Annotated[
        dict[str, Scalar], says("Modes of arithmetic in effect, such as tf32")
    ] = {}
    variables: Annotated[
        dict[str, str], says("Environment variables that change a measurement")
    ] = {}
    missing: Annotated[
        dict[str, str], says("Reasons for fields that are absent, by name")
    ] = {}


class Collector(_Strict, frozen=True, kw_only=True):
    """The program that produced a run, and the digest of its source."""

    name: Annotated[str, says("Name of the program")]
    version: Annotated[str, says("Its version")]
    sha256: Annotated[Sha256, says("SHA-256 of its source or file")]


class Run(_Line, frozen=True, kw_only=True, tag="run"):
    """The start of a run: everything known before the first measurement.

    *reproduces* is the digest of the run that it was started to reproduce.
    """

    key: Annotated[str, says("Name of this run in the file")]
    machine: Annotated[str, says("Key of its machine")]
    environment: Annotated[str, says("Key of its environment")]
    workload: Annotated[str, says("Name of the work, as benchdb workloads lists it")]
    workload_version: Annotated[
        Counted, says("Version of the definition of the work")
    ] = 1
    setting: Annotated[str, says("Way in which a source runs the work")] = "standard"
    framework: Annotated[str, says("Framework that computes")]
    device: Annotated[Device, says("Interface that the work runs through")]
    device_name: Annotated[
        str | None, says("Name of the device, as the framework prints it")
    ] = None
    precision: Annotated[
        str | None, says("Number format of the arithmetic: fp32, bf16")
    ] = None
    compiler: Annotated[str | None, says("How the framework runs it: eager, graph")] = (
        None
    )
    parameters: Annotated[
        dict[str, Any], says("What makes the work: batch_size, size and others by name")
    ] = {}
    seed: Annotated[Seed | None, says("Seed of all that is random in this process")] = (
        None
    )
    tier: Annotated[
        str | None, says("How thorough: smoke, quick, standard, reference")
    ] = None
    campaign: Annotated[str | None, says("Name of the campaign that it belongs to")] = (
        None
    )
    replicate: Annotated[Turn | None, says("Number of the process, from 0")] = None
    replicates: Annotated[Counted | None, says("How many processes were planned")] = (
        None
    )
    collector: Annotated[Collector | None, says("Program that measured")] = None
    started: Annotated[str | None, says("When it began, ISO 8601 with its offset")] = (
        None
    )
    label: Annotated[Label, says("How far from the measurement the figures are")]
    source: Annotated[str | None, says("Key of the source that published it")] = None
    locator: Annotated[str | None, says("Where in the document it stands")] = None
    reproduces: Annotated[
        Sha256 | None, says("SHA-256 of the run that it was started to reproduce")
    ] = None
    conditions: Annotated[
        dict[str, Scalar], says("What was met before: load, power, temperatures")
    ] = {}
    basis: Annotated[
        dict[str, str], says("From what inferred fields were inferred, by name")
    ] = {}
    missing: Annotated[
        dict[str, str], says("Reasons for fields that are absent, by name")
    ] = {}


class Samples(_Line, frozen=True, kw_only=True, tag="samples"):
    """Raw times of one phase, in the order taken: *per* steps each, in seconds."""

    run: Annotated[str, says("Key of the run")]
    phase: Annotated[
        Phase, says("What was timed: measure are the blocks that figures come from")
    ]
    per: Annotated[Steps, says("Steps in each value")] = 1
    values: Annotated[
        tuple[Seconds, ...], says("Raw times in seconds, in the order taken")
    ]


class Value(_Strict, frozen=True, kw_only=True):
    """One figure of a run; ``None`` needs its *reason*.

    *uncertainty* is what a source prints after ±; what it means is the source's to say.
    """

    metric: Annotated[
        str,
        says("Name of the metric, of benchdb or of a catalogue.toml"),
    ]
    value: Annotated[
        float | None, says("The figure in the metric's unit; null needs a reason")
    ] = None
    uncertainty: Annotated[float | None, says("What the source prints after ±")] = None
    reason: Annotated[str | None, says("Why there is no value")] = None
    printed: Annotated[str | None, says("The characters of the source")] = None
    locator: Annotated[str | None, says("Where in the document it stands")] = None
    derived: Annotated[str | None, says("From what the transcriber computed it")] = None


class Flag(_Strict, frozen=True, kw_only=True):
    """Something that does not add up; the value stays as it was printed."""

    code: Annotated[str, says("Code of the doubt")]
    metric: Annotated[str | None, says("Figure that it is about")] = None
    detail: Annotated[dict[str, Scalar], says("Facts of the doubt, by name")] = {}


class End(_Line, frozen=True, kw_only=True, tag="end"):
    """The end of a run: its outcome, figures, gates, and conditions after it."""

    run: Annotated[str, says("Key of the run")]
    status: Annotated[Status, says("Outcome of the run")]
    reason: Annotated[str | None, says("Why it is not ok, in one line")] = None
    ended: Annotated[str | None, says("When it ended, ISO 8601 with its offset")] = None
    values: Annotated[tuple[Value, ...], says("Figures of the run")] = ()
    checks: Annotated[dict[str, Any], says("Gates and other evidence, by name")] = {}
    conditions: Annotated[
        dict[str, Scalar], says("What was met after: load, power, temperatures")
    ] = {}
    flags: Annotated[tuple[Flag, ...], says("Doubts that its writer has")] = ()


class Claim(_Line, frozen=True, kw_only=True, tag="claim"):
    """What a source derives or asserts, kept apart from what it measured."""

    source: Annotated[str, says("Key of the source")]
    kind: Annotated[
        Literal["derived", "claimed"],
        says("Whether it follows from figures or is asserted"),
    ]
    statement: Annotated[str, says("What is claimed, in words")]
    printed: Annotated[str, says("The characters of the source")]
    locator: Annotated[str, says("Where in the document it stands")]
    value: Annotated[float | None, says("The number in it")] = None
    unit: Annotated[str | None, says("Unit of the number")] = None
    about: Annotated[
        dict[str, Scalar], says("What it is about: chip, workload and others by name")
    ] = {}
    recomputed: Annotated[float | None, says("What its figures really give")] = None
    flags: Annotated[tuple[Flag, ...], says("Doubts about it")] = ()


class Retraction(_Line, frozen=True, kw_only=True, tag="retraction"):
    """Whoever measured a run withdraws it, by its digest: it stays, and counts nowhere.

    *signature* is over the canonical JSON of the line without it and its *key*.
    """

    run: Annotated[Sha256, says("SHA-256 of the run that is withdrawn")]
    reason: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)], says("Why, in one line")
    ]
    retracted: Annotated[
        Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")],
        says("Day of the withdrawal, YYYY-MM-DD"),
    ]
    key: Annotated[
        Annotated[str, Meta(max_length=2000)] | None, says("Public key of the signer")
    ] = None
    signature: Annotated[
        Annotated[str, Meta(max_length=8000)] | None, says("Armoured SSH signature")
    ] = None


Line = (
    Header
    | Definition
    | Source
    | Machine
    | Environment
    | Run
    | Samples
    | End
    | Claim
    | Retraction
)
