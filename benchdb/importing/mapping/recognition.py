"""What texts name in words that benchdb knows: headings, and cells of any habit."""

import re
from collections.abc import Collection

from benchdb.importing import naming
from benchdb.importing.mapping.language import OF_MACHINES, Fields, Layer, bare_name
from benchdb.importing.naming import RecognisedChip

GPU = "gpu"  # a device of which only that is known
NAME_LIMIT = 120  # characters; longer texts are sentences, not names
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S+[.!?:。]$|[.!?]\s+[A-Z]")
# A caption that holds for every row, though it is a sentence.
OF_ALL = re.compile(
    r"(?i)[*_]*(?:(?:table|fig(?:ure|\.)?) ?\d*[.:] *)?[*_]*"
    r"(?:all|every)(?![a-z])[^.]*\.?$"
)
COMPARED = re.compile(
    r"(?i)(?<![a-z])(?:vs|versus|than|over|compared|against|relative|gegen|speed-?ups?)"
    r"(?![a-z])"
)
_PRINTED = "not printed"
_ANY_GPU = RecognisedChip("NVIDIA", "")
_SIDED_CORES = re.compile(r"(?<![\w.])\d{1,3}GPU(?!s)", re.IGNORECASE)  # 8P+16GPU
PROVIDER = re.compile(r"(?i)_?execution_?provider(?![a-z])")  # of ONNX Runtime
_SIDE = re.compile(
    r"(?i)execution_?provider(?![a-z])|(?<![a-z])(?:[cgntx]pus?|mps|metal|cuda|rocm|hip|vulkan|opencl|sycl"
    r"|(?<![_-])ane|neural engine)(?![a-z])"
)
# One path for a part of the run and another for the rest; what is named is none of all.
_SPLIT = re.compile(
    r"(?i)(?<![a-z])(?:hybrid|heterogen|disaggregat|offload)"
    r"|(?<![a-z])(?:prefill|prompt)(?![a-z]).*(?:[+&/,→]|(?<![a-z])and(?![a-z]))"
    r".*(?<![a-z])(?:decod|generat)"
)
# Machines of clouds: r4.8xlarge, Standard_NC6s_v3, n1-standard-8.
_INSTANCE = re.compile(
    r"(?<![\w.-])(?:[a-z]{1,3}\d[a-z]{0,3}\.(?:nano|micro|small|medium|metal|\d{0,2}x?large)"
    r"|Standard_[A-Z]{1,3}\d{1,3}\w{0,12}|[a-z]\d[a-z]?-(?:standard|highmem|highcpu"
    r"|highgpu|megagpu|ultragpu)-\d{1,3}g?)(?![\w-])"
)
_PART = re.compile(r"(?i)\W*cpu\s?[:=]")
_PART_OF_NAME = re.compile(r"(?i)[_-]ane(?![a-z])")  # of a program or a file
# What a text says beside a chip that is no name of the machine.
_BESIDE = re.compile(
    r"(?i)(?<![a-z])(?:[cgn]pus?|mps|metal|cuda|only|results?|benchmarks?|from|on|auf"
    r"|fp\d\d)(?![a-z])"
)
_BATCH = re.compile(
    # "2B 8bit" is a model of two billion parameters.
    r"(?i)(?<![a-z\d.])(?:bs|(?<!-)b(?!\d{4})|batch(?:[ _-]?size)?|batchgröße"
    r"|배치(?: ?크기| ?사이즈)?|批大小|批次大小|batch de)\s*[:=×x]?\s*(\d{1,6})"
    r"(?![\d,]|\.\d|[ -]?bit)"
    r"|(?<![\d.,])(\d{1,6})[ -](?:batch|배치)(?![a-z])"
)


def recognised(text: str, names: Collection[str], *, whole: bool = False) -> Layer:
    """Return what *text* names of *names*, in words that we know.

    Of what it names several, or compares, it unsets what others said; sentences name
    nothing but an operating system. A *whole* cell of a machine that is not known, or
    with more words, is the machine's label.
    """
    fields: Fields = {}
    several: dict[str, str] = {}
    short = len(text) <= NAME_LIMIT
    if short and (whole or OF_ALL.match(text) or not _SENTENCE.search(text)):
        fields, several = _facts(text, names, whole=whole)
    if not whole and COMPARED.search(text):
        tail = text.rpartition(" on ")[2]  # "MLX vs torch on M1" names a machine
        sure = {} if COMPARED.search(tail) else _facts(tail, names, whole=False)[0]
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
    found = {*_INSTANCE.findall(text)} if len(text) <= NAME_LIMIT else set()
    if len(found) != 1:
        return Layer()
    basis = {"instance": f"heading: {text}"}
    return Layer(set={"conditions.instance": found.pop()}, basis=basis, printed=True)


def _facts(
    text: str, names: Collection[str], *, whole: bool
) -> tuple[Fields, dict[str, str]]:
    """Return what *text* names, and that of which it names several."""
    fields: Fields = {}
    several: dict[str, str] = {}
    chip = naming.chip(_PART_OF_NAME.sub("", text))
    if "machine" in names:
        fields, several = _machine_in(text, chip, whole=whole)
    rest = _INSTANCE.sub(" ", chip.rest if chip else text)  # c5.metal
    rest = _SIDED_CORES.sub(" ", rest)
    part = chip is not None and _PART.match(text)  # of the machine, whatever ran on it
    if "device" in names and not part and _SIDE.search(rest):
        device = None if is_split(text) else device_in(rest, chip)
        fields |= {"device": device} if device else {}
        several |= {} if device else {"device": f"several in {text!r}"}
    if "framework" in names and naming.frameworks(text):
        framework, version = naming.framework(text), naming.framework_version(text)
        fields |= {"framework": framework} if framework else {}
        fields |= {"framework_version": version} if version else {}
        several |= {} if framework else {"framework": f"several in {text!r}"}
    if "precision" in names and (precision := naming.precision(text)):
        fields["precision"] = precision
    if "batch_size" in names and (batch := _BATCH.search(rest)):
        fields["parameters.batch_size"] = int(batch[1] or batch[2])
    if "network" in names and (networks := naming.networks(text)):
        one = {"parameters.model": networks[0]} if len(networks) == 1 else {}
        fields |= one
        several |= {} if one else {"parameters.model": f"several in {text!r}"}
    if "quantization" in names and (quantization := naming.quantization(text)):
        fields["parameters.quantization"] = quantization
    if "workload" in names and (workload := naming.workload(text)):
        fields["workload"] = workload
    return fields, several


def is_split(text: str) -> bool:
    """Tell whether *text* names one path for a part of a run, another for the rest."""
    joined = "+" in text and len(naming.frameworks(text)) > 1
    return joined or _SPLIT.search(text) is not None


def _machine_in(
    text: str, chip: RecognisedChip | None, *, whole: bool
) -> tuple[Fields, dict[str, str]]:
    """Return the machine that *text* names, and what it unsets."""
    if whole and (chip is None or chip.virtual or _BESIDE.sub(" ", chip.rest).strip()):
        known = _of_chip(chip) if chip else {}
        count = {n: it for n, it in known.items() if n not in OF_MACHINES}
        return {"machine": text, **count}, dict.fromkeys(OF_MACHINES[1:], _PRINTED)
    if chip is None and (both := naming.processor_and_card(text)):
        parts = [_of_chip(one) for one in both]
        return parts[0] | parts[1], {}
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
