"""Columns that stand for something: a machine, a model, a batch size."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.facts import facts
from benchdb.importing.guess.header_terms import ideas
from benchdb.importing.guess.machines import Machines
from benchdb.importing.guess.profile import Cells
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.recognise import RecognisedChip

_NOT_PIVOTED = {"memory", "power", "energy", "utilisation", "ratio", "ram", "cores"}
_NUMBER = re.compile(r"\d{1,6}")
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
KINDS = ("machine", "workload", "framework", "device", "precision")


class Pivot(msgspec.Struct, frozen=True):
    """What a column stands for, and what of that is assumed."""

    fields: Mapping[str, Scalar]
    assumed: tuple[str, ...] = ()


def pivots(
    columns: Sequence[Cells], machines: Machines
) -> tuple[dict[int, Pivot], list[int]]:
    """Return what columns of figures stand for, and those that may be anything.

    A header that names nothing known is of the kind that its neighbours are of.
    """
    figures = [n for n, one in enumerate(columns) if one.figures]
    found = {n: one for n in figures if (one := _named(columns[n], machines))}
    found |= _sizes(columns, [n for n in figures if n not in found])
    found |= _numbered(columns, found, figures, machines)
    rest = [n for n in figures if n not in found and _means_nothing(columns[n])]
    kind = _kind(found, columns, len(rest))
    if kind is None:
        return found, rest
    for n in rest:
        name = _UNIT.sub("", columns[n].header)
        found[n] = Pivot({kind: name}, (f"{name!r} is a {kind}",))
    return found, []


def _means_nothing(cells: Cells) -> bool:
    """Tell whether the header is a mere name."""
    words = ideas(_UNIT.sub("", cells.header))
    named = not words and cells.header != cells.unit and not cells.header.isdigit()
    return named and not re.fullmatch(r"column \d+|value", cells.header)


def _named(cells: Cells, machines: Machines) -> Pivot | None:
    if cells.ideas & _NOT_PIVOTED:
        return None
    header = _UNIT.sub("", cells.header) if cells.unit else cells.header
    known = Machines() if recognise.chip(header) is None else machines
    said = facts(header, known)
    fields = {n: v for n, v in said.fields.items() if not n.startswith("os_")}
    chip = recognise.chip(header)
    if chip is None or "device" in fields or not chip.accelerator:
        return Pivot(fields, said.assumed) if fields else None
    return _computing(fields, chip, said.assumed)


def _computing(
    fields: dict[str, Scalar], chip: RecognisedChip, assumed: tuple[str, ...]
) -> Pivot:
    """Return the pivot of a card, which is what computed."""
    device = recognise.device("GPU", chip)
    if device is None:
        return Pivot(fields, assumed)
    why = f"the {chip.name} computed, by {device}"
    return Pivot({**fields, "device": device}, (*assumed, why))


def _sizes(columns: Sequence[Cells], rest: Sequence[int]) -> dict[int, Pivot]:
    """Return columns that are batch sizes: numbers, beside a header that says so."""
    numbers = [n for n in rest if _NUMBER.fullmatch(columns[n].header)]
    said = any("batchsize" in one.ideas for one in columns if not one.figures)
    if len(numbers) < 2 or not said:
        return {}
    return {
        n: Pivot({"parameters.batch_size": int(columns[n].header)}) for n in numbers
    }


def _numbered(
    columns: Sequence[Cells],
    found: Mapping[int, Pivot],
    figures: Sequence[int],
    machines: Machines,
) -> dict[int, Pivot]:
    """Return cards that go by their number alone, beside machines named in full."""
    if not any("machine" in one.fields for one in found.values()):
        return {}
    more: dict[int, Pivot] = {}
    for n in figures:
        chip = recognise.chip(columns[n].header, numbers=True)
        if n not in found and chip is not None:
            key = machines.key(columns[n].header, chip)
            named = f"{columns[n].header} is the {chip.name}"
            more[n] = _computing({"machine": key}, chip, (named,))
    return more


def _kind(
    found: Mapping[int, Pivot], columns: Sequence[Cells], unnamed: int
) -> str | None:
    """Return the kind of thing that nameless columns of figures stand for."""
    kinds = {kind for one in found.values() for kind in KINDS[:2] if kind in one.fields}
    if len(kinds) == 1:
        return kinds.pop()
    words = [one for one in columns if not one.figures]
    if kinds or unnamed < 2 or not words:
        return None
    chips = [recognise.chip(text) for text in words[0].texts]
    if chips and all(chips):
        return "workload"
    if words[0].texts and any(map(recognise.workload, words[0].texts)):
        return "machine"
    return None
