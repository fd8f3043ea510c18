"""Notes, claims and sources in words: facts where a flag carries them."""

import math
from typing import Any

import pytest

from benchdb.plausibility.rules import RULES
from benchdb.report.language import available, load
from benchdb.report.view.listed import ClaimRow, Note
from benchdb.report.wording import notes, sources
from benchdb.report.wording.notes import SENTENCES
from tests import view_fixture
from tests.view_fixture import digest

EN = load("en")
REPORT = view_fixture.report()


def note(code: str, **detail: object) -> str:
    subject = {"chip": "M1", "device": "cpu", "workload": "resnet50", "batch_size": 64}
    text = notes.note_text(EN, Note("a", code, detail, subject, (digest("r"),)))
    return plain(text)


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


FACTS: dict[str, dict[str, Any]] = {
    "above-peak": {
        "metric": "teraflops",
        "stated": 42.5,
        "peak": 10.6,
        "chip": "M1 Max, 32 GPU cores",
        "mode": "fp32",
    },
    "contradicting-names": {"chip": "M4 Ultra", "device_name": "M1 Ultra"},
    "duplicate-key": {
        "metric": "script_wall_seconds",
        "runs": 2,
        "low": 12,
        "high": 15.5,
    },
    "impossible-device": {"device": "cuda", "chip": "M1"},
    "impossible-os": {"chip": "M1 Ultra", "os_version": "12.01", "first": "12.3"},
    "order-inverted": {
        "longer": "resnet50",
        "shorter": "mobilenetv2",
        "longer_rate": 900.0,
        "shorter_rate": 300.0,
        "peers": 3,
        "peers_low": 2.0,
        "peers_high": 2.4,
        "metric": "tokens_per_second",
    },
    "outlier": {
        "peer": "M1",
        "rate": 10.0,
        "peer_rate": 50.0,
        "metric": "frames_per_second",
    },
    "same-figures": {"original": "A blog (blog)"},
    "samples-disagree": {
        "metric": "samples_per_second",
        "stated": 1326,
        "recomputed": 884,
    },
    "slower-in-larger-batches": {
        "metric": "fit_samples_per_second",
        "batch_size": 128,
        "smaller_batch_size": 64,
        "rate": 55.8,
        "smaller_rate": 72.8,
        "peers": 1,
    },
    "superseded": {"newer": "A blog (blog)"},
    "unit-contradiction": {
        "metric": "samples_per_second",
        "stated": 6400,
        "expected": 6.4,
        "other": "step_seconds",
        "factor": 1000,
    },
    "unknown-chip": {"chip": "M4 Ultra", "known": "M4, M4 Pro, M4 Max"},
}
SAID = {
    "above-peak": "This amounts to 42.5 TFLOPS; in fp32 the chip does 10.6 TFLOPS at "
    "most (M1 Max, 32 GPU cores).",
    "contradicting-names": "The names of the chip (M4 Ultra) and of the device "
    "(M1 Ultra) contradict each other.",
    "duplicate-key": "The source tells 2 runs with other figures, from 12.0 s to "
    "15.5 s, and nothing that tells them apart.",
    "impossible-device": "There is no CUDA on this machine (M1).",
    "impossible-os": "The source names macOS 12.01, but the M1 Ultra needs 12.3 or "
    "later. This says nothing of the figure.",
    "order-inverted": "ResNet-50 (900 tokens/s) takes less time here than MobileNetV2 "
    "(300 tokens/s).",
    "outlier": "10.0 frames/s is out of line: the M1 gives 50.0 frames/s.",
    "same-figures": "Another source tells the same figures (A blog (blog)); they count "
    "once, there.",
    "samples-disagree": "The measurements of this run give 884 samples/s, not 1,326 "
    "samples/s.",
    "slower-in-larger-batches": "55.8 samples/s at batch 128, but 72.8 samples/s at "
    "batch 64: the larger batch is slower here, and on no other system of the source. "
    "It may be so: the value counts in all comparisons.",
    "superseded": "There is a newer version of this source (A blog (blog)); this one "
    "counts in no comparison.",
    "unit-contradiction": "Another figure of the run (one step) makes this 6.40 "
    "samples/s, not 6,400 samples/s. A factor near 1,000 points to a unit or a batch.",
    "unknown-chip": "The catalogue of chips has no M4 Ultra; of its generation it has: "
    "M4, M4 Pro, M4 Max.",
}
# What a file from elsewhere may hold in place of a fact.
ODD: tuple[Any, ...] = (None, True, "", "12 s", 10**400, math.inf, math.nan, [], {})


@pytest.mark.parametrize("code", FACTS)
def test_a_doubt_gives_its_facts(code):
    text = notes.reason_text(EN, code, FACTS[code]).replace("\u00a0", " ")

    assert text.startswith(SAID[code])


@pytest.mark.parametrize("language", available())
def test_every_rule_has_a_sentence_in_every_language(language):
    for code in (*SENTENCES, *RULES):
        text = notes.reason_text(load(language), code, {})

        assert text, code
        assert f"“{code}”" not in text
        assert text.endswith(".") or language != "en"


@pytest.mark.parametrize("code", FACTS)
def test_odd_and_missing_facts_break_no_sentence(code):
    for name in FACTS[code]:
        for odd in ODD:
            facts = {**FACTS[code], name: odd}
            for text in (
                notes.reason_text(EN, code, facts),
                notes.reason_text(EN, code, {name: odd}),
            ):
                assert text.rstrip().endswith(".")


def test_work_beyond_the_chip_is_told_in_operations():
    facts = {**FACTS["above-peak"], "metric": "samples_per_second", "mode": "any"}

    text = notes.reason_text(EN, "above-peak", facts).replace("\u00a0", " ")

    assert text == (
        "This amounts to 42.5 TFLOPS; the chip does 10.6 TFLOPS at most "
        "(M1 Max, 32 GPU cores)."
    )


def test_memory_beyond_the_chip_is_told_in_bytes():
    facts = {**FACTS["above-peak"], "metric": "gigabytes_per_second", "mode": "any"}

    assert "42.5\u00a0GB/s" in notes.reason_text(EN, "above-peak", facts)


def test_a_utilisation_beyond_all_of_the_chip_cannot_be():
    facts = {"metric": "mfu_percent", "stated": 113.0, "peak": 100}

    text = notes.reason_text(EN, "above-peak", facts)

    assert text.startswith("113% of what the chip can do")
