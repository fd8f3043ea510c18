"""Tables whose rows are metrics: ``Throughput (img/s)``, ``Power (W)``, ``Memory``."""

from collections.abc import Sequence

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.fields import ASSUMED, UNDECIDED, Guess
from benchdb.importing.guess.header_terms import ideas
from benchdb.importing.guess.metrics import RATIO, metric
from benchdb.importing.guess.profile import Cells, cells
from benchdb.importing.mapping.language import Column
from benchdb.importing.recognising import recognise
from benchdb.importing.sheet import Sheet

_NAMES = (
    "throughput time power energy memory flops bandwidth score accuracy latency fps "
    "ttft loss"
)
_FIGURES = frozenset(_NAMES.split())


def metric_rows(
    looks: Sequence[Cells], open_: Sequence[int], sheets: Sequence[Sheet]
) -> Guess | None:
    """Return the first column of words if each of its rows is another metric."""
    words = [n for n in open_ if not looks[n].figures]
    if not words:
        return None
    labels = looks[words[0]].texts
    if len(labels) < 2 or not all(_is_metric(label) for label in labels):
        return None
    values: dict[str, Scalar] = {}
    notes: list[tuple[str, str]] = []
    for label in labels:
        own = cells(label, _row(label, words[0], sheets))
        chosen = metric(own.kinds or [("1", None)], own.ideas, frozenset())
        doubt = chosen.doubt or ("a ratio" if chosen.name == RATIO else None)
        if doubt or chosen.name in values.values():
            why = doubt or f"{chosen.name} is another row as well"
            notes.append((UNDECIDED, f"which metric the row {label!r} is: {why}"))
            continue
        if chosen.unit and not own.unit:
            notes.append((UNDECIDED, f"the unit of the row {label!r} is not said"))
        values[label] = chosen.name
        notes += [(ASSUMED, f"{label!r}: {chosen.why}")] if chosen.why else []
    if len(values) < 2:
        return None
    return Guess(Column(is_="metric", values=values), tuple(notes))


def _is_metric(label: str) -> bool:
    return bool(ideas(label) & _FIGURES) and recognise.workload(label) is None


def _row(label: str, column: int, sheets: Sequence[Sheet]) -> list[str]:
    return [
        cell.text
        for sheet in sheets
        for row in sheet.rows
        if row.cells[column].text.strip() == label
        for n, cell in enumerate(row.cells)
        if n != column
    ]
