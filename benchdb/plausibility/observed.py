"""What a rule sees of a run, and what it finds."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from benchdb.exchange.lines import Scalar


class Observed(msgspec.Struct, frozen=True):
    """A run with its figures: those that are null are left out.

    *accelerators* are names of discrete GPUs, one for each of them, *printed* the
    characters of the source. *environment* identifies the software.
    """

    run: str
    source: str | None
    label: str
    workload: str
    setting: str
    framework: str
    device: str
    machine: str
    chip_vendor: str
    chip_name: str
    values: Mapping[str, float]
    printed: Mapping[str, str] = msgspec.field(default_factory=dict)
    device_name: str | None = None
    precision: str | None = None
    batch_size: int | None = None
    parameters: Mapping[str, object] = msgspec.field(default_factory=dict)
    gpu_cores: int | None = None
    ram_bytes: int | None = None
    accelerators: tuple[str, ...] = ()
    model: str | None = None
    os_name: str | None = None
    os_version: str | None = None
    started: str | None = None
    environment: str | None = None
    compiler: str | None = None
    seed: int | None = None
    replicate: int | None = None


class Finding(msgspec.Struct, frozen=True):
    """A doubt about *run*, or about its figure *metric*; *detail* are the facts."""

    run: str
    code: str
    metric: str | None = None
    detail: Mapping[str, Scalar] = {}


# A rule looks at all runs of one source (or one machine, where there is no source).
Rule = Callable[[Sequence[Observed]], Iterator[Finding]]
