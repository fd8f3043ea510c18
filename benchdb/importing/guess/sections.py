"""Tables with the same rows under different headings, which would be the same runs."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from benchdb.importing.guess.fields import ASSUMED
from benchdb.importing.mapping.language import Column, Fields, Heading
from benchdb.importing.sheet import Sheet

_LIMIT = 120  # characters of a heading; a longer text is a sentence
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
_Notes = dict[tuple[str, ...], list[tuple[str, str]]]


def told_apart(
    sheets: Sequence[Sheet],
    columns: Mapping[str, Column],
    said: Mapping[str, Heading],
    notes: _Notes,
) -> dict[str, Heading]:
    """Return headings that set ``parameters.section``, where only they differ.

    *said* are the headings that tell more: their fields are kept. A heading is used
    only where another table has the same rows and what is *said* of both is equal.
    """
    alike: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        alike.setdefault(repr(_fields(sheet, said)), []).append(sheet)
    found: dict[str, Heading] = {}
    for several in alike.values():
        if len(several) < 2 or not _doubled(several, columns):
            continue
        times = Counter(text for one in several for text in set(one.context))
        for sheet in several:
            own = [t for t in sheet.context if times[t] == 1 and 0 < len(t) <= _LIMIT]
            if own:
                text = own[0]
                key, whole = _SPECIAL.sub(r"\\\1", text), said.get
                before = whole(key) or Heading()
                fields: Fields = {**before.set, "parameters.section": text}
                basis = {**before.basis, "section": f"heading: {text}"}
                found[key] = Heading(set=fields, basis=basis, rows=before.rows)
                why = f"only the heading {text!r} tells these rows from others"
                notes.setdefault(("headings", key), []).append((ASSUMED, why))
    return found


def _fields(sheet: Sheet, said: Mapping[str, Heading]) -> Fields:
    fields: Fields = {}
    for text in sheet.context:
        for key, one in said.items():
            if re.search(key, text):
                fields |= one.set
    return fields


def _doubled(sheets: Sequence[Sheet], columns: Mapping[str, Column]) -> bool:
    """Tell whether rows of two of *sheets* say the same beside their figures."""
    header = sheets[0].header
    names = [n for n, name in enumerate(header) if _names_a_run(columns.get(name))]
    seen: set[tuple[str, ...]] = set()
    for sheet in sheets:
        rows = {tuple(row.cells[n].text for n in names) for row in sheet.rows}
        if rows & seen:
            return True
        seen |= rows
    return False


def _names_a_run(column: Column | None) -> bool:
    return column is None or column.is_ in ("field", "metric")
