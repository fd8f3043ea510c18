"""Which two systems the efficiency of training is told of: the likest, a Mac if any."""

from collections.abc import Iterable
from itertools import combinations

import msgspec

from benchdb.report.measurement import differs
from benchdb.report.sections.efficiency import EfficiencyRow
from benchdb.report.sections.efficiency.metered import Metered
from benchdb.report.systems import is_card
from benchdb.report.view.atoms import System
from benchdb.statistics.comparison import geometric_mean

_FAVOURITE = "RTX 3090"  # the card that the published results refer to


class _Party(msgspec.Struct):
    """One system: how far a joule goes, and the *sound* figures that may lead."""

    system: System
    card: bool = True
    best: dict[str, float] = {}
    sound: list[Metered] = []


def opposed(
    pairs: Iterable[tuple[Metered, EfficiencyRow]],
) -> tuple[System, System] | None:
    """Return the reference and who is held against it; ``None`` without common work.

    Like and unflagged figures decide first, then two chips rather than one, a Mac's GPU
    beside a card, and how much work they have in common.
    """
    parties = _parties(pairs)
    matches = [
        (one, other)
        for left, right in combinations(parties, 2)
        if left.best.keys() & right.best.keys() and _name(left) != _name(right)
        for one, other in (_ordered(left, right),)
    ]
    if not matches:
        return None
    reference, compared = max(matches, key=lambda match: _preference(*match))
    return reference.system, compared.system


def _parties(pairs: Iterable[tuple[Metered, EfficiencyRow]]) -> list[_Party]:
    found: dict[System, _Party] = {}
    for one, row in pairs:
        mine = found.setdefault(one.system, _Party(one.system))
        mine.card = mine.card and is_card(one.measurement.place)
        best = mine.best.get(one.workload, 0.0)
        mine.best[one.workload] = max(best, one.efficiency)
        flagged = row.rate.notes or row.power.notes or row.per_joule.notes
        if one.reading.scope is not None and one.measurement.leads and not flagged:
            mine.sound.append(one)
    return sorted(found.values(), key=lambda party: party.system.key)


def _name(party: _Party) -> tuple[str, str]:
    return party.system.chip, party.system.device


def _ordered(one: _Party, other: _Party) -> tuple[_Party, _Party]:
    """Return the reference first: a card, else the CPU or what does less per joule."""

    def rank(party: _Party) -> tuple[object, ...]:
        system, rival = party.system, other if party is one else one
        return (
            not party.card,
            _FAVOURITE not in system.chip,
            system.device != "cpu",
            _pace(party, rival),
            system.key,
        )

    return (one, other) if rank(one) <= rank(other) else (other, one)


def _pace(party: _Party, rival: _Party) -> float:
    shared = sorted(party.best.keys() & rival.best.keys())
    return geometric_mean([party.best[name] for name in shared])


def _preference(reference: _Party, compared: _Party) -> tuple[object, ...]:
    like = {
        own.workload
        for own in reference.sound
        for other in compared.sound
        if own.workload == other.workload and _alike(own, other)
    }
    return (
        bool(like),
        reference.system.chip != compared.system.chip,
        reference.card and compared.system.device == "metal",
        _FAVOURITE in reference.system.chip,
        len(like),
        len(reference.best.keys() & compared.best.keys()),
        compared.system.device == "metal",
        _pace(compared, reference) / _pace(reference, compared),
        reference.system.key,
        compared.system.key,
    )


def _alike(one: Metered, other: Metered) -> bool:
    same = one.reading == other.reading
    return same and not differs(one.measurement, other.measurement)
