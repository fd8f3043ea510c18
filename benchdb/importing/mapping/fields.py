"""What is known of a run: layers of facts, then our names for the source's words.

From those follow the machine, its chip class and the environment.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import get_args

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.exchange.messages import Chip, Device, Environment, Machine, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing import naming
from benchdb.importing.mapping.language import (
    CORES,
    OF_ENVIRONMENTS,
    OF_MACHINES,
    PREFIXES,
    Facts,
    Fields,
    Layer,
    Map,
    MappedEnvironment,
    MappedMachine,
    Meaning,
    bare_name,
)
from benchdb.importing.mapping.recognition import GPU, device_in
from benchdb.importing.naming import RecognisedChip
from benchdb.importing.quantities.missing_values import Missing
from benchdb.importing.quantities.quantity import parsed

DEVICES: tuple[str, ...] = get_args(Device)
PRINTED_DEVICE = "parameters.device"  # by a word that is no device
NO_DEVICE = "no device that is known"
INFERENCE = "-inference"  # behind the name of work that is not trained
_UNLIKE = "the source's own: nothing says that the work is done as ours is"
_PRINTED = "not printed"
# Facts of a machine alone: what is said of why they are missing is said of no run.
MACHINE_FACTS = frozenset((*CORES, "ram_bytes", "memory_bytes"))
_OF_SOFTWARE = (*OF_ENVIRONMENTS[1:], "framework_version")
_ALWAYS = ("os_name", "os_version", "framework_version")  # their absence is told
GROUPED = re.compile(r"\d{1,3}(?:,\d{3}){1,4}", re.ASCII)  # digits of a whole number
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?\d{1,12}\.\d{1,12}", re.ASCII)
_BATCH = re.compile(
    r"(?:bs|b|batch(?:[ _-]?size)?|[a-z] ?(?==))\s*[:=×x]?\s*(\d{1,9})", re.I | re.A
)
_COUNT = re.compile(r"\D{0,20}?(\d{1,4})(?!\d|[.,]\d)[^\d]{0,20}")
_BYTES = re.compile(r"(?<![A-Za-z])([KkMGTP])(i?)B", re.ASCII)
_BINARY = re.compile(r"[KMGTP]iB")
_MOST = 2**50  # bytes of memory: a petabyte


class Known(msgspec.Struct, frozen=True):
    """All that is known of a run. Names in *basis* and *missing* are bare.

    *printed* are the fields whose word is one of the document.
    """

    fields: Mapping[str, Scalar] = {}
    basis: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}
    printed: frozenset[str] = frozenset()


class Defaults(msgspec.Struct, frozen=True):
    """What holds for a whole document: its map, layers of its own, and its slug."""

    map_: Map
    layers: tuple[Facts, ...]
    slug: str

    def known(self, layers: Iterable[Facts]) -> Known:
        """Return what is known of a figure under *layers*, like ``known_of_any``.

        Raise ``RefusedError`` also where nothing says what was computed.
        """
        known = self.known_of_any(layers)
        if "workload" not in known.fields:
            raise RefusedError("nothing says which workload this is")
        return known

    def known_of_any(self, layers: Iterable[Facts]) -> Known:
        """Return what is known under *layers*, the deepest first, in our words.

        What is known of the workload lies right above the map's defaults. Raise
        ``RefusedError`` where a word is none that can be meant.
        """
        layers = (*self.layers, *layers)
        known = compose(layers)
        text = known.fields.get("workload")
        named = self.map_.workloads
        if isinstance(text, str) and (key := _key(text, named)) is not None:
            known = compose((layers[0], named[key], *layers[1:]))
        return self._in_our_words(known)

    def _in_our_words(self, known: Known) -> Known:
        """Return *known* with our names where it has words of the source."""
        fields, basis, map_ = dict(known.fields), dict(known.basis), self.map_
        missing = dict(known.missing)
        if "machine" in fields:
            text = fields["machine"]
            fields["machine"] = _key(str(text), map_.machines) or text
        if "environment" in fields:
            text = fields["environment"]
            fields["environment"] = _key(str(text), map_.environments) or text
        if "framework" in fields:
            text = str(fields["framework"])
            printed = "framework" in known.printed
            known_as = naming.framework if printed else naming.framework_typed
            fields["framework"] = known_as(text) or slug(text, "-")
        if "device" in fields:
            text = str(fields["device"])
            device = text if text in (*DEVICES, GPU) else device_in(text)
            if device is None:  # it tells runs apart still
                fields[PRINTED_DEVICE] = fields.pop("device")
                missing["device"] = f"{text!r}: {NO_DEVICE}"
            else:
                self._enter_device(device, fields, missing)
        if "precision" in fields:
            text = str(fields["precision"])
            fields["precision"] = naming.precision(text) or text.casefold()
        mode = fields.pop("mode", None)
        if "workload" in fields:
            text = str(fields["workload"])
            bare = text.removesuffix(INFERENCE)
            # Work of language models says itself what is done.
            is_applied = mode == "inference" and text[:4] != "llm-"
            text = bare + INFERENCE if is_applied else text
            key, own = _key(text, map_.workloads), slug(text, "-")
            is_printed = key is None and "workload" in known.printed
            # A map that gives a name of our form means that, and no other spelt so.
            ours = _ours(text) if is_printed or text != own else None
            fields["workload"] = key or ours or own
            if is_printed and "setting" not in fields:
                fields["setting"] = self.slug
                if fields["workload"] != text:
                    basis.setdefault("workload", f"printed as {bare}")
                basis.setdefault("setting", _UNLIKE)
        return replace(known, fields=fields, basis=basis, missing=missing)

    def _enter_device(
        self, device: str, fields: Fields, missing: dict[str, str]
    ) -> None:
        """Enter *device*; for ``gpu`` that by which the machine's computes."""
        fields["device"] = device
        if device != GPU:
            return
        chip = machine(fields, self.map_.machines).chip
        cards = {card.vendor for card in chip.accelerators}
        vendors = cards or {chip.vendor}
        beside = (str(fields.get(name, "")) for name in ("os_name", "framework"))
        known = naming.gpu_of(vendors.pop(), *beside) if len(vendors) == 1 else None
        if known is None:
            del fields["device"]
            missing["device"] = "the GPU; by what it computed is not printed"
        else:
            fields["device"] = known


