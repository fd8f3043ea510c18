"""Grades and labels in words: what all figures of a table share is said once for it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchdb.report.language import Language, fixed
from benchdb.report.language.arguments import Name, Share
from benchdb.report.view.atoms import Quantity, parts
from benchdb.report.view.listed import Ground
from benchdb.report.wording.terms import label_text

# A label, and whether what it stands at is mine.
_Label = tuple[str, bool]
# The labels that each grade comes with among the figures of a table.
Grades = Mapping[str, tuple[_Label, ...]]

_NONE = "–"  # nothing that a grade could judge
_LABELS: tuple[_Label, ...] = (
    ("measured", True),
    ("measured", False),
    ("imported", False),
    ("aggregate", False),
    ("transcribed", False),
    ("claimed", False),
)


def grades(section: object) -> Grades:
    """Return the grades of all figures in a part of a report, the best first."""
    return grades_of(parts(section, Quantity))


def grades_of(figures: Iterable[Quantity | None]) -> Grades:
    """Return the grades of the figures that are there, the best first."""
    groups: defaultdict[str, set[_Label]] = defaultdict(set)
    for quantity in figures:
        if quantity and quantity.label:
            groups[quantity.grade or _NONE].add((quantity.label, quantity.mine))
    return {grade: tuple(sorted(groups[grade], key=_order)) for grade in sorted(groups)}


def _order(label: _Label) -> tuple[int, _Label]:
    return _LABELS.index(label) if label in _LABELS else len(_LABELS), label


def grade_mark(quantity: Quantity, known: Grades) -> str:
    """Return the letter to stand beside a figure, unless all of its table share it."""
    shown = quantity.label and known and not _is_shared(known)
    return quantity.grade or _NONE if shown else ""


def label_mark(language: Language, quantity: Quantity, known: Grades) -> str:
    """Return the label to stand beside a figure whose grade does not imply it."""
    implied = len(known.get(quantity.grade or _NONE, ())) == 1
    if implied or not quantity.label:
        return ""
    return label_text(language, quantity.label, mine=quantity.mine)


def grades_text(language: Language, known: Grades) -> str:
    """Say grade and label of all figures of a table, or which label each grade has."""
    if not known:
        return ""
    if _is_shared(known):
        ((grade, (label,)),) = known.items()
        return language.gettext(
            "Grade of every figure: %(grade)s (%(label)s).",
            grade=Name(grade),
            label=_named(language, label),
        )
    alike: defaultdict[tuple[_Label, ...], list[str]] = defaultdict(list)
    for grade, labels in known.items():
        alike[labels].append(grade)
    pairs = [
        language.pgettext(
            "grades with their labels",
            "%(grades)s (%(labels)s)",
            grades=Name(language.comma.join(letters)),
            labels=language.semicolon.join(_named(language, pair) for pair in labels),
        )
        for labels, letters in alike.items()
    ]
    return language.gettext(
        "The letter beside a figure is its grade: %(grades)s.",
        grades=language.semicolon.join(pairs),
    )


def _named(language: Language, label: _Label) -> str:
    name, mine = label
    return label_text(language, name, mine=mine)


def _is_shared(known: Grades) -> bool:
    return [len(labels) for labels in known.values()] == [1]


def against_text(language: Language, against: Sequence[Ground]) -> str:
    """Say which checks failed; for an implausible figure its note says why."""
    names = [
        gate_text(language, name.strip())
        for ground in against
        if ground.code == "gate-failed"
        for name in str(ground.about).split(",")
    ]
    if not names:
        return ""
    return language.gettext(
        "disqualified, check failed: %(checks)s",
        checks=[language.isolate(name) for name in names],
    )


def gate_text(language: Language, name: str) -> str:
    """Name a check that a run must pass."""
    known = {
        "all": language.pgettext("check", "all"),
        "device": language.pgettext("check", "device"),
        "doubling": language.pgettext("check", "twice the work takes twice the time"),
        "dtype": language.pgettext("check", "number type"),
        "loss": language.pgettext("check", "finite, moving loss"),
        "math_mode": language.pgettext("check", "math mode"),
        "parameter_count": language.pgettext("check", "parameter count"),
        "peak_bandwidth": language.pgettext("check", "within the peak bandwidth"),
        "peak_rate": language.pgettext("check", "within the peak rate"),
        "reference_loss": language.pgettext("check", "loss as in the CPU reference"),
        "result_error": language.pgettext("check", "error of the result"),
        "synchronisation": language.pgettext("check", "the clock waits for the device"),
    }
    return known.get(name, name)


def ground_text(language: Language, code: str, figure: float | str | None) -> str:
    """Say what keeps a figure from a better grade; *figure* is what decided.

    The number of processes stands beside every grade, and needs no words here.
    """
    sentence = GROUNDS.get(code)
    if sentence is None:
        return code.replace("-", " ")
    if not sentence:
        return ""
    if "%" not in sentence:
        return language.gettext(sentence)
    if isinstance(figure, float):
        shown = fixed(language.locale, f"{figure:.3g}")
    else:
        shown = _in_words(language, code, str(figure))
    return language.gettext(sentence, figure=Name(shown))


def _in_words(language: Language, code: str, figure: str) -> str:
    """Say a label or the names of checks; other text stays as it is."""
    if code == "imported":
        return label_text(language, figure)
    if code in ("gate-failed", "gates-not-checked"):
        return language.comma.join(
            gate_text(language, name.strip()) for name in figure.split(",")
        )
    if code == "state-unknown":
        return language.gettext(figure) if figure in _UNKNOWN else figure
    if code == "throttled" and (number := re.search(r"[\d.]+", figure)):
        share = Share(float(number[0]) / 100, 1)
        if figure.startswith("clock"):
            return language.gettext("clock at %(share)s of its maximum", share=share)
        return language.gettext("%(share)s of the time", share=share)
    return figure


def N_(message: str) -> str:  # noqa: N802  known to Babel
    """Return *message*, which is translated where it is shown."""
    return message


# As grading has them.
_UNKNOWN = {
    N_("nothing was read during the run"),
    N_("load before the run"),
    N_("whether it was throttled"),
}
GROUNDS = {
    "few-processes": "",
    "imported": N_("published by others (%(figure)s)"),
    "gate-failed": N_("failed: %(figure)s"),
    "implausible": N_("cannot be true: %(figure)s"),
    "process-failed": N_("processes that failed: %(figure)s"),
    "smoke": N_("smoke tier"),
    "quick": N_("quick tier"),
    "spread": N_("processes vary by %(figure)s %%"),
    # Its lower end is nearer: a ratio's.
    "wide-interval": N_("interval to +%(figure)s %%"),
    "unsteady": N_("drift %(figure)s %%"),
    "fanless": N_("no fan: slower by %(figure)s %% in the end"),
    "shift": N_("blocks shift by %(figure)s %%"),
    "first-block": N_("the first block is unlike the others"),
    "steadiness-unknown": N_("no test for a steady state"),
    "noisy-blocks": N_("blocks vary by %(figure)s %%"),
    "gates-not-checked": N_("gates not checked: %(figure)s"),
    "state-unknown": N_("not known: %(figure)s"),
    "throttled": N_("throttled: %(figure)s"),
    "thermal-pressure": N_("thermal pressure %(figure)s"),
    "throttle-events": N_("throttled %(figure)s times"),
    "cpu-speed-limit": N_("CPU slowed down by %(figure)s %%"),
    "busy": N_("busy before: load %(figure)s for each CPU"),
    "gpu-shared": N_("other processes on the GPU: %(figure)s"),
    "swapping": N_("%(figure)s bytes swapped out"),
    "battery": N_("on battery"),
    "low-power-mode": N_("Low Power Mode"),
    "rosetta": N_("under Rosetta"),
    "virtual": N_("virtual machine"),
}


def how_to_read_grades(language: Language) -> str:
    """Say what the letters and the labels mean, and what a headline needs."""
    letters = language.gettext(
        "Every figure has a grade. A: at least five processes of a steady machine at "
        "rest, all checks passed; B: nearly that; C: measured with less evidence; I: "
        "published by others; X: disqualified, because a check failed or the figure "
        "cannot be true."
    )
    labels = language.gettext(
        "Its label says how it came here: %(labels)s.",
        labels=language.semicolon.join(_named(language, label) for label in _LABELS),
    )
    rule = language.gettext(
        "A headline needs figures with grade A to C and samples of their own, or with "
        "grade I from a named source."
    )
    return language.sentences([letters, labels, rule])
