"""What sources are, what they gave, and what they claim, in words."""

from collections.abc import Mapping

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.view.listed import ClaimRow
from benchdb.report.wording.catalogued import statement_text
from benchdb.report.wording.facts import locator_text
from benchdb.report.wording.notes import reason_text


def licence_text(language: Language, licence: str) -> str:
    """Name a licence, or say that a source names none."""
    if licence == "none given":
        # TRANSLATORS: under which licence a source publishes
        return language.pgettext("licence", "none given")
    if licence.endswith(" (repository)"):
        # TRANSLATORS: of the repository that a document is part of
        return language.pgettext(
            "licence",
            "%(licence)s (repository)",
            licence=Name(licence.removesuffix(" (repository)")),
        )
    return language.isolate(licence)


def claim_text(language: Language, claim: ClaimRow) -> str:
    """Say what a source derives or asserts, and what its own values give."""
    text = language.pgettext(
        "claim",
        "%(statement)s: “%(printed)s” (%(locator)s).",
        statement=statement_text(language, claim.statement),
        printed=Name(claim.printed),
        locator=locator_text(language, claim.locator),
    )
    reasons = [reason_text(language, code, {}) for code in claim.codes]
    return language.sentences([text, _given(language, claim), *reasons])


def _given(language: Language, claim: ClaimRow) -> str:
    """Say what the source's own values give: of speed, never a bare percentage."""
    if claim.recomputed is None:
        return ""
    detail = _of_speed(claim)
    stated, less = detail.get("stated"), detail.get("percent_less_time")
    if isinstance(less, int | float) and less == stated:
        return language.gettext(
            "That is %(less)s less time, or %(times)s as fast.",
            less=Share(less / 100, 1),
            times=Times(_ratio(detail)),
        )
    return language.gettext(
        "Its values give %(recomputed)s.", recomputed=Name(_recomputed(language, claim))
    )


def _of_speed(claim: ClaimRow) -> Mapping[str, object]:
    pairs = zip(claim.codes, claim.details, strict=False)
    return next((detail for code, detail in pairs if code == "speedup-wording"), {})


def _ratio(detail: Mapping[str, object]) -> float:
    ratio = detail.get("ratio")
    return float(ratio) if isinstance(ratio, int | float) else 0.0


def _recomputed(language: Language, claim: ClaimRow) -> str:
    """Write what follows in the way in which the source wrote its claim."""
    value = claim.recomputed or 0.0
    if ratio := _ratio(_of_speed(claim)):
        return language.times(ratio)
    printed = claim.printed.rstrip()
    if printed.endswith("%"):
        return language.percent(value / 100, 0 if value >= 100 else 1)
    if printed.endswith(("x", "×", "fois", "times")):
        return language.times(value)
    return language.significant(value)
