"""Which system trains fastest? Each against a baseline, workload by workload."""

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from benchdb.catalogue import workloads
from benchdb.metric_kinds import SPEEDS
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.measurement import Measurement, differs
from benchdb.report.quantities import compare, quantity, rate, ratio, side, way
from benchdb.report.references import Notes
from benchdb.report.sections.candidates import Candidate, anchor, baseline, candidates
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.view.atoms import (
    Quantity,
    Ratio,
    System,
    Way,
    Workload,
    unlike_sets,
)
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import (
    insufficient_text,
    mean_text,
    missing_text,
    one_class_text,
    sentence,
    system_text,
)
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import (
    REPEATED_THRESHOLD,
    SINGLE_THRESHOLD,
    chance,
    geometric_mean,
)

_LEAST_SYSTEMS = 3
_LEAST_FIGURES = 2  # a stranger's single figure under other conditions says too little
_KINDS = ("cnn", "transformer", "rnn", "mlp")


class RankCell(msgspec.Struct, frozen=True):
    """One system on one workload, relative to the baseline; ratio 1 for itself.

    *unlike* are the values of the conditions in which the ratio differs, as far as a
    run chooses them or names its surroundings. *chance* is how far chance may have
    moved the log of its own figure, as ``stats.chance`` has it.
    """

    quantity: Quantity | None
    ratio: Ratio | None
    missing: str | None = None
    way: Way | None = None
    unlike: tuple[tuple[str, str], ...] = ()
    chance: float | None = None


class RankRow(msgspec.Struct, frozen=True):
    """One system: its geometric mean over the common workloads, and its cells.

    *mean* is ``None`` unless every common workload has a like cell; what is noted on
    those is noted on it. *spread* are the least and the greatest ratio that it is the
    mean of. *covered* of ``len(Ranking.workloads)`` have any figure. A row *leads* if
    all of its own figures in the mean may be in a headline. *chance* is that of the
    mean, as cells have it.
    """

    system: System
    mean: Ratio | None
    covered: int
    cells: tuple[RankCell, ...]
    spread: tuple[float, float] | None = None
    leads: bool = True
    chance: float | None = None


class Ranking(msgspec.Struct, frozen=True):
    """Which system trains fastest? Rows best first; *common* enter the mean."""

    baseline: System
    workloads: tuple[Workload, ...]
    common: tuple[str, ...]
    rows: tuple[RankRow, ...]
    sources: tuple[str, ...]

    def shared(self, row: RankRow) -> list[RankCell]:
        """Return the cells of the common workloads."""
        cells = zip(self.workloads, row.cells, strict=True)
        return [cell for workload, cell in cells if workload.name in self.common]

    def faster(self, one: RankRow, other: RankRow) -> bool:
        """Tell whether the mean of *one* exceeds the other's by more than chance."""
        if not (one.mean and other.mean) or one.chance is None or other.chance is None:
            return False
        shared = [*self.shared(one), *self.shared(other)]
        counts = [cell.quantity.n for cell in shared if cell.quantity]
        single = min(counts, default=1) == 1
        least = math.log1p(SINGLE_THRESHOLD if single else REPEATED_THRESHOLD)
        distance = math.log(one.mean.value / other.mean.value)
        return distance > max(least, math.hypot(one.chance, other.chance))


class _Line(msgspec.Struct, frozen=True):
    """A candidate's measurement in each column, and whether it is like the anchor."""

    candidate: Candidate
    found: tuple[Measurement | None, ...]
    like: tuple[bool, ...]

    @property
    def ranks(self) -> bool:
        figures = sum(m is not None for m in self.found)
        if any(self.like) or self.candidate.system.measured:
            return figures > 0
        return figures >= _LEAST_FIGURES


def section(inputs: SectionInput) -> Ranking | None:
    """Return the ranking, or ``None`` for fewer than three comparable systems."""
    everyone = candidates(inputs.measured, inputs.missing, inputs.here)
    if not everyone:
        return None
    own = baseline(everyone, inputs.baseline)
    anchors = _anchors(own, everyone)
    lines = [line for one in everyone if (line := _line(one, anchors)).ranks]
    if len(lines) < _LEAST_SYSTEMS or not anchors:
        return None
    # What all systems share which share more than half of the columns: a machine that
    # ran a single workload takes none from the others.
    full = [line.like for line in lines if 2 * sum(line.like) > len(anchors)]
    columns = range(len(anchors))
    common = [n for n in columns if all(like[n] for like in full)]
    rows = [_row(line, anchors, common, inputs.notes) for line in lines]
    compared = tuple(workload_of(one.conditions.workload) for one in anchors)
    used = (m.place.source for line in lines for m in line.found if m)
    return Ranking(
        baseline=own.system,
        workloads=compared,
        common=tuple(compared[column].name for column in common),
        rows=tuple(sorted(rows, key=_best_first)),
        sources=inputs.sources.keys(used),
    )