def _ours(text: str) -> str | None:
    """Return our name of the work that *text* is, trained or not."""
    bare = text.removesuffix(INFERENCE)
    if text in workloads() or bare == text:
        return text if text in workloads() else naming.workload(text)
    known = naming.workload(text) or naming.workload(bare)
    return known and f"{known.removesuffix(INFERENCE)}{INFERENCE}"


def compose(layers: Iterable[Facts]) -> Known:
    """Return what *layers* say together, the first being the deepest.

    A field set again to something else forgets how its old value was known; a field
    that is ``missing`` is unset, and one that is set is no longer missing.
    """
    fields: Fields = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}
    printed: set[str] = set()
    for layer in layers:
        is_printed = isinstance(layer, Layer) and layer.printed
        (printed.update if is_printed else printed.difference_update)(layer.set)
        for name, value in layer.set.items():
            if fields.get(name, value) != value:
                basis.pop(bare_name(name), None)
            fields[name] = value
            missing.pop(bare_name(name), None)
        for name, why in layer.missing.items():
            # A heading without a Mac's model may stand over that of a network.
            for prefix in ("", *PREFIXES) if not is_printed else ():
                fields.pop(prefix + bare_name(name), None)
            fields.pop(name, None)
            basis.pop(bare_name(name), None)
            missing[bare_name(name)] = why
        basis.update((bare_name(name), how) for name, how in layer.basis.items())
        for name, why in layer.blank.items() if isinstance(layer, Layer) else ():
            if name not in fields:
                missing.setdefault(bare_name(name), why)
    return Known(fields, basis, missing, frozenset(printed & fields.keys()))


def plain_name(name: str) -> str:
    """Return the name of a column without markup and case."""
    return " ".join(name.split()).strip("*_` ").casefold()


