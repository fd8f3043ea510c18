"""Which columns describe the machine, and what that leaves to assume."""

from collections.abc import Mapping, Sequence

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.fields import ASSUMED, Guess
from benchdb.importing.guess.machines import Machines
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column
from benchdb.importing.recognising import recognise
from benchdb.importing.recognising.recognise import RecognisedChip

_MOSTLY = 0.8  # of the cells
_TRIED = 20  # cells; where none of them is a chip, the others are not looked at
_WORDS = {"gpu", "chip", "cpu", "machine", "device"}


def chips_in(cells: Cells) -> dict[str, RecognisedChip]:
    """Return the chips that the cells of a column of machines name, by cell."""
    numbers = "gpu" in cells.ideas and "cpu" not in cells.ideas
    if any(unit != "1" for unit, _ in cells.kinds) or not any(
        recognise.chip(text, numbers=numbers) for text in cells.texts[:_TRIED]
    ):
        return {}
    found = {t: recognise.chip(t, numbers=numbers) for t in cells.texts}
    known = {text: chip for text, chip in found.items() if chip is not None}
    if cells.ideas & _WORDS:
        return known if len(known) * 2 >= len(found) else {}
    return known if len(known) >= len(found) * _MOSTLY else {}


def hardware(
    columns: Sequence[Cells], open_: Sequence[int], machines: Machines
) -> dict[int, Guess]:
    """Return the columns among *open_* that describe the machine."""
    found: dict[int, Guess] = {}
    chips = {n: known for n in open_ if (known := chips_in(columns[n]))}
    macs = [n for n in open_ if n not in chips and _is_model(columns[n])]
    facts = [
        one
        for one in columns
        if one.ideas & {"ram", "cores"} and not one.ideas & {"used", "peak"}
    ]
    for n in macs[:1]:
        found[n] = Guess(Column(field="model"))
    if len(chips) == 1 and not macs and not facts:
        (n,) = chips
        found[n] = _machines(columns[n], chips[n], machines)
    elif chips:
        found |= _parts(columns, chips)
    elif not macs:
        found |= _labels(columns, open_)
    return found


def _is_model(cells: Cells) -> bool:
    known = [recognise.model(text) for text in cells.texts]
    return bool(known) and sum(map(bool, known)) >= len(known) * _MOSTLY


def _machines(
    cells: Cells, chips: Mapping[str, RecognisedChip], machines: Machines
) -> Guess:
    """Return a column of whole machines; each is written out in the map."""
    names = {text: machines.key(text, chip) for text, chip in chips.items()}
    told = [f"{t!r} is the {chips[t].name}" for t in names if t.strip().isdigit()]
    unknown = [text for text in cells.texts if text not in names]
    told += [f"{text!r} is a machine of an unknown chip" for text in unknown]
    notes = tuple((ASSUMED, one) for one in told)
    return Guess(Column(field="machine"), notes)


def _parts(
    columns: Sequence[Cells], chips: Mapping[int, Mapping[str, RecognisedChip]]
) -> dict[int, Guess]:
    """Return columns that name a processor and a card."""
    found: dict[int, Guess] = {}
    for n, known in chips.items():
        cards = all(chip.accelerator for chip in known.values())
        field = "accelerator" if cards and len(chips) > 1 else "chip"
        if any(one.field == field for one in found.values()):
            continue
        values: dict[str, Scalar] = {
            text: chip.name for text, chip in known.items() if text.strip().isdigit()
        }
        found[n] = Guess(Column(field=field, values=values))
    return found


def _labels(columns: Sequence[Cells], open_: Sequence[int]) -> dict[int, Guess]:
    """Return a column that is headed as machines, whatever they are called."""
    for n in open_:
        words = columns[n].ideas & {"machine", "gpu", "chip"}
        if words and not columns[n].figures and columns[n].texts:
            named = f"{columns[n].header!r} names machines, of chips unknown to us"
            return {n: Guess(Column(field="machine"), ((ASSUMED, named),))}
    return {}
