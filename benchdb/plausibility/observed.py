"""What a rule sees of a run, and what it finds."""

from collections.abc import Iterable, Mapping

import msgspec

from benchdb.exchange.messages import Accelerator, Scalar
from benchdb.exchange.record import Record, digest_of

# The facts of a run itself that rules look at, as the exchange format names them.
OF_RUN = (
    *("label", "workload", "setting", "framework", "device", "device_name"),
    *("precision", "compiler", "parameters", "seed", "replicate", "started"),
)
_MANY = 500  # GPUs of one name: no rule tells more of them apart


class Sampled(msgspec.Struct, frozen=True):
    """What the samples of a run amount to, and what its checks say of them.

    *seconds* are those of all samples. *step_seconds* is the median of the measured
    blocks, each divided by its steps. *operations* and *moved_bytes* are those of a
    step, *peak* is the FLOP/s that the chip was said to do at most, *metered_seconds*
    the time that the energy is of. *plan* is the kind of the source's protocol and
    *plan_samples* its samples; those of a part are *scaled*. *types* are those of the
    numbers that were computed with.
    """

    seconds: float
    step_seconds: float | None = None
    measured_steps: int = 0
    seed_steps: int = 0
    seed_seconds: float = 0.0
    seed_count: int = 0
    operations: float | None = None
    moved_bytes: float | None = None
    peak: float | None = None
    metered_seconds: float | None = None
    plan: str | None = None
    plan_samples: float | None = None
    scaled: bool = False
    types: tuple[str, ...] = ()


class Observed(msgspec.Struct, frozen=True):
    """A run with its figures: those that are null are left out.

    *accelerators* are names of discrete GPUs, one for each of them, *printed* the
    characters of the source. *environment* identifies the software.
    *sampled* is what its samples amount to, None without any.
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
    os_name: str | None = None
    os_version: str | None = None
    started: str | None = None
    environment: str | None = None
    compiler: str | None = None
    seed: int | None = None
    replicate: int | None = None
    sampled: Sampled | None = None


def card_names(cards: Iterable[Accelerator]) -> tuple[str, ...]:
    """Return the names of *cards*, each as often as there are of it."""
    return tuple(card.name for card in cards for _ in range(min(card.count, _MANY)))


def of_record(record: Record, sampled: Sampled | None) -> Observed:
    """Return what a rule sees of *record*: what it would of the stored run."""
    run, machine, environment = record.run, record.machine, record.environment
    given = record.end.values
    return Observed(
        **{name: getattr(run, name) for name in OF_RUN},
        run=record.digest,
        source=record.source_digest,
        machine=digest_of(machine),
        environment=digest_of(environment),
        batch_size=record.batch_size,
        chip_vendor=machine.chip.vendor,
        chip_name=machine.chip.name,
        gpu_cores=machine.chip.gpu_cores,
        ram_bytes=machine.chip.ram_bytes,
        accelerators=card_names(machine.chip.accelerators),
        os_name=environment.os_name,
        os_version=environment.os_version,
        values={
            value.metric: value.value for value in given if value.value is not None
        },
        printed={
            value.metric: value.printed
            for value in given
            if value.value is not None and value.printed is not None
        },
        sampled=sampled,
    )


class Finding(msgspec.Struct, frozen=True):
    """A doubt about *run*, or about its figure *metric*; *detail* are the facts."""

    run: str
    code: str
    metric: str | None = None
    detail: Mapping[str, Scalar] = {}


# What a rule of one run says: of which figure, or None for the run, and the facts.
Doubt = tuple[str | None, Mapping[str, Scalar]]
