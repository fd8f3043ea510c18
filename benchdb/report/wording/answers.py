"""The headlines: a question, a number or range, and the sentences that go with it.

The text continues the number ("3.5×" "as fast with Metal …"), so that it reads on in
plain text and stays a phrase of its own below a large number.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from benchdb.report.language import Language
from benchdb.report.view.page import Answer
from benchdb.report.wording.terms import conditions, device_text, framework_text

Facts = Mapping[str, object]


def answer_title(language: Language, answer: Answer) -> str:
    """Return the question."""
    reference = language.isolate(str(answer.facts.get("reference", "")))
    return {
        "metal": language.pgettext("question", "Does Metal help?"),
        "mac": language.pgettext("question", "Which Mac?"),
        "distance": language.pgettext(
            "question", "How far from a %(reference)s?", reference=reference
        ),
        "watt": language.pgettext("question", "And per watt?"),
        "here": language.pgettext("question", "And this machine?"),
    }[answer.kind]


def answer_big(language: Language, answer: Answer) -> str:
    """Return the number or range; a sign where nothing is like for like."""
    if answer.low is not None and answer.high is not None:
        return language.times_range(answer.low, answer.high)
    if answer.facts.get("differs"):
        return "≠"
    if answer.kind == "metal" and names(answer.facts, "hurts"):
        return language.pgettext("answer", "No")
    return "–"


def answer_text(language: Language, answer: Answer) -> str:
    """Return the sentences beside the number."""
    write = {
        "metal": _metal,
        "mac": _mac,
        "distance": _distance,
        "watt": _watt,
        "here": _here,
    }
    has_number = answer.low is not None
    return write[answer.kind](language, answer.facts, has_number=has_number)


def _metal(language: Language, facts: Facts, *, has_number: bool) -> str:
    pays, even, mixed = (names(facts, key) for key in ("pays", "even", "mixed"))
    parts = [
        language.gettext(
            "as fast with Metal as without: %(workloads)s.",
            workloads=language.listing(pays),
        )
        if pays and has_number
        else "",
        language.gettext(
            "Hardly any difference: %(workloads)s.", workloads=language.listing(even)
        )
        if even
        else "",
        language.gettext(
            "Different from chip to chip: %(workloads)s.",
            workloads=language.listing(mixed),
        )
        if mixed
        else "",
        _hurts(language, facts),
        _measured_with(language, facts),
        _one_run_each(language, facts),
    ]
    return language.sentences(parts)


def _measured_with(language: Language, facts: Facts) -> str:
    chips = int(_number(facts, "chips"))
    frameworks = [framework_text(language, it) for it in names(facts, "frameworks")]
    if not chips or not frameworks:
        return ""
    return language.ngettext(
        "Measured with %(framework)s on %(n)s chip.",
        "Measured with %(framework)s on up to %(n)s chips.",
        chips,
        framework=language.listing(frameworks),
        n=language.number(chips),
    )


def _one_run_each(language: Language, facts: Facts) -> str:
    return language.gettext("One run each.") if facts.get("single") else ""


def _hurts(language: Language, facts: Facts) -> str:
    hurts = names(facts, "hurts")
    low, high = _number(facts, "hurts_low"), _number(facts, "hurts_high")
    if not hurts or not low or not high:
        return ""
    return language.gettext(
        "%(range)s as long with Metal: %(workloads)s.",
        range=language.isolate(language.times_range(low, high)),
        workloads=language.listing(hurts),
    )


def _mac(language: Language, facts: Facts, *, has_number: bool) -> str:
    if not has_number:
        return language.gettext("There are not enough comparable runs to rank Macs.")
    n = int(_number(facts, "workloads"))
    first = language.gettext(
        "as fast as the %(baseline)s: the %(best)s.",
        baseline=language.isolate(str(facts["baseline"])),
        best=language.isolate(str(facts["best"])),
    )
    basis = language.ngettext(
        "With Metal, geometric mean of %(n)s workload.",
        "With Metal, geometric mean of %(n)s workloads.",
        n,
        n=language.number(n),
    )
    others, single = _others(language, facts), _one_run_each(language, facts)
    return language.sentences([first, others, basis, single])


def _others(language: Language, facts: Facts) -> str:
    others = cast(Sequence[tuple[str, float]], facts.get("others") or ())
    if not others:
        return ""
    pairs = [
        language.pgettext(
            "chip and factor",
            "%(chip)s %(times)s",
            chip=language.isolate(chip),
            times=language.isolate(language.times(ratio)),
        )
        for chip, ratio in others
    ]
    return language.gettext("The others: %(pairs)s.", pairs=language.listing(pairs))


def _distance(language: Language, facts: Facts, *, has_number: bool) -> str:
    n = int(_number(facts, "workloads"))
    reference = language.isolate(str(facts["reference"]))
    system = language.isolate(str(facts["system"]))
    if not has_number:
        return _unlike(language, reference, system, names(facts, "differs"))
    return language.ngettext(
        "as fast as the %(system)s is the %(reference)s, on %(n)s workload.",
        "as fast as the %(system)s is the %(reference)s, on %(n)s workloads.",
        n,
        system=system,
        reference=reference,
        n=language.number(n),
    )


def _unlike(
    language: Language, reference: str, system: str, differs: Sequence[str]
) -> str:
    """Say why there is no number between two systems."""
    if not differs:
        return _all_flagged(language)
    return language.gettext(
        "No like-for-like figure: the %(reference)s and the %(system)s differ in "
        "%(conditions)s.",
        reference=reference,
        system=system,
        conditions=conditions(language, differs),
    )


def _watt(language: Language, facts: Facts, *, has_number: bool) -> str:
    n = int(_number(facts, "workloads"))
    chips = str(facts["reference"]), str(facts["system"])
    reference, system = map(language.isolate, chips)
    if chips[0] == chips[1]:
        devices = str(facts["reference_device"]), str(facts["device"])
        reference, system = (
            language.isolate(f"{chips[0]} · {device_text(language, device)}")
            for device in devices
        )
    if not has_number:
        return _unlike(language, reference, system, names(facts, "differs"))
    said = language.ngettext(
        "as much work per joule as the %(reference)s: the %(system)s, on %(n)s "
        "workload.",
        "as much work per joule as the %(reference)s: the %(system)s, on %(n)s "
        "workloads.",
        n,
        reference=reference,
        system=system,
        n=language.number(n),
    )
    peak = language.gettext("By peak power, not by the mean.")
    return language.sentences([said, peak if facts.get("peak") else ""])


def _here(language: Language, facts: Facts, *, has_number: bool) -> str:
    device = device_text(language, str(facts.get("device", "")))
    machine = language.isolate(f"{facts['chip']} · {device}")
    workloads = language.listing(names(facts, "workloads"))
    if has_number:
        return language.gettext(
            "as fast as the %(baseline)s is this machine (%(machine)s): %(workloads)s.",
            baseline=language.isolate(str(facts["baseline"])),
            machine=machine,
            workloads=workloads,
        )
    if not names(facts, "differs"):
        return _all_flagged(language)
    return language.gettext(
        "This machine (%(machine)s) ran %(workloads)s, but differs from the "
        "%(baseline)s in %(conditions)s: no like-for-like figure.",
        machine=machine,
        workloads=workloads,
        baseline=language.isolate(str(facts["baseline"])),
        conditions=conditions(language, names(facts, "differs")),
    )


def _all_flagged(language: Language) -> str:
    return language.gettext("Every comparable figure carries a note: no headline.")


def names(facts: Facts, key: str) -> list[str]:
    """Return the names that a fact lists."""
    value = facts.get(key)
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _number(facts: Facts, key: str) -> float:
    value = facts.get(key)
    return float(value) if isinstance(value, int | float) else 0.0
