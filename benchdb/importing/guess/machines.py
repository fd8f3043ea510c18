"""The machines that a document names, gathered for its map."""

import re
import unicodedata

import msgspec

from benchdb.exchange.lines import Accelerator, Chip
from benchdb.importing.mapping.language import MappedMachine
from benchdb.importing.recognising.chips import tidied
from benchdb.importing.recognising.recognise import RecognisedChip

_PRINTED = "not printed"
_SIDES = re.compile(
    r"(?<![a-z])(?:cpu|gpu|mps|metal|cuda|only|results?|benchmarks?|from|on|auf|fp\d\d)"
    r"(?![a-z])",
    re.IGNORECASE,
)


class Machines:
    """The machines met so far, by key; equal ones are one, with every text met."""

    def __init__(self) -> None:
        """Begin with none."""
        self.found: dict[str, MappedMachine] = {}

    def key(self, text: str, chip: RecognisedChip, *, whole: bool = True) -> str:
        """Return the key of the machine with *chip* that *text* means.

        *whole*: the text is a whole cell or header, by which it is found.
        """
        machine = _machine(text if whole else "", chip)
        match = (text,) if whole else ()
        for key, known in self.found.items():
            if _bare(known) == _bare(machine):
                both = tuple(dict.fromkeys((*known.match, *match)))
                self.found[key] = msgspec.structs.replace(known, match=both)
                return key
        key = self._free(_key(chip))
        self.found[key] = msgspec.structs.replace(machine, match=match)
        return key

    def _free(self, wanted: str) -> str:
        count, key = 1, wanted
        while key in self.found:
            count += 1
            key = f"{wanted}-{count}"
        return key


def _machine(text: str, chip: RecognisedChip) -> MappedMachine:
    missing = {"cpu_cores": chip.cpu_cores, "model": chip.model}
    if chip.accelerator:
        card = Accelerator(
            vendor=chip.vendor,
            name=chip.name,
            memory_bytes=chip.ram_bytes,
            count=chip.count,
        )
        described = Chip(vendor=chip.vendor, name=chip.name, accelerators=(card,))
        missing |= {"ram_bytes": None, "memory_bytes": chip.ram_bytes}
        reasons = {"cpu": "not printed; the GPU stands for the chip"}
    else:
        described = Chip(
            vendor=chip.vendor,
            name=chip.name,
            cpu_cores=chip.cpu_cores,
            gpu_cores=chip.gpu_cores,
            ram_bytes=chip.ram_bytes,
        )
        missing |= {"ram_bytes": chip.ram_bytes}
        if chip.vendor == "Apple":
            missing |= {"gpu_cores": chip.gpu_cores}
        reasons = {}
    reasons |= {name: _PRINTED for name, fact in missing.items() if fact is None}
    return MappedMachine(
        chip=described,
        model=chip.model,
        label=_label(text, chip),
        virtual=True if chip.virtual else None,
        missing=dict(sorted(reasons.items())),
    )


def _label(text: str, chip: RecognisedChip) -> str | None:
    """Return *text*, unless all it says beside the chip is which side of it ran."""
    beside = " ".join(_SIDES.sub(" ", chip.rest).split())
    return (tidied(text) or None) if beside else None


def _bare(machine: MappedMachine) -> MappedMachine:
    return msgspec.structs.replace(machine, match=())


def _key(chip: RecognisedChip) -> str:
    facts = [chip.name]
    facts += [f"{chip.count}x"] if chip.count > 1 else []
    facts += [f"{chip.gpu_cores}c"] if chip.gpu_cores else []
    facts += [f"{chip.ram_bytes // 2**30}gb"] if chip.ram_bytes else []
    plain = unicodedata.normalize("NFKD", "-".join(facts)).casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "machine"