def _anchors(own: Candidate, everyone: Sequence[Candidate]) -> list[Measurement]:
    """Return the baseline's figures, one for each workload that enough systems ran."""
    known = workloads()
    names = {m.conditions.workload for m in own.measurements}
    anchors = []
    for name in sorted(
        (name for name in known if name in names),
        key=lambda name: _KINDS.index(known[name].kind),
    ):
        others = sum(bool(one.on(name)) for one in everyone)
        figure = anchor(own, name, everyone)
        if figure is not None and others >= _LEAST_SYSTEMS:
            anchors.append(figure)
    return anchors


def _line(one: Candidate, anchors: Sequence[Measurement]) -> _Line:
    # The metric that it has on most columns, so that its row has one.
    names = {wanted.conditions.workload for wanted in anchors}
    cells = {
        (m.conditions.workload, m.conditions.metric)
        for m in one.measurements
        if m.conditions.workload in names and m.throughputs
    }
    counts = Counter(metric for _, metric in cells)
    usual = min(SPEEDS, key=lambda metric: (-counts[metric], SPEEDS.index(metric)))
    best = tuple(_best(one, wanted, usual) for wanted in anchors)
    like = tuple(
        m is not None and not differs(m, wanted)
        for m, wanted in zip(best, anchors, strict=True)
    )
    return _Line(one, best, like)


def _best(one: Candidate, wanted: Measurement, usual: str) -> Measurement | None:
    """Return the like measurement, else one in the usual metric, the least unlike.

    Of those, the nearest in batch size, then the fastest.
    """
    like = one.like(wanted)
    if like is not None:
        return like

    def preference(other: Measurement) -> tuple[object, ...]:
        own = other.conditions
        size, other_size = own.batch_size, wanted.conditions.batch_size
        far = math.inf  # of an unknown batch size
        if size and other_size:
            far = max(size, other_size) / min(size, other_size)
        unlike = len(differs(other, wanted))
        speed = geometric_mean(other.throughputs or (1.0,))
        return own.smoke, own.metric != usual, unlike, far, -speed, repr(own)

    rated = [m for m in one.on(wanted.conditions.workload) if m.throughputs]
    return min(rated, key=preference, default=None)


def _row(
    line: _Line, anchors: Sequence[Measurement], common: Sequence[int], notes: Notes
) -> RankRow:
    cells = tuple(
        _cell(line.candidate, one, wanted, notes)
        for one, wanted in zip(line.found, anchors, strict=True)
    )
    mean = _mean(line, anchors, common, notes)
    own = [line.found[column] for column in common]
    ratios = [it.value for column in common if (it := cells[column].ratio)]
    moved = [side(one, notes).speeds for one in own if one] if mean else []
    return RankRow(
        system=line.candidate.system,
        mean=mean,
        covered=sum(cell.quantity is not None for cell in cells),
        cells=cells,
        spread=(min(ratios), max(ratios)) if mean else None,
        leads=all(one is not None and one.leads for one in own),
        chance=chance(moved) if mean else None,
    )


def _cell(
    candidate: Candidate, one: Measurement | None, wanted: Measurement, notes: Notes
) -> RankCell:
    if one is None:
        return RankCell(None, None, candidate.reason(wanted.conditions.workload))
    # How far chance may have moved a figure that may be in a verdict.
    moved = chance([side(one, notes).speeds]) if one.leads else None
    if one == wanted:
        own = quantity(one, notes)
        even = Ratio(1.0, "even", notes=own.notes, leads=one.leads)
        return RankCell(own, even, way=way(one), chance=moved)
    shown = rate(one, notes) if differs(one, wanted) else quantity(one, notes)
    against = compare(one, wanted, notes)
    stated = {**dict(one.conditions.choices), **dict(one.conditions.surroundings)}
    names = [n for n in (against.differs if against else ()) if n in stated]
    unlike = tuple((name, stated[name]) for name in names)
    return RankCell(shown, against, way=way(one), unlike=unlike, chance=moved)


def _mean(
    line: _Line, anchors: Sequence[Measurement], common: Sequence[int], notes: Notes
) -> Ratio | None:
    pairs = []
    for column in common:
        one = line.found[column]
        if one is None or not line.like[column] or one.grade == "X":
            return None
        pairs.append((side(one, notes), side(anchors[column], notes)))
    if not pairs:
        return None
    mean = ratio(pairs)
    if all(line.found[column] == anchors[column] for column in common):
        return Ratio(1.0, "even", notes=mean.notes)
    return mean


def _best_first(row: RankRow) -> tuple[object, ...]:
    if row.mean is not None:  # what may lead nothing is not above what may
        return 0 if row.leads else 1, -row.mean.value, row.system.key
    ratios = [cell.ratio.value for cell in row.cells if cell.ratio]
    return 2, -geometric_mean(ratios) if ratios else 0.0, row.system.key


