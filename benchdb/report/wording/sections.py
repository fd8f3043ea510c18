"""Titles and leads of the sections, said only as far as the rows say so."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.sections import SECTIONS, module
from benchdb.report.view.atoms import Quantity, Ratio, parts
from benchdb.report.view.page import Report
from benchdb.report.wording.grades import grades, grades_text
from benchdb.report.wording.terms import hosts_text, unstated_text

Figures = Sequence[tuple[Quantity, Ratio | None]]


def section_title(language: Language, report: Report, section: str) -> str:
    """Return the heading of *section*: one that compares, or ``glance``, ``values``,
    ``machines``, ``notes``, ``how``, ``sources``.
    """
    if section in SECTIONS:
        return str(module(section, "words").title(language, report))
    return {
        "glance": language.pgettext("heading", "At a glance"),
        "values": language.pgettext("heading", "Values"),
        "machines": language.pgettext("heading", "Machines and software"),
        "notes": language.pgettext("heading", "Notes on single values"),
        "how": language.pgettext("heading", "How to read this report"),
        "sources": language.pgettext("heading", "Sources"),
    }[section]


def section_lead(language: Language, report: Report, section: str) -> str:
    """Return the sentence or two under the heading of *section*, or nothing."""
    if section in SECTIONS:
        return str(module(section, "words").lead(language, report))
    return _values_lead(language, report) if section == "values" else ""


def chart_alt(language: Language, report: Report, section: str) -> str:
    """Describe a chart in words: its finding, with the numbers of the headline."""
    return str(module(section, "words").alt(language, report))


def runs_text(language: Language, report: Report, section: str) -> str:
    """Say how often the figures of a comparison were measured, and what marks mean.

    Their grades and labels as well: what all of them share stands beside none.
    """
    if section == "machines":
        return hosts_text(language, report.machines)
    if section not in SECTIONS:
        return ""
    words = module(section, "words")
    said = _repeats_text(language, words.figures(report))
    graded = grades(getattr(report, section)) if said else {}
    remarks = getattr(words, "remarks", None)
    more = remarks(language, report) if remarks else ""
    unstated = _unstated(language, report, section)
    return language.sentences([said, grades_text(language, graded), more, unstated])


def _repeats_text(language: Language, found: Figures) -> str:
    if not found:
        return ""
    if not any(quantity.n > 1 for quantity, _ in found):
        return language.gettext(
            "One run per figure (n = 1): without repeats, small differences cannot be "
            "told from chance."
        )
    like = [quantity.n > 1 for quantity, ratio in found if not _differs(ratio)]
    single = language.gettext(
        "What is like for like was run once (n = 1): small differences cannot be told "
        "from chance."
    )
    ranges = language.gettext(
        "Ranges are %(level)s%% intervals over repeated runs; a figure without a range "
        "comes from a single run.",
        level=95,
    )
    said = [single if like and not any(like) else "", ranges]
    return language.sentences([*said, _sessions_text(language, found)])


def _unstated(language: Language, report: Report, section: str) -> str:
    """Name once what the sources of a comparison leave out."""
    ratios = parts(getattr(report, section, None), Ratio)
    names = dict.fromkeys(name for ratio in ratios for name in ratio.unstated)
    return unstated_text(language, sorted(names))


def _sessions_text(language: Language, figures: Figures) -> str:
    """Say which ranges hold within one session alone."""
    several = [quantity.sessions > 1 for quantity, _ in figures if quantity.n > 1]
    if not any(several):
        return language.gettext(
            "All ranges hold within one session: another day, or another machine of "
            "the kind, may differ by more."
        )
    if all(several):
        return ""
    return language.gettext(
        "The range of a figure from several sessions spans them; the others hold "
        "within one session."
    )


def _differs(ratio: Ratio | None) -> bool:
    return ratio is not None and bool(ratio.differs)


def _values_lead(language: Language, report: Report) -> str:
    n = report.values_count
    return language.ngettext(
        "%(n)s figure, with the digits of its source.",
        "%(n)s figures, with the digits of their sources.",
        n,
    )


def taken_from(language: Language, sources: Sequence[str]) -> str:
    """Name the numbers of the sources that a section rests on."""
    return language.ngettext(
        "Source: %(numbers)s.", "Sources: %(numbers)s.", len(sources), numbers=sources
    )
