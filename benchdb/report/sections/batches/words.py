"""Batch size: what a larger batch changes, on each system."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.sections.batches import Batches, BatchSystem, Level, Line
from benchdb.report.view.atoms import Quantity, Ratio, Verdict
from benchdb.report.view.page import Report
from benchdb.report.wording.terms import (
    framework_text,
    sentence,
    system_text,
    times_text,
)

_LEAST_LINES = 2  # that say the same before a heading says it
_MOST_NAMES = 6  # more make no sentence


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    fixed = language.pgettext("heading", "Batch size")
    if report.batches is None:
        return fixed
    found = _finding(report.batches)
    if found and any(one.paired for one in report.batches.systems):
        metal, cpu = _gains(language, report.batches)
        return language.gettext(
            "With larger batches, Metal trains %(metal)s as fast and the CPU %(cpu)s",
            metal=metal,
            cpu=cpu,
        )
    said = {
        "faster": language.gettext("Larger batches train faster"),
        "slower": language.gettext("Larger batches train slower"),
    }
    return said.get(found, fixed)


def _gains(language: Language, section: Batches) -> tuple[str, str]:
    """Return by how much Metal and the CPU gain, over all lines without notes."""
    lines = [
        line
        for one in section.systems
        for line in one.lines
        if one.paired and not line.flagged
    ]
    sides = [line.own for line in lines], [line.cpu for line in lines]
    metal, cpu = ([gain for gain in gains if gain is not None] for gains in sides)
    return _factors(language, metal), _factors(language, cpu)


def _factors(language: Language, found: Sequence[float]) -> str:
    return language.isolate(language.times_range(min(found), max(found)))


def _finding(section: Batches) -> str:
    """Return what lines without notes say, where some do and none says otherwise."""
    paired = any(one.paired for one in section.systems)
    verdicts = Counter(
        line.change.verdict
        for one in section.systems
        for line in one.lines
        if one.paired == paired and not line.flagged
    )
    if bool(verdicts["faster"]) == bool(verdicts["slower"]):
        return ""
    found: Verdict = "faster" if verdicts["faster"] else "slower"
    unsure = verdicts["even"] + verdicts["unclear"]
    return found if verdicts[found] >= max(_LEAST_LINES, unsure) else ""


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.batches is None:
        return ""
    paired = {one.paired for one in report.batches.systems}
    pairs = language.gettext(
        "How many times as fast Metal is as the CPU of the same chip, at each batch "
        "size."
    )
    rest = language.gettext(
        "Systems that ran in one way only stand against their own smallest batch size."
    )
    alone = language.gettext(
        "How many times the throughput of its own smallest batch size each system "
        "reaches."
    )
    if True not in paired:
        return alone
    return language.sentences(
        [pairs, rest if False in paired else "", _strongest(language, report.batches)]
    )


def _strongest(language: Language, section: Batches) -> str:
    """Say of the line that changes most which of its sides did, as numbers."""
    lines = [
        (one, line)
        for one in section.systems
        for line in one.lines
        if one.paired and line.own and line.cpu and not line.flagged
    ]
    most = max(lines, key=lambda pair: pair[1].change.value, default=None)
    if most is None:
        return ""
    one, line = most
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
    systems = {other.system for other in section.systems}
    name = system_text(language, one.system)
    if len({system.framework for system in systems}) > 1:
        name = f"{name} · {framework_text(language, one.system.framework)}"
    twins = [
        other
        for other in systems
        if (other.chip, other.device, other.framework)
        == (one.system.chip, one.system.device, one.system.framework)
    ]
    if len(twins) == 1:
        return name
    ram = one.system.ram_bytes
    more = one.system.model, language.bytes(ram) if ram else None
    return " · ".join([name, *filter(None, more)])


def against(language: Language, *, paired: bool) -> str:
    """Say what the ratios of a system are against, as the title of an axis."""
    if paired:
        return language.pgettext("axis", "Metal against CPU")
    return language.pgettext("axis", "against the smallest batch")


def work(line: Line) -> str:
    """Name what a line is about, and what tells it from others of the workload."""
    return " · ".join([line.workload.title, *line.apart])


def drawn(one: BatchSystem) -> list[Line]:
    """Return the lines that the chart has of a system."""
    return [line for line in one.lines if not line.quiet]


def headed(language: Language, one: BatchSystem, section: Batches) -> str:
    """Name a system above its lines in the chart, with what tells them all apart."""
    return " · ".join([named(language, one, section), *_shared(one)])


def label(one: BatchSystem, line: Line) -> str:
    """Name a line in the chart, less what stands above all of them."""
    shared = _shared(one)
    return work(replace(line, apart=tuple(x for x in line.apart if x not in shared)))


def _shared(one: BatchSystem) -> list[str]:
    """Return what would stand at every line in the chart: mostly one precision."""
    first, *others = (line.apart for line in drawn(one))
    return [name for name in first if all(name in other for other in others)]


def strong_text(language: Language, section: Batches) -> str:
    """Say what makes a line stand out."""
    factor = times_text(language, section.strong)
    return language.pgettext("legend", "changes by more than %(factor)s", factor=factor)


def quiet_text(language: Language, section: Batches) -> str:
    """Say why a line does not stand out."""
    lines = [line for one in section.systems for line in one.lines]
    if any(line.flagged for line in lines):
        return language.pgettext("legend", "changes less, or carries a note")
    return language.pgettext("legend", "changes less, or not clearly")


def alt(language: Language, report: Report) -> str:
    """Tell the chart's finding with its numbers."""
    if report.batches is None:
        return ""
    section = report.batches
    said = [
        language.pgettext(
            "system and its lines",
            "%(system)s: %(lines)s.",
            system=Name(headed(language, one, section)),
            lines=language.semicolon.join(
                _from_to(language, one, line) for line in drawn(one)
            ),
        )
        for one in section.systems
        if one.charted
    ]
    return language.sentences([sentence(language, title(language, report)), *said])


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


def remarks(language: Language, report: Report) -> str:
    """Say what the chart leaves to the table."""
    if report.batches is None:
        return ""
    section = report.batches
    hidden = [one for one in section.systems if not one.charted]
    quiet = sum(
        line.quiet for one in section.systems if one.charted for line in one.lines
    )
    more = language.ngettext(
        "%(n)s more line stands in the table only.",
        "%(n)s more lines stand in the table only.",
        quiet,
    )
    beyond = _beyond(language, section, hidden) if hidden else ""
    return language.sentences([more if quiet else "", beyond])


def _beyond(language: Language, section: Batches, hidden: Sequence[BatchSystem]) -> str:
    n = len(hidden)
    if n > _MOST_NAMES:
        return language.ngettext(
            "%(n)s more system stands in the table only.",
            "%(n)s more systems stand in the table only.",
            n,
        )
    return language.ngettext(
        "In the table only: %(names)s.",
        "In the table only: %(names)s.",
        n,
        names=[named(language, one, section) for one in hidden],
    )


def figures(report: Report) -> list[tuple[Quantity, Ratio | None]]:
    """Return every figure of the section with its ratio."""
    systems = report.batches.systems if report.batches else ()
    levels = [level for one in systems for line in one.lines for level in line.levels]
    return [
        (each, level.ratio)
        for level in levels
        for each in (level.quantity, level.cpu)
        if each is not None
    ]


def sizes(one: BatchSystem) -> list[int]:
    """Return the batch sizes of a system's lines, each once."""
    return sorted({level.batch_size for line in one.lines for level in line.levels})


def at(line: Line, size: int) -> Level | None:
    """Return what a line has at one batch size."""
    return next((level for level in line.levels if level.batch_size == size), None)