def title(language: Language, section: Ranking | None) -> str:
    """Return the heading: who is fastest, where one is on every common workload."""
    ranked = [row for row in section.rows if row.mean] if section else []
    if section is None or len(ranked) < 2 or not _is_fastest(section, ranked):
        return language.pgettext("heading", "Ranking")
    return language.gettext(
        "%(best)s trains fastest of %(n)s systems under like conditions",
        n=len(ranked),
        best=Name(system_text(language, ranked[0].system)),
    )


def _is_fastest(section: Ranking, ranked: Sequence[RankRow]) -> bool:
    """Tell whether the first row may lead, and does on every common workload."""
    first, *others = ranked
    own = section.shared(first)
    return (
        first.leads
        and not any(cell.quantity and cell.quantity.notes for cell in own)
        and all(section.faster(first, row) for row in others)
        and all(
            mine.ratio is not None
            and (theirs.ratio is None or mine.ratio.value > theirs.ratio.value)
            for row in others
            for mine, theirs in zip(own, section.shared(row), strict=True)
        )
    )


def no_mean_text(language: Language, section: Ranking, row: RankRow) -> str:
    """Say why *row* has no geometric mean; nothing if it has one."""
    if row.mean is not None:
        return ""
    if row.covered < len(row.cells):
        return language.gettext(
            "%(k)s of %(n)s workloads", k=row.covered, n=len(row.cells)
        )
    if not section.common:
        return language.gettext("no mean: no workload that all systems share")
    ratios = [cell.ratio for cell in section.shared(row)]
    if not all(ratios):
        return language.gettext("no mean: a workload is missing")
    if any(ratio and ratio.differs for ratio in ratios):
        return language.gettext("no mean: unlike conditions")
    return language.gettext("no mean: a value is flagged")


def lead(language: Language, section: Ranking) -> str:
    """Return the sentence or two under the heading."""
    common = [it.title for it in section.workloads if it.name in section.common]
    said = language.gettext(
        "How many times as fast as %(baseline)s; the measured figure stands below.",
        baseline=Name(system_text(language, section.baseline)),
    )
    mean = language.gettext(
        "The geometric mean covers what all ranked systems have: %(workloads)s.",
        workloads=common,
    )
    return language.sentences([said, mean if common else ""])


def alt(language: Language, section: Ranking) -> str:
    """Describe the table in words: its finding, with all means."""
    finding = sentence(language, title(language, section))
    pairs = [
        language.pgettext(
            "chip and factor",
            "%(chip)s %(times)s",
            chip=Name(system_text(language, row.system)),
            times=mean_text(language, row.mean.value, row.spread),
        )
        for row in section.rows
        if row.mean
    ]
    means = language.gettext(
        "How many times as fast as %(baseline)s: %(pairs)s.",
        baseline=Name(system_text(language, section.baseline)),
        pairs=pairs,
    )
    return language.sentences([finding, means if pairs else ""])


def remarks(language: Language, section: Ranking) -> list[str]:
    """Name the precisions that meet in the ranking as if they were one."""
    pairs = [
        (cell.way.precision, other.way.precision)
        for row in section.rows
        for own in section.rows
        if own.system == section.baseline
        for cell, other in zip(row.cells, own.cells, strict=True)
        if cell.way and other.way
        if cell.ratio and "precision" not in cell.ratio.differs
    ]
    return [one_class_text(language, pairs)]


def tables(language: Language, section: Ranking) -> list[cells.Table]:
    """Return the ratios to the baseline; many workloads take several tables."""
    mixed = cells.several_frameworks(row.system for row in section.rows)
    known, sets = grades(section), unlike_sets(section)

    def mean(row: RankRow) -> str:
        if row.mean is None:
            return no_mean_text(language, section, row)
        factor = mean_text(language, row.mean.value, row.spread)
        if not row.leads:
            factor = insufficient_text(language, factor)
        return cells.noted(factor, row.mean.notes)

    def against(cell: RankCell) -> str:
        if cell.quantity is None:
            return missing_text(language, None)
        own = cells.figure(language, cell.quantity, known)
        if cell.ratio is None:
            return own
        ratio = language.isolate(language.times(cell.ratio.value))
        return f"{cells.sign(cell.ratio.differs, sets)}{ratio} · {own}"

    return [
        cells.Table(
            head=[
                language.pgettext("table header", "System"),
                language.pgettext("table header", "Geometric mean"),
                *(language.isolate(section.workloads[n].title) for n in part),
            ],
            rows=[
                [
                    cells.system(language, row.system, framework=mixed),
                    mean(row),
                    *(against(row.cells[n]) for n in part),
                ]
                for row in section.rows
            ],
            figures=frozenset(range(1, len(part) + 2)),
        )
        for part in cells.runs_of(range(len(section.workloads)))
    ]
