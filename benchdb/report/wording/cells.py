"""What stands in the cells of tables: plain text, which the renderer escapes."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchdb.report.language import Language
from benchdb.report.language.units import shortened
from benchdb.report.view.atoms import WIDEST, Quantity, System
from benchdb.report.view.listed import MachineRow, ValueRow
from benchdb.report.wording import grades, terms

DASH = "–"
_COLUMNS = 8

Sets = Sequence[tuple[str, ...]]


class Table(msgspec.Struct, frozen=True):
    """Column heads, rows of cells, and which columns hold figures."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: frozenset[int] = frozenset()


def figure(
    language: Language, quantity: Quantity | None, known: grades.Grades | None = None
) -> str:
    """Return a rounded figure with its grade and the letters of its notes, or a dash.

    *known* are the grades in its table: what all figures share stands beside none.
    """
    if quantity is None:
        return DASH
    text = language.isolate(language.compact(quantity))
    bounds = interval(language, quantity)
    if bounds:
        text = f"{text} ({bounds}; {terms.repeats_text(language, quantity)})"
    if quantity.derived:
        text = f"{text}{language.comma}{terms.derived_text(language)}"
    grade = grades.grade_mark(quantity, known or {})
    if grade:
        label = grades.label_mark(language, quantity, known or {})
        text = " · ".join(filter(None, (text, language.isolate(grade), label)))
    return noted(text, quantity.notes)


def limits(language: Language, quantity: Quantity) -> str | None:
    """Return the ends of an interval, in the unit that the figure is written in.

    That stands beside them. One run has none; of a wide one it is said how wide.
    """
    ends = quantity.interval
    if ends is None or ends.wide:
        return wide(language) if ends else None
    size, _ = shortened(quantity.value, quantity.unit)
    low, high = (language.significant(x * size) for x in (ends.low, ends.high))
    return language.pgettext("interval", "%(low)s–%(high)s", low=low, high=high)


def wide(language: Language) -> str:
    """Return what stands for an interval whose ends say nothing: ``± >10×``."""
    return language.multiple(f"± >{WIDEST}")


def measured_limits(language: Language, quantity: Quantity) -> str | None:
    """Return the ends of an interval with the unit; one run has none."""
    text, ends = limits(language, quantity), quantity.interval
    if not (text and ends) or ends.wide:
        return text
    return language.measure(text, shortened(quantity.value, quantity.unit)[1])


def interval(language: Language, quantity: Quantity) -> str:
    """Return the range of a repeated figure; else nothing."""
    bounds = limits(language, quantity)
    return language.isolate(bounds) if bounds else ""


def value(language: Language, row: ValueRow) -> str:
    """Return a figure as printed with its interval, or why there is none."""
    quantity = row.quantity
    if quantity is None:
        return terms.missing_text(language, row.reason, row.status)
    text = language.isolate(language.quantity(quantity))
    bounds = interval(language, quantity)
    text = f"{text} ({bounds})" if bounds else text
    if quantity.grade:
        text = f"{text} · {language.isolate(quantity.grade)}"
    return noted(text, quantity.notes)


def sign(differs: Sequence[str], sets: Sets) -> str:
    """Return the sign of unlike figures, numbered where several *sets* differ."""
    if not differs:
        return ""
    place = sets.index(tuple(sorted(differs))) + 1
    return f"≠{place} " if len(sets) > 1 else "≠ "


def system(language: Language, item: System, *, framework: bool = True) -> str:
    """Name a system, its framework where asked, and whether it is this machine."""
    name = terms.system_text(language, item)
    if framework:
        name = f"{name} · {terms.framework_text(language, item.framework)}"
    return here(language, name, marked=item.here)


def here(language: Language, name: str, *, marked: bool) -> str:
    """Return *name*, marked where it is this machine."""
    text = language.isolate(name)
    if not marked:
        return text
    return language.pgettext("machine", "%(name)s (this machine)", name=text)


def machine(language: Language, row: MachineRow) -> str:
    """Name a machine: chip, accelerators, model."""
    chip = terms.chip_text(language, row.chip)
    chips = " + ".join(dict.fromkeys((chip, *row.accelerators)))
    name = f"{chips}, {row.model}" if row.model else chips
    return here(language, name, marked=row.here)


def workload(language: Language, row: ValueRow) -> str:
    """Name a workload with its batch or matrix size."""
    title = terms.title_text(language, row.workload)
    if row.size is not None:
        size = language.number(row.size)
        return language.isolate(f"{title}, {size} × {size}")
    named = terms.workload_text(language, title, row.batch_size)
    return " · ".join(filter(None, (named, terms.row_model(language, row))))


def beside(language: Language, names: Iterable[str]) -> str:
    """Return *names* one beside the other, or a dash where there are none."""
    return language.comma.join(map(language.isolate, names)) or DASH


def place(language: Language, row: ValueRow) -> str:
    """Say where a value comes from: number, label, what sets it apart, locator."""
    label = terms.label_text(language, row.label, row.tier, mine=row.system.mine)
    against = grades.against_text(language, row.against)
    parts = (row.source, label, against, row.distinction, row.locator, row.made)
    return beside(language, filter(None, parts))


def count(language: Language, number: int | None) -> str:
    """Return a count, or a dash where it is not known."""
    return DASH if number is None else language.number(number)


def repeats(language: Language, row: ValueRow) -> str:
    """Say how many runs are behind a value, here or in its source."""
    if row.quantity is None:
        return DASH
    return terms.trials_text(language, row) or language.number(row.quantity.n)


def noted(text: str, notes: Sequence[str]) -> str:
    """Return *text* with the letters of its notes."""
    return f"{text} ({', '.join(notes)})" if notes else text


def runs_of(places: range) -> Iterator[range]:
    """Divide the columns of a wide table among several, with room for two more."""
    size = _COLUMNS - 2
    return (places[start : start + size] for start in range(0, len(places), size))
