"""Which field of a run a column tells, by its header and its cells; and the machines.

Machines and devices are named in columns, in headers and in headings.
"""

import datetime
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Device, Scalar
from benchdb.importing import naming
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    FieldRule,
    fold,
    pattern,
    words,
)
from benchdb.importing.mapping.fields import missing_facts, slug
from benchdb.importing.mapping.language import Column, Fields, MappedMachine, Meaning
from benchdb.importing.naming import RecognisedChip, tidied

Path = tuple[str | int, ...]

PROSE = 120  # characters; longer texts are sentences, not names
_MOSTLY = 0.8  # of the cells
_TRIED = 20  # cells; where none of them is a chip, the others are not looked at
_LONG_VERSION = re.compile(r"v|\d{1,4}\.\d{1,4}\.|\d{1,4}\.\d{1,4}(?:rc|a|b|\.?dev)\d")
_CORES = re.compile(r"(?<![\w.])\d{1,3}GPU(?!s)", re.IGNORECASE)  # 8P+16GPU


class Assumption(msgspec.Struct, frozen=True):
    """One entry: *path* leads to what is proposed in the map, *text* says on what.

    Where no evidence decides it, *decided* is false, and *text* is the question.
    """

    text: str
    decided: bool = True
    path: Path = ()


class Guess(msgspec.Struct, frozen=True):
    """What a column is taken to be, with what is assumed or undecided in it."""

    column: Column
    assumptions: tuple[Assumption, ...] = ()

    @property
    def field(self) -> str | None:
        """Return the field that its cells set."""
        return self.column.field if self.column.is_ == "field" else None

    def with_facts(self, *why: str, **facts: Any) -> "Guess":
        """Return the guess with other *facts* of the column, assumed for *why*."""
        column = msgspec.structs.replace(self.column, **facts)
        return Guess(column, (*self.assumptions, *map(Assumption, why)))


def guess(*why: str, undecided: Iterable[str] = (), **facts: Any) -> Guess:
    """Return a column of these *facts*, assumed for *why*; and what is *undecided*."""
    questions = (Assumption(text, decided=False) for text in undecided)
    return Guess(Column(**facts), (*map(Assumption, why), *questions))


def leave_out(why: str) -> Guess:
    """Return a column that is left out."""
    return guess(f"left out: {why}", is_="ignore")


def fields_of(guesses: Iterable[Guess]) -> set[str]:
    """Return the fields that columns tell; as a pivot only all columns together do."""
    fields: set[str] = set()
    shared: list[set[str]] = []
    for item in guesses:
        column = item.column
        if column.is_ == "value":
            shared.append(set(column.set))
        elif column.is_ != "ratio":
            fields |= {item.field} if item.field else set()
            fields |= set(column.set)
            fields |= {name for cell in column.cells.values() for name in cell.set}
    fields |= set.intersection(*shared) if shared else set()
    return fields | ({"machine"} if fields & {"chip", "accelerator"} else set())


def field(column: ColumnProfile) -> Guess | None:
    """Return the field that *column* surely tells, or that it says nothing."""
    if not column.texts and not _answers(column):
        return leave_out("every cell is blank or says that there is no figure")
    if column.parts:
        return None
    if switch := _switch(column):
        return switch
    rule = next((one for one in words().fields if _holds(one, column)), None)
    if rule is None or rule.ignore:
        return leave_out(rule.ignore.format(column.header)) if rule else None
    facts: dict[str, Fields] = {}
    if rule.field == "framework":
        versions = {text: naming.framework_version(text) for text in column.texts}
        facts = {t: {"framework_version": one} for t, one in versions.items() if one}
    elif rule.field == "os_name":
        facts = {text: operating_system(text) for text in column.texts}
    own = naming.framework(column.header) if rule.cells == "own version" else None
    return guess(
        field=rule.field.format(slug(column.header)),
        cells={text: Meaning(set=one) for text, one in facts.items() if one},
        set={"framework": own} if own else {},
    )


def _holds(rule: FieldRule, column: ColumnProfile) -> bool:
    terms, only = column.terms, frozenset(rule.only.split())

    def mostly(column: ColumnProfile) -> bool:
        return column.mostly(pattern(rule.cells).fullmatch)

    return (
        terms.issuperset(rule.terms.split())
        and (terms <= only if only and terms else not only)
        and terms.isdisjoint(rule.without.split())
        and bool(re.search(rule.header, fold(column.header)))
        and (not rule.cells or _CELLS.get(rule.cells, mostly)(column))
    )