def slug(text: str, joint: str = "_") -> str:
    """Return a name of letters and digits in any script; at most 60 characters."""
    words = re.sub(r"[\W_]+", "_", text.casefold())[:60].strip("_") or "column"
    return words.replace("_", joint)


def scalar(field: str, text: str) -> Scalar:
    """Return what a cell says of *field*: a number where a parameter is one."""
    text = text.strip()
    if not field.startswith(PREFIXES):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if field == "parameters.batch_size":
        size = _BATCH.fullmatch(text)
        if size is None:
            raise RefusedError(f"{text!r} is no batch size")
        return int(size[1])
    return float(text) if _DECIMAL.fullmatch(text) else text


def group_facts(match: re.Match[str] | None) -> Layer:
    """Return what the named groups of an expression set; ``__`` stands for a dot.

    A text that is not what is expected is kept as it is.
    """
    fields: Fields = {}
    for group, text in match.groupdict().items() if match else ():
        name = group.replace("__", ".")
        if text:
            try:
                fields[name] = scalar(name, text)
            except RefusedError:
                fields[name] = text
    return Layer(set=fields, printed=True)


_Matching = MappedMachine | MappedEnvironment | Meaning


def _key(text: str, named: Mapping[str, _Matching]) -> str | None:
    """Return the key of what *text* means: the key itself, or by one of its matches."""
    if text in named:
        return text
    plain = " ".join(text.split()).casefold()
    for key, entry in named.items():
        if plain in (word.casefold() for word in (key, *entry.match)):
            return key
    return None


