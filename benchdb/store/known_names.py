"""Names that are asked for: how the runs write them, and which are mistakes.

A name that neither the runs nor the catalogues have is a mistake, in every command and
in the same words, with the nearest name. Apart from ``listing``, which asks here only
where nothing matches: catalogues take time to load.
"""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from sqlalchemy import Connection, select

from benchdb.catalogue import chips, workloads
from benchdb.errors import UsageError, suggestion
from benchdb.exchange.messages import Device, Label, Status
from benchdb.grading import Letter
from benchdb.store.machines import canonical
from benchdb.store.places import tidy
from benchdb.store.tables import WITHDRAWN, machine, result, run, source
from benchdb.titles import FRAMEWORKS, PRECISIONS

_ENOUGH = 6  # letters of an id or a digest that stand for it
LETTERS: tuple[str, ...] = get_args(Letter)
_FIXED: Mapping[str, tuple[str, ...]] = {
    "device": get_args(Device),
    "framework": FRAMEWORKS,
    "grade": LETTERS,
    "label": get_args(Label),
    "precision": PRECISIONS,
    "status": (*get_args(Status), WITHDRAWN),
}
_COLUMNS: dict[str, Any] = {
    "workload": run.c.workload,
    "framework": run.c.framework,
    "device": run.c.device,
    "precision": run.c.precision,
    "status": run.c.status,
    "label": run.c.label,
    "source": source.c.slug,
    "tier": run.c.tier,
    "grade": result.c.grade,
    "campaign": run.c.campaign,
    "chip": result.c.accelerator,
}


def alike(option: str, name: str) -> str:
    """Return what is equal for names of *option* that mean the same.

    Capitals do not matter, nor a chip's maker.
    """
    return (tidy(name) if option == "chip" else name).casefold()


def known(option: str, asked: str, there: Iterable[str]) -> str:
    """Return the name that *asked* is, of those *there* and of our catalogues.

    Raise ``UsageError`` with the nearest where it is none of them.
    """
    ours, theirs = _ours(option), list(there)
    every = {alike(option, name): name for name in (*ours, *theirs)}
    name = asked.strip()
    if (same := alike(option, name)) in every:
        return every[same]
    # What no run has is of little help, unless it is nearly what was typed.
    hint = suggestion(name, every.values())
    if not hint.startswith("; did") and theirs:
        hint = suggestion(name, theirs)
    raise UsageError(f"no {option} {name!r}{hint or '; the results have none'}")


def _ours(option: str) -> tuple[str, ...]:
    if option == "workload":
        return tuple(workloads())
    if option == "chip":
        return tuple(tidy(chip.name) for chip in chips())
    return _FIXED.get(option, ())


def spelled(connection: Connection, asked: Mapping[str, str]) -> dict[str, str]:
    """Return the names *asked* for by their options, as the runs have them.

    Raise ``UsageError`` for a name that neither they nor our catalogues have.
    """
    names = {}
    for option, name in asked.items():
        there = connection.scalars(select(_COLUMNS[option]).distinct())
        names[option] = known(option, name, filter(None, there))
    return names


def machines(connection: Connection, asked: str) -> tuple[str, ...]:
    """Return what stands for the machine whose id, or digest, is *asked* or begins so.

    An id that several have, such as one of mine in a file of others, is all of them.
    """
    ids = dict(
        connection.execute(select(machine.c.digest, machine.c.anonymous_id)).all()
    )
    start = asked.strip().casefold()
    exact = {outcome for outcome, name in ids.items() if asked in (outcome, name)}
    begun = {
        digest
        for digest, name in ids.items()
        if len(start) >= _ENOUGH
        and (digest.startswith(start) or (name or "").casefold().startswith(start))
    }
    same = canonical(connection)
    if not exact and len({ids[item] or same[item] for item in begun}) > 1:
        raise UsageError(f"several machines start with {asked!r}; give more of the id")
    if not (exact or begun):
        hint = suggestion(asked, filter(None, ids.values()))
        raise UsageError(f"no machine {asked!r}{hint or '; the results name none'}")
    those = exact or begun
    return tuple(sorted(those | {same[item] for item in those}))
