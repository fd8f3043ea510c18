"""What is said and drawn of batch sizes: which side gains from larger ones."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Stroke,
    axis_of,
    doubling_scale,
    mark,
    power_of_two,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.sections.batches import (
    Batches,
    BatchSystem,
    Level,
    Line,
)
from benchdb.report.view.atoms import Verdict
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import (
    framework_text,
    sentence,
    system_text,
    times_text,
)

_LEAST_LINES = 2  # that say the same before a heading says it
_MOST_NAMES = 6  # more make no sentence


def title(language: Language, section: Batches | None) -> str:
    """Return the heading, with the finding where there is one."""
    verdict = _finding(section) if section else ""
    if section and verdict and any(one.paired for one in section.systems):
        lines = [line for _, line in section.lines(paired=True) if not line.flagged]
        metal, cpu = (
            [gain for gain in gains if gain is not None]
            for gains in zip(*((line.own, line.cpu) for line in lines), strict=True)
        )
        return language.gettext(
            "With larger batches, Metal trains %(metal)s as fast and the CPU %(cpu)s",
            metal=Times(min(metal), max(metal)),
            cpu=Times(min(cpu), max(cpu)),
        )
    if verdict == "faster":
        return language.gettext("Larger batches train faster")
    if verdict == "slower":
        return language.gettext("Larger batches train slower")
    return language.pgettext("heading", "Batch size")


def _finding(section: Batches) -> str:
    """Return what lines without notes say, where some do and none says otherwise."""
    paired = any(one.paired for one in section.systems)
    verdicts = Counter(
        line.change.verdict
        for _, line in section.lines(paired=paired)
        if not line.flagged
    )
    if bool(verdicts["faster"]) == bool(verdicts["slower"]):
        return ""
    verdict: Verdict = "faster" if verdicts["faster"] else "slower"
    unsure = verdicts["even"] + verdicts["unclear"]
    return verdict if verdicts[verdict] >= max(_LEAST_LINES, unsure) else ""


def lead(language: Language, section: Batches) -> str:
    """Return the sentence or two under the heading."""
    paired = {one.paired for one in section.systems}
    if True not in paired:
        return language.gettext(
            "How many times the throughput of its own smallest batch size each system "
            "reaches."
        )
    pairs = language.gettext(
        "How many times as fast Metal is as the CPU of the same chip, at each batch "
        "size."
    )
    rest = language.gettext(
        "Systems that ran in one way only stand against their own smallest batch size."
    )
    parts = [pairs, rest if False in paired else "", _strongest(language, section)]
    return language.sentences(parts)


def _strongest(language: Language, section: Batches) -> str:
    """Say of the line that changes most which of its sides did, as numbers."""
    lines = [
        (one, line)
        for one, line in section.lines(paired=True)
        if line.own and line.cpu and not line.flagged
    ]
    if not lines:
        return ""
    one, line = max(lines, key=lambda pair: pair[1].change.value)
    # TRANSLATORS: ratio is that of Metal over the CPU; then how each of both changed
    return language.gettext(
        "The ratio grows most for %(work)s (%(system)s), by %(ratio)s from batch "
        "%(small)s to %(large)s: Metal trains %(metal)s as fast there, the CPU "
        "%(cpu)s.",
        work=Name(label(one, line)),
        system=Name(named(language, one, section)),
        ratio=Times(line.change.value),
        small=line.levels[0].batch_size,
        large=line.levels[-1].batch_size,
        metal=Times(line.own or 1.0),
        cpu=Times(line.cpu or 1.0),
    )


def named(language: Language, one: BatchSystem, section: Batches) -> str:
    """Name a system; its framework and machine only where that tells two apart."""
    own = one.system
    systems = {other.system for other in section.systems}
    parts = [system_text(language, own)]
    if len({system.framework for system in systems}) > 1:
        parts.append(framework_text(language, own.framework))
    twins = [
        other
        for other in systems
        if (other.chip, other.device, other.framework)
        == (own.chip, own.device, own.framework)
    ]
    if len(twins) > 1:
        ram = language.bytes(own.ram_bytes) if own.ram_bytes else None
        parts += filter(None, (own.model, ram))
    return " · ".join(parts)


def against(language: Language, *, paired: bool) -> str:
    """Say what the ratios of a system are against, as the title of an axis."""
    if paired:
        return language.pgettext("axis", "Metal against CPU")
    return language.pgettext("axis", "against the smallest batch")


def work(line: Line) -> str:
    """Name what a line is about, and what tells it from others of the workload."""
    return " · ".join([line.workload.title, *line.apart])


def headed(language: Language, one: BatchSystem, section: Batches) -> str:
    """Name a system above its lines in the chart, with what tells them all apart."""
    return " · ".join([named(language, one, section), *_shared(one)])


def label(one: BatchSystem, line: Line) -> str:
    """Name a line in the chart, less what stands above all of them."""
    shared = _shared(one)
    return work(replace(line, apart=tuple(x for x in line.apart if x not in shared)))


def _shared(one: BatchSystem) -> list[str]:
    """Return what would stand at every line in the chart: mostly one precision."""
    first, *others = (line.apart for line in one.drawn)
    return [name for name in first if all(name in other for other in others)]


def strong_text(language: Language, section: Batches) -> str:
    """Say what makes a line stand out."""
    factor = times_text(language, section.strong)
    return language.pgettext("legend", "changes by more than %(factor)s", factor=factor)


def quiet_text(language: Language, section: Batches) -> str:
    """Say why a line does not stand out."""
    if any(line.flagged for one in section.systems for line in one.lines):
        return language.pgettext("legend", "changes less, or carries a note")
    return language.pgettext("legend", "changes less, or not clearly")


def alt(language: Language, section: Batches) -> str:
    """Tell the chart's finding with its numbers."""
    said = [
        language.pgettext(
            "system and its lines",
            "%(system)s: %(lines)s.",
            system=Name(headed(language, one, section)),
            lines=language.semicolon.join(
                _from_to(language, one, line) for line in one.drawn
            ),
        )
        for one in section.systems
        if one.charted
    ]
    return language.sentences([sentence(language, title(language, section)), *said])


