"""The sentences of a report, for all renderers: plain text without markup.

Whole sentences with named placeholders; short tokens have a context. A ratio is
always "so many times as fast" or "as long", never "per cent faster".
"""

from collections.abc import Sequence

from benchdb.chips import find
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.view.compared import MetalGroup
from benchdb.report.view.page import Report
from benchdb.report.wording.answers import answer_big, answer_text, answer_title
from benchdb.report.wording.grades import (
    Grades,
    against_text,
    grade_mark,
    grades,
    grades_text,
    how_to_read_grades,
    label_mark,
)
from benchdb.report.wording.metrics import metric_text, reading_text
from benchdb.report.wording.notes import note_text, reason_text, subject_text
from benchdb.report.wording.room import room_text
from benchdb.report.wording.sections import (
    chart_alt,
    no_mean_text,
    runs_text,
    section_lead,
    section_title,
    taken_from,
)
from benchdb.report.wording.sources import claim_text, left_out_text, source_text
from benchdb.report.wording.terms import (
    chip_text,
    condition,
    derived_text,
    device_text,
    differs_text,
    framework_text,
    group_text,
    hosts_text,
    insufficient_text,
    label_text,
    mean_text,
    missing_text,
    repeats_text,
    status_text,
    system_text,
    title_text,
    trials_text,
    verdict_text,
    workload_text,
)

__all__ = [
    "Grades",
    "against_text",
    "answer_big",
    "answer_text",
    "answer_title",
    "as_of",
    "chart_alt",
    "chip_text",
    "claim_text",
    "condition",
    "counts",
    "derived_text",
    "device_text",
    "differs_text",
    "framework_text",
    "grade_mark",
    "grades",
    "grades_text",
    "group_text",
    "hosts_text",
    "how_to_read",
    "insufficient_text",
    "is_about_training",
    "label_mark",
    "label_text",
    "lead",
    "left_out_text",
    "made_from",
    "mean_text",
    "metric_text",
    "missing_text",
    "no_mean_text",
    "note_text",
    "reading_text",
    "reason_text",
    "repeats_text",
    "room_text",
    "runs_text",
    "section_lead",
    "section_title",
    "source_text",
    "status_text",
    "subject_text",
    "system_text",
    "taken_from",
    "title",
    "title_text",
    "trials_text",
    "verdict_text",
    "workload_text",
]

_CHIPS_NAMED = 6  # more of them make no sentence


def title(language: Language, report: Report) -> str:
    """Return the question that the report answers, or what it lists."""
    if report.values and not (is_about_training(report) and _is_about_macs(report)):
        return language.gettext("Benchmark results and their sources")
    return language.gettext("How fast does a Mac train?")


def is_about_training(report: Report) -> bool:
    """Tell whether anybody trained anything; others' own benchmarks only stand in the
    table of values.
    """
    return any(row.workload.kind != "operation" for row in report.values)


def _is_about_macs(report: Report) -> bool:
    """Tell whether anything ran on Metal, or on a chip of Apple's."""
    worked = {(row.system.device, row.system.chip) for row in report.values}
    return any(device == "metal" or find("Apple", chip) for device, chip in worked)


def lead(language: Language, report: Report) -> str:
    """Say in one sentence what is compared."""
    chips = _chips(report)
    listed = bool(report.values) and not is_about_training(report)
    if not chips:
        if listed:
            return language.gettext("No source says which machine its figures are of.")
        return language.gettext("There are no measurements to compare yet.")
    named = _named(language, chips)
    if listed:
        return language.gettext(
            "Benchmark results of %(chips)s, figure by figure.", chips=named
        )
    if report.metal and report.distance:
        return language.gettext(
            "Deep-learning training on %(chips)s, with and without Metal, next to a "
            "%(reference)s.",
            chips=named,
            reference=Name(report.distance.reference.chip),
        )
    if report.metal:
        return language.gettext(
            "Deep-learning training on %(chips)s, with and without Metal.", chips=named
        )
    return language.gettext("Deep-learning training on %(chips)s.", chips=named)


def _chips(report: Report) -> list[str]:
    rows = [row.chip for group in _groups(report) for row in group.rows]
    if not rows and report.ranking:
        rows = [row.system.chip for row in report.ranking.rows]
    worked = [row.system.chip for row in report.values]
    known = [chip for chip in worked if chip != "unknown"]
    return list(dict.fromkeys(rows or known))


def _groups(report: Report) -> Sequence[MetalGroup]:
    return report.metal.groups if report.metal else ()


def _named(language: Language, chips: Sequence[str]) -> str:
    if len(chips) <= _CHIPS_NAMED:
        return language.listing(chips)
    n = len(chips)
    return language.npgettext("list of chips", "%(n)s chip", "%(n)s chips", n)


def counts(language: Language, report: Report) -> tuple[str, ...]:
    """Return how much the report rests on: values, systems, sources."""
    values, systems = report.values_count, report.systems_count
    sources = report.sources_count
    return (
        language.ngettext("%(n)s value", "%(n)s values", values),
        language.ngettext("%(n)s system", "%(n)s systems", systems),
        language.ngettext("%(n)s source", "%(n)s sources", sources),
    )


def as_of(language: Language, report: Report) -> str:
    """Say when the newest run was measured; nothing where no date is known."""
    if report.newest is None:
        return ""
    date = language.date(report.newest)
    return language.gettext("Newest measurement: %(date)s", date=date)


def made_from(language: Language, report: Report) -> str:
    """Say which data the report shows, so that it can be made again."""
    return language.gettext(
        "Made by benchdb from the data with SHA-256 %(digest)s.",
        digest=Name(report.database_digest[:12]),
    )


def how_to_read(language: Language) -> tuple[str, ...]:
    """Return the paragraphs that explain ratios, means, marks and missing values."""
    return (
        language.gettext(
            "“%(three)s as fast” means a third of the time. Percentages such as "
            "“%(percent)s faster” are not used here: people read them in two ways.",
            three=Times(3),
            percent=Share(3),
        ),
        language.gettext(
            "Ratios stand on logarithmic axes, where equal distances are equal "
            "factors, and are averaged geometrically, only over workloads that all "
            "compared systems have."
        ),
        language.gettext(
            "Figures are like for like when script, batch size, precision, compiler "
            "and framework agree. The sign ≠ marks those that are not: no verdict and "
            "no mean rests on them. Where there is nothing else they bound the answer, "
            "in grey, with ≈ and with what differs. Flagged figures enter no headline."
        ),
        language.gettext(
            "n is the number of runs behind a figure. A single run has no interval, "
            "and a small difference between single runs may be chance."
        ),
        how_to_read_grades(language),
        language.gettext(
            "A dash means that there is no figure; a missing figure is never a zero. "
            "Figures that others published keep the digits of their source in the "
            "table of values; elsewhere they are rounded."
        ),
    )
