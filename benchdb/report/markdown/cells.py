"""What stands in one cell of a Markdown report: plain text, escaped by the table."""

from collections.abc import Iterable, Sequence

from benchdb.report.language import Language
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.compared import (
    DistanceCell,
    MetalRow,
    RankCell,
    Ranking,
    RankRow,
)
from benchdb.report.view.listed import MachineRow, ValueRow
from benchdb.report.wording import intervals
from benchdb.report.wording import sentences as wording

DASH = "–"

Sets = Sequence[tuple[str, ...]]


def figure(
    language: Language, quantity: Quantity | None, known: wording.Grades | None = None
) -> str:
    """Return a rounded figure with its grade and the letters of its notes, or a dash.

    *known* are the grades in its table: what all figures share stands beside none.
    """
    if quantity is None:
        return DASH
    text = language.isolate(language.compact(quantity))
    bounds = interval(language, quantity)
    if bounds:
        text = f"{text} ({bounds}; {wording.repeats_text(language, quantity)})"
    if quantity.derived:
        text = f"{text}{language.comma}{wording.derived_text(language)}"
    return _noted(_graded(language, text, quantity, known or {}), quantity.notes)


def _graded(
    language: Language, text: str, quantity: Quantity, known: wording.Grades
) -> str:
    grade = wording.grade_mark(quantity, known)
    label = wording.label_mark(language, quantity, known) if grade else ""
    return " · ".join(filter(None, (text, grade and language.isolate(grade), label)))


def interval(language: Language, quantity: Quantity) -> str:
    """Return the range of a repeated figure; else nothing."""
    bounds = intervals.limits(language, quantity)
    return language.isolate(bounds) if bounds else ""


def value(language: Language, row: ValueRow) -> str:
    """Return a figure as printed with its interval, or why there is none."""
    quantity = row.quantity
    if quantity is None:
        return wording.missing_text(language, row.reason, row.status)
    text = language.isolate(language.quantity(quantity))
    bounds = interval(language, quantity)
    text = f"{text} ({bounds})" if bounds else text
    if quantity.grade:
        text = f"{text} · {language.isolate(quantity.grade)}"
    return _noted(text, quantity.notes)


def verdict(language: Language, row: MetalRow, sets: Sets) -> str:
    """Say what Metal does for one chip."""
    if row.ratio is None:
        return wording.missing_text(language, row.missing)
    said = wording.verdict_text(language, row.ratio)
    numbered = said.replace("≠ ", sign(row.ratio.differs, sets), 1)
    return _noted(numbered, row.ratio.notes)


def mean(language: Language, section: Ranking, row: RankRow) -> str:
    """Return the geometric mean with its range, or why there is none."""
    if row.mean is None:
        return wording.no_mean_text(language, section, row)
    factor = wording.mean_text(language, row.mean.value, row.spread)
    if not row.leads:
        factor = wording.insufficient_text(language, factor)
    return _noted(factor, row.mean.notes)


def rank(language: Language, cell: RankCell, sets: Sets, known: wording.Grades) -> str:
    """Return the ratio to the baseline and the figure behind it."""
    if cell.ratio is None or cell.quantity is None:
        measured = figure(language, cell.quantity, known)
        return measured if cell.quantity else wording.missing_text(language, None)
    ratio = language.isolate(language.times(cell.ratio.value))
    own = figure(language, cell.quantity, known)
    return f"{sign(cell.ratio.differs, sets)}{ratio} · {own}"


def share(
    language: Language, cell: DistanceCell, sets: Sets, known: wording.Grades
) -> str:
    """Return the share of the reference and the figure behind it."""
    measured = figure(language, cell.quantity, known)
    if cell.share is None:
        return measured
    percent = language.isolate(language.share(cell.share.value))
    own = precise(language, measured, cell.precision)
    return f"{sign(cell.share.differs, sets)}{percent} · {own}"


def precise(language: Language, said: str, precision: str | None) -> str:
    """Return what is *said* of a figure with its precision, where that is told."""
    return f"{said} · {language.isolate(precision)}" if precision else said


def sign(differs: Sequence[str], sets: Sets) -> str:
    """Return the sign of unlike figures, numbered where several *sets* differ."""
    if not differs:
        return ""
    place = sets.index(tuple(sorted(differs))) + 1
    return f"≠{place} " if len(sets) > 1 else "≠ "


def measured(language: Language, framework: str, metric: str) -> str:
    """Say what was measured with which framework."""
    name = wording.framework_text(language, framework)
    said = wording.metric_text(language, metric)
    return f"{language.isolate(name)}{language.comma}{said}"


def system(language: Language, item: System, *, framework: bool = True) -> str:
    """Name a system, its framework where asked, and whether it is this machine."""
    name = wording.system_text(language, item)
    if framework:
        name = f"{name} · {wording.framework_text(language, item.framework)}"
    return here(language, name, marked=item.here)


def here(language: Language, name: str, *, marked: bool) -> str:
    """Return *name*, marked where it is this machine."""
    text = language.isolate(name)
    if not marked:
        return text
    return language.pgettext("machine", "%(name)s (this machine)", name=text)


def machine(language: Language, row: MachineRow) -> str:
    """Name a machine: chip, accelerators, model."""
    chip = wording.chip_text(language, row.chip)
    chips = " + ".join(dict.fromkeys((chip, *row.accelerators)))
    name = f"{chips}, {row.model}" if row.model else chips
    return here(language, name, marked=row.here)


def workload(language: Language, row: ValueRow) -> str:
    """Name a workload with its batch or matrix size."""
    title = wording.title_text(language, row.workload)
    if row.size is not None:
        size = language.number(row.size)
        return language.isolate(f"{title}, {size} × {size}")
    return wording.workload_text(language, title, row.batch_size)


def conditions(language: Language, row: ValueRow) -> str:
    """Return the precision and the compiler, as far as known."""
    return beside(language, filter(None, (row.precision, row.compiler)))


def beside(language: Language, names: Iterable[str]) -> str:
    """Return *names* one beside the other, or a dash where there are none."""
    return language.comma.join(map(language.isolate, names)) or DASH


def place(language: Language, row: ValueRow) -> str:
    """Say where a value comes from: number, label, what sets it apart, locator."""
    label = wording.label_text(language, row.label, row.tier, mine=row.system.mine)
    against = wording.against_text(language, row.against)
    parts = (row.source, label, against, row.apart, row.locator, row.made)
    return beside(language, filter(None, parts))


def count(language: Language, number: int | None) -> str:
    """Return a count, or a dash where it is not known."""
    return DASH if number is None else language.number(number)


def repeats(language: Language, row: ValueRow) -> str:
    """Say how many runs are behind a value, here or in its source."""
    if row.quantity is None:
        return DASH
    return wording.trials_text(language, row) or language.number(row.quantity.n)


def _noted(text: str, notes: Sequence[str]) -> str:
    return f"{text} ({', '.join(notes)})" if notes else text
