"""What tells rows of the table of values apart that read alike without it.

Campaigns of one machine measure the same work again: in another tier, on another day.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from msgspec.structs import replace

from benchdb.report.view.listed import ValueRow

_Detail = Callable[[ValueRow], str]


def told_apart(rows: Sequence[ValueRow]) -> tuple[ValueRow, ...]:
    """Return *rows*, each with what tells it from those that have all else in common.

    The setting; where that is not enough the tier, the day, the minute. A row that is
    the only one of its kind needs nothing.
    """
    keys = [_read(row) for row in rows]
    alike: defaultdict[Hashable, list[ValueRow]] = defaultdict(list)
    for key, row in zip(keys, rows, strict=True):
        alike[key].append(row)
    differing = {key: _differing(group) for key, group in alike.items()}
    return tuple(
        _marked(row, differing[key]) for key, row in zip(keys, rows, strict=True)
    )


def _read(row: ValueRow) -> Hashable:
    """Return what a reader sees of a row but its figure."""
    whose = row.system.here, row.system.mine
    system = row.system.chip, row.system.device, row.system.framework, *whose
    work = row.workload.name, row.batch_size, row.size, row.metric
    origin = row.label, row.status, row.source, row.locator, row.made
    return system, work, row.precision, row.compiler, origin


def _differing(rows: Sequence[ValueRow]) -> tuple[_Detail, ...]:
    """Return the first details that suffice to tell *rows* apart, else all."""
    for details in _DETAILS:
        found = {tuple(tell(row) for tell in details) for row in rows}
        if len(found) == len(rows):
            break
    return tuple(tell for tell in details if len({tell(row) for row in rows}) > 1)


def _marked(row: ValueRow, details: Sequence[_Detail]) -> ValueRow:
    said = " ".join(filter(None, (tell(row) for tell in details)))
    return replace(row, apart=said) if said else row


def _setting(row: ValueRow) -> str:
    return row.setting


def _tier(row: ValueRow) -> str:
    return row.tier or ""


def _day(row: ValueRow) -> str:
    return (row.started or "")[: len("2026-11-21")]


def _minute(row: ValueRow) -> str:
    return (row.started or "")[: len("2026-11-21T21:44")].replace("T", " ")


_DETAILS: tuple[tuple[_Detail, ...], ...] = (
    (_setting,),
    (_setting, _tier),
    (_setting, _tier, _day),
    (_setting, _tier, _minute),
)
