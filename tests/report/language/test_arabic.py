"""Arabic in words, figures and charts: what it counts, how it orders, which fonts."""

from pathlib import Path

import pytest

from benchdb.report.charts import fonts
from benchdb.report.language import load
from benchdb.report.language.direction import is_simple, mixed_order
from benchdb.report.view.atoms import Quantity
from tests.page import parse
from tests.report.right_to_left import LRI, PDI, RLI, unbalanced
from tests.site.short_page import of
from tests.store_factory import Run
from tests.written_reports import mixed

AR = load("ar")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 نموذج"),
        (1, "نموذج واحد (1)"),
        (2, "نموذجان (2)"),
        (3, "3 نماذج"),
        (10, "10 نماذج"),
        (11, "11 نموذجًا"),
        (99, "99 نموذجًا"),
        (100, "100 نموذج"),
        (102, "102 نموذج"),
        (103, "103 نماذج"),
        (111, "111 نموذجًا"),
        (200, "200 نموذج"),
        (1000, "1,000 نموذج"),
        (1003, "1,003 نماذج"),
    ],
)
def test_arabic_counts_in_six_forms(count: int, text: str):
    assert AR.ngettext("%(n)s model", "%(n)s models", count, n=AR.number(count)) == (
        text
    )


@pytest.mark.parametrize(
    ("plain", "ordered"),
    [
        ("M1 Pro", "M1 Pro"),
        ("3.5×", "3.5×"),
        ("12%", "12%"),
        ("", ""),
        ("دفعة 128", f"{RLI}دفعة 128{PDI}"),
        ("579\u00a0ث", f"{RLI}{LRI}579{PDI}\u00a0ث{PDI}"),
        ("570–588\u00a0ث", f"{RLI}{LRI}570–588{PDI}\u00a0ث{PDI}"),
        ("2.4 ± 0.1 صورة/ث", f"{RLI}{LRI}2.4 ± 0.1{PDI} صورة/ث{PDI}"),
        ("-3 ث", f"{RLI}{LRI}-3{PDI} ث{PDI}"),
        ("M1 · شريحة", "M1 · شريحة"),
        (f"{LRI}M1{PDI} · {LRI}أنوية{PDI}", f"{LRI}M1{PDI} · {LRI}أنوية{PDI}"),
        (f"{LRI}M1{PDI}، دفعة 8", f"{RLI}{LRI}M1{PDI}، دفعة 8{PDI}"),
    ],
)
def test_figures_run_left_to_right_and_their_words_follow(plain: str, ordered: str):
    assert mixed_order(plain) == ordered
    whole = ordered.startswith(RLI)  # an isolate already, to which another adds nothing
    assert AR.isolate(plain) == (ordered if whole else f"{LRI}{ordered}{PDI}")
    assert load("de").isolate(plain) == load("de").ordered(plain) == plain


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("579\u00a0ث", True),
        ("1,140.5\u00a0صورة/ث", True),
        ("10 غ.ب", True),
        ("570–588\u00a0ث", False),
        ("2.4 ± 0.1 صورة/ث", False),
        ("-3 ث", False),
        ("35 W", False),
        ("3.5×", False),
        ("دفعة 128", False),
        ("5 ث 6", False),
    ],
)
def test_one_number_before_its_unit_needs_no_isolates(text: str, *, simple: bool):
    assert is_simple(text) is simple


def test_arabic_punctuation_stands_between_what_is_listed():
    assert (AR.comma, AR.semicolon) == ("، ", "؛ ")
    assert (load("de").comma, load("de").semicolon) == (", ", "; ")


def test_units_are_those_that_arabic_readers_write():
    assert AR.quantity(Quantity(1140, "img/s", "r")) == "1,140\u00a0صورة/ث"
    assert AR.quantity(Quantity(579.18, "s", "r", printed="579.18")) == (
        "579.18\u00a0ث"
    )
    assert AR.measure("35", "W") == "35\u00a0" + "واط"


@pytest.mark.parametrize("runs", [mixed(), []], ids=["some", "none"])
def test_other_reports_are_written_too(tmp_path: Path, runs: list[Run]):
    sample = of(tmp_path, runs)

    assert parse(sample.page(AR)).by_id("content")
    assert unbalanced(sample.text(AR)) == []


def test_without_fonts_one_warning_names_the_packages(monkeypatch: pytest.MonkeyPatch):
    nothing = dict.fromkeys(("ar", "ja", "ko", "zh-Hans"), ("No Such Font",))
    monkeypatch.setattr(fonts, "_FAMILIES", nothing)

    text = fonts.missing_fonts(("en", "ar", "ja", "ko"))

    assert text.count("fonts-noto-core") == text.count("fonts-noto-cjk") == 1
    assert "ar, ja, ko" in text
    assert "\n" not in text
    assert fonts.missing_fonts(("en", "de", "fr")) == ""
