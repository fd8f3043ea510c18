"""The ladder of trust in words: its steps, and what the next one asks for."""

from typing import TYPE_CHECKING

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.wording.terms import label_text
from benchdb.steps import Step, after

if TYPE_CHECKING:  # words of kept facts need no database
    from benchdb.store.retractions import Known


def step_text(language: Language, step: str) -> str:
    """Name a step: those below samples are called as the label of a figure."""
    known = {
        # TRANSLATORS: the times of all blocks of a run are kept
        "samples": language.pgettext("trust", "raw samples"),
        # TRANSLATORS: gates are checks that a run must pass
        "gates": language.pgettext("trust", "samples and gates"),
        # TRANSLATORS: of a run: whoever measured it signed it with a key
        "signed": language.pgettext("trust", "signed"),
        # TRANSLATORS: of a run: measured again on another machine, with the same result
        "replicated": language.pgettext("trust", "replicated"),
    }
    return known.get(step) or label_text(language, step)


def trust_text(
    language: Language,
    step: str | None,
    label: str,
    tier: str | None = None,
    *,
    mine: bool = False,
) -> str:
    """Say what stands behind a figure; of one that is mine, or a trial, that too."""
    if step is None or label != "measured":
        return step_text(language, step or label)
    parts = [step_text(language, step)]
    if mine:
        parts.append(label_text(language, label, mine=True))
    if tier == "smoke":
        parts.append(language.pgettext("condition", "trial run"))
    return language.comma.join(parts)


def next_text(language: Language, step: Step, run: str, workload: str) -> str:
    """Say what the step above *step* asks for, with the command; "" at the top."""
    above = after(step)
    if above is None:
        return ""
    asks = {
        "transcribed": language.gettext(
            "a document that shows the figure: %(command)s",
            command=Name("benchdb import DOCUMENT"),
        ),
        "aggregate": language.gettext(
            "what the program wrote that measured it: %(command)s",
            command=Name("benchdb import FILE"),
        ),
        "samples": language.gettext(
            "the time of every repetition: %(command)s",
            command=Name(f"benchdb collect {workload}"),
        ),
        "gates": language.gettext(
            "a collector whose gates all passed: %(command)s",
            command=Name(f"benchdb collect {workload}"),
        ),
        "signed": language.gettext(
            "the signature of whoever measured it, with a key that is known here: "
            "%(command)s",
            command=Name("benchdb export --mine --bundle FILE.benchdb"),
        ),
        "replicated": language.gettext(
            "the same on another machine, with another seed: %(command)s",
            command=Name(f"benchdb reproduce {run[:12]} --fresh-seed"),
        ),
    }
    return language.gettext(
        "next is %(step)s, which asks for %(what)s",
        step=step_text(language, above),
        what=asks[above],
    )


def retraction_text(language: Language, known: "Known") -> str:
    """Say why and when a run was withdrawn, or who says so without effect."""
    day, reason = language.date(known.retracted), Name(known.reason)
    if known.effect:
        return language.gettext(
            "Withdrawn on %(day)s: %(reason)s", day=day, reason=reason
        )
    return language.gettext(
        "Somebody else withdrew it on %(day)s, which has no effect: %(reason)s",
        day=day,
        reason=reason,
    )
