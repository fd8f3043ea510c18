"""From what is known of a run to its machine, chip class and environment."""

import re
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Chip, Environment, Machine, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing import naming
from benchdb.importing.mapping.cell_values import binary_bytes
from benchdb.importing.mapping.language import MappedEnvironment, MappedMachine
from benchdb.importing.mapping.match import plain_name
from benchdb.importing.naming import RecognisedChip
from benchdb.importing.quantities.missing_values import Missing
from benchdb.importing.quantities.quantity import parsed

_CORES = ("cpu_cores", "gpu_cores")
OF_MACHINES = ("machine", "chip", "model", *_CORES, "ram", "accelerator")
OF_ENVIRONMENTS = ("environment", "os_name", "os_version", "os_build", "python")
_ENVIRONMENT_TEXTS = (*OF_ENVIRONMENTS[1:], "framework", "framework_version")
_EXPECTED = ("os_name", "os_version", "framework_version")
_COUNT = re.compile(r"\D{0,20}?(\d{1,4})(?!\d|[.,]\d)[^\d]{0,20}")
_MOST = 2**50  # bytes of memory: a petabyte
_PRINTED = "not printed"


def machine(
    fields: Mapping[str, Scalar], mapped: Mapping[str, MappedMachine]
) -> Machine:
    """Return the machine that *fields* describe, by the *mapped* ones where named so.

    Raise ``RefusedError`` where a field contradicts what else is said of the machine.
    """
    key = _text(fields, "machine") or ""
    if key in mapped:
        facts = msgspec.structs.asdict(mapped[key])
        del facts["match"]
        described = Machine(key=key, **facts)
    else:
        described = _from_texts(fields)
    chip, missing = described.chip, dict(described.missing)
    numbers = {name: _cores(fields, name) for name in _CORES}
    numbers["ram_bytes"] = _ram(fields)
    for name, number in numbers.items():
        if number is None:
            continue
        before = getattr(chip, name)
        if before is not None and before != number:
            raise RefusedError(f"{name} is {number}, but the machine has {before}")
        chip = replace(chip, **{name: number})
        missing.pop(name, None)
    model, before = _text(fields, "model"), described.model
    if model is not None:
        if before and plain_name(before) != plain_name(model):
            raise RefusedError(f"model {model!r}, but the machine is a {before}")
        missing.pop("model", None)
    return replace(described, chip=chip, model=before or model, missing=missing)


def device_name(device: str, chip: Chip) -> str | None:
    """Return the name of the device that ran, where *chip* leaves no choice."""
    if device == "cpu" or (device == "metal" and chip.vendor == "Apple"):
        is_card = any(chip.name == card.name for card in chip.accelerators)
        return None if chip.vendor == "unknown" or is_card else chip.name
    if device in ("cuda", "rocm") and len(chip.accelerators) == 1:
        return chip.accelerators[0].name
    return None


def missing_facts(chip: Chip, model: str | None) -> dict[str, str]:
    """Return why facts of a machine with *chip* are missing, by their names."""
    facts = {"cpu_cores": chip.cpu_cores, "ram_bytes": chip.ram_bytes, "model": model}
    if chip.vendor == "Apple":
        facts["gpu_cores"] = chip.gpu_cores
    missing = {name: _PRINTED for name, fact in facts.items() if fact is None}
    for card in chip.accelerators:
        if card.memory_bytes is None:
            missing["memory_bytes"] = _PRINTED
        if card.name == chip.name:
            missing["cpu"] = "not printed; the GPU stands for the chip"
    return missing


def _from_texts(fields: Mapping[str, Scalar]) -> Machine:
    """Return the machine that texts describe; its label are those texts.

    The chip is that which the text of the chip names, else that of the machine.
    """
    texts = [_text(fields, name) for name in ("machine", "model", "chip")]
    card = _text(fields, "accelerator")
    label = ", ".join(dict.fromkeys(text for text in (*texts, card) if text)) or None
    chips = [card_chip for text in texts if text and (card_chip := naming.chip(text))]
    chip, model, virtual = None, None, None
    if chips:
        chip, model = chips[-1].chip_class(), chips[-1].model
        virtual = chips[-1].virtual or None
    elif texts[2]:
        chip = Chip(vendor="unknown", name=texts[2])
    if card is not None:
        card_chip = naming.chip(card, numbers=True)
        if card_chip is None or not card_chip.accelerator:
            card_chip = RecognisedChip(vendor="unknown", name=card, accelerator=True)
        cards = (card_chip.card(),)
        chip = replace(chip or card_chip.chip_class(), accelerators=cards)
    missing = missing_facts(chip or naming.UNKNOWN, model or texts[1])
    if chip is None or chip.vendor == "unknown":
        missing["chip"] = "not recognised in what is printed" if label else _PRINTED
    return Machine(
        key="-",
        chip=chip or naming.UNKNOWN,
        label=label,
        model=model,
        virtual=virtual,
        missing=missing,
    )


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
        amount = parsed(text, unit="GiB")
    except ValueError as why:
        raise RefusedError(str(why)) from why
    if isinstance(amount, Missing):
        return None
    exact = amount.bound is None and amount.low is None and amount.value < _MOST
    if amount.unit != "B" or not exact:
        raise RefusedError(f"{text!r} is no size of memory")
    return binary_bytes(text, amount.value)


def environment(
    fields: Mapping[str, Scalar], mapped: Mapping[str, MappedEnvironment]
) -> Environment:
    """Return the environment that *fields* describe, by a *mapped* one where named so.

    Raise ``RefusedError`` where a field contradicts the named one.
    """
    base = mapped.get(str(fields.get("environment")))
    facts = msgspec.structs.asdict(base or MappedEnvironment())
    del facts["match"]
    missing = dict(facts.pop("missing"))
    for name in _ENVIRONMENT_TEXTS:
        text, before = fields.get(name), facts[name]
        if text is None or str(text).casefold() == str(before).casefold():
            continue
        if before is not None:
            raise RefusedError(f"{name} is {text}, but the environment has {before}")
        facts[name] = str(text)
        missing.pop(name, None)
    if base is None:
        absent = [name for name in _EXPECTED if facts[name] is None]
        missing.update(dict.fromkeys(absent, _PRINTED))
    return Environment(key="-", missing=missing, **facts)
