"""What is said and drawn of Metal: for which work it pays off."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from benchdb.catalogue import workloads
from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Stroke,
    decimals_of,
    log_scale,
    mark,
    noted,
    short,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.metal import (
    MetalGroup,
    MetalRow,
    MetalSection,
    effect,
)
from benchdb.report.view.atoms import Ratio, unlike_sets
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import metric_text

_SIZES = ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"))


def title(language: Language, section: MetalSection | None) -> str:
    """Return the heading, with the finding where there is one."""
    ratios: defaultdict[str, list[Ratio]] = defaultdict(list)
    for group in section.telling if section else ():
        for row in group.rows:
            if row.ratio and row.counts:
                ratios[group.workload.title].append(row.ratio)
    effects = set(map(effect, ratios.values()))
    loses, unsure = effects & {"even", "hurts"}, effects & {"unclear", "mixed"}
    if section is None or not ("pays" in effects or (loses and not unsure)):
        return language.pgettext("heading", "With and without Metal")
    if not (loses or unsure):
        return language.gettext("Metal pays off for every workload measured")
    if "pays" not in effects:
        return language.gettext("Metal pays off for none of the workloads measured")
    if not loses:
        return language.gettext("Metal pays off for some workloads")
    return _by_work(language, section.groups) or language.gettext(
        "Metal pays off for some workloads, not for others"
    )


def _by_work(language: Language, groups: Sequence[MetalGroup]) -> str:
    """Say from how much work in a step Metal pays off, where the work decides."""
    loses: list[float] = []
    unsure: list[float] = []
    pays: list[float] = []
    for group in groups:
        counted = [row.ratio for row in group.rows if row.counts]
        verdicts = {ratio.verdict for ratio in counted if ratio}
        gains = pays if verdicts == {"faster"} else unsure
        if verdicts:
            (loses if verdicts <= {"even", "slower"} else gains).append(_work(group))
    if not (pays and loses and all((*pays, *loses, *unsure))):
        return ""
    if max(loses) >= min(unsure + pays) or min(pays) <= max(loses + unsure):
        return ""
    return language.gettext(
        "Metal pays off where a training step takes %(much)s or more, not at "
        "%(little)s or less",
        much=Name(_operations(language, min(pays))),
        little=Name(_operations(language, max(loses))),
    )


def _work(group: MetalGroup) -> float:
    """Return the floating-point operations in a step, 0 where they are not known."""
    known = workloads().get(group.workload.name)
    flops = known.train_flops_per_sample if known else {}
    if not isinstance(flops, Mapping):
        return 0.0
    least = min(float(flops.get(row.framework, 0)) for row in group.rows)
    return least * (group.batch_size or 0)


def _operations(language: Language, count: float) -> str:
    size, unit = next(one for one in _SIZES if count >= one[0] or one[0] == 1e6)
    return language.measure(language.significant(count / size, 2), unit)


def lead(language: Language, _: MetalSection) -> str:
    """Return the sentences under the heading."""
    return language.gettext(
        "The same work on the same chip, without and with Metal. On the logarithmic "
        "axis, equal distances are equal factors."
    )


def alt(language: Language, section: MetalSection) -> str:
    """Tell the chart's finding; the numbers of the headline follow."""
    return terms.sentence(language, title(language, section))


def group_text(language: Language, group: MetalGroup) -> str:
    """Name the work of a group, with what tells it from others of its name."""
    name = " · ".join([group.workload.title, *group.apart])
    return terms.workload_text(language, name, group.batch_size)


