"""Columns of words: which one names the workloads, and what the others are."""

import re
from collections.abc import Mapping, Sequence

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess import fields
from benchdb.importing.guess.fields import ASSUMED, Guess, told_by
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column
from benchdb.importing.recognising import recognise
from benchdb.importing.sheet import Sheet

_INFERENCE = re.compile(
    r"inferen[cz]|predict|vorhersage|推理|推論|추론|inférence", re.IGNORECASE
)


def words_of(
    looks: Sequence[Cells],
    open_: Sequence[int],
    found: Mapping[int, Guess],
    sheets: Sequence[Sheet],
) -> dict[int, Guess]:
    """Return what columns of words tell that is no field known by itself."""
    more: dict[int, Guess] = {}
    has = "workload" in told_by(found.values())
    best = sorted(open_, key=lambda n: (-_likeness(looks[n]), n))
    for n in best:
        if (model := fields.model(looks[n])) is not None:
            more[n] = model
        elif not has and not (looks[n].ideas & _NO_WORK and not _likeness(looks[n])):
            more[n] = _workload(looks[n], sheets)
            has = True
        else:
            more[n] = fields.parameter(looks[n])
    return more


# What a column is about that names no work; "system" is both.
_NO_WORK = frozenset(("machine", "chip", "gpu", "os", "device"))


def _likeness(look: Cells) -> float:
    """Return how much a column of words looks like one of workloads."""
    known = sum(recognise.workload(text) is not None for text in look.texts)
    named = bool(look.ideas & {"model", "network", "workload"})
    return (2 * known / len(look.texts) if look.texts else 0) + named


def _workload(look: Cells, sheets: Sequence[Sheet]) -> Guess:
    ours = {text: recognise.workload(text) for text in look.texts}
    texts = (*(text for one in sheets for text in one.context), *sheets[0].header)
    infers = any(_INFERENCE.search(text[:1000]) for text in texts)
    values: dict[str, Scalar] = {}
    notes: list[tuple[str, str]] = []
    if not look.ideas & {"model", "network", "workload"} and not any(ours.values()):
        notes.append((ASSUMED, f"{look.header!r} names the workloads"))
    if infers and any(ours.values()):
        values = {text: f"{name}-inference" for text, name in ours.items() if name}
        notes.append((ASSUMED, "these are inferences; our workloads train"))
    others = [text for text, name in ours.items() if name is None]
    if others:
        listed = ", ".join(others[:6]) + (" …" if len(others) > 6 else "")
        own = f"workloads not in our catalogue keep their own names: {listed}"
        notes.append((ASSUMED, own))
    return Guess(Column(field="workload", values=values), tuple(notes))
