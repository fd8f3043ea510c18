"""Sentences about what the plausibility rules find, and about figures told twice."""

from collections.abc import Callable, Mapping

from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name
from benchdb.report.wording.facts import (
    Detail,
    amount,
    count,
    has,
    percent,
    rate,
    speed,
    text,
    value,
)
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.terms import chip_text, device_text


def _above_peak(language: Language, detail: Detail) -> str:
    metric = detail.get("metric")
    if metric == "mfu_percent" and has(detail, "stated"):
        return language.gettext(
            "%(stated)s of what the chip can do: more than all of it cannot be.",
            stated=percent(detail["stated"]),
        )
    if not has(detail, "stated", "peak", "chip"):
        return language.gettext("More than the chip can do.")
    facts: dict[str, Argument] = {
        "stated": rate(detail["stated"], metric),
        "peak": rate(detail["peak"], metric),
        "chip": text(detail["chip"]),
    }
    mode = detail.get("mode")
    if not isinstance(mode, str) or mode in ("", "any"):
        return language.gettext(
            "This amounts to %(stated)s; the chip does %(peak)s at most (%(chip)s).",
            **facts,
        )
    return language.gettext(
        "This amounts to %(stated)s; in %(mode)s the chip does %(peak)s at most "
        "(%(chip)s).",
        mode=text(mode),
        **facts,
    )


def _unit_contradiction(language: Language, detail: Detail) -> str:
    if not has(detail, "stated", "expected", "other", "factor"):
        return language.gettext(
            "Two figures of this run contradict each other, as if one were in another "
            "unit."
        )
    metric = detail.get("metric")
    return language.gettext(
        "Another figure of the run (%(other)s) makes this %(expected)s, not "
        "%(stated)s. A factor near %(factor)s points to a unit or a batch.",
        other=Name(metric_text(language, str(detail["other"]))),
        expected=amount(detail["expected"], metric),
        stated=amount(detail["stated"], metric),
        factor=value(detail["factor"]),
    )


def _impossible_os(language: Language, detail: Detail) -> str:
    if not has(detail, "chip", "os_version", "first"):
        return language.gettext(
            "The operating system is older than the first that ran on this chip."
        )
    return language.gettext(
        "The source names macOS %(version)s, but the %(chip)s needs %(first)s or "
        "later. This says nothing of the figure.",
        version=text(detail["os_version"]),
        chip=text(detail["chip"]),
        first=text(detail["first"]),
    )


def _impossible_device(language: Language, detail: Detail) -> str:
    device = detail.get("device")
    if not has(detail, "chip") or not isinstance(device, str):
        return language.gettext("This machine cannot have such a device.")
    facts: dict[str, Argument] = {
        "device": text(device_text(language, device)),
        "chip": text(chip_text(language, str(detail["chip"]))),
    }
    system = detail.get("os_name")
    if not isinstance(system, str) or not system:
        return language.gettext(
            "There is no %(device)s on this machine (%(chip)s).", **facts
        )
    return language.gettext(
        "There is no %(device)s on this machine (%(chip)s, %(system)s).",
        system=text(system),
        **facts,
    )


def _samples_disagree(language: Language, detail: Detail) -> str:
    if not has(detail, "stated", "recomputed"):
        return language.gettext("The measurements of this run give another value.")
    metric = detail.get("metric")
    return language.gettext(
        "The measurements of this run give %(recomputed)s, not %(stated)s.",
        recomputed=amount(detail["recomputed"], metric),
        stated=amount(detail["stated"], metric),
    )


def _slower_in_larger_batches(language: Language, detail: Detail) -> str:
    kept = language.gettext("It may be so: the value counts in all comparisons.")
    own, other = (speed(detail, name) for name in ("", "smaller_"))
    if not (has(detail, "batch_size", "smaller_batch_size") and own and other):
        said = language.gettext(
            "The larger batch is slower here, and on no other system of the source."
        )
        return language.sentences([said, kept])
    said = language.gettext(
        "%(figure)s at batch %(batch)s, but %(other)s at batch %(smaller)s: the larger "
        "batch is slower here, and on no other system of the source.",
        figure=own,
        batch=count(detail["batch_size"]),
        other=other,
        smaller=count(detail["smaller_batch_size"]),
    )
    return language.sentences([said, kept])


