"""Machines and devices that a document names: in columns, headers and headings."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchdb.exchange.lines import Device
from benchdb.importing import naming
from benchdb.importing.guess.assumption import Guess, fields_of, guess
from benchdb.importing.guess.profile import ColumnProfile
from benchdb.importing.mapping.fields import missing_facts
from benchdb.importing.mapping.language import Fields, MappedMachine, Meaning
from benchdb.importing.naming import RecognisedChip, tidied

_MOSTLY = 0.8  # of the cells
_TRIED = 20  # cells; where none of them is a chip, the others are not looked at
_HEADERS = {"gpu", "chip", "cpu", "machine", "device"}
_FIELDS = ("machine", "chip", "accelerator")
_SIDES = re.compile(
    r"(?<![a-z])(?:cpu|gpu|mps|metal|cuda|only|results?|benchmarks?|from|on|auf|fp\d\d)"
    r"(?![a-z])",
    re.IGNORECASE,
)


class Machines:
    """The machines met so far, by key; equal ones are one, with every text met."""

    def __init__(self) -> None:
        """Begin with none."""
        self.by_key: dict[str, MappedMachine] = {}

    def key(self, text: str, chip: RecognisedChip, *, whole: bool = True) -> str:
        """Return the key of the machine with *chip* that *text* means.

        *whole*: the text is a whole cell or header, by which it is found.
        """
        match = (text,) if whole else ()
        # All that a text says beside the chip may be which side of it ran.
        beside = _SIDES.sub(" ", chip.rest).split()
        line = chip.chip_class()
        machine = MappedMachine(
            chip=line,
            model=chip.model,
            label=tidied(text) or None if whole and beside else None,
            virtual=True if chip.virtual else None,
            missing=dict(sorted(missing_facts(line, chip.model).items())),
        )
        for key, known in self.by_key.items():
            if replace(known, match=()) == machine:
                texts = tuple(dict.fromkeys((*known.match, *match)))
                self.by_key[key] = replace(known, match=texts)
                return key
        stem, count = _key(chip), 1
        key = stem
        while key in self.by_key:
            count += 1
            key = f"{stem}-{count}"
        self.by_key[key] = replace(machine, match=match)
        return key


def _key(chip: RecognisedChip) -> str:
    facts = [chip.name]
    facts += [f"{chip.count}x"] if chip.count > 1 else []
    facts += [f"{chip.gpu_cores}c"] if chip.gpu_cores else []
    facts += [f"{chip.ram_bytes // 2**30}gb"] if chip.ram_bytes else []
    plain = unicodedata.normalize("NFKD", "-".join(facts)).casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "machine"


def chips_in(column: ColumnProfile) -> dict[str, RecognisedChip]:
    """Return the chips that the cells of a column of machines name, by cell."""
    numbers = "gpu" in column.terms and "cpu" not in column.terms
    if any(unit != "1" for unit, _ in column.kinds) or not any(
        naming.chip(text, numbers=numbers) for text in column.texts[:_TRIED]
    ):
        return {}
    found = {text: naming.chip(text, numbers=numbers) for text in column.texts}
    known = {text: chip for text, chip in found.items() if chip is not None}
    wanted = 0.5 if column.terms & _HEADERS else _MOSTLY
    return known if len(known) >= len(found) * wanted else {}


def hardware(
    columns: Sequence[ColumnProfile], open_: Sequence[int], machines: Machines
) -> dict[int, Guess]:
    """Return the columns among *open_* that describe the machine."""
    chips = {n: known for n in open_ if (known := chips_in(columns[n]))}
    macs = [n for n in open_ if n not in chips and columns[n].mostly(naming.model)]
    guesses = {n: guess(field="model") for n in macs[:1]}
    parts = any(
        one.terms & {"ram", "cores"} and not one.terms & {"used", "peak"}
        for one in columns
    )
    if len(chips) == 1 and not macs and not parts:
        ((n, known),) = chips.items()
        guesses[n] = _machines(columns[n], known, machines)
    elif chips:
        guesses |= _parts(chips)
    elif not macs:
        # A column that is headed as machines, whatever they are called.
        for n in open_:
            headed = columns[n].terms & {"machine", "gpu", "chip"}
            if headed and not columns[n].figures and columns[n].texts:
                why = f"{columns[n].header!r} names machines, of chips unknown to us"
                return {n: guess(why, field="machine")}
    return guesses


def _machines(
    column: ColumnProfile, chips: Mapping[str, RecognisedChip], machines: Machines
) -> Guess:
    """Return a column of whole machines; each is written out in the map."""
    for text, chip in chips.items():
        machines.key(text, chip)
    numbers = [text for text in chips if text.strip().isdigit()]
    unknown = [text for text in column.texts if text not in chips]
    return guess(
        *(f"{text!r} is the {chips[text].name}" for text in numbers),
        *(f"{text!r} is a machine of an unknown chip" for text in unknown),
        field="machine",
    )


def _parts(chips: Mapping[int, Mapping[str, RecognisedChip]]) -> dict[int, Guess]:
    """Return columns that name a processor and a card."""
    by_field: dict[str, tuple[int, Guess]] = {}
    for n, known in chips.items():
        cards = all(chip.accelerator for chip in known.values())
        field = "accelerator" if cards and len(chips) > 1 else "chip"
        values = {t: chip.name for t, chip in known.items() if t.strip().isdigit()}
        by_field.setdefault(field, (n, guess(field=field, values=values)))
    return dict(by_field.values())


def add_devices(
    columns: Sequence[ColumnProfile], guesses: dict[int, Guess]
) -> dict[int, Guess]:
    """Return the columns with devices where ``CPU``, ``GPU`` or a chip tell them."""
    if "device" in fields_of(guesses.values()):
        return guesses
    gpus = {
        naming.device("GPU", chip)
        for one in columns
        for chip in chips_in(one).values()
        if chip.vendor in ("Apple", "NVIDIA")
    }
    gpu = gpus.pop() if len(gpus) == 1 else None
    for n, column in enumerate(columns):
        sides = {text.casefold(): text for text in column.texts}
        if sides and sides.keys() <= {"cpu", "gpu"}:
            return {**guesses, n: _sides(sides, gpu)}
    machines = [n for n, one in guesses.items() if one.field in _FIELDS]
    if len(machines) == 1:
        (n,) = machines
        ran = {
            text: device
            for text, chip in chips_in(columns[n]).items()
            if (device := _device_of(chip, columns[n])) is not None
        }
        if ran and len(ran) == len(columns[n].texts):
            listed = ", ".join(dict.fromkeys(ran.values()))
            cells = {text: Meaning(set={"device": one}) for text, one in ran.items()}
            cells = {**guesses[n].column.cells, **cells}
            why = f"the device ({listed}), from the chips in this column"
            return {**guesses, n: guesses[n].with_facts(why, cells=cells)}
    return {n: _by_gpu(columns[n], one, gpu) for n, one in guesses.items()}


def _by_gpu(profile: ColumnProfile, one: Guess, gpu: Device | None) -> Guess:
    """Return a column of figures headed ``GPU`` with the device that it means."""
    column = one.column
    headed = "gpu" in profile.terms and not profile.terms & {"memory", "power", "cpu"}
    if column.is_ != "value" or not headed or "device" in column.set or gpu is None:
        return one
    return one.with_facts(_RAN_BY.format(gpu), set={**column.set, "device": gpu})


_RAN_BY = "the GPU of these machines ran by {}"


def _sides(sides: Mapping[str, str], gpu: Device | None) -> Guess:
    """Return a column of ``CPU`` and ``GPU``, where *gpu* is what the GPU ran by."""
    values: Fields = {sides["cpu"]: "cpu"} if "cpu" in sides else {}
    if "gpu" not in sides:
        return guess(field="device", values=values)
    values[sides["gpu"]] = gpu or "unknown"
    if gpu is not None:
        return guess(_RAN_BY.format(gpu), field="device", values=values)
    question = "what drove the GPU: metal, cuda …; say it in values"
    return guess(undecided=[question], field="device", values=values)


def _device_of(chip: RecognisedChip, column: ColumnProfile) -> Device | None:
    """Return what ran, where a column of machines leaves one answer: cards compute.

    Of an Apple chip that is the GPU only where the header speaks of GPUs.
    """
    said = naming.device(chip.rest, chip)
    if said is not None:
        return said
    if chip.accelerator:
        return naming.device("GPU", chip)
    sides = column.terms & {"cpu", "gpu"}
    if sides == {"gpu"} and chip.vendor == "Apple":
        return "metal"
    return "cpu" if sides == {"cpu"} else None
