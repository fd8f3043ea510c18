"""What stands above rows: titles, headings and captions, and what of it holds for them.

The innermost text that speaks of something gives it; a sentence or a comparison does
not give all.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from benchdb.importing.mapping.recognition import COMPARED, recognised
from benchdb.importing.sheet import Sheet

Segment = tuple[str, ...]
# What a sentence or a comparison above a table does not say of all its rows.
_OF_ALL = ("device", "precision", "quantization")
_PROSE = re.compile(
    r"\u3002|[.!?;\uff01\uff1f\uff1b]$|[a-zäöü]{2}[.!?;]\s|(?:\S+\s+){11}"
    r"|\w{2}:\s+(?:\S+\s+){4}\S"
)
BILLIONS = r"(?<![\w.])(?P<parameters__model_size>\d{1,4}(?:\.\d{1,2})?)B(?![A-Za-z])"
_SECTIONS = 100  # headings inside a table that are looked at
HEADING = 120  # characters of one that may be a name
_HEADINGS = 20  # that an expression lists
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
_CONTESTED = ("machine", "device", "framework")


def segments(sheets: Iterable[Sheet]) -> Iterator[Segment]:
    """Yield the texts that stand above rows, with the headings inside a table."""
    sections = 0
    for sheet in sheets:
        inside: Segment | None = ()
        for row in sheet.rows:
            first = row.cells[0].text.strip() if row.cells else ""
            alone = first and not any(cell.text.strip() for cell in row.cells[1:])
            if alone and len(row.cells) > 1 and sections < _SECTIONS:
                inside, sections = (first,), sections + 1
            elif inside is not None:
                yield (*sheet.context, *inside)
                inside = None


def _is_prose(text: str) -> bool:
    """Tell whether *text* says something of some rows, or compares: a caption."""
    return bool(_PROSE.search(text) or COMPARED.search(text))


def origin(segment: Segment, name: str) -> int | None:
    """Return which text of *segment* gives *name*: the innermost that speaks of it.

    ``None`` where none does, where that one names several, or is no heading.
    """
    for n in reversed(range(len(segment))):
        facts = recognised(segment[n], [name])
        if facts.set:
            doubtful = name in _OF_ALL and _is_prose(segment[n])
            return None if doubtful else n
        if facts.missing:
            return None
    return None


def headings(segments: Iterable[Segment]) -> list[str]:
    """Return the innermost headings of *segments* that may be names."""
    texts = [segment[-1] for segment in segments if segment]
    return list(dict.fromkeys(text for text in texts if len(text) <= HEADING))


def expression(field: str, texts: Sequence[str]) -> str:
    """Return what finds *texts* among headings, and sets *field* to them."""
    group = field.replace(".", "__")
    listed = "|".join(_SPECIAL.sub(r"\\\1", text) for text in texts)
    return f"^(?P<{group}>{listed if len(texts) <= _HEADINGS else '.+'})$"


def contested_names(contexts: Iterable[Segment]) -> dict[Segment, frozenset[str]]:
    """Return what headings give that may not hold for all below them, by context.

    A title does not where some headings below it name their own, and others do not say.
    """
    places = {
        context: {name: origin(context, name) for name in _CONTESTED}
        for context in dict.fromkeys(contexts)
    }
    contradicted = {
        (name, context[:length])
        for context, by_name in places.items()
        for name, place in by_name.items()
        for length in range(1, (place or 0) + 1)
    }
    return {
        context: frozenset(
            name
            for name, place in by_name.items()
            if place is not None
            and place + 1 < len(context)  # the nearest heading holds
            and (name, context[: place + 1]) in contradicted
        )
        for context, by_name in places.items()
    }