def parameter(column: ColumnProfile) -> Guess:
    """Return the column as a parameter of the source's own, named by its header."""
    why = f"{column.header!r} is a setting, no figure"
    return guess(why, field=f"parameters.{slug(column.header)}")


def operating_system(text: str) -> dict[str, Scalar]:
    """Return the operating system that *text* names as fields."""
    names = ("os_name", "os_version", "os_build")
    known = naming.os(text) or ("", "", "")
    return {name: one for name, one in zip(names, known, strict=True) if one}


def _answers(column: ColumnProfile) -> dict[str, bool]:
    """Return what the cells answer where all are yes or no."""
    yes, no = pattern("agreed"), pattern("denied")
    answers = {t: bool(yes.fullmatch(t.casefold())) for t in column.everything}
    known = all(said or no.fullmatch(t.casefold()) for t, said in answers.items())
    return answers if known else {}


def _switch(column: ColumnProfile) -> Guess | None:
    """Return a column that says whether a device was used: ``Metal: ja``."""
    answers = _answers(column)
    device = naming.device(column.header)
    named = column.terms & {"metal", "gpu", "device", "cpu"}
    if not answers or not named or device not in ("metal", "cuda"):
        return None
    why = f"without {column.header} the CPU did the work"
    values = {text: device if yes else "cpu" for text, yes in answers.items()}
    return guess(why, field="device", values=values)


def _is_day(text: str) -> object | None:
    with suppress(ValueError):
        return datetime.date.fromisoformat(text[:10]) if len(text) > 9 else None
    return None


def _is_own_version(column: ColumnProfile) -> bool:
    """Tell whether the cells are versions of the framework that heads them.

    Under "PyTorch", 1.81 may be milliseconds: only 1.81.0 is surely a version.
    """
    long = any(map(_LONG_VERSION.match, column.texts))
    named = naming.framework(column.header) is not None
    return named and long and column.mostly(pattern("version").fullmatch)


# What cells can be beside those of a pattern, by the names in ``headers.toml``.
_CELLS: dict[str, Callable[[ColumnProfile], bool]] = {
    "integers": lambda column: column.integers and not column.unit,
    "day": lambda column: column.mostly(_is_day),
    "own version": _is_own_version,
    "precision": lambda column: column.mostly(naming.precision),
    "framework": lambda column: column.mostly(naming.framework),
    "system": lambda column: column.mostly(naming.os),
    # One word that is no device and rows would be lost.
    "device": lambda column: (
        bool(column.texts) and all(map(naming.device, column.texts))
    ),
    "answers": lambda column: not column.figures and bool(_answers(column)),
    "words": lambda column: not column.figures,
}


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
        beside = pattern("sides").sub(" ", chip.rest).split()
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
        facts = [chip.name]
        facts += [f"{chip.count}x"] if chip.count > 1 else []
        facts += [f"{chip.gpu_cores}c"] if chip.gpu_cores else []
        facts += [f"{chip.ram_bytes // 2**30}gb"] if chip.ram_bytes else []
        plain = unicodedata.normalize("NFKD", "-".join(facts)).casefold()
        stem = key = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "machine"
        count = 1
        while key in self.by_key:
            count += 1
            key = f"{stem}-{count}"
        self.by_key[key] = replace(machine, match=match)
        return key


def text_facts(text: str, machines: Machines, *, whole: bool = True) -> Guess:
    """Return the fields that one text sets: a heading, a header, a file's name.

    Machines are entered into *machines*.
    """
    if len(text) > PROSE:
        return guess()
    fields: Fields = {}
    assumed: list[str] = []
    chip = naming.chip(text)
    if chip is not None:
        fields["machine"] = machines.key(text, chip, whole=whole)
    rest = _CORES.sub(" ", chip.rest if chip else text)
    if (device := naming.device(rest, chip)) is not None:
        fields["device"] = device
        if naming.device(rest) is None:
            assumed.append(f"the GPU of {chip.name if chip else text} ran by {device}")
    if (framework := naming.framework(text)) is not None:
        fields["framework"] = framework
        if version := naming.framework_version(text):
            fields["framework_version"] = version
    if (precision := naming.precision(text)) is not None:
        fields["precision"] = precision
    if match := pattern("batch_in_text").search(rest):
        fields["parameters.batch_size"] = int(match[1] or match[2])
    fields |= operating_system(text)
    # Words that begin the text: "GEMM on H100" is a GEMM, not said to be our product.
    begin = pattern("pieces").split(text, maxsplit=1)[0].strip()
    if workload := next(filter(naming.workload, (text, begin)), None):
        fields["workload"] = workload
    return guess(*assumed, set=fields)


