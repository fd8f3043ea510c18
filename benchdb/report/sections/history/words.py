"""Campaigns over time, in words."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.history.data import Entry, History, Line, Shift
from benchdb.report.sections.history.surroundings import Changed
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import sentence, verdict_text


def title(language: Language, section: History | None) -> str:
    """Return the heading."""
    return language.pgettext("heading", "The same work over time")


def lead(language: Language, section: History) -> str:
    """Return the sentence or two under the heading."""
    count = sum(len(line.shifts) for line in section.lines)
    said = language.gettext(
        "Campaigns of the same work on the same machine. A change is marked where the "
        "campaigns before and after it differ by more than chance; what else was "
        "different then stands beside it, and need not be the cause."
    )
    if not count:
        found = language.gettext("None of them shows a change.")
    else:
        found = language.ngettext(
            "%(n)s change is marked.", "%(n)s changes are marked.", count
        )
    return language.sentences([said, found])


def name(language: Language, line: Line) -> str:
    """Name a course: the work, what tells it apart, and the system."""
    work = terms.title_text(language, line.workload)
    if line.size is not None:
        size = language.number(int(line.size)) if line.size.isdecimal() else line.size
        work = language.isolate(f"{work}, {size} × {size}")
    elif line.workload.kind != "operation":
        work = terms.workload_text(language, work, line.batch_size)
    system = f"{terms.system_text(language, line.system)} · " + terms.framework_text(
        language, line.system.framework
    )
    words = (work, line.precision, *line.apart, system)
    return " · ".join(language.isolate(word) for word in words if word)


def changed_text(language: Language, every: Sequence[Changed]) -> str:
    """Say what was not as it was in the campaign before; nothing if all was."""
    return language.semicolon.join(
        language.pgettext(
            "what changed",
            "%(name)s: %(before)s → %(after)s",
            name=_named(language, one.name),
            before=_value(language, one.name, one.before),
            after=_value(language, one.name, one.after),
        )
        for one in every
    )


def _named(language: Language, surrounding: str) -> str:
    kind, _, detail = surrounding.partition(":")
    if detail:  # of a library, a variable, a mode: its name is in no language
        return language.isolate(detail)
    known = {
        # TRANSLATORS: the program of ours that measured
        "collector": language.pgettext("condition", "measuring program"),
        # TRANSLATORS: what Linux sets the clock of a processor by
        "governor": language.pgettext("condition", "frequency governor"),
        # TRANSLATORS: of an operating system
        "kernel": language.pgettext("condition", "kernel"),
        # TRANSLATORS: the watts that a graphics card may draw
        "limit": language.pgettext("condition", "power limit"),
        # TRANSLATORS: as Apple calls it
        "low_power_mode": language.pgettext("condition", "Low Power Mode"),
        # TRANSLATORS: quiet, balanced, performance …
        "power_mode": language.pgettext("condition", "power mode"),
        # TRANSLATORS: mains or battery
        "power_source": language.pgettext("condition", "power source"),
        "python": "Python",
    }
    return known.get(kind) or terms.condition(language, kind)


def _value(language: Language, surrounding: str, value: str) -> str:
    if not value:
        return cells.DASH
    words = {
        ("power_source", "ac"): language.pgettext("power source", "mains"),
        ("power_source", "battery"): language.pgettext("power source", "battery"),
        ("low_power_mode", "true"): language.pgettext("mode", "on"),
        ("low_power_mode", "false"): language.pgettext("mode", "off"),
        ("load", "quiet"): language.pgettext("load", "quiet"),
    }
    if surrounding == "load" and value.startswith("busy "):
        # TRANSLATORS: a machine that other work keeps busy; each step is twice as busy
        return language.pgettext(
            "load", "busy, step %(n)s", n=Name(value.removeprefix("busy "))
        )
    if surrounding == "limit" and value.replace(".", "").isdecimal():
        return language.isolate(language.measure(value.removesuffix(".0"), "W"))
    return language.isolate(words.get((surrounding, value), value))


def shift_text(language: Language, shift: Shift) -> str:
    """Say what a change point is: so many times as fast as before, by how many."""
    return language.pgettext(
        "change",
        "from here on %(verdict)s (campaigns: %(before)s before, %(after)s after)",
        verdict=verdict_text(language, shift.ratio),
        before=shift.before,
        after=shift.after,
    )


def remarks(language: Language, section: History) -> list[str]:
    """Say what the line is, and what has no room."""
    line = language.gettext(
        "The line is the mean of the campaigns between two changes. A campaign on a "
        "busy machine is compared only with others on a machine as busy."
    )
    earlier = sum(one.earlier for one in section.lines)
    said = [line]
    if earlier:
        said.append(
            language.ngettext(
                "%(n)s earlier campaign has no room here; benchdb history lists it.",
                "%(n)s earlier campaigns have no room here; benchdb history lists "
                "them.",
                earlier,
            )
        )
    if section.more:
        said.append(
            language.ngettext(
                "%(n)s other course has no room here; benchdb history shows it.",
                "%(n)s other courses have no room here; benchdb history shows them.",
                section.more,
            )
        )
    return said


def alt(language: Language, section: History) -> str:
    """Tell the chart's finding with its numbers."""
    said = [
        language.pgettext(
            "course",
            "%(name)s: %(first)s on %(start)s, %(last)s on %(end)s.",
            name=name(language, line),
            first=line.entries[0].quantity,
            start=language.date(line.entries[0].started),
            last=line.entries[-1].quantity,
            end=language.date(line.entries[-1].started),
        )
        for line in section.charted
    ]
    return language.sentences([sentence(language, title(language, section)), *said])


def beside(language: Language, entry: Entry) -> str:
    """Return what stands beside a figure: the change that begins, and what changed."""
    shift = shift_text(language, entry.shift) if entry.shift else ""
    said = (shift, changed_text(language, entry.changed))
    return language.semicolon.join(filter(None, said))


def tables(language: Language, section: History) -> list[cells.Table]:
    """Return a Markdown table for each course."""
    known = grades(section)
    return [
        cells.Table(
            head=[
                name(language, line),
                language.pgettext("table header", "Value"),
                language.pgettext("table header", "Against the campaign before"),
                language.pgettext("table header", "What changed"),
            ],
            rows=[
                [
                    language.date(entry.started),
                    cells.figure(language, entry.quantity, known),
                    verdict_text(language, entry.against) or cells.DASH,
                    beside(language, entry) or cells.DASH,
                ]
                for entry in line.entries
            ],
            figures=frozenset({1}),
        )
        for line in section.lines
    ]
