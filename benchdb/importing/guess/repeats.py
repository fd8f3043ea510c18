"""Columns that are left out, but for which two rows would be the same run."""

from collections.abc import Mapping, Sequence

from benchdb.importing.guess.fields import ASSUMED, Guess
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column
from benchdb.importing.mapping.words import slug
from benchdb.importing.sheet import Sheet


def with_tellers(
    looks: Sequence[Cells], found: Mapping[int, Guess], sheets: Sequence[Sheet]
) -> dict[int, Guess]:
    """Return *found*, where a note or a number is a setting if only it tells rows."""
    beside = [n for n, one in found.items() if one.column.is_ == "ignore"]
    beside = [n for n in beside if looks[n].ideas & {"rank", "note", "link"}]
    names = [n for n, one in found.items() if one.column.is_ in ("field", "metric")]
    if not beside or not _repeated(sheets, names):
        return dict(found)
    for n in beside:
        if not _repeated(sheets, [*names, n]):
            header = looks[n].header
            name = "number" if "rank" in looks[n].ideas else slug(header)
            why = f"{header!r} alone tells rows apart"
            told = Guess(Column(field=f"parameters.{name}"), ((ASSUMED, why),))
            return {**found, n: told}
    return dict(found)


def _repeated(sheets: Sequence[Sheet], columns: Sequence[int]) -> bool:
    for sheet in sheets:
        rows = [tuple(row.cells[n].text for n in columns) for row in sheet.rows]
        if len(set(rows)) < len(rows):
            return True
    return False
