"""Sentences about single values: why one deserves a second look, by flag code.

Where a flag carries its facts, the sentence gives them; older or foreign flags may
carry none, and then it says less.
"""

import math
from collections.abc import Callable, Mapping
from typing import TypeGuard

from benchdb import catalogue
from benchdb.metric_kinds import unit_of
from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import Note
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.terms import (
    chip_text,
    condition,
    device_text,
    work_named,
)

Detail = Mapping[str, object]
# A fact of a flag as an argument of a message; None where it is missing, or odd.
Fact = Callable[[Language, Detail], Argument | None]
# What may be said; nothing where facts are missing.
Choice = Callable[[Language, Detail], str]

_FLOPS = ("samples_per_second", "step_seconds")  # what is judged by operations a second


def note_text(language: Language, note: Note) -> str:
    """Say what the note is about, and why the value deserves a second look."""
    reason = reason_text(language, note.code, note.detail)
    subject = subject_text(language, note.subject)
    if not subject:
        return reason
    return language.pgettext(
        "note", "%(subject)s: %(reason)s", subject=subject, reason=reason
    )


def subject_text(language: Language, subject: Detail) -> str:
    """Name what a note is about: chip, device, workload, batch size."""
    named = (_text("chip", chip_text), _text("device", device_text))
    facts = [fact(language, subject) for fact in (*named, _text("workload", _title))]
    parts = [fact.text for fact in facts if isinstance(fact, Name)]
    if batch := _number("batch_size", _count)(language, subject):
        parts.append(language.pgettext("note", "batch %(size)s", size=batch))
    return language.comma.join(map(language.isolate, parts))


def reason_text(language: Language, code: str, detail: Detail) -> str:
    """Say what does not add up."""
    choice = SENTENCES.get(code)
    if choice is None:
        flagged = language.gettext("Flagged as “%(code)s”.", code=Name(code))
        says = detail.get("says")  # of a rule that a package adds, in its own words
        if not isinstance(says, str):
            return flagged
        return language.sentences([flagged, language.isolate(says)])
    return choice(language, detail)


def N_(message: str, /, **facts: Fact) -> Choice:  # noqa: N802  known to Babel
    """Return a choice that says *message* where all of its *facts* are there."""

    def choice(language: Language, detail: Detail) -> str:
        known = {name: fact(language, detail) for name, fact in facts.items()}
        there = {name: fact for name, fact in known.items() if fact is not None}
        return language.gettext(message, **there) if len(there) == len(facts) else ""

    return choice


def _first(*choices: Choice) -> Choice:
    """Return a choice that says the first of *choices* that says anything."""
    return lambda language, detail: next(
        filter(None, (choice(language, detail) for choice in choices)), ""
    )


def _joined(*choices: Choice) -> Choice:
    """Return a choice that says all of *choices*."""
    return lambda language, detail: language.sentences(
        [choice(language, detail) for choice in choices]
    )


def _text(name: str, write: Callable[[Language, str], str] | None = None) -> Fact:
    """Return a fact that is text, as *write* says it."""

    def fact(language: Language, detail: Detail) -> Name | None:
        text = detail.get(name)
        if not isinstance(text, str) or not text:
            return None
        return Name(write(language, text) if write else text)

    return fact


def _number(name: str, write: Callable[[float, object], Argument]) -> Fact:
    """Return a fact that is a number, as *write* says it, which gets the metric too."""

    def fact(_: Language, detail: Detail) -> Argument | None:
        number = detail.get(name)
        return (
            write(float(number), detail.get("metric")) if _is_number(number) else None
        )

    return fact


def _is_number(fact: object) -> TypeGuard[int | float]:
    """Tell whether *fact* is a number that can be written."""
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        return False
    try:
        return math.isfinite(float(fact))
    except OverflowError:
        return False


def _count(number: float, _: object) -> Argument:
    return round(number)


def _percent(number: float, _: object) -> Argument:
    return Share(number / 100)


def _seconds(number: float, _: object) -> Argument:
    return Quantity(number, "s", "")


def _gigabytes(number: float, _: object) -> Argument:
    return Quantity(number, "GB", "")


def _amount(number: float, metric: object) -> Argument:
    """Return a figure of *metric* with its unit, as far as the metric is known."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    return Quantity(number, unit_of(str(metric), "") if known else "", "")


def _rate(number: float, metric: object) -> Argument:
    """Return what a chip would have to do for a figure of *metric*, with its unit."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    if known and not str(metric).endswith(_FLOPS):
        return _amount(number, metric)
    return Quantity(number, "TFLOPS", "")