def tables(language: Language, section: MetalSection) -> list[cells.Table]:
    """Return a row for each workload and chip, without and with Metal."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "Measured"),
        language.isolate("CPU"),
        language.isolate("Metal"),
        language.pgettext("table header", "With Metal"),
    )
    known, sets = grades(section), unlike_sets(section)

    def verdict(row: MetalRow) -> str:
        if row.ratio is None:
            return terms.missing_text(language, row.missing)
        said = terms.verdict_text(language, row.ratio)
        numbered = said.replace("≠ ", cells.sign(row.ratio.differs, sets), 1)
        return cells.noted(numbered, row.ratio.notes)

    rows = [
        (
            group_text(language, group),
            language.isolate(terms.chip_text(language, row.chip)),
            language.comma.join(
                (
                    language.isolate(terms.framework_text(language, row.framework)),
                    metric_text(language, group.metric),
                )
            ),
            cells.figure(language, row.cpu, known),
            cells.figure(language, row.metal, known),
            verdict(row),
        )
        for group in section.groups
        for row in group.rows
    ]
    return [cells.Table(head, rows, frozenset({3, 4}))]


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return a dumbbell for each workload and chip, from CPU to Metal."""
    section = sections["metal"]
    rows: list[Row] = []
    points: list[Point] = []
    strokes: list[Stroke] = []
    for groups in bundles(section):
        first, single = groups[0], len(groups) == 1
        heading = language.isolate(terms.chip_text(language, first.rows[0].chip))
        if single:
            heading = group_text(language, first)
        rows.append(Row(heading, heading=True))
        pairs = [(row, group) for group in groups for row in group.rows]
        for row, group in pairs:
            look, n = _verdict(row), len(rows)
            marks = [
                mark(side.value, n, "cpu" if is_cpu else look, side, hollow=is_cpu)
                for side, is_cpu in ((row.cpu, True), (row.metal, False))
                if side and side.unit == section.axis.unit
            ]
            points += marks
            if len(marks) == 2:
                ends = tuple((end.x, end.y) for end in marks)
                strokes.append(Stroke(ends, look, dashed=_is_doubtful(row)))
            label = group_text(language, group)
            if single:
                label = terms.chip_text(language, row.chip)
            remark = terms.missing_text(language, None)
            if row.ratio:
                verdict = terms.verdict_text(language, row.ratio)
                remark = noted(language, verdict, row.ratio)
            rows.append(Row(short(language, label), remark, look))
    axis = log_scale(
        section.axis.ticks,
        lambda value: language.measure(
            language.number(value, decimals_of(value)), section.axis.unit
        ),
    )
    panel = Panel("", axis, Rows(tuple(rows)), tuple(points), tuple(strokes))
    keys = tuple(_metal_keys(section, language))
    named, described = title(language, section), alt(language, section)
    return Chart("metal", named, described, (panel,), keys)


def bundles(section: MetalSection) -> tuple[tuple[MetalGroup, ...], ...]:
    """Return neighbouring groups together where each alone would head a single row.

    They share chip, framework and metric.
    """

    def key(numbered: tuple[int, MetalGroup]) -> tuple[object, ...]:
        index, group = numbered
        if len(group.rows) != 1:
            return (index,)
        row = group.rows[0]
        return row.chip, row.model, row.framework, group.metric

    keyed = groupby(enumerate(section.groups), key=key)
    return tuple(tuple(group for _, group in same) for _, same in keyed)


def _verdict(row: MetalRow) -> Look:
    verdict = row.ratio.verdict if row.ratio else ""
    return verdict if verdict in {"faster", "slower"} else "even"


def _is_doubtful(row: MetalRow) -> bool:
    return any(part and part.notes for part in (row.ratio, row.cpu, row.metal))


def _metal_keys(section: MetalSection, language: Language) -> Iterator[Key]:
    rows = [row for group in section.groups for row in group.rows]
    pairs = [row for row in rows if row.cpu and row.metal]
    words: dict[Look, str] = {
        "faster": language.pgettext("legend", "Metal, faster"),
        "slower": language.pgettext("legend", "Metal, slower"),
        "even": language.pgettext("legend", "even, unclear, or insufficient evidence"),
    }
    yield Key("cpu", terms.device_text(language, "cpu"), hollow=True)
    looks = {_verdict(row) for row in pairs}
    yield from (Key(look, text) for look, text in words.items() if look in looks)
    if any(map(_is_doubtful, pairs)):
        text = language.pgettext("legend", "dashed: see the note")
        yield Key("even", text, dashed=True)
    if section.axis.unit == "s":
        yield Key(None, language.pgettext("legend", "shorter is better"))
    else:
        yield Key(None, language.pgettext("legend", "more is better"))


def verdict_parts(language: Language, ratio: Ratio) -> tuple[str, str, str]:
    """Split the words for *ratio* around its factor, which the page sets in bold."""
    words = terms.verdict_text(language, ratio).replace("≠", "").strip()
    inverse = ratio.value < 1
    factor = language.times(1 / ratio.value if inverse else ratio.value)
    before, found, after = words.partition(factor)
    isolates = "\u2066\u2069 "
    if not found:
        return "", "", words
    return before.strip(isolates), factor, after.strip(isolates)
