"""Notes, claims and sources in words: facts where a flag carries them."""

import pytest
from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.view.listed import ClaimRow, Note
from benchdb.report.wording import notes, sources
from tests import view_fixture
from tests.view_fixture import digest

EN = load("en")
REPORT = view_fixture.report()


def note(code: str, **detail: object) -> str:
    subject = {"chip": "M1", "device": "cpu", "workload": "resnet50", "batch_size": 64}
    said = notes.note_text(EN, Note("a", code, detail, subject, (digest("r"),)))
    return plain(said)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_notes_name_their_subject_and_their_facts():
    assert note(
        "batch-differs-from-command", batch_size=64, command_batch_size=128
    ) == (
        "M1, CPU, ResNet-50, batch 64: The table says batch size 64, the command in "
        "the source says 128."
    )


def test_a_slip_of_the_pen_is_pointed_out():
    text = note(
        "cpu-percent-mismatch",
        stated=207,
        computed=113.7,
        user_seconds=60.18,
        candidate_user_seconds=160.18,
    )

    assert "states 207% CPU use; its own times give 114%" in text
    assert text.endswith("With 160 s of user time instead of 60.2 s they would agree.")


def test_an_inverted_order_gives_both_times_and_the_peers():
    text = plain(notes.note_text(EN, REPORT.notes[0]))

    assert "ResNet-50 (262 s) takes less time here than MobileNetV2 (804 s)" in text
    assert "3 other systems ResNet-50 takes 3.1–8.9× as long as MobileNetV2." in text


CODES = (
    "above-peak",
    "approximate",
    "batch-differs-from-command",
    "contradicting-copies",
    "contradicting-names",
    "copied-samples",
    "cpu-percent-mismatch",
    "duplicate-key",
    "future-date",
    "hearsay",
    "impossible-device",
    "impossible-figure",
    "impossible-os",
    "order-inverted",
    "outlier",
    "power-scope-unknown",
    "ratio-mismatch",
    "same-figures",
    "samples-disagree",
    "speedup-wording",
    "superseded",
    "unit-contradiction",
    "unit-unclear",
    "unknown-chip",
    "unlike-conditions",
)


@pytest.mark.parametrize("code", CODES)
def test_flags_without_facts_still_have_a_sentence(code):
    text = notes.reason_text(EN, code, {})

    assert text.endswith(".")
    assert "Flagged" not in text


def test_unlike_conditions_are_spelled_out():
    text = notes.note_text(EN, REPORT.notes[2])

    assert (
        "(compiler: xla instead of graph; precision: fp16-mixed instead of fp32)"
    ) in text


def test_a_power_that_may_be_a_mean_is_not_called_a_peak():
    peak = notes.reason_text(EN, "power-scope-unknown", {"column": "Peak Power"})
    open_ = notes.reason_text(EN, "power-scope-unknown", {"column": "Power"})

    assert peak.startswith("A peak as the author read it")
    assert "neither whether this is a peak or a mean" in open_


def test_foreign_flags_are_named():
    assert notes.reason_text(EN, "moon-phase", {}) == "Flagged as “moon-phase”."


def test_recomputed_ratios_are_given():
    assert notes.reason_text(EN, "ratio-mismatch", {"recomputed": 21.4}).endswith(
        "which give 21.4×."
    )


@pytest.mark.parametrize(
    ("printed", "recomputed", "ending"),
    [("519 %", 519.0, "519%."), ("2x", 21.4, "21.4×."), ("8", 8.0, "8.00.")],
)
def test_claims_are_recomputed_in_their_own_form(printed, recomputed, ending):
    claim = ClaimRow("claimed", "It is fast.", printed, "line 1", recomputed, ())

    text = sources.claim_text(EN, claim)

    assert text == f"It is fast: “{printed}” (line 1). Its values give {ending}"


@pytest.mark.parametrize(
    ("stated", "ending"),
    [
        (36.5, "That is 36.5% less time, or 1.6× as fast."),
        (157.5, "Its values give 1.6×."),
    ],
)
def test_speed_in_per_cent_is_told_as_time_or_as_a_factor(stated, ending):
    facts = {"percent_less_time": 36.5, "ratio": 1.575, "stated": stated}
    code = ("speedup-wording",)
    claim = ClaimRow("derived", "It is fast", "%", "line 1", 57.5, code, (facts,))

    assert ending in sources.claim_text(EN, claim)


def test_claims_without_values_stand_alone():
    claim = ClaimRow("claimed", "It is fast", "very", "line 1", None, ())

    assert sources.claim_text(EN, claim) == "It is fast: “very” (line 1)."


def test_sources_say_what_they_gave():
    first, *_, third = REPORT.sources
    protocol = replace(first, authors=(), title="Fast?", protocol_only=True)

    assert sources.source_text(EN, replace(first, licence="MIT", runs=1)) == (
        "M1 TensorFlow timings, by An Author. Licence: MIT. Gave 1 run."
    )
    assert sources.source_text(EN, third).endswith("Gave statements, no runs.")
    assert sources.source_text(EN, protocol) == "Fast? Gave its protocol, no figures."
