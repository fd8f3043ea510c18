"""What is said and drawn of the ranking: who is fastest, and why others are not."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    at_one,
    decimals_of,
    log_scale,
    noted,
    short,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.view.atoms import Ratio, unlike_sets
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import (
    insufficient_text,
    mean_text,
    missing_text,
    one_class_text,
    sentence,
    system_text,
)
from benchdb.statistics.ticks import axis_ticks

# The factors at which a cell changes its shade.
SHADES = (1.25, 2.0, 4.0, 8.0)
_DEVICES: dict[str, Look] = {"cpu": "cpu", "metal": "1", "cuda": "reference"}
_OTHER_DEVICE: Look = "2"  # the label names it

# For each condition in which a cell is not like the baseline, its value there.
Tokens = Mapping[str, str]


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


def chart(language: Language, sections: Mapping[str, Any]) -> Chart | None:
    """Return each system's geometric mean, among the workloads behind it."""
    section = sections["ranking"]
    ranked = [row for row in section.rows if row.mean] if section else []
    if section is None or len(ranked) < 2:
        return None
    points: list[Point] = []
    rows: list[Row] = []
    for n, row in enumerate(ranked):
        points += (
            Point(cell.ratio.value, n, "quiet")
            for workload, cell in zip(section.workloads, row.cells, strict=True)
            if workload.name in section.common and cell.ratio and not cell.ratio.differs
        )
        label = short(language, terms.system_text(language, row.system))
        if row.mean:
            device, mean = row.system.device, row.mean
            points.append(
                Point(
                    x=mean.value,
                    y=n,
                    look=_DEVICES.get(device, _OTHER_DEVICE),
                    low=mean.low,
                    high=mean.high,
                    hollow=device == "cpu",
                )
            )
            factor = language.isolate(language.times(mean.value))
            if not row.leads:
                factor = terms.insufficient_text(language, factor)
            rows.append(Row(label, noted(language, factor, mean)))
    axis = log_scale(
        axis_ticks(min(p.x for p in points), max(p.x for p in points)),
        lambda value: language.multiple(language.number(value, decimals_of(value))),
    )
    strokes = (at_one(len(rows), "quiet"),)
    panel = Panel("", axis, Rows(tuple(rows)), tuple(points), strokes)
    keys = tuple(_rank_keys(section, language))
    named, described = title(language, section), alt(language, section)
    return Chart("ranking", named, described, (panel,), keys)


def _rank_keys(section: Ranking, language: Language) -> Iterator[Key]:
    devices = {row.system.device for row in section.rows if row.mean}
    for device in sorted(devices, key=lambda name: (name not in _DEVICES, name)):
        look = _DEVICES.get(device, _OTHER_DEVICE)
        text = terms.device_text(language, device)
        yield Key(look, text, hollow=device == "cpu")
    yield Key("quiet", language.pgettext("legend", "single workloads"))
    baseline = short(language, terms.system_text(language, section.baseline))
    text = language.pgettext("legend", "1 is %(baseline)s", baseline=baseline)
    yield Key(None, text)


def heat(ratio: Ratio) -> str:
    """Return the shade of a cell: up4 from 8 times as fast on, down4 the inverse.

    A factor without a verdict has none.
    """
    factor = ratio.value if ratio.value >= 1 else 1 / ratio.value
    # A hair of slack: 1 / 0.8 is 1.25 on paper but not in binary.
    step = sum(factor >= shade * (1 - 1e-9) for shade in SHADES)
    if step == 0 or ratio.verdict not in ("faster", "slower"):
        return "level"
    return f"up{step}" if ratio.value >= 1 else f"down{step}"


def tokens(cell: RankCell, rows: Mapping[str, ValueRow]) -> dict[str, str]:
    """Return the conditions in which *cell* is not like the baseline, with values.

    A reader may pick another baseline: two cells are unlike where their tokens are not
    the same. *rows* are those of the table of values, by run.
    """
    if cell.ratio is None or cell.quantity is None:
        return {}
    row = rows.get(cell.quantity.run)
    values: dict[str, object] = {}
    if row is not None:
        values = {
            "precision": row.precision,
            "compiler": row.compiler,
            "batch": row.batch_size,
            "framework": row.system.framework,
            "protocol": f"{row.source}-{row.metric}",
            "tier": row.tier,
        }
    values |= dict(cell.unlike)
    unknown = None if row else "unknown"
    return {
        name: re.sub(r"[^A-Za-z0-9]+", "-", str(values.get(name, unknown))).strip("-")
        for name in sorted(cell.ratio.differs)
    }


def differing(one: Tokens, other: Tokens) -> tuple[str, ...]:
    """Return the names of the conditions that are not alike, in order."""
    names = sorted({*one, *other})
    return tuple(name for name in names if one.get(name) != other.get(name))


def tokens_text(cell_tokens: Tokens) -> str:
    """Return tokens as ``name:value`` words, for a data attribute."""
    return " ".join(f"{name}:{value}" for name, value in cell_tokens.items())


def all_differences(
    ranking: Ranking, rows: Mapping[str, ValueRow]
) -> tuple[tuple[str, ...], ...]:
    """Return every set of differing conditions that some choice of baseline shows.

    Those against the view's own baseline come first, as a reader meets them.
    """
    table = [[tokens(cell, rows) for cell in row.cells] for row in ranking.rows]
    first = _sets((mine, {}) for line in table for mine in line)
    columns = zip(*table, strict=True)
    rest = _sets(pair for column in columns for pair in product(column, column))
    return tuple(dict.fromkeys([*first, *sorted(rest)]))


def _sets(pairs: Iterable[tuple[Tokens, Tokens]]) -> dict[tuple[str, ...], None]:
    """Return every difference found, once, in order."""
    found = (differing(one, other) for one, other in pairs)
    return dict.fromkeys(names for names in found if names)