def _speed(prefix: str) -> Fact:
    """Return a figure that a flag has in seconds, or else as a rate."""

    def fact(language: Language, detail: Detail) -> Argument | None:
        seconds = _number(f"{prefix}seconds", _seconds)(language, detail)
        return seconds or _number(f"{prefix}rate", _amount)(language, detail)

    return fact


def _title(language: Language, name: str) -> str:
    known = catalogue.workloads().get(name)
    return work_named(language, name, known.title if known else name)


def _mode(language: Language, detail: Detail) -> Argument | None:
    return None if detail.get("mode") == "any" else _text("mode")(language, detail)


def _utilisation(language: Language, detail: Detail) -> Argument | None:
    metric = detail.get("metric")
    stated = _number("stated", _percent)(language, detail)
    return stated if metric == "mfu_percent" else None


def _duplicate_key(language: Language, detail: Detail) -> str:
    runs, low, high = (
        _number(name, write)(language, detail)
        for name, write in (("runs", _count), ("low", _amount), ("high", _amount))
    )
    if not isinstance(runs, int) or low is None or high is None:
        return language.gettext(
            "The source tells one and the same run several times, with other figures."
        )
    return language.ngettext(
        "The source tells %(n)s run with other figures, from %(low)s to %(high)s, and "
        "nothing that tells it apart.",
        "The source tells %(n)s runs with other figures, from %(low)s to %(high)s, and "
        "nothing that tells them apart.",
        runs,
        low=low,
        high=high,
    )


def _peers_order(language: Language, detail: Detail) -> str:
    facts = {name: fact(language, detail) for name, fact in _INVERTED.items()}
    peers, low, high = map(detail.get, ("peers", "peers_low", "peers_high"))
    longer, shorter = facts["longer"], facts["shorter"]
    if None in facts.values() or longer is None or shorter is None:
        return ""
    if not (_is_number(peers) and _is_number(low) and _is_number(high)):
        return ""
    return language.ngettext(
        "On %(n)s other system %(longer)s takes %(range)s as long as %(shorter)s.",
        "On the %(n)s other systems %(longer)s takes %(range)s as long as %(shorter)s.",
        round(peers),
        longer=longer,
        shorter=shorter,
        range=Times(float(low), float(high)),
    )


def _beyond_ceiling(language: Language, detail: Detail) -> str:
    stated, best, ceiling = (
        _number(name, _amount)(language, detail)
        for name in ("stated", "best", "ceiling")
    )
    machines = detail.get("machines")
    if stated is None or best is None or ceiling is None:
        return ""
    if not isinstance(machines, int):
        return ""
    return language.ngettext(
        "%(stated)s is beyond the ceiling of %(ceiling)s: the best of %(n)s other "
        "machine of this kind reaches %(best)s at the same work.",
        "%(stated)s is beyond the ceiling of %(ceiling)s: the best of %(n)s other "
        "machines of this kind reaches %(best)s at the same work.",
        machines,
        stated=stated,
        ceiling=ceiling,
        best=best,
    )


def _out_of_bin(language: Language, detail: Detail) -> str:
    if "ceiling" in detail and (said := _beyond_ceiling(language, detail)):
        return said
    stated, low, high = (
        _number(name, _amount)(language, detail) for name in ("stated", "low", "high")
    )
    machines = detail.get("machines")
    if stated is None or low is None or high is None or not isinstance(machines, int):
        return language.gettext(
            "Far outside what other machines of this kind give for the same work."
        )
    return language.ngettext(
        "%(stated)s is far outside what %(n)s other machine of this kind gives for the "
        "same work, %(low)s to %(high)s.",
        "%(stated)s is far outside what %(n)s other machines of this kind give for the "
        "same work, %(low)s to %(high)s.",
        machines,
        stated=stated,
        low=low,
        high=high,
    )


def _unlike_conditions(language: Language, detail: Detail) -> str:
    pairs = [
        language.gettext(
            "%(condition)s: %(own)s instead of %(other)s",
            condition=condition(language, name),
            own=Name(str(detail[name])),
            other=Name(str(detail[f"others_{name}"])),
        )
        for name in sorted(detail)
        if f"others_{name}" in detail
    ]
    if not pairs:
        return language.gettext(
            "Run under other conditions than the figures it stands next to."
        )
    return language.gettext(
        "Run under other conditions than the figures it stands next to (%(pairs)s). "
        "The distance contains this difference too.",
        pairs=language.semicolon.join(pairs),
    )


def _power_scope(language: Language, detail: Detail) -> str:
    if detail.get("column") == "Power":
        return language.gettext(
            "The source says neither whether this is a peak or a mean, nor what it "
            "covers."
        )
    return language.gettext(
        "A peak as the author read it; the source does not say whether it covers "
        "the whole chip or only the GPU."
    )


