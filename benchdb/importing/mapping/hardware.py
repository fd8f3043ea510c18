"""From what is known of a run to its machine and chip class."""

import re
from collections.abc import Mapping

import msgspec

from benchdb.exchange.lines import Accelerator, Chip, Machine, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.cells import binary_bytes
from benchdb.importing.mapping.language import MappedMachine
from benchdb.importing.mapping.match import plain_name
from benchdb.importing.quantities.cell import parsed
from benchdb.importing.quantities.quantity import Missing
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.recognise import RecognisedChip

FIELDS = ("machine", "chip", "model", "cpu_cores", "gpu_cores", "ram", "accelerator")
_COUNT = re.compile(r"\D{0,20}?(\d{1,4})(?!\d|[.,]\d)[^\d]{0,20}")
_STANDS_FOR_CHIP = "not printed; the GPU stands for the chip"
_MOST = 2**50  # bytes of memory: a petabyte
_UNKNOWN = Chip(vendor="unknown", name="unknown")
_PRINTED = "not printed"


def machine(
    fields: Mapping[str, Scalar], mapped: Mapping[str, MappedMachine]
) -> Machine:
    """Return the machine that *fields* describe, by the *mapped* ones where named so.

    Raise ``RefusedError`` where a field contradicts what else is said of the machine.
    """
    named = _text(fields, "machine")
    known = mapped.get(named or "")
    found = _mapped(named or "", known) if known else _described(fields)
    chip, missing = found.chip, dict(found.missing)
    said = {
        "cpu_cores": _cores(fields, "cpu_cores"),
        "gpu_cores": _cores(fields, "gpu_cores"),
        "ram_bytes": _ram(fields),
    }
    for name, fact in said.items():
        if fact is not None:
            chip = _completed(chip, name, fact)
            missing.pop(name, None)
    model = _text(fields, "model")
    if model is not None:
        if found.model and plain_name(found.model) != plain_name(model):
            raise RefusedError(f"model {model!r}, but the machine is a {found.model}")
        missing.pop("model", None)
    return msgspec.structs.replace(
        found, chip=chip, model=found.model or model, missing=missing
    )


def device_name(device: str, chip: Chip) -> str | None:
    """Return the name of the device that ran, where *chip* leaves no choice."""
    if device == "cpu" or (device == "metal" and chip.vendor == "Apple"):
        alone = chip.vendor == "unknown" or _stands_for_chip(chip)
        return None if alone else chip.name
    if device in ("cuda", "rocm") and len(chip.accelerators) == 1:
        return chip.accelerators[0].name
    return None


def _stands_for_chip(chip: Chip) -> bool:
    return any(chip.name == one.name for one in chip.accelerators)


def _mapped(key: str, known: MappedMachine) -> Machine:
    return Machine(
        key=key,
        chip=known.chip,
        model=known.model,
        label=known.label,
        virtual=known.virtual,
        missing=known.missing,
    )


def _described(fields: Mapping[str, Scalar]) -> Machine:
    """Return the machine that texts describe; its label are those texts."""
    texts = [_text(fields, name) for name in ("machine", "model", "chip")]
    card = _text(fields, "accelerator")
    label = ", ".join(dict.fromkeys(text for text in (*texts, card) if text)) or None
    recognised = _recognised(texts)
    chip = _chip(recognised, texts[2])
    model = recognised.model if recognised else None
    missing: dict[str, str] = {}
    if card is not None:
        chip = _with_card(chip, card)
    if chip is _UNKNOWN or chip.vendor == "unknown":
        missing["chip"] = "not recognised in what is printed" if label else _PRINTED
    if _stands_for_chip(chip):
        missing["cpu"] = _STANDS_FOR_CHIP
    absent = {"cpu_cores": chip.cpu_cores, "ram_bytes": chip.ram_bytes, "model": model}
    if chip.vendor == "Apple":
        absent["gpu_cores"] = chip.gpu_cores
    if any(one.memory_bytes is None for one in chip.accelerators):
        absent["memory_bytes"] = None
    missing.update({name: _PRINTED for name, fact in absent.items() if fact is None})
    virtual = True if recognised and recognised.virtual else None
    if model is None and texts[1]:
        missing.pop("model", None)
    return Machine(
        key="-", chip=chip, label=label, model=model, virtual=virtual, missing=missing
    )


def _recognised(texts: list[str | None]) -> RecognisedChip | None:
    """Return the chip that one of *texts* names: of the chip, else of the machine."""
    for text in reversed(texts):
        if text and (found := recognise.chip(text)) is not None:
            return found
    return None


def _chip(found: RecognisedChip | None, printed: str | None) -> Chip:
    if found is None:
        return Chip(vendor="unknown", name=printed) if printed else _UNKNOWN
    if found.accelerator:
        return _carried(Chip(vendor=found.vendor, name=found.name), found)
    return Chip(
        vendor=found.vendor,
        name=found.name,
        cpu_cores=found.cpu_cores,
        gpu_cores=found.gpu_cores,
        ram_bytes=found.ram_bytes,
    )


def _carried(chip: Chip, card: RecognisedChip) -> Chip:
    one = Accelerator(
        vendor=card.vendor,
        name=card.name,
        memory_bytes=card.ram_bytes,
        count=card.count,
    )
    return msgspec.structs.replace(chip, accelerators=(one,))


def _with_card(chip: Chip, printed: str) -> Chip:
    """Return *chip* with the card *printed*; the card stands for a chip unknown."""
    found = recognise.chip(printed, numbers=True)
    if found is None or not found.accelerator:
        found = RecognisedChip(vendor="unknown", name=printed, accelerator=True)
    if chip is _UNKNOWN:
        chip = Chip(vendor=found.vendor, name=found.name)
    return _carried(chip, found)


def _completed(chip: Chip, name: str, fact: int) -> Chip:
    known = getattr(chip, name)
    if known is not None and known != fact:
        raise RefusedError(f"{name} is {fact}, but the machine has {known}")
    return msgspec.structs.replace(chip, **{name: fact})


def _text(fields: Mapping[str, Scalar], name: str) -> str | None:
    text = fields.get(name)
    return str(text).strip() or None if text is not None else None


def _cores(fields: Mapping[str, Scalar], name: str) -> int | None:
    text = _text(fields, name)
    if text is None:
        return None
    found = _COUNT.fullmatch(text)
    if found is None:
        raise RefusedError(f"{text!r} is no number of cores")
    return int(found[1])


def _ram(fields: Mapping[str, Scalar]) -> int | None:
    """Return the memory in bytes; memory is counted in 2**30, whatever is printed."""
    text = _text(fields, "ram")
    if text is None:
        return None
    try:
        read = parsed(text, unit="GiB")
    except ValueError as why:
        raise RefusedError(str(why)) from why
    if isinstance(read, Missing):
        return None
    exact = read.bound is None and read.low is None and read.value < _MOST
    if read.unit != "B" or not exact:
        raise RefusedError(f"{text!r} is no size of memory")
    return binary_bytes(text, read.value)
