"""Sentences about single values: why one deserves a second look, by flag code.

Where a flag carries its facts, the sentence gives them; older or foreign flags may
carry none, and then it says less.
"""

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.view.listed import Note
from benchdb.report.wording.doubts import DOUBTS
from benchdb.report.wording.facts import (
    Detail,
    amount,
    count,
    has,
    percent,
    seconds,
    speed,
    title,
    value,
)
from benchdb.report.wording.terms import chip_text, condition, device_text


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
    chip, device = subject.get("chip"), subject.get("device")
    workload, batch = subject.get("workload"), subject.get("batch_size")
    parts = [
        chip_text(language, str(chip)) if chip else "",
        device_text(language, str(device)) if device else "",
        title(language, workload) if workload else "",
        language.pgettext("note", "batch %(size)s", size=count(batch)) if batch else "",
    ]
    return language.comma.join(language.isolate(part) for part in parts if part)


def reason_text(language: Language, code: str, detail: Detail) -> str:
    """Say what does not add up."""
    tell = {
        "batch-differs-from-command": _batch_differs,
        "cpu-percent-mismatch": _cpu_percent,
        "order-inverted": _order_inverted,
        "outlier": _outlier,
        "power-scope-unknown": _power_scope,
        "ratio-mismatch": _ratio_mismatch,
        "speedup-wording": _speedup_wording,
        "unlike-conditions": _unlike_conditions,
        **DOUBTS,
    }.get(code)
    return tell(language, detail) if tell else _without_facts(language, code)


def _without_facts(language: Language, code: str) -> str:
    known = {
        "claim-exceeded": language.gettext(
            "The source's own values go beyond this statement."
        ),
        "unit-unclear": language.gettext("The source leaves the unit open."),
    }
    return known.get(code) or language.gettext(
        "Flagged as “%(code)s”.", code=Name(code)
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


def _batch_differs(language: Language, detail: Detail) -> str:
    if not has(detail, "batch_size", "command_batch_size"):
        return language.gettext(
            "The batch size in the table is not that of the command in the source."
        )
    return language.gettext(
        "The table says batch size %(stated)s, the command in the source says "
        "%(command)s.",
        stated=count(detail["batch_size"]),
        command=count(detail["command_batch_size"]),
    )


def _cpu_percent(language: Language, detail: Detail) -> str:
    if not has(detail, "stated", "computed"):
        return language.gettext(
            "The CPU use in the source does not follow from its own times."
        )
    said = language.gettext(
        "The source states %(stated)s CPU use; its own times give %(computed)s.",
        stated=percent(detail["stated"]),
        computed=percent(detail["computed"]),
    )
    if not has(detail, "user_seconds", "candidate_user_seconds"):
        return said
    slip = language.gettext(
        "With %(candidate)s of user time instead of %(printed)s they would agree.",
        candidate=seconds(detail["candidate_user_seconds"]),
        printed=seconds(detail["user_seconds"]),
    )
    return language.sentences([said, slip])


def _order_inverted(language: Language, detail: Detail) -> str:
    kept = language.gettext(
        "The columns may be swapped in the source. The values stay as printed and "
        "enter no headline."
    )
    less, more = (speed(detail, name) for name in ("longer_", "shorter_"))
    if not has(detail, "longer", "shorter") or not (less and more):
        said = language.gettext("Two workloads are in the reverse order of all peers.")
        return language.sentences([said, kept])
    said = language.gettext(
        "%(longer)s (%(less)s) takes less time here than %(shorter)s (%(more)s).",
        longer=Name(title(language, detail["longer"])),
        shorter=Name(title(language, detail["shorter"])),
        less=less,
        more=more,
    )
    return language.sentences([said, _peers_order(language, detail), kept])


def _peers_order(language: Language, detail: Detail) -> str:
    if not has(detail, "peers", "peers_low", "peers_high"):
        return ""
    n = round(value(detail["peers"]))
    low, high = value(detail["peers_low"]), value(detail["peers_high"])
    return language.ngettext(
        "On %(n)s other system %(longer)s takes %(range)s as long as %(shorter)s.",
        "On the %(n)s other systems %(longer)s takes %(range)s as long as %(shorter)s.",
        n,
        longer=Name(title(language, detail["longer"])),
        shorter=Name(title(language, detail["shorter"])),
        range=Times(low, high),
    )


def _outlier(language: Language, detail: Detail) -> str:
    said = language.gettext("This value lies far from comparable ones.")
    if has(detail, "rate", "peer", "peer_rate"):
        said = language.gettext(
            "%(figure)s is out of line: the %(peer)s gives %(peer_figure)s.",
            figure=amount(detail["rate"], detail.get("metric")),
            peer=Name(str(detail["peer"])),
            peer_figure=amount(detail["peer_rate"], detail.get("metric")),
        )
    if has(detail, "seconds", "peer", "peer_seconds"):
        said = language.gettext(
            "%(seconds)s is out of line: the %(peer)s needs %(peer_seconds)s.",
            seconds=seconds(detail["seconds"]),
            peer=Name(str(detail["peer"])),
            peer_seconds=seconds(detail["peer_seconds"]),
        )
    if not has(detail, "stated", "peers_low", "peers_high"):
        return said
    use = language.gettext(
        "Only %(stated)s CPU use, against %(low)s to %(high)s on comparable systems.",
        stated=percent(detail["stated"]),
        low=percent(detail["peers_low"]),
        high=percent(detail["peers_high"]),
    )
    return language.sentences([said, use])


def _ratio_mismatch(language: Language, detail: Detail) -> str:
    if not has(detail, "recomputed"):
        return language.gettext(
            "A ratio in the source does not follow from its values."
        )
    return language.gettext(
        "The ratio in the source does not follow from its values, which give "
        "%(recomputed)s.",
        recomputed=Times(value(detail["recomputed"])),
    )


def _speedup_wording(language: Language, detail: Detail) -> str:
    del detail
    return language.gettext(
        "The source gives a factor as a percentage of speed-up, which can be read in "
        "two ways."
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
