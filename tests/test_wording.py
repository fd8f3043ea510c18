"""The sentences of a report say what its rows say, and no more."""

import pytest
from msgspec.structs import replace

from benchdb.conditions import Conditions, difference
from benchdb.report.language import available, load
from benchdb.report.view.atoms import Ratio
from benchdb.report.wording import answers, metrics, sections, sentences, terms
from tests import view_fixture

EN = load("en")
REPORT = view_fixture.report()
# Their names in the database are the words that people use.
STANDARD_TERMS = {"compiler", "data", "driver", "framework", "precision", "protocol"}
STANDARD_TERMS |= {"source", "work"}
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
SECTIONS = (
    "glance",
    "metal",
    "ranking",
    "distance",
    "values",
    "machines",
    "notes",
    "how",
    "sources",
)


def test_ratios_are_times_as_fast_or_as_long():
    assert terms.verdict_text(EN, Ratio(3.46, "faster")) == "3.5× as fast"
    assert terms.verdict_text(EN, Ratio(1 / 6.78, "slower")) == "6.8× as long"


def test_what_is_no_clear_difference_says_which_kind():
    unclear, bare = Ratio(1.3, "unclear"), Ratio(0.5, "insufficient", leads=False)

    assert terms.verdict_text(EN, Ratio(1.04, "even")) == "about even"
    assert terms.verdict_text(EN, unclear) == "unclear: 1.3× as fast"
    assert terms.verdict_text(EN, bare) == "insufficient evidence: 2.0× as long"
    assert terms.verdict_text(EN, None) == ""


def test_unlike_ratios_are_marked():
    unlike = ("precision",)

    fast = terms.verdict_text(EN, Ratio(3.46, "faster", differs=unlike))
    slow = terms.verdict_text(EN, Ratio(0.5, "slower", differs=unlike))

    assert (fast, slow) == ("≠ 3.5× as fast", "≠ 2.0× as long")


def test_the_verdict_word_and_the_factor_agree_below_one():
    assert terms.verdict_text(load("de"), Ratio(0.5, "slower")) == "2,0× so lange"


@pytest.mark.parametrize("code", available())
def test_no_sentence_counts_speed_in_per_cent(code):
    language = load(code)
    said = [sentences.lead(language, REPORT)]
    said += [answers.answer_text(language, answer) for answer in REPORT.answers]
    said += [sections.section_lead(language, REPORT, name) for name in SECTIONS]

    assert not [text for text in said if "%" in text]


def test_counts_and_dates_come_from_the_report():
    assert sentences.counts(load("de"), REPORT) == (
        "41 Messwerte",
        "9 Systeme",
        "3 Quellen",
    )
    assert sentences.as_of(EN, REPORT) == "Newest measurement: November 20, 2026"
    assert sentences.as_of(EN, view_fixture.empty()) == ""


def test_missing_figures_say_so_in_words():
    assert terms.missing_text(EN, None) == "not measured"
    assert terms.missing_text(EN, "8 GB", "oom") == "out of memory: 8 GB"
    assert terms.missing_text(EN, "a dash", "ok") == "not measured: a dash"


def test_differing_conditions_are_named():
    assert terms.differs_text(EN, ("precision", "batch")) == (
        "Not like for like. Differences: precision and batch size."
    )
    assert terms.differs_text(EN, ()) == ""
    assert terms.condition(EN, "moon phase") == "moon phase"


def test_every_condition_that_can_differ_has_a_word():
    names = (*difference(CONDITIONS, OTHERS).unlike, "framework", "power", "source")
    said = {name: terms.condition(EN, name) for name in names}

    assert len(said) == 18
    assert [n for n in said if said[n] == n and n not in STANDARD_TERMS] == []
    assert terms.differs_text(EN, ("epochs", "images")).endswith(
        "Differences: length of the run."
    )


def test_unknown_tokens_stay_readable():
    assert metrics.metric_text(EN, "odd_new_metric") == "odd new metric"
    assert terms.label_text(EN, "odd") == "odd"
    assert terms.status_text(EN, "odd") == "odd"
    assert terms.framework_text(EN, "torch 2.13.0") == "PyTorch 2.13.0"
