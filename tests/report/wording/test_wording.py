"""The sentences of a report say what its rows say, and no more."""

import pytest
from msgspec.structs import replace

from benchdb.conditions import Conditions, difference
from benchdb.report.language import load
from benchdb.report.view.atoms import Ratio
from benchdb.report.wording import metrics, terms
from tests import view_fixture

EN = load("en")
REPORT = view_fixture.report()
# Their names in the database are the words that people use.
STANDARD_TERMS = {"compiler", "data", "driver", "framework", "precision", "protocol"}
STANDARD_TERMS |= {"source", "work"}
AROUND = ("version", "system", "driver", "load")


CHOICES = ("attention", "data", "layout", "loader", "optimizer")
AROUND = ("version", "system", "driver", "load")
CONDITIONS = Conditions(
    workload="resnet50",
    version=1,
    setting="standard",
    framework="torch",
    batch_size=1,
    precision="fp32",
    compiler="eager",
    metric="step_seconds",
    extent=None,
    choices=tuple((name, "a") for name in CHOICES),
    surroundings=tuple((name, "a") for name in AROUND),
)
OTHERS = replace(
    CONDITIONS,
    version=2,
    batch_size=2,
    precision="fp64",
    compiler="inductor",
    tier="smoke",
    parameters='{"size":2}',
    choices=tuple((name, "b") for name in CHOICES),
    surroundings=tuple((name, "b") for name in AROUND),
)


@pytest.mark.parametrize(
    ("code", "ratio", "result"),
    [
        ("en", Ratio(3.46, "faster"), "3.5× as fast"),
        ("en", Ratio(1 / 6.78, "slower"), "6.8× as long"),
        ("en", Ratio(1.04, "even"), "about even"),
        ("en", Ratio(1.3, "unclear"), "unclear: 1.3× as fast"),
        ("en", Ratio(0.5, "insufficient"), "insufficient evidence: 2.0× as long"),
        ("en", Ratio(3.46, "faster", differs=("precision",)), "≠ 3.5× as fast"),
        ("en", Ratio(0.5, "slower", differs=("precision",)), "≠ 2.0× as long"),
        ("en", None, ""),
        ("de", Ratio(0.5, "slower"), "2,0× so lange"),
        ("es", Ratio(3.46, "faster"), "3,5× más rápido"),
        ("es", Ratio(0.5, "slower"), "2,0× más lento"),
        ("pt-BR", Ratio(3.46, "faster"), "3,5× mais rápido"),
        ("pt-BR", Ratio(0.5, "slower"), "2,0× mais lento"),
        ("ja", Ratio(3.46, "faster"), "3.5倍の速さ"),
        ("ja", Ratio(0.5, "slower"), "2.0倍の時間"),
        ("zh-Hans", Ratio(3.46, "faster"), "速度为 3.5\N{NO-BREAK SPACE}倍"),
        ("zh-Hans", Ratio(0.5, "slower"), "耗时为 2.0\N{NO-BREAK SPACE}倍"),
    ],
)
def test_ratios_are_times_as_fast_or_as_long(code, ratio, result):
    assert terms.verdict_text(load(code), ratio) == result


def test_missing_figures_say_so_in_words():
    assert terms.missing_text(EN, None) == "not measured"
    assert terms.missing_text(EN, "8 GB", "oom") == "out of memory: 8 GB"
    assert terms.missing_text(EN, "a dash", "ok") == "not measured: a dash"


def test_every_condition_that_can_differ_has_a_word():
    names = (*difference(CONDITIONS, OTHERS).unlike, "framework", "power", "source")
    values = {name: terms.condition(EN, name) for name in names}

    assert len(values) == 18
    assert [n for n in values if values[n] == n and n not in STANDARD_TERMS] == []


def test_unknown_tokens_stay_readable():
    assert metrics.metric_text(EN, "odd_new_metric") == "odd new metric"
    assert terms.label_text(EN, "odd") == "odd"
    assert terms.status_text(EN, "odd") == "odd"
    assert terms.framework_text(EN, "torch 2.13.0") == "PyTorch 2.13.0"


@pytest.mark.parametrize(
    ("tier", "mine", "result"),
    [
        ("smoke", True, "measured here, trial run"),
        ("standard", True, "measured here"),
        ("standard", False, "measured, contributed"),
    ],
)
def test_who_measured_and_how_thoroughly_is_in_the_label(tier, mine, result):
    assert terms.label_text(EN, "measured", tier, mine=mine) == result


def test_a_reason_that_fills_paragraphs_is_cut_where_it_is_read():
    whole = "CUDA out of memory. " * 30

    text = terms.missing_text(load("de"), whole, "oom")

    assert text.startswith("Speicher reicht nicht: ")
    assert len(whole) > len(text) < 230
    assert text.rstrip("\u2069").endswith("…")
    assert terms.missing_text(EN, "x" * 200, "failed").count("x") == 200
