"""The headlines: a question, a number or range, and the sentences that go with it.

The text continues the number ("3.5×" "as fast with Metal …"), so that it reads on in
plain text and stays a phrase of its own below a large number.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import convert

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.view.atoms import Reading
from benchdb.report.view.page import Answer, Report
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.terms import (
    beside,
    device_text,
    differs_text,
    framework_text,
    limit_text,
    mean_text,
)

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
    """Return the number or range; of unlike figures with a sign that it is rough."""
    if answer.low is not None and answer.high is not None:
        if not answer.bounded:
            return language.times_range(answer.low, answer.high)
        rough = (float(f"{end:.2g}") for end in (answer.low, answer.high))
        return language.pgettext(
            "bounded figure", "≈ %(range)s", range=language.times_range(*rough)
        )
    if answer.kind == "metal" and names(answer.facts, "hurts"):
        return language.pgettext("answer", "No")
    return "–"


def answer_text(language: Language, answer: Answer) -> str:
    """Return the sentences beside the number: what it is of, and its evidence."""
    write = {
        "metal": _metal,
        "mac": _mac,
        "distance": _distance,
        "watt": _watt,
        "here": _here,
    }
    said = write[answer.kind](language, answer)
    return language.sentences([*said, *_evidence(language, answer)])


def headlines(language: Language, report: Report, kind: str) -> list[str]:
    """Return the numbers of the headlines of a *kind* with their sentences."""
    return [
        f"{language.isolate(answer_big(language, answer))} "
        f"{answer_text(language, answer)}"
        for answer in report.answers
        if answer.kind == kind
    ]


def _evidence(language: Language, answer: Answer) -> list[str]:
    """Say what the figures are like, and what was left out."""
    facts = answer.facts
    unlike = answer.bounded or answer.low is None
    published = answer.bounded and bool(facts.get("published"))
    return [
        differs_text(language, names(facts, "differs")) if unlike else "",
        language.gettext("As published.") if published else "",
        language.gettext("One run each.") if facts.get("single") else "",
        *_left_out(language, facts),
    ]


def _left_out(language: Language, facts: Facts) -> list[str]:
    flagged, bare = (int(_number(facts, name)) for name in ("flagged", "insufficient"))
    notes = language.ngettext(
        "%(n)s flagged pair left out.", "%(n)s flagged pairs left out.", flagged
    )
    evidence = language.ngettext(
        "%(n)s pair without enough evidence left out.",
        "%(n)s pairs without enough evidence left out.",
        bare,
    )
    return [notes if flagged else "", evidence if bare else ""]


def _metal(language: Language, answer: Answer) -> list[str]:
    facts, pays = answer.facts, "workloads" if answer.bounded else "pays"
    effects = (pays, "even", "unclear", "mixed", "hurts")
    even, unclear, mixed = (
        language.listing(_with_ranges(language, facts, name))
        for name in ("even", "unclear", "mixed")
    )
    return [
        language.gettext(
            "as fast with Metal as without: %(workloads)s.",
            workloads=names(facts, pays),
        )
        if names(facts, pays) and answer.low is not None
        else "",
        language.gettext("Hardly any difference: %(workloads)s.", workloads=even)
        if even
        else "",
        language.gettext("No clear answer: %(workloads)s.", workloads=unclear)
        if unclear
        else "",
        language.gettext("Different from chip to chip: %(workloads)s.", workloads=mixed)
        if mixed
        else "",
        _hurts(language, facts),
        _measured_with(language, facts),
        ""
        if any(names(facts, effect) for effect in effects)
        else _no_headline(language),
    ]


def _with_ranges(language: Language, facts: Facts, effect: str) -> list[str]:
    """Name the workloads of an *effect*, each with the range of its ratios."""
    ranges = cast(Mapping[str, Sequence[float]], facts.get("ranges") or {})
    return [
        beside(language, title, language.times_range(*ranges[title]))
        if title in ranges
        else title
        for title in names(facts, effect)
    ]


def _measured_with(language: Language, facts: Facts) -> str:
    chips = int(_number(facts, "chips"))
    frameworks = [framework_text(language, it) for it in names(facts, "frameworks")]
    if not chips or not frameworks:
        return ""
    return language.ngettext(
        "Measured with %(framework)s on %(n)s chip.",
        "Measured with %(framework)s on up to %(n)s chips.",
        chips,
        framework=frameworks,
    )


def _hurts(language: Language, facts: Facts) -> str:
    hurts = names(facts, "hurts")
    low, high = _number(facts, "hurts_low"), _number(facts, "hurts_high")
    if not hurts or not low or not high:
        return ""
    return language.gettext(
        "%(range)s as long with Metal: %(workloads)s.",
        range=Times(low, high),
        workloads=hurts,
    )


def _mac(language: Language, answer: Answer) -> list[str]:
    facts = answer.facts
    if answer.low is None:
        return [language.gettext("There are not enough comparable runs to rank Macs.")]
    first = language.gettext(
        "as fast as the %(baseline)s: the %(best)s.",
        baseline=Name(str(facts["baseline"])),
        best=Name(str(facts["best"])),
    )
    return [first, *_basis(language, facts), _others(language, facts)]


def _basis(language: Language, facts: Facts) -> list[str]:
    """Say what the number is the mean of, with its range; or that it is the range."""
    n = int(_number(facts, "workloads"))
    low, high = cast(Sequence[float], facts.get("spread") or (1.0, 1.0))
    if facts.get("mean") is None:
        return [
            language.gettext(
                "With Metal, the range over the workloads; no mean, for the order "
                "changes from one to another."
            )
        ]
    mean = language.ngettext(
        "With Metal, geometric mean of %(n)s workload.",
        "With Metal, geometric mean of %(n)s workloads.",
        n,
    )
    spread = language.gettext(
        "From workload to workload: %(range)s.", range=Times(low, high)
    )
    return [mean, spread if low < high else ""]


def _others(language: Language, facts: Facts) -> str:
    others = cast(
        Sequence[tuple[str, float | None, float, float]], facts.get("others") or ()
    )
    if not others:
        return ""
    pairs = [
        language.pgettext(
            "chip and factor",
            "%(chip)s %(times)s",
            chip=Name(chip),
            times=mean_text(language, mean, (low, high)),
        )
        for chip, mean, low, high in others
    ]
    return language.gettext("The others: %(pairs)s.", pairs=pairs)


def _distance(language: Language, answer: Answer) -> list[str]:
    facts = answer.facts
    if answer.low is None:
        return [_no_headline(language)]
    n = int(_number(facts, "workloads"))
    said = language.ngettext(
        "as fast as the %(system)s is the %(reference)s, on %(n)s workload.",
        "as fast as the %(system)s is the %(reference)s, on %(n)s workloads.",
        n,
        system=_side(language, answer, "system"),
        reference=_side(language, answer, "reference"),
    )
    return [said]


def _side(language: Language, answer: Answer, role: str, name: str = "") -> str:
    """Name a side, with the power limit where it is stored.

    One that is unlike the other is named with how its figures were computed.
    """
    name = name or str(answer.facts[role])
    how = names(answer.facts, f"{role}_with") if answer.bounded else []
    said = [_computed_with(language, fact) for fact in how]
    limit = _number(answer.facts, f"{role}_limit")
    if limit:
        said.append(limit_text(language, limit))
    if not said:
        return language.isolate(name)
    return beside(language, name, language.comma.join(said))


def _computed_with(language: Language, fact: str) -> str:
    return "XLA" if fact == "xla" else framework_text(language, fact)


def _watt(language: Language, answer: Answer) -> list[str]:
    facts = answer.facts
    if answer.low is None:
        return [_no_headline(language)]
    n = int(_number(facts, "workloads"))
    reference, system = str(facts["reference"]), str(facts["system"])
    if reference == system:
        devices = str(facts["reference_device"]), str(facts["device"])
        reference, system = (
            f"{reference} · {device_text(language, device)}" for device in devices
        )
    said = language.ngettext(
        "as much work per joule as the %(reference)s: the %(system)s, on %(n)s "
        "workload.",
        "as much work per joule as the %(reference)s: the %(system)s, on %(n)s "
        "workloads.",
        n,
        reference=_side(language, answer, "reference", reference),
        system=_side(language, answer, "system", system),
    )
    peak = language.gettext("By peak power, not by the mean.")
    read = _readings(language, facts) if answer.bounded else ""
    return [said, read or (peak if facts.get("peak") else "")]


def _readings(language: Language, facts: Facts) -> str:
    known = convert(facts.get("readings") or [], list[Reading])
    said = [reading_text(language, reading) for reading in known]
    if not said:
        return ""
    return language.gettext("Power reading: %(readings)s.", readings=said)


def _here(language: Language, answer: Answer) -> list[str]:
    facts = answer.facts
    device = device_text(language, str(facts.get("device", "")))
    machine = _side(language, answer, "system", f"{facts['chip']} · {device}")
    baseline = _side(language, answer, "reference", str(facts["baseline"]))
    workloads = language.listing(names(facts, "workloads"))
    if answer.low is None:
        return [
            language.gettext(
                "This machine (%(machine)s) ran %(workloads)s.",
                machine=machine,
                workloads=workloads,
            ),
            _no_headline(language),
        ]
    return [
        language.gettext(
            "as fast as the %(baseline)s is this machine (%(machine)s): %(workloads)s.",
            baseline=baseline,
            machine=machine,
            workloads=workloads,
        )
    ]


def _no_headline(language: Language) -> str:
    return language.gettext(
        "No figure here is free of notes and has enough evidence for a headline."
    )


def names(facts: Facts, key: str) -> list[str]:
    """Return the names that a fact lists."""
    value = facts.get(key)
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _number(facts: Facts, key: str) -> float:
    value = facts.get(key)
    return float(value) if isinstance(value, int | float) else 0.0