def machine(
    fields: Mapping[str, Scalar],
    mapped: Mapping[str, MappedMachine],
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> Machine:
    """Return the machine that *fields* describe, by the *mapped* ones where named so.

    *reasons* say why its facts are missing. Raise ``RefusedError`` where a field
    contradicts what else is said of the machine.
    """
    texts = {
        name: text
        for name in OF_MACHINES
        if fields.get(name) is not None and (text := str(fields[name]).strip())
    }
    key = texts.get("machine", "")
    if key in mapped:
        facts = msgspec.structs.asdict(mapped[key]) | {"key": key}
        del facts["match"]
        described = Machine(**facts)
    else:
        described = _from_texts(texts)
        if fields.get("device") == "cpu":
            described = _without_card(described)
    chip, missing = described.chip, dict(described.missing)
    cores = {name: _cores(texts[name]) for name in CORES if name in texts}
    ram = _ram(texts["ram"]) if "ram" in texts else None
    for name, number in (*cores.items(), ("ram_bytes", ram)):
        if number is None:
            continue
        before = getattr(chip, name)
        if before is not None and before != number:
            raise RefusedError(f"{name} is {number}, but the machine has {before}")
        chip = replace(chip, **{name: number})
        missing.pop(name, None)
    model, before = texts.get("model"), described.model
    if model is not None:
        if before and plain_name(before) != plain_name(model):
            raise RefusedError(f"model {model!r}, but the machine is a {before}")
        missing.pop("model", None)
    for name in MACHINE_FACTS & missing.keys() & reasons.keys():
        if missing[name] == _PRINTED:
            missing[name] = reasons[name]
    return replace(described, chip=chip, model=before or model, missing=missing)


def device_name(device: str, chip: Chip) -> str | None:
    """Return the name of the device that ran, where *chip* leaves no choice."""
    inside = {"metal": "Apple", "cuda": "NVIDIA"}.get(device) == chip.vendor
    if device == "cpu" or (inside and not (device == "cuda" and chip.accelerators)):
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


def _from_texts(texts: Mapping[str, str]) -> Machine:
    """Return the machine that texts describe; its label are those texts.

    The chip is that which the text of the chip names, else that of the machine.
    """
    named = [texts[name] for name in ("machine", "model", "chip") if name in texts]
    card = texts.get("accelerator")
    label = ", ".join(dict.fromkeys([*named, *filter(None, [card])])) or None
    known = [it for text in named if (it := naming.chip(text))]
    chip = naming.UNKNOWN
    both = next(filter(None, map(naming.processor_and_card, named)), None)
    if both and not known:
        cards = both[1].chip_class().accelerators
        chip = replace(both[0].chip_class(), accelerators=cards)
    elif known:
        chip = known[-1].chip_class()
    elif "chip" in texts:
        chip = Chip(vendor="unknown", name=texts["chip"])
    if card is not None:
        card_chip = naming.chip(card, numbers=True)
        if card_chip is None:
            card_chip = RecognisedChip(vendor="unknown", name=card, accelerator=True)
        card_class = card_chip.chip_class()
        # A GPU that is a part of a chip, such as the GB10, names that chip.
        same = (chip.vendor, chip.name) == (card_class.vendor, card_class.name)
        if chip == naming.UNKNOWN or not (card_chip.accelerator or same):
            chip = card_class
        chip = replace(chip, accelerators=card_class.accelerators)
    model = known[-1].model if known else None
    missing = missing_facts(chip, model or texts.get("model"))
    if chip.vendor == "unknown":
        missing["chip"] = "not recognised in what is printed" if label else _PRINTED
    return Machine(
        key="-",
        chip=chip,
        label=label,
        model=model,
        virtual=True if known and known[-1].virtual else None,
        missing=missing,
    )


def _without_card(described: Machine) -> Machine:
    """Return the machine of a run on its CPU: a card does not stand for that."""
    chip = described.chip
    if all(card.name != chip.name for card in chip.accelerators):
        return described
    missing = {n: why for n, why in described.missing.items() if n != "cpu"}
    missing["chip"] = _PRINTED
    chip = replace(naming.UNKNOWN, accelerators=chip.accelerators)
    return replace(described, chip=chip, missing=missing)


def _cores(text: str) -> int:
    count = _COUNT.fullmatch(text)
    if count is None:
        raise RefusedError(f"{text!r} is no number of cores")
    return int(count[1])


def _ram(text: str) -> int | None:
    """Return the memory in bytes; memory is counted in 2**30, whatever is printed."""
    try:
        amount = parsed(text, unit="GiB")
    except ValueError as why:
        raise RefusedError(str(why)) from why
    if isinstance(amount, Missing):
        return None
    exact = amount.bound is None and amount.low is None and amount.value < _MOST
    if amount.unit != "B" or not exact:
        raise RefusedError(f"{text!r} is no size of memory")
    factor, divisor = binary_factor(text, "GiB")
    return round(amount.value * factor / divisor)


def binary_factor(printed: str, unit: str | None) -> tuple[float, float]:
    """Return what turns decimal bytes into those meant, where ``GB`` are 2**30.

    That is a factor and a divisor; they are so where *unit* says it.
    """
    size = _BYTES.search(printed)
    if unit is None or not _BINARY.fullmatch(unit) or size is None or size[2]:
        return 1.0, 1.0
    power = "KMGTP".index(size[1].upper()) + 1
    return 1024.0**power, 1000.0**power


def environment(known: Known, mapped: Mapping[str, MappedEnvironment]) -> Environment:
    """Return the environment that is *known*, by a *mapped* one where named so.

    Raise ``RefusedError`` where a field contradicts the named one.
    """
    fields = known.fields
    base = mapped.get(str(fields.get("environment")))
    facts = msgspec.structs.asdict(base or MappedEnvironment())
    del facts["match"]
    missing = dict(facts.pop("missing"))
    for name in (*_OF_SOFTWARE, "framework"):
        text, before = fields.get(name), facts[name]
        if text in (None, "") or str(text).casefold() == str(before).casefold():
            continue
        if before is not None:
            raise RefusedError(f"{name} is {text}, but the environment has {before}")
        facts[name] = str(text)
        missing.pop(name, None)
    reasons = {**dict.fromkeys(() if base else _ALWAYS, _PRINTED), **known.missing}
    for name, why in reasons.items():
        if name in _OF_SOFTWARE and facts[name] is None:
            missing.setdefault(name, why)
    return Environment(missing=missing, **facts)
