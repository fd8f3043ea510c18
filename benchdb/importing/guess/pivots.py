"""Columns that stand for something: a machine, a model, a batch size."""

import re
from collections.abc import Mapping

from benchdb.importing.guess.assumption import Guess, guess
from benchdb.importing.guess.header_terms import header_terms
from benchdb.importing.guess.headings import text_facts
from benchdb.importing.guess.machine_rules import Machines
from benchdb.importing.guess.profile import ColumnProfile
from benchdb.importing.mapping.language import Fields
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.recognise import RecognisedChip

_NOT_PIVOTED = {"memory", "power", "energy", "utilisation", "ratio", "ram", "cores"}
_NUMBER = re.compile(r"\d{1,6}")
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_NAMELESS = re.compile(r"column \d+|value")

_Columns = Mapping[int, ColumnProfile]


def pivots(columns: _Columns, machines: Machines) -> tuple[dict[int, Guess], list[int]]:
    """Return what columns of figures stand for, and those that may be anything.

    A header that names nothing known is of the kind that its neighbours are of.
    """
    figures = {n: one for n, one in columns.items() if one.figures}
    words = [one for one in columns.values() if not one.figures]
    found = {n: own for n, one in figures.items() if (own := _named(one, machines))}
    # Batch sizes: numbers, beside a header that says so.
    sizes = [
        n for n in figures if n not in found and _NUMBER.fullmatch(columns[n].header)
    ]
    if len(sizes) > 1 and any("batchsize" in one.terms for one in words):
        for n in sizes:
            found[n] = guess(set={"parameters.batch_size": int(columns[n].header)})
    # Cards that go by their number alone, beside machines named in full.
    if any("machine" in one.column.set for one in found.values()):
        for n, column in figures.items():
            chip = recognise.chip(column.header, numbers=True)
            if n not in found and chip is not None:
                fields: Fields = {"machine": machines.key(column.header, chip)}
                why = f"{column.header} is the {chip.name}"
                found[n] = _computing(fields, chip, why)
    rest = [n for n in figures if n not in found and _means_nothing(columns[n])]
    kind = _kind(found, words, len(rest))
    if kind is None:
        return found, rest
    for n in rest:
        name = _UNIT.sub("", columns[n].header)
        found[n] = guess(f"{name!r} is a {kind}", set={kind: name})
    return found, []


def _means_nothing(column: ColumnProfile) -> bool:
    """Tell whether the header is a mere name."""
    header = column.header
    known = header_terms(_UNIT.sub("", header)) or header == column.unit
    return not (known or header.isdigit() or _NAMELESS.fullmatch(header))


def _named(column: ColumnProfile, machines: Machines) -> Guess | None:
    if column.terms & _NOT_PIVOTED:
        return None
    header = _UNIT.sub("", column.header) if column.unit else column.header
    chip = recognise.chip(header)
    said = text_facts(header, machines)
    fields = {n: it for n, it in said.fields.items() if not n.startswith("os_")}
    if chip is not None and "device" not in fields and chip.accelerator:
        return _computing(fields, chip, *said.assumed)
    return guess(*said.assumed, set=fields) if fields else None


def _computing(fields: Fields, chip: RecognisedChip, *assumed: str) -> Guess:
    """Return the pivot of a card, which is what computed."""
    device = recognise.device("GPU", chip)
    if device is None:
        return guess(*assumed, set=fields)
    why = f"the {chip.name} computed, by {device}"
    return guess(*assumed, why, set={**fields, "device": device})


def _kind(
    found: Mapping[int, Guess], words: list[ColumnProfile], unnamed: int
) -> str | None:
    """Return the kind of thing that nameless columns of figures stand for."""
    named = {name for one in found.values() for name in one.column.set}
    kinds = named & {"machine", "workload"}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds or unnamed < 2 or not words:
        return None
    texts = words[0].texts
    if texts and all(map(recognise.chip, texts)):
        return "workload"
    return "machine" if any(map(recognise.workload, texts)) else None
