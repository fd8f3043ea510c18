import pytest

from benchdb.importing.quantities.missing_values import Missing, missing_of, status_of
from benchdb.importing.quantities.quantity import Quantity, parsed

REASONS = {
    ("not printed", "not-measured"): (
        *("-", "—", "–", "---", "/", "", "  \t ", "...", "null", "None", "なし"),
    ),
    ("not available", "not-measured"): (
        *("N/A", "n/a*", "N.D.", "k.A.", "entfällt", "해당 없음"),
    ),
    ("to be measured", "not-measured"): ("TBD", "待测"),
    ("not measured", "not-measured"): ("Not tested yet",),
    ("not known", "not-measured"): ("?",),
    ("a cross", "not-measured"): ("x", "❌"),
    ("not a number", "not-measured"): ("NaN", "nan ± nan"),
    ("not finite", "not-measured"): ("-inf", "∞", "#DIV/0!"),
    ("struck out", "not-measured"): ("~~12.5~~",),
    ("out of memory", "oom"): (
        *("OOM", "**OOM**", "❌ OOM", "OOM (24 GB)", "显存不足"),
        "CUDA out of memory. Tried to allocate 2.00 GiB",
        "RuntimeError: MPS backend out of memory",
    ),
    ("failed", "failed"): (
        *("Error", "FAILED", "crash", "segfault"),
        "RuntimeError: Expected all tensors",
    ),
    ("timed out", "failed"): ("timeout", "timed out (> 1h)"),
    ("not supported", "unsupported"): (
        *("not supported", "Not supported on MPS", "unsupported", "不支持"),
    ),
}


@pytest.mark.parametrize(
    ("text", "reason", "status"),
    [(text, *meaning) for meaning, texts in REASONS.items() for text in texts],
)
def test_a_text_without_figure_says_why(text, reason, status):
    missing = missing_of(text)

    assert missing is not None
    assert missing.reason == reason
    assert status_of(missing) == status
    assert parsed(text) == missing


def test_what_is_printed_is_kept_beside_the_reason():
    assert missing_of(" k.A. ") == Missing("not available", "k.A.")


@pytest.mark.parametrize(
    "text", ["0", "0.0", "12.3", "12 (OOM at 256)", "1e5", "~3", "ja", "M1 Max", "no"]
)
def test_a_figure_or_a_word_is_not_taken_for_missing(text):
    assert missing_of(text) is None


def test_words_of_the_source_come_first():
    words = {"0": "not measured", "X": "crashed", "-": 'printed as "-"'}

    assert missing_of("0", words) == Missing("not measured", "0")
    assert missing_of("x", words) == Missing("crashed", "x")
    assert missing_of("-", words) == Missing('printed as "-"', "-")
    assert missing_of("0.0", words) is None


def test_a_reason_in_the_words_of_a_map_has_a_status_too():
    assert status_of(Missing("crashed", "x")) == "failed"
    assert status_of(Missing("OOM", "x")) == "oom"
    assert status_of(Missing("the author was ill", "x")) == "not-measured"


def test_a_zero_is_a_figure_unless_the_source_says_otherwise():
    assert isinstance(parsed("0 ms"), Quantity)


def test_characters_that_hide_make_no_text_missing():
    assert missing_of("\u202en/a") is None


def test_a_whole_log_in_a_cell_is_not_searched():
    assert missing_of("out of memory " * 1000) is None
