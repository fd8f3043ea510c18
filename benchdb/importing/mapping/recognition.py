"""What texts name in words that benchdb knows: headings, and cells of any habit."""

from collections.abc import Collection

from benchdb.importing import naming
from benchdb.importing.mapping.language import OF_MACHINES, Fields, Layer, bare_name
from benchdb.importing.naming import RecognisedChip
from benchdb.importing.naming.names import way

GPU = "gpu"  # a device of which only that is known
NAME_LIMIT = 120  # characters; longer texts are sentences, not names
_PRINTED = "not printed"
_SINGLE = {"precision": "precision", "quantization": "parameters.quantization"}
_SINGLE |= {"workload": "workload"}
_ANY_GPU = RecognisedChip("NVIDIA", "")


def recognised(text: str, names: Collection[str], *, whole: bool = False) -> Layer:
    """Return what *text* names of *names*, in words that we know.

    Of what it names several, or compares, it unsets what others said; sentences name
    nothing but an operating system. A *whole* cell of a machine that is not known, or
    with more words, is the machine's label.
    """
    fields: Fields = {}
    several: dict[str, str] = {}
    named = whole or way("of_all").match(text) or not way("sentence").search(text)
    if named and len(text) <= NAME_LIMIT:
        fields, several = _facts(text, names, whole=whole)
    compares = way("compared").search
    if not whole and compares(text):
        tail = text.rpartition(" on ")[2]  # "MLX vs torch on M1" names a machine
        sure = {} if compares(tail) else _facts(tail, names, whole=False)[0]
        names_ = {*OF_MACHINES, "device", "framework", "parameters.model"}
        compared = fields.keys() & names_ - sure.keys()
        several |= dict.fromkeys(compared, f"compared in {text!r}")
        fields = {name: it for name, it in fields.items() if name not in compared}
    if "os" in names and (system := naming.os(text)):
        parts = zip(("os_name", "os_version", "os_build"), system, strict=True)
        fields |= {name: part for name, part in parts if part}
    basis = {} if whole else {bare_name(name): f"heading: {text}" for name in fields}
    return Layer(set=fields, missing=several, basis=basis, printed=True)


def instance_in(text: str) -> Layer:
    """Return the machine of a cloud that the heading *text* names."""
    result = {*way("instance").findall(text)} if len(text) <= NAME_LIMIT else set()
    if len(result) != 1:
        return Layer()
    basis = {"instance": f"heading: {text}"}
    return Layer(set={"conditions.instance": result.pop()}, basis=basis, printed=True)


def _facts(
    text: str, names: Collection[str], *, whole: bool
) -> tuple[Fields, dict[str, str]]:
    """Return what *text* names, and that of which it names several."""
    fields: Fields = {}
    several: dict[str, str] = {}
    chip = naming.chip(way("part_of_name").sub("", text))
    if "machine" in names:
        fields, several = _machine_in(text, chip, whole=whole)
    bare = naming.without_networks(text)
    rest = chip.rest if chip else naming.without_chips(bare)
    rest = way("instance").sub(" ", rest)  # c5.metal
    rest = way("sided_cores").sub(" ", rest)
    part = chip is not None and way("part").match(text)
    if "device" in names and not part and way("side").search(rest):
        device = None if is_split(text) else device_in(rest, chip)
        fields |= {"device": device} if device else {}
        several |= {} if device else {"device": f"several in {text!r}"}
    if "framework" in names and naming.frameworks(bare):
        framework, version = naming.framework(bare), naming.framework_version(bare)
        fields |= {"framework": framework} if framework else {}
        fields |= {"framework_version": version} if version else {}
        several |= {} if framework else {"framework": f"several in {text!r}"}
    if "batch_size" in names and (batch := way("batch").search(rest)):
        fields["parameters.batch_size"] = int(batch[1] or batch[2])
    if "network" in names and (networks := naming.networks(text)):
        values = {"parameters.model": networks[0]} if len(networks) == 1 else {}
        fields |= values
        several |= {} if values else {"parameters.model": f"several in {text!r}"}
    for name, field in _SINGLE.items():
        if name in names and (known := getattr(naming, name)(text)):
            fields[field] = known
    return fields, several


def is_split(text: str) -> bool:
    """Tell whether *text* names one path for a part of a run, another for the rest."""
    joined = "+" in text and len(naming.frameworks(text)) > 1
    return joined or way("split").search(text) is not None


def _machine_in(
    text: str, chip: RecognisedChip | None, *, whole: bool
) -> tuple[Fields, dict[str, str]]:
    """Return the machine that *text* names, and what it unsets."""
    rest = way("beside_chip").sub(" ", chip.rest).strip() if chip else ""
    if whole and (chip is None or chip.virtual or rest):
        known = _of_chip(chip) if chip else {}
        count = {n: it for n, it in known.items() if n not in OF_MACHINES}
        return {"machine": text, **count}, dict.fromkeys(OF_MACHINES[1:], _PRINTED)
    if chip is None and (both := naming.processor_and_card(text)):
        return _of_chip(both[0]) | _of_chip(both[1]), {}
    if chip is None:
        if len(naming.chips_in(text)) > 1:
            return {}, dict.fromkeys(OF_MACHINES, f"several in {text!r}")
        model = naming.model(text)
        return ({"model": model} if model else {}), {}
    known = _of_chip(chip)
    return known, {name: _PRINTED for name in OF_MACHINES if name not in known}


def _of_chip(chip: RecognisedChip) -> Fields:
    times = f"{chip.count}x " if chip.count > 1 else ""
    size = f"{chip.ram_bytes // 2**30} GB" if chip.ram_bytes else None
    fields: dict[str, str | int | None] = {"model": chip.model}
    if chip.accelerator:
        card = f"{times}{chip.vendor} {chip.name} {size or ''}".strip()
        fields["accelerator"] = card
    else:
        fields |= {"chip": f"{chip.vendor} {chip.name}", "ram": size}
        fields |= {"cpu_cores": chip.cpu_cores, "gpu_cores": chip.gpu_cores}
        fields["parameters.chips"] = chip.count if chip.count > 1 else None
    return {name: it for name, it in fields.items() if it is not None}


def device_in(text: str, chip: RecognisedChip | None = None) -> str | None:
    """Return the device that *text* names, ``gpu`` where it does not say by what."""
    device = naming.device(text, chip)
    if device is None and naming.device(text, _ANY_GPU) is not None:
        return GPU
    return device
