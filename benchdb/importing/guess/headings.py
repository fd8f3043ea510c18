"""What headings and captions say of the rows below them."""

import re
from collections.abc import Iterable, Iterator, Sequence

from benchdb.importing import naming
from benchdb.importing.guess.column_draft import CLEAR_TERMS, FIGURE_TERMS
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    HeaderTerms,
    header_terms,
    pattern,
    unit_in,
    words,
)
from benchdb.importing.guess.figure_columns import CLEAR_UNITS, Around
from benchdb.importing.mapping.fields import group_facts
from benchdb.importing.mapping.language import Fields
from benchdb.importing.mapping.recognition import (
    NAME_LIMIT,
    recognised,
)
from benchdb.importing.naming.names import way
from benchdb.importing.sheet import Sheet

Segment = tuple[str, ...]
_ABOVE = (FIGURE_TERMS | {"idle", "lower", "operation"}) - {"throughput", "ratio"}
_RATES = frozenset(("FLOP/s", "B/s", "B", "W"))
# What a sentence or a comparison above a table does not say of all its rows.
_OF_ALL = ("device", "precision", "quantization")
BILLIONS = r"(?<![\w.])(?P<parameters__model_size>\d{1,4}(?:\.\d{1,2})?)B(?![A-Za-z])"
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
_CELLS = 20  # of words that are looked at for names
_SECTIONS = 100  # headings inside a table that are looked at


def around(sheet: Sheet, looks: Sequence[ColumnProfile], *, training: bool) -> Around:
    """Return what stands around the columns *looks* of a sheet."""
    context = [t for t in sheet.context[-2:] if len(t) <= NAME_LIMIT]
    terms = {term for text in context for term in _terms_above(text)}
    units = (_unit_above(text) for text in reversed(context))
    unit = next(filter(None, units), None)
    if looks and not looks[0].figures:  # the corner of a pivot
        terms |= _terms_above(looks[0].header)
        unit = unit_in(looks[0].header) or unit
    texts = [*context, *sheet.header]
    if any(naming.workload(text) == "matmul" for text in texts):
        terms |= {"operation"}
    measured = [look for look in looks if look.figures and "cores" not in look.terms]
    rated = all(
        any(unit in _RATES for unit, _ in profile.kinds) for profile in measured
    )
    specified = (
        any(map(pattern("specified").search, context))
        or any("spec" in look.terms and look.figures for look in looks)
        or (rated and any("cores" in look.terms for look in looks))
    )
    clear = any(
        profile.terms & CLEAR_TERMS or {unit for unit, _ in profile.kinds} & CLEAR_UNITS
        for profile in measured
    )
    trained = training or any(
        look.terms & {"epoch", "epochs", "step", "steps"} for look in looks
    )
    sizes = re.compile(BILLIONS)
    language = any(
        "ttft" in look.terms
        or ("1/s", "token") in look.kinds
        or any(map(sizes.search, look.texts[:_CELLS]))
        for look in looks
    )
    return Around(frozenset(terms), unit, specified, clear, trained, language)


def _terms_above(text: str) -> HeaderTerms:
    """Return what a heading says of figures: of epochs and steps, only with a unit."""
    terms = header_terms(cut_settings(text)[0]) & _ABOVE  # "batch 8" counts no steps
    terms -= {"memory"} if naming.chips_in(text) else set()  # the machine's
    terms -= {"operation"} if "kernel" in text.casefold() else set()  # what ran
    return terms if _unit_above(text) else terms - {"epoch", "step"}


def _unit_above(text: str) -> str | None:
    """Return the unit in a heading; "800 GB/s" is a figure in one."""
    unit = unit_in(text)
    figure = unit and re.search(rf"\d\s?{re.escape(unit)}", text)
    return None if figure else unit


def mode_of(*texts: str) -> str | None:
    """Return ``training`` or ``inference``, where *texts* say which."""
    kinds = ("training", "inference")
    known = {k for k in kinds if any(pattern(k).search(t[:1000]) for t in texts)}
    return known.pop() if len(known) == 1 else None


def fields_in(expression: str) -> set[str]:
    """Return the fields that the groups of *expression* set."""
    return {name.replace("__", ".") for name in re.compile(expression).groupindex}


def settings_in(text: str) -> Fields:
    """Return the settings that *text* names: ``c=8``, ``128/128 tok``."""
    matches = (
        re.search(setting, text[:NAME_LIMIT]) for setting in words().settings.values()
    )
    return {
        name: it for match in matches for name, it in group_facts(match).set.items()
    }


def cut_settings(text: str) -> tuple[str, Fields]:
    """Return *text* without the settings that it names, and those."""
    rest = text
    for expression in words().settings.values():
        rest = re.sub(expression, " ", rest)
    return " ".join(re.sub(r"[\s(,;@/-]+$|\(\s*\)", "", rest).split()), settings_in(
        text
    )


def weights_in(text: str) -> Fields:
    """Return how *text* says that weights are kept, but as numbers of a precision."""
    known = naming.quantization(text)
    bare = known is None or known == naming.precision(text)
    return {} if bare else {"parameters.quantization": known}


def expression_of(text: str) -> str:
    """Return what finds *text* and nothing else."""
    return _SPECIAL.sub(r"\\\1", text)


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
    prose = pattern("prose").search(text) and not way("of_all").match(text)
    return bool(prose or way("compared").search(text))


def origin(segment: Segment, name: str) -> int | None:
    """Return which text of *segment* gives *name*: the innermost that speaks of it.

    ``None`` where none does, where that one names several, or is no heading.
    """
    for n in reversed(range(len(segment))):
        facts = recognised(segment[n], [name])
        if facts.set:
            doubtful = name in _OF_ALL and _is_prose(segment[n])
            # A name in a program may hold that of what it was converted from.
            doubtful |= (
                name == "framework"
                and pattern("coded").fullmatch(segment[n]) is not None
            )
            return None if doubtful else n
        if facts.missing:
            return None
    return None


def device_of_another(segment: Segment) -> bool:
    """Tell whether a heading names the device of another machine than that below it."""
    device, machine = origin(segment, "device"), origin(segment, "machine")
    outer = device is not None and machine is not None and device < machine
    return outer and bool(recognised(segment[device or 0], ["machine"]).set)
