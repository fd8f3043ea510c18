"""The sentences of a report, for all renderers: plain text without markup.

Whole sentences with named placeholders; short tokens have a context. A ratio is
always "so many times as fast" or "as long", never "per cent faster".
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace

from benchdb.catalogue import find_chip
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.view.page import Report
from benchdb.report.wording import (
    answers,
    filters,
    grades,
    metrics,
    notes,
    sections,
    sources,
    terms,
)
from benchdb.report.workloads import trains

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
    return any(trains(row.workload.name) for row in report.values)


def _is_about_macs(report: Report) -> bool:
    """Tell whether anything ran on Metal, or on a chip of Apple's."""
    worked = {(row.system.device, row.system.chip) for row in report.values}
    return any(device == "metal" or find_chip("Apple", chip) for device, chip in worked)


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
    distance = report.sections.get("distance")
    if report.sections.get("metal") and distance:
        return language.gettext(
            "Deep-learning training on %(chips)s, with and without Metal, next to a "
            "%(reference)s.",
            chips=named,
            reference=Name(distance.reference.chip),
        )
    if report.sections.get("metal"):
        return language.gettext(
            "Deep-learning training on %(chips)s, with and without Metal.", chips=named
        )
    return language.gettext("Deep-learning training on %(chips)s.", chips=named)


def _chips(report: Report) -> list[str]:
    metal, ranking = map(report.sections.get, ("metal", "ranking"))
    rows = [row.chip for group in metal.groups for row in group.rows] if metal else []
    if not rows and ranking:
        rows = [row.system.chip for row in ranking.rows]
    worked = [row.system.chip for row in report.values]
    known = [chip for chip in worked if chip != "unknown"]
    return list(dict.fromkeys(rows or known))


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
        grades.how_to_read_grades(language),
        language.gettext(
            "A dash means that there is no figure; a missing figure is never a zero. "
            "Figures that others published keep the digits of their source in the "
            "table of values; elsewhere they are rounded."
        ),
    )


def speaker(language: Language) -> SimpleNamespace:
    """Return all sentences of a page for a template, each with *language* filled in."""
    spoken: dict[str, Callable[..., object]] = {}
    for module in (answers, filters, grades, metrics, notes, sections, sources, terms):
        spoken |= _spoken(vars(module))
    spoken |= _spoken(globals())
    return SimpleNamespace(**{k: partial(say, language) for k, say in spoken.items()})


def _spoken(names: dict[str, object]) -> dict[str, Callable[..., object]]:
    return {
        name: value
        for name, value in names.items()
        if callable(value) and "language" in getattr(value, "__annotations__", ())
    }
