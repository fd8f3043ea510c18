"""Which device did the work, where a table says ``CPU``, ``GPU`` or names chips."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from benchdb.exchange.lines import Device, Scalar
from benchdb.importing.guess.fields import ASSUMED, UNDECIDED, Guess, told_by
from benchdb.importing.guess.hardware import chips_in
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column, Meaning
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.recognise import RecognisedChip


def with_sides(looks: Sequence[Cells], found: dict[int, Guess]) -> dict[int, Guess]:
    """Return the columns with devices where ``CPU``, ``GPU`` or a chip tell them."""
    gpus = {
        recognise.device("GPU", chip)
        for one in looks
        for chip in chips_in(one).values()
        if chip.vendor in ("Apple", "NVIDIA")
    }
    gpu: Device | None = _only(one for one in gpus if one) if None not in gpus else None
    if "device" in told_by(found.values()):
        return found
    for n, look in enumerate(looks):
        side = _sided(look, gpu)
        if side is not None:
            return {**found, n: side}
    machines = [n for n, one in found.items() if one.field in _HARDWARE]
    known, whole = _devices(looks[machines[0]]) if len(machines) == 1 else ({}, False)
    if whole:
        return {**found, machines[0]: _with_devices(found[machines[0]], known)}
    return {n: _by_gpu(looks[n], one, gpu) for n, one in found.items()}


_HARDWARE = ("machine", "chip", "accelerator")


def _by_gpu(look: Cells, guess: Guess, gpu: Device | None) -> Guess:
    """Return a column of figures headed ``GPU`` with the device that it means."""
    column = guess.column
    headed = "gpu" in look.ideas and not look.ideas & {"memory", "power", "cpu"}
    if column.is_ != "value" or not headed or "device" in column.set or gpu is None:
        return guess
    note = (ASSUMED, f"the GPU of these machines ran by {gpu}")
    both = msgspec.structs.replace(column, set={**column.set, "device": gpu})
    return Guess(both, (*guess.notes, note))


def _sided(cells: Cells, gpu: Device | None) -> Guess | None:
    """Return a column of ``CPU`` and ``GPU``, where *gpu* is what the GPU ran by."""
    sides = {text.casefold(): text for text in cells.texts}
    if not sides or not sides.keys() <= {"cpu", "gpu"}:
        return None
    values: dict[str, Scalar] = {sides["cpu"]: "cpu"} if "cpu" in sides else {}
    if "gpu" not in sides:
        return Guess(Column(field="device", values=values))
    if gpu is None:
        note = (UNDECIDED, "what drove the GPU: metal, cuda …; say it in values")
        values[sides["gpu"]] = "unknown"
        return Guess(Column(field="device", values=values), (note,))
    values[sides["gpu"]] = gpu
    note = (ASSUMED, f"the GPU of these machines ran by {gpu}")
    return Guess(Column(field="device", values=values), (note,))


def _device_of(chip: RecognisedChip, header: Cells | None = None) -> Device | None:
    """Return what ran, where a column of machines leaves one answer: cards compute.

    Of an Apple chip that is the GPU only where the header speaks of GPUs.
    """
    said = recognise.device(chip.rest, chip)
    if said is not None:
        return said
    ideas = header.ideas if header is not None else frozenset()
    if chip.accelerator:
        return recognise.device("GPU", chip)
    if "gpu" in ideas and "cpu" not in ideas and chip.vendor == "Apple":
        return "metal"
    return "cpu" if "cpu" in ideas and "gpu" not in ideas else None


def _devices(cells: Cells) -> tuple[dict[str, Device], bool]:
    """Return the devices by cell of a column of machines, and whether all have one."""
    known = {
        text: device
        for text, chip in chips_in(cells).items()
        if (device := _device_of(chip, cells)) is not None
    }
    return known, bool(known) and len(known) == len(cells.texts)


def _with_devices(guess: Guess, known: Mapping[str, Device]) -> Guess:
    """Return the column with the device that each of its machines computed on."""
    meant = {text: Meaning(set={"device": device}) for text, device in known.items()}
    column = guess.column
    both = Column(
        field=column.field, values=column.values, cells={**column.cells, **meant}
    )
    told = ", ".join(dict.fromkeys(known.values()))
    note = (ASSUMED, f"the device ({told}), from the chips in this column")
    return Guess(both, (*guess.notes, note))


def _only(found: Iterable[Device]) -> Device | None:
    """Return the one device among *found*."""
    several = set(found)
    return several.pop() if len(several) == 1 else None
