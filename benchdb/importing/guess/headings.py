"""What headings above tables, and between their rows, tell of the rows below."""

import re
from collections.abc import Iterator, Sequence

from benchdb.importing.guess.facts import PROSE, Facts, facts, sentences, system
from benchdb.importing.guess.fields import ASSUMED
from benchdb.importing.guess.machines import Machines
from benchdb.importing.mapping.language import Heading
from benchdb.importing.sheet import Sheet

_LOOKED_AT = 100  # different headings of a table
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")


def headings(
    sheets: Sequence[Sheet],
    told: set[str],
    machines: Machines,
    notes: dict[tuple[str, ...], list[tuple[str, str]]],
) -> dict[str, Heading]:
    """Return what the texts above the tables, and the rows between, say."""
    found: dict[str, Heading] = {}
    for text, prose in list(dict.fromkeys(_texts(sheets)))[:_LOOKED_AT]:
        said = _said(text, told, machines, prose=prose)
        if said.fields:
            key = _SPECIAL.sub(r"\\\1", text)
            basis = dict.fromkeys(said.fields, f"heading: {text}")
            found[key] = Heading(set=said.fields, basis=basis)
            lines: list[tuple[str, str]] = [(ASSUMED, one) for one in said.assumed]
            fields = ", ".join(said.fields)
            lines.append((ASSUMED, f"this heading tells {fields} of the rows below it"))
            notes["headings", key] = lines
    return found


def _texts(sheets: Sequence[Sheet]) -> Iterator[tuple[str, bool]]:
    """Yield the headings of *sheets*, and the sentences of what is no heading."""
    for sheet in sheets:
        for text in sheet.context:
            several = sentences(text)
            prose = len(several) > 1 or len(text) > PROSE
            yield from ((one, prose) for one in several)
        for row in sheet.rows:
            if not any(cell.text.strip() for cell in row.cells[1:]):
                yield row.cells[0].text.strip(), False


def _said(text: str, told: set[str], machines: Machines, *, prose: bool) -> Facts:
    """Return what *text* says that the columns do not; of prose only the system."""
    if prose or not text:
        fields = system(text) if text else {}
        return Facts({n: v for n, v in fields.items() if n not in told})
    wanted = facts(text, Machines(), whole=False).fields.keys() - told
    known = machines if "machine" in wanted else Machines()
    said = facts(text, known, whole=False)
    return Facts({n: v for n, v in said.fields.items() if n in wanted}, said.assumed)