def _chips_in(column: ColumnProfile) -> dict[str, RecognisedChip]:
    """Return the chips that the cells of a column of machines name, by cell."""
    numbers = "gpu" in column.terms and "cpu" not in column.terms
    if any(unit != "1" for unit, _ in column.kinds) or not any(
        naming.chip(text, numbers=numbers) for text in column.texts[:_TRIED]
    ):
        return {}
    chips = {text: naming.chip(text, numbers=numbers) for text in column.texts}
    known = {text: chip for text, chip in chips.items() if chip is not None}
    headed = column.terms & {"gpu", "chip", "cpu", "machine", "device"}
    return known if len(known) >= len(chips) * (0.5 if headed else _MOSTLY) else {}


def hardware(
    columns: Sequence[ColumnProfile], open_: Sequence[int], machines: Machines
) -> dict[int, Guess]:
    """Return the columns among *open_* that describe the machine."""
    chips = {n: known for n in open_ if (known := _chips_in(columns[n]))}
    macs = [n for n in open_ if n not in chips and columns[n].mostly(naming.model)]
    guesses = {n: guess(field="model") for n in macs[:1]}
    parts = any(
        one.terms & {"ram", "cores"} and not one.terms & {"used", "peak"}
        for one in columns
    )
    if len(chips) == 1 and not macs and not parts:
        ((n, known),) = chips.items()
        for text, chip in known.items():  # whole machines, written out in the map
            machines.key(text, chip)
        numbers = [text for text in known if text.strip().isdigit()]
        unknown = [text for text in columns[n].texts if text not in known]
        guesses[n] = guess(
            *(f"{text!r} is the {known[text].name}" for text in numbers),
            *(f"{text!r} is a machine of an unknown chip" for text in unknown),
            field="machine",
        )
    for n, known in chips.items() if len(chips) > 1 or macs or parts else ():
        cards = all(chip.accelerator for chip in known.values())
        name = "accelerator" if cards and len(chips) > 1 else "chip"
        values = {t: chip.name for t, chip in known.items() if t.strip().isdigit()}
        if all(name != one.field for one in guesses.values()):
            guesses[n] = guess(field=name, values=values)
    if chips or macs:
        return guesses
    # A column that is headed as machines, whatever they are called.
    for n in open_:
        headed = columns[n].terms & {"machine", "gpu", "chip"}
        if headed and not columns[n].figures and columns[n].texts:
            why = f"{columns[n].header!r} names machines, of chips unknown to us"
            return {n: guess(why, field="machine")}
    return {}


def add_devices(
    columns: Sequence[ColumnProfile], guesses: dict[int, Guess]
) -> dict[int, Guess]:
    """Return the columns, the only one of machines with the devices that ran.

    Cards compute; of an Apple chip that is the GPU only where the header speaks of
    GPUs.
    """
    named = ("machine", "chip", "accelerator")
    machines = [n for n, one in guesses.items() if one.field in named]
    if "device" in fields_of(guesses.values()) or len(machines) != 1:
        return guesses
    (n,) = machines
    sides, ran = columns[n].terms & {"cpu", "gpu"}, dict[str, Device]()
    for text, chip in _chips_in(columns[n]).items():
        device = naming.device(chip.rest, chip)
        if device is None and chip.accelerator:
            device = naming.device("GPU", chip)
        elif device is None and sides == {"gpu"} and chip.vendor == "Apple":
            device = "metal"
        elif device is None and sides == {"cpu"}:
            device = "cpu"
        ran |= {text: device} if device else {}
    if not ran or len(ran) < len(columns[n].texts):
        return guesses
    cells = {text: Meaning(set={"device": one}) for text, one in ran.items()}
    cells = {**guesses[n].column.cells, **cells}
    listed = ", ".join(dict.fromkeys(ran.values()))
    why = f"the device ({listed}), from the chips in this column"
    return {**guesses, n: guesses[n].with_facts(why, cells=cells)}
