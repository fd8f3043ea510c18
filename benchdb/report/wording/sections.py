"""Titles and leads of the sections, said only as far as the rows say so."""

from collections.abc import Sequence

import msgspec

from benchdb.report.charts.spec import Chart
from benchdb.report.language import Language
from benchdb.report.sections import SECTIONS, words
from benchdb.report.view.atoms import Quantity, Ratio, field_names, parts
from benchdb.report.view.page import Report
from benchdb.report.wording.answers import headlines
from benchdb.report.wording.grades import grades, grades_text
from benchdb.report.wording.terms import hosts_text, unstated_text

Figures = Sequence[tuple[Quantity, Ratio | None]]


def section_title(language: Language, report: Report, section: str) -> str:
    """Return the heading of *section*: one that compares, or ``glance``, ``values``,
    ``machines``, ``notes``, ``how``, ``sources``.
    """
    if section in SECTIONS:
        return str(words(section).title(language, report.sections.get(section)))
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
    if part := report.sections.get(section):
        return str(words(section).lead(language, part))
    if section != "values":
        return ""
    return language.ngettext(
        "%(n)s figure, with the digits of its source.",
        "%(n)s figures, with the digits of their sources.",
        report.values_count,
    )


def section_chart(language: Language, report: Report, section: str) -> Chart | None:
    """Return the specification of a section's chart, if there is anything to draw."""
    if not report.sections.get(section):
        return None
    found: Chart | None = words(section).chart(language, report.sections)
    return found


def chart_alt(language: Language, report: Report, section: str) -> str:
    """Describe a chart in words: its finding, with the numbers of the headline."""
    part = report.sections.get(section)
    if part is None:
        return ""
    said = words(section).alt(language, part)
    return language.sentences([said, *headlines(language, report, section)])


def runs_text(language: Language, report: Report, section: str) -> str:
    """Say how often the figures of a comparison were measured, and what marks mean.

    Their grades and labels as well: what all of them share stands beside none.
    """
    if section == "machines":
        return hosts_text(language, report.machines)
    part = report.sections.get(section)
    if part is None:
        return ""
    remarks = getattr(words(section), "remarks", None)
    unstated = {name for ratio in parts(part, Ratio) for name in ratio.unstated}
    return language.sentences(
        [
            _repeats_text(language, figures(part)),
            grades_text(language, grades(part)),
            *(remarks(language, part) if remarks else ()),
            unstated_text(language, sorted(unstated)),
        ]
    )


def figures(section: object) -> Figures:
    """Return every figure of a section with the ratio beside it.

    What others are compared with has none: it is like nothing where nothing is like it.
    """
    pairs: list[tuple[Quantity, Ratio | None]] = []
    for part in parts(section, msgspec.Struct):
        values = [getattr(part, name) for name in field_names(type(part))]
        ratio = next((value for value in values if isinstance(value, Ratio)), None)
        pairs += [(value, ratio) for value in values if isinstance(value, Quantity)]
    ratios = [ratio for _, ratio in pairs if ratio]
    unlike = ratios[0] if ratios and all(it.differs for it in ratios) else None
    return [(quantity, ratio or unlike) for quantity, ratio in pairs]


def _repeats_text(language: Language, found: Figures) -> str:
    if not found:
        return ""
    if not any(quantity.n > 1 for quantity, _ in found):
        return language.gettext(
            "One run per figure (n = 1): without repeats, small differences cannot be "
            "told from chance."
        )
    like = [
        quantity.n > 1 for quantity, ratio in found if not (ratio and ratio.differs)
    ]
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


def taken_from(language: Language, sources: Sequence[str]) -> str:
    """Name the numbers of the sources that a section rests on."""
    return language.ngettext(
        "Source: %(numbers)s.", "Sources: %(numbers)s.", len(sources), numbers=sources
    )
