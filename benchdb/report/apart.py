"""What tells rows of the table of values apart that read alike without it.

A sweep has many points, and campaigns of one machine measure the same work again: with
another version, in another tier, on another day.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from msgspec.structs import replace

from benchdb.report.view.listed import ValueRow

_LETTERS = 40  # of a fact; a stranger's may have any number
_TIMES = ("tier", "day", "minute")


def told_apart(rows: Sequence[ValueRow]) -> tuple[ValueRow, ...]:
    """Return *rows*, each with what tells it from those that have all else in common.

    The setting, parameters and conditions in which they differ; where that is not
    enough the tier, the day, the minute. A row that is the only one of its kind needs
    nothing.
    """
    keys = [_read(row) for row in rows]
    alike: defaultdict[Hashable, list[ValueRow]] = defaultdict(list)
    for key, row in zip(keys, rows, strict=True):
        alike[key].append(row)
    differing = {
        key: _differing([_facts(row) for row in group])
        for key, group in alike.items()
        if len(group) > 1
    }
    return tuple(
        _marked(row, differing.get(key, ()))
        for key, row in zip(keys, rows, strict=True)
    )


def _read(row: ValueRow) -> Hashable:
    """Return what a reader sees of a row but its figure."""
    whose = row.system.here, row.system.mine
    system = row.system.chip, row.system.device, row.system.framework, *whose
    work = row.workload.name, row.batch_size, row.size, row.metric
    origin = row.label, row.status, row.source, row.locator, row.made
    return system, work, row.precision, row.compiler, origin


def _facts(row: ValueRow) -> Mapping[str, str]:
    """Return what else is known of a row, by name: as it is told, or nothing."""
    started = row.started or ""
    return {
        "setting": row.setting,
        **{name: f"{name} {fact[:_LETTERS]}" for name, fact in row.parameters},
        **{name: f"{name} {fact}" for name, fact in row.conditions if fact},
        "tier": row.tier or "",
        "day": started[: len("2026-11-21")],
        "minute": started[: len("2026-11-21T21:44")].replace("T", " "),
    }


def _differing(rows: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Return the names of the facts that tell *rows* apart: a time only if needed."""
    names = dict.fromkeys(name for row in rows for name in row)
    differ = [name for name in names if len({row.get(name) for row in rows}) > 1]
    told = [name for name in differ if name not in _TIMES]
    for name in (one for one in _TIMES if one in differ):
        if len({tuple(map(row.get, told)) for row in rows}) == len(rows):
            break
        # The minute has the day in it.
        told = [*(one for one in told if one != "day"), name]
    return tuple(told)


def _marked(row: ValueRow, names: Sequence[str]) -> ValueRow:
    facts = _facts(row)
    said = " ".join(facts[name] for name in names if facts.get(name))
    return replace(row, apart=said) if said else row
