"""What the page of comparisons says: the words of a language, with places for digits.

The script of the page fills the same places as ``view`` does here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchdb.report.language import Language
from benchdb.report.language.direction import AS_FIRST_LETTER, POP
from benchdb.report.view.atoms import Ratio, Verdict
from benchdb.report.wording import terms
from benchdb.report.wording.flags import flag_text
from benchdb.report.wording.ladder import trust_text
from benchdb.report.wording.parameters import KNOWN
from benchdb.report.workloads import workload_of
from benchdb.site.compare.system_files import SystemData
from benchdb.site.wording import bars

Say = Mapping[str, Any]
# Of the axis, as many as it has room for, what says most first.
TICKS = (
    *(2, 0.5, 5, 0.2, 10, 0.1, 1.5, 0.75, 3, 0.3, 20, 0.05, 50, 0.02, 100, 0.01),
    *(1000, 0.001, 10_000),
)
_WORDS: Mapping[str, tuple[Verdict, bool]] = {
    "found": ("faster", True),
    "even": ("even", True),
    "unclear": ("unclear", True),
    "insufficient": ("insufficient", True),
    "unlike": ("not comparable", False),
    "unlike unclear": ("unclear", False),
}
_SAMPLES = (*range(200), 1000, 1_000_000)  # among them is one of each plural form


def words(language: Language, files: Mapping[str, SystemData]) -> Say:
    """Return all words that any pair of *files* may need, by what they are for."""
    systems = files.values()
    cells = [
        cell for system in systems for own in system.cells.values() for cell in own
    ]
    figures = [figure for system in systems for figure in system.figures]
    workloads = sorted({name for system in systems for name in system.own})
    differences = {cell.differs for cell in cells} | {cell.unstated for cell in cells}
    differences |= {
        card.differs
        for system in systems
        for own in system.cards.values()
        for card in own
    }
    units = {figure.unit for figure in figures} | {"GB/s", "TFLOPS", "GB"}
    flags = {code for figure in figures for code in figure.flags.split()}
    return {
        **_phrases(language),
        "code": language.code,
        "ticks": TICKS,
        "marks": language.marks,
        "isolates": (AS_FIRST_LETTER, POP) if language.direction == "rtl" else ("", ""),
        "comma": language.comma,
        "devices": {
            name: terms.device_text(language, name)
            for name in sorted({system.device for system in systems})
        },
        "titles": {
            name: title
            for name in workloads
            if (title := terms.title_text(language, workload_of(name))) != name
        },
        "units": {unit: language.measure("{}", unit) for unit in sorted(units)},
        "labels": _labels(language, (figure.label for figure in figures)),
        "verdicts": _verdicts(language),
        "conditions": {
            names: terms.conditions(language, names.split("\n"))
            for names in sorted(differences - {""})
        },
        "flags": {code: flag_text(language, code) for code in sorted(flags)},
    }


def _phrases(language: Language) -> dict[str, Any]:
    pgettext, ngettext = language.pgettext, language.ngettext
    names = {name: language.isolate(f"{{{name}}}") for name in ("base", "other")}
    mean = language.isolate("{mean}")
    return {
        # TRANSLATORS: heading of a comparison: both are systems
        "title": pgettext("comparison", "%(other)s against %(base)s", **names),
        # TRANSLATORS: beside a factor: how many times as fast the first is
        "over": pgettext("comparison", "%(other)s over %(base)s", **names),
        "kinds": {
            "training": pgettext("kind of work", "Training"),
            "decode": pgettext("workload", "LLM decode"),
            "prefill": pgettext("workload", "LLM prefill"),
            "inference": pgettext("kind of work", "Inference"),
            "other": pgettext("kind of work", "Other work"),
        },
        "factor": language.multiple("{}"),
        "factors": pgettext(
            "range of factors", "%(low)s–%(high)s×", low="{}", high="{}"
        ),
        "interval": language.isolate(
            pgettext("interval", "%(low)s–%(high)s", low="{}", high="{}")
        ),
        "batch": pgettext("work", "batch %(n)s", n="{}"),
        "n": language.isolate(pgettext("repetitions", "n = %(n)s", n="{}")),
        "parameters": {name: say(language, "{}") for name, say in KNOWN.items()},
        "machines": _forms(
            language,
            lambda n: language.npgettext(
                "evidence", "%(n)s machine", "%(n)s machines", n
            ),
        ),
        "mean": _forms(
            language,
            lambda n: ngettext(
                "Geometric mean %(mean)s over %(n)s cell.",
                "Geometric mean %(mean)s over %(n)s cells.",
                n,
                mean=mean,
            ),
        ),
        "ranging": _forms(
            language,
            lambda n: ngettext(
                "%(n)s cell on both sides of 1×: no mean.",
                "%(n)s cells on both sides of 1×: no mean.",
                n,
            ),
        ),
        "rough": _forms(
            language,
            lambda n: ngettext(
                "%(n)s cell, not like for like: bounds, no verdict.",
                "%(n)s cells, not like for like: bounds, no verdict.",
                n,
            ),
        ),
        "flagged": _forms(
            language,
            lambda n: ngettext(
                "%(n)s flagged pair left out.", "%(n)s flagged pairs left out.", n
            ),
        ),
        "tags": {
            "repeated": pgettext("evidence", "like for like, n ≥ %(n)s", n="{}"),
            "single": pgettext("evidence", "one run each, like for like"),
            "few": pgettext("evidence", "like for like, few runs"),
            "unlike": pgettext("evidence", "not like for like"),
        },
        "none": pgettext("comparison", "not measured on both"),
        "like": pgettext(
            "comparison", "%(like)s of %(n)s like for like", like="{like}", n="{n}"
        ),
        "differs": pgettext("comparison", "differs: %(conditions)s", conditions="{}"),
        "unstated": pgettext(
            "comparison", "not stated: %(conditions)s", conditions="{}"
        ),
        "facts": {
            "cores": pgettext("fact of a chip", "GPU cores"),
            "bandwidth": pgettext("fact of a chip", "Memory bandwidth"),
            "peak": pgettext("fact of a chip", "fp32 peak"),
            "most": pgettext("fact of a chip", "Sold with up to"),
            "memory": pgettext("fact of a chip", "Memory of the machines"),
            "machines": pgettext("fact of a chip", "Machines"),
            "systems": pgettext("fact of a chip", "Operating system"),
            "frameworks": pgettext("fact of a chip", "Framework"),
            "precisions": pgettext("fact of a chip", "Precision"),
            "years": pgettext("fact of a chip", "Measured"),
        },
        "same": language.gettext("The same on both sides: %(facts)s.", facts="{}"),
        "nothing": pgettext("comparison", "nothing more"),
        "empty": language.gettext(
            "%(base)s and %(other)s have no cell in common: nothing can be said, not "
            "even roughly.",
            **names,
        ),
        "reading": language.gettext(
            "Above 1× %(other)s is faster. Intervals are 95%% confidence intervals of "
            "the ratio; a side with a single run (n = 1) leaves it without one.",
            other=names["other"],
        ),
        "unknown": language.gettext(
            "This page has no system of that name. The command below compares any two."
        ),
        "work": pgettext("table header", "Workload"),
        "verdict": pgettext("table header", "B against A"),
        "remarks": pgettext("table header", "What differs, flags"),
        "fact": pgettext("table header", "Fact"),
        "headings": {
            "cells": pgettext("comparison", "Cell by cell"),
            "differs": pgettext("comparison", "What differs between the two"),
            "rest": pgettext("comparison", "What only one of them has"),
        },
    }


def _forms(language: Language, function: Callable[[int], str]) -> dict[str, str]:
    """Return the forms of a message by CLDR's names of them, the number as ``{n}``."""
    values = dict[str, str]()
    for n in _SAMPLES:
        name = str(language.locale.plural_form(n))
        if name not in values:
            values[name] = function(n).replace(
                language.written(n), language.isolate("{n}")
            )
    return values


def _labels(language: Language, labels: Iterable[str]) -> dict[str, tuple[int, str]]:
    pairs = {}
    for key in sorted(set(labels)):
        step, _, mine = key.partition(" ")
        text = trust_text(language, step, "measured", mine=bool(mine)) if step else ""
        pairs[key] = (bars(step), text)
    return pairs


def _verdicts(language: Language) -> dict[str, tuple[str, str]]:
    """Return how each verdict is said of a slower side and of a faster one."""
    factor = language.isolate(language.multiple("{}"))
    pairs = {}
    for word, (verdict, like) in _WORDS.items():
        ratios = (
            Ratio(value, verdict, differs=() if like else ("work",))
            for value in (0.5, 2.0)
        )
        slower, faster = (terms.verdict_text(language, it, factor) for it in ratios)
        pairs[word] = slower, faster
    return pairs