def _contradicting_names(language: Language, detail: Detail) -> str:
    if not has(detail, "chip", "device_name"):
        return language.gettext(
            "The names of the chip and of the device contradict each other."
        )
    return language.gettext(
        "The names of the chip (%(chip)s) and of the device (%(device)s) contradict "
        "each other.",
        chip=text(detail["chip"]),
        device=text(detail["device_name"]),
    )


def _unknown_chip(language: Language, detail: Detail) -> str:
    if not has(detail, "chip", "known"):
        return language.gettext("The catalogue of chips does not have this chip.")
    return language.gettext(
        "The catalogue of chips has no %(chip)s; of its generation it has: %(known)s.",
        chip=text(detail["chip"]),
        known=text(detail["known"]),
    )


def _duplicate_key(language: Language, detail: Detail) -> str:
    if not has(detail, "runs", "low", "high"):
        return language.gettext(
            "The source tells one and the same run several times, with other figures."
        )
    n, metric = round(value(detail["runs"])), detail.get("metric")
    return language.ngettext(
        "The source tells %(n)s run with other figures, from %(low)s to %(high)s, and "
        "nothing that tells it apart.",
        "The source tells %(n)s runs with other figures, from %(low)s to %(high)s, and "
        "nothing that tells them apart.",
        n,
        low=amount(detail["low"], metric),
        high=amount(detail["high"], metric),
    )


def _superseded(language: Language, detail: Detail) -> str:
    newer = detail.get("newer")
    if not isinstance(newer, str) or not newer:
        return language.gettext(
            "There is a newer version of this source; this one counts in no comparison."
        )
    return language.gettext(
        "There is a newer version of this source (%(newer)s); this one counts in no "
        "comparison.",
        newer=text(newer),
    )


def _same_figures(language: Language, detail: Detail) -> str:
    original = detail.get("original")
    if not isinstance(original, str) or not original:
        return language.gettext(
            "Another source tells the same figures; they count once, there."
        )
    return language.gettext(
        "Another source tells the same figures (%(original)s); they count once, there.",
        original=text(original),
    )


DOUBTS: Mapping[str, Callable[[Language, Detail], str]] = {
    "above-peak": _above_peak,
    "approximate": lambda language, _: language.gettext(
        "The source rounds this figure."
    ),
    "contradicting-copies": lambda language, _: language.gettext(
        "This process is stored several times with different contents, and nothing "
        "shows which of them is true."
    ),
    "contradicting-names": _contradicting_names,
    "copied-samples": lambda language, _: language.gettext(
        "The measured times of this run are those of another one, in the same order: "
        "no two processes take them alike."
    ),
    "duplicate-key": _duplicate_key,
    "foreign-id": lambda language, _: language.gettext(
        "It bears the anonymous id of a machine that was measured here, but came in a "
        "file from elsewhere: it counts as another machine and enters no headline."
    ),
    "hearsay": lambda language, _: language.gettext(
        "Only a file from elsewhere tells this figure; its document was not read here. "
        "It counts in no comparison."
    ),
    "future-date": lambda language, _: language.gettext(
        "The date of this run, or of its source, is later than its import. It counts "
        "as not known."
    ),
    "impossible-device": _impossible_device,
    "impossible-figure": lambda language, _: language.gettext(
        "No measurement can give this value. It stays as it is and enters no headline."
    ),
    "impossible-os": _impossible_os,
    "same-figures": _same_figures,
    "samples-disagree": _samples_disagree,
    "slower-in-larger-batches": _slower_in_larger_batches,
    "superseded": _superseded,
    "unit-contradiction": _unit_contradiction,
    "unknown-chip": _unknown_chip,
}