def _from_to(language: Language, one: BatchSystem, line: Line) -> str:
    first, last = line.levels[0], line.levels[-1]
    if not one.paired:
        return language.pgettext(
            "batch sizes",
            "%(workload)s %(high)s at batch %(large)s",
            workload=Name(label(one, line)),
            high=Times(last.ratio.value),
            large=last.batch_size,
        )
    return language.pgettext(
        "batch sizes",
        "%(workload)s from %(low)s at batch %(small)s to %(high)s at batch %(large)s",
        workload=Name(label(one, line)),
        low=Times(first.ratio.value),
        small=first.batch_size,
        high=Times(last.ratio.value),
        large=last.batch_size,
    )


def remarks(language: Language, section: Batches) -> list[str]:
    """Say what the chart leaves to the table."""
    hidden = [one for one in section.systems if not one.charted]
    quiet = sum(
        line.quiet for one in section.systems if one.charted for line in one.lines
    )
    more = language.ngettext(
        "%(n)s more line stands in the table only.",
        "%(n)s more lines stand in the table only.",
        quiet,
    )
    beyond = language.ngettext(
        "%(n)s more system stands in the table only.",
        "%(n)s more systems stand in the table only.",
        len(hidden),
    )
    if 0 < len(hidden) <= _MOST_NAMES:
        beyond = language.ngettext(
            "In the table only: %(names)s.",
            "In the table only: %(names)s.",
            len(hidden),
            names=[named(language, one, section) for one in hidden],
        )
    return [more if quiet else "", beyond if hidden else ""]


def sizes(one: BatchSystem) -> list[int]:
    """Return the batch sizes of a system's lines, each once."""
    return sorted({level.batch_size for line in one.lines for level in line.levels})


def at(line: Line, size: int) -> Level | None:
    """Return what a line has at one batch size."""
    return next((level for level in line.levels if level.batch_size == size), None)


def tables(language: Language, section: Batches) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Batch size"),
        language.pgettext("table header", "Figure"),
        language.isolate("CPU"),
        language.pgettext("table header", "Ratio"),
    )
    known = grades(section)
    rows = [
        (
            cells.here(language, named(language, one, section), marked=one.system.here),
            language.isolate(work(line)),
            language.written(level.batch_size),
            cells.figure(language, level.quantity, known),
            cells.figure(language, level.cpu, known),
            _ratio(language, level),
        )
        for one in section.systems
        for line in one.lines
        for level in line.levels
    ]
    return [cells.Table(head, rows, frozenset({2, 3, 4, 5}))]


def _ratio(language: Language, level: Level) -> str:
    ratio = level.ratio
    said = language.written(Times(ratio.value))
    if ratio.low is None or ratio.high is None:
        return said
    return f"{said} ({language.written(Times(ratio.low, ratio.high))})"


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return what a larger batch changes, a panel for each system."""
    section = sections["batches"]
    systems = [system for system in section.systems if system.charted]
    looks = {_look(line) for system in systems for line in system.drawn}
    keys = (
        Key("0", strong_text(language, section)),
        Key("quiet", quiet_text(language, section)),
    )
    return Chart(
        name="batches",
        title=title(language, section),
        alt=alt(language, section),
        panels=tuple(_panel(language, section, system) for system in systems),
        keys=tuple(key for key in keys if key.look in looks),
    )


def _panel(language: Language, section: Batches, system: BatchSystem) -> Panel:
    """Return a system's panel; its axes reach as far as all levels of its kind do."""
    lines = system.drawn
    # Of Metal against CPUs, or of systems against themselves.
    levels = [
        level
        for other in section.systems
        if other.charted and other.paired == system.paired
        for line in other.drawn
        for level in line.levels
    ]
    sizes = [level.batch_size for level in levels]
    ratios = [level.ratio.value for level in levels]
    curves = [
        (line, tuple((level.batch_size, level.ratio.value) for level in line.levels))
        for line in lines
    ]
    return Panel(
        title=headed(language, system, section),
        x=axis_of(
            [level.batch_size for line in lines for level in line.levels],
            (min(sizes), max(sizes)),
            language,
            language.pgettext("axis", "Batch size"),
        ),
        y=doubling_scale(
            min(ratios),
            max(ratios),
            lambda factor: language.multiple(power_of_two(language, factor)),
            against(language, paired=system.paired),
        ),
        points=tuple(
            mark(*place, _look(line), level.quantity, level.ratio)
            for line, curve in curves
            for place, level in zip(curve, line.levels, strict=True)
        ),
        strokes=tuple(
            Stroke(curve, _look(line), label(system, line)) for line, curve in curves
        ),
    )


def _look(line: Line) -> Look:
    return "0" if line.strong else "quiet"
