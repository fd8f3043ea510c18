"""Sentences about single values: why one deserves a second look, by flag code.

Where a flag carries its facts, the sentence gives them; older or foreign flags may
carry none, and then it says less.
"""

from collections.abc import Callable, Mapping

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.view.listed import Note
from benchdb.report.wording.flag_facts import (
    Detail,
    Fact,
    amount,
    count,
    gigabytes,
    is_number,
    mode,
    number_of,
    percent,
    rate,
    seconds,
    speed_of,
    text_of,
    utilisation,
    work_title,
)
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.terms import chip_text, condition, device_text

# What may be said; nothing where facts are missing.
Choice = Callable[[Language, Detail], str]


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
    named = (text_of("chip", chip_text), text_of("device", device_text))
    facts = [
        fact(language, subject) for fact in (*named, text_of("workload", work_title))
    ]
    parts = [fact.text for fact in facts if isinstance(fact, Name)]
    if batch := number_of("batch_size", count)(language, subject):
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


def _duplicate_key(language: Language, detail: Detail) -> str:
    runs, low, high = (
        number_of(name, write)(language, detail)
        for name, write in (("runs", count), ("low", amount), ("high", amount))
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
    if not (is_number(peers) and is_number(low) and is_number(high)):
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
        number_of(name, amount)(language, detail)
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
    if "ceiling" in detail and (text := _beyond_ceiling(language, detail)):
        return text
    stated, low, high = (
        number_of(name, amount)(language, detail) for name in ("stated", "low", "high")
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
    "stated": number_of("stated", rate),
    "peak": number_of("peak", rate),
    "chip": text_of("chip"),
}
_DEVICE = {"device": text_of("device", device_text), "chip": text_of("chip", chip_text)}
_CPU_USE = {
    "stated": number_of("stated", percent),
    "computed": number_of("computed", percent),
}
_INVERTED = {
    "longer": text_of("longer", work_title),
    "shorter": text_of("shorter", work_title),
    "less": speed_of("longer_"),
    "more": speed_of("shorter_"),
}

# What is said for each code.
SENTENCES: Mapping[str, Choice] = {
    "above-peak": _first(
        N_(
            "%(stated)s: the memory of the chip does not read the weights, %(weights)s "
            "at least, more often than %(peak)s (%(chip)s). Another quantisation, "
            "several tokens at once or a cache would explain it.",
            weights=number_of("weights", gigabytes),
            **_PEAK,
        ),
        N_(
            "%(stated)s of what the chip can do: more than all of it cannot be.",
            stated=utilisation,
        ),
        N_(
            "This amounts to %(stated)s; in %(mode)s the chip does %(peak)s at most "
            "(%(chip)s).",
            mode=mode,
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
            stated=number_of("batch_size", count),
            command=number_of("command_batch_size", count),
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
            chip=text_of("chip"),
            device=text_of("device_name"),
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
            candidate=number_of("candidate_user_seconds", seconds),
            printed=number_of("user_seconds", seconds),
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
            system=text_of("os_name"),
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
            memory=number_of("memory", gigabytes),
            most=number_of("most", gigabytes),
            chip=text_of("chip"),
        ),
        N_("The chip was never sold with so much memory."),
    ),
    "impossible-os": _first(
        N_(
            "The source names macOS %(version)s, but the %(chip)s needs %(first)s or "
            "later. This says nothing of the figure.",
            version=text_of("os_version"),
            chip=text_of("chip"),
            first=text_of("first"),
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
                seconds=number_of("seconds", seconds),
                peer=text_of("peer"),
                peer_seconds=number_of("peer_seconds", seconds),
            ),
            N_(
                "%(figure)s is out of line: the %(peer)s gives %(peer_figure)s.",
                figure=number_of("rate", amount),
                peer=text_of("peer"),
                peer_figure=number_of("peer_rate", amount),
            ),
            N_("This value lies far from comparable ones."),
        ),
        N_(
            "Only %(stated)s CPU use, against %(low)s to %(high)s on comparable "
            "systems.",
            stated=number_of("stated", percent),
            low=number_of("peers_low", percent),
            high=number_of("peers_high", percent),
        ),
    ),
    "power-scope-unknown": _power_scope,
    "ratio-mismatch": _first(
        N_(
            "The ratio in the source does not follow from its values, which give "
            "%(recomputed)s.",
            recomputed=number_of("recomputed", lambda number, _: Times(number)),
        ),
        N_("A ratio in the source does not follow from its values."),
    ),
    "same-figures": _first(
        N_(
            "Another source tells the same figures (%(original)s); they count once, "
            "there.",
            original=text_of("original"),
        ),
        N_("Another source tells the same figures; they count once, there."),
    ),
    "samples-disagree": _first(
        N_(
            "The measurements of this run give %(recomputed)s, not %(stated)s.",
            recomputed=number_of("recomputed", amount),
            stated=number_of("stated", amount),
        ),
        N_("The measurements of this run give another value."),
    ),
    "self-test": _first(
        N_(
            "The model is called “%(model)s”: a program that tests itself, no result.",
            model=text_of("model"),
        ),
        N_("A program that tests itself, no result."),
    ),
    "launch-bound": _first(
        N_(
            "Launch-bound: the GPU is busy %(busy)s of the time; the figure measures "
            "the host.",
            busy=number_of("busy", percent),
        ),
        N_("Launch-bound: the figure measures the host, for which the GPU waits."),
    ),
    "slower-in-larger-batches": _joined(
        _first(
            N_(
                "%(figure)s at batch %(batch)s, but %(other)s at batch %(smaller)s: "
                "the larger batch is slower here, and on no other system of the "
                "source.",
                figure=speed_of(""),
                batch=number_of("batch_size", count),
                other=speed_of("smaller_"),
                smaller=number_of("smaller_batch_size", count),
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
            newer=text_of("newer"),
        ),
        N_(
            "There is a newer version of this source; this one counts in no comparison."
        ),
    ),
    "unit-contradiction": _first(
        N_(
            "Another figure of the run (%(other)s) makes this %(expected)s, not "
            "%(stated)s. A factor near %(factor)s points to a unit or a batch.",
            other=text_of("other", metric_text),
            expected=number_of("expected", amount),
            stated=number_of("stated", amount),
            factor=number_of("factor", lambda number, _: number),
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
            chip=text_of("chip"),
            known=text_of("known"),
        ),
        N_("The catalogue of chips does not have this chip."),
    ),
    "unlike-conditions": _unlike_conditions,
    "zero-power": N_("Nothing computes without power: no meter was read."),
}