_PEAK = {
    "stated": _number("stated", _rate),
    "peak": _number("peak", _rate),
    "chip": _text("chip"),
}
_DEVICE = {"device": _text("device", device_text), "chip": _text("chip", chip_text)}
_CPU_USE = {
    "stated": _number("stated", _percent),
    "computed": _number("computed", _percent),
}
_INVERTED = {
    "longer": _text("longer", _title),
    "shorter": _text("shorter", _title),
    "less": _speed("longer_"),
    "more": _speed("shorter_"),
}

# What is said for each code.
SENTENCES: Mapping[str, Choice] = {
    "above-peak": _first(
        N_(
            "%(stated)s: the memory of the chip does not read the weights, %(weights)s "
            "at least, more often than %(peak)s (%(chip)s). Another quantisation, "
            "several tokens at once or a cache would explain it.",
            weights=_number("weights", _gigabytes),
            **_PEAK,
        ),
        N_(
            "%(stated)s of what the chip can do: more than all of it cannot be.",
            stated=_utilisation,
        ),
        N_(
            "This amounts to %(stated)s; in %(mode)s the chip does %(peak)s at most "
            "(%(chip)s).",
            mode=_mode,
            **_PEAK,
        ),
        N_(
            "This amounts to %(stated)s; the chip does %(peak)s at most (%(chip)s).",
            **_PEAK,
        ),
        N_("More than the chip can do."),
    ),
    "approximate": N_("The source rounds this figure."),
    "batch-differs-from-command": _first(
        N_(
            "The table says batch size %(stated)s, the command in the source says "
            "%(command)s.",
            stated=_number("batch_size", _count),
            command=_number("command_batch_size", _count),
        ),
        N_("The batch size in the table is not that of the command in the source."),
    ),
    "claim-exceeded": N_("The source's own values go beyond this statement."),
    "contradicting-copies": N_(
        "This process is stored several times with different contents, and nothing "
        "shows which of them is true."
    ),
    "contradicting-names": _first(
        N_(
            "The names of the chip (%(chip)s) and of the device (%(device)s) "
            "contradict each other.",
            chip=_text("chip"),
            device=_text("device_name"),
        ),
        N_("The names of the chip and of the device contradict each other."),
    ),
    "contradicting-signers": N_(
        "It is signed with another key than earlier runs of the machine whose "
        "anonymous id it bears. It counts as of another machine and enters no "
        "headline until that is decided."
    ),
    "copied-samples": N_(
        "The measured times of this run are those of another one, in the same order: "
        "no two processes take them alike."
    ),
    "cpu-percent-mismatch": _joined(
        _first(
            N_(
                "The source states %(stated)s CPU use; its own times give "
                "%(computed)s.",
                **_CPU_USE,
            ),
            N_("The CPU use in the source does not follow from its own times."),
        ),
        N_(
            "With %(candidate)s of user time instead of %(printed)s they would agree.",
            candidate=_number("candidate_user_seconds", _seconds),
            printed=_number("user_seconds", _seconds),
            **_CPU_USE,
        ),
    ),
    "duplicate-key": _duplicate_key,
    "foreign-id": N_(
        "It bears the anonymous id of a machine that was measured here, but came in a "
        "file from elsewhere: it counts as another machine and enters no headline."
    ),
    "future-date": N_(
        "The date of this run, or of its source, is later than its import. It counts "
        "as not known."
    ),
    "hearsay": N_(
        "Only a file from elsewhere tells this figure; its document was not read "
        "here. It counts in no comparison."
    ),
    "impossible-device": _first(
        N_(
            "There is no %(device)s on this machine (%(chip)s, %(system)s).",
            system=_text("os_name"),
            **_DEVICE,
        ),
        N_("There is no %(device)s on this machine (%(chip)s).", **_DEVICE),
        N_("This machine cannot have such a device."),
    ),
    "impossible-figure": N_(
        "No measurement can give this value. It stays as it is and enters no headline."
    ),
    "impossible-memory": _first(
        N_(
            "The source states %(memory)s of memory; the %(chip)s was sold with "
            "%(most)s at most.",
            memory=_number("memory", _gigabytes),
            most=_number("most", _gigabytes),
            chip=_text("chip"),
        ),
        N_("The chip was never sold with so much memory."),
    ),
    "impossible-os": _first(
        N_(
            "The source names macOS %(version)s, but the %(chip)s needs %(first)s or "
            "later. This says nothing of the figure.",
            version=_text("os_version"),
            chip=_text("chip"),
            first=_text("first"),
        ),
        N_("The operating system is older than the first that ran on this chip."),
    ),
    "order-inverted": _joined(
        _first(
            N_(
                "%(longer)s (%(less)s) takes less time here than %(shorter)s "
                "(%(more)s).",
                **_INVERTED,
            ),
            N_("Two workloads are in the reverse order of all peers."),
        ),
        _peers_order,
        N_(
            "The columns may be swapped in the source. The values stay as printed and "
            "enter no headline."
        ),
    ),
    "out-of-bin": _joined(
        _out_of_bin, N_("It may be so: the value counts in all comparisons.")
    ),
    "outlier": _joined(
        _first(
            N_(
                "%(seconds)s is out of line: the %(peer)s needs %(peer_seconds)s.",
                seconds=_number("seconds", _seconds),
                peer=_text("peer"),
                peer_seconds=_number("peer_seconds", _seconds),
            ),
            N_(
                "%(figure)s is out of line: the %(peer)s gives %(peer_figure)s.",
                figure=_number("rate", _amount),
                peer=_text("peer"),
                peer_figure=_number("peer_rate", _amount),
            ),
            N_("This value lies far from comparable ones."),
        ),
        N_(
            "Only %(stated)s CPU use, against %(low)s to %(high)s on comparable "
            "systems.",
            stated=_number("stated", _percent),
            low=_number("peers_low", _percent),
            high=_number("peers_high", _percent),
        ),
    ),
    "power-scope-unknown": _power_scope,
    "ratio-mismatch": _first(
        N_(
            "The ratio in the source does not follow from its values, which give "
            "%(recomputed)s.",
            recomputed=_number("recomputed", lambda number, _: Times(number)),
        ),
        N_("A ratio in the source does not follow from its values."),
    ),
    "same-figures": _first(
        N_(
            "Another source tells the same figures (%(original)s); they count once, "
            "there.",
            original=_text("original"),
        ),
        N_("Another source tells the same figures; they count once, there."),
    ),
    "samples-disagree": _first(
        N_(
            "The measurements of this run give %(recomputed)s, not %(stated)s.",
            recomputed=_number("recomputed", _amount),
            stated=_number("stated", _amount),
        ),
        N_("The measurements of this run give another value."),
    ),
    "self-test": _first(
        N_(
            "The model is called “%(model)s”: a program that tests itself, no result.",
            model=_text("model"),
        ),
        N_("A program that tests itself, no result."),
    ),
    "launch-bound": _first(
        N_(
            "Launch-bound: the GPU is busy %(busy)s of the time; the figure measures "
            "the host.",
            busy=_number("busy", _percent),
        ),
        N_("Launch-bound: the figure measures the host, for which the GPU waits."),
    ),
    "slower-in-larger-batches": _joined(
        _first(
            N_(
                "%(figure)s at batch %(batch)s, but %(other)s at batch %(smaller)s: "
                "the larger batch is slower here, and on no other system of the "
                "source.",
                figure=_speed(""),
                batch=_number("batch_size", _count),
                other=_speed("smaller_"),
                smaller=_number("smaller_batch_size", _count),
            ),
            N_(
                "The larger batch is slower here, and on no other system of the source."
            ),
        ),
        N_("It may be so: the value counts in all comparisons."),
    ),
    "speedup-wording": N_(
        "The source gives a factor as a percentage of speed-up, which can be read in "
        "two ways."
    ),
    "superseded": _first(
        N_(
            "There is a newer version of this source (%(newer)s); this one counts in "
            "no comparison.",
            newer=_text("newer"),
        ),
        N_(
            "There is a newer version of this source; this one counts in no comparison."
        ),
    ),
    "unit-contradiction": _first(
        N_(
            "Another figure of the run (%(other)s) makes this %(expected)s, not "
            "%(stated)s. A factor near %(factor)s points to a unit or a batch.",
            other=_text("other", metric_text),
            expected=_number("expected", _amount),
            stated=_number("stated", _amount),
            factor=_number("factor", lambda number, _: number),
        ),
        N_(
            "Two figures of this run contradict each other, as if one were in another "
            "unit."
        ),
    ),
    "unit-unclear": N_("The source leaves the unit open."),
    "unknown-chip": _first(
        N_(
            "The catalogue of chips has no %(chip)s; of its generation it has: "
            "%(known)s.",
            chip=_text("chip"),
            known=_text("known"),
        ),
        N_("The catalogue of chips does not have this chip."),
    ),
    "unlike-conditions": _unlike_conditions,
    "zero-power": N_("Nothing computes without power: no meter was read."),
}
