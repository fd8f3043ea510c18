"""What the rules see of a record that is not in a database yet."""

from collections.abc import Iterable

from benchdb.exchange.record import Record
from benchdb.plausibility.observed import Observed
from benchdb.plausibility.samples import sampled

_MANY = 500  # GPUs of one name: no rule tells more of them apart


def seen(record: Record) -> Observed:
    """Return what a rule sees of *record*: what it would of the stored run."""
    facts, machine_, environment_ = record.run, record.machine, record.environment
    values, printed = {}, {}
    for one in record.end.values:
        if one.value is not None:
            values[one.metric] = float(one.value)
            if one.printed is not None:
                printed[one.metric] = one.printed
    return Observed(
        run=record.digest,
        source=record.source_digest,
        label=facts.label,
        workload=facts.workload,
        setting=facts.setting,
        framework=facts.framework,
        device=facts.device,
        machine=record.machine_digest,
        chip_vendor=machine_.chip.vendor,
        chip_name=machine_.chip.name,
        values=values,
        printed=printed,
        device_name=facts.device_name,
        precision=facts.precision,
        batch_size=record.batch_size,
        parameters=facts.parameters,
        gpu_cores=machine_.chip.gpu_cores,
        ram_bytes=machine_.chip.ram_bytes,
        accelerators=names((one.name, one.count) for one in machine_.chip.accelerators),
        model=machine_.model,
        os_name=environment_.os_name,
        os_version=environment_.os_version,
        started=facts.started,
        environment=record.environment_digest,
        compiler=facts.compiler,
        seed=facts.seed,
        replicate=facts.replicate,
        sampled=sampled(record.series, record.end.checks),
    )


def names(cards: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return the names of GPUs, once for each of them."""
    return tuple(name for name, count in cards for _ in range(min(count, _MANY)))
