import pytest

from benchdb.importing.quantities.missing_values import Missing, missing_of, status_of
from benchdb.importing.quantities.quantity import Quantity, parsed


@pytest.mark.parametrize(
    ("text", "reason", "status"),
    [
        *(
            (dash, "not printed", "not-measured")
            for dash in ("-", "—", "–", "---", "/")
        ),
        ("", "not printed", "not-measured"),
        ("  \t ", "not printed", "not-measured"),
        ("...", "not printed", "not-measured"),
        ("null", "not printed", "not-measured"),
        ("None", "not printed", "not-measured"),
        ("なし", "not printed", "not-measured"),
        ("N/A", "not available", "not-measured"),
        ("n/a*", "not available", "not-measured"),
        ("N.D.", "not available", "not-measured"),
        ("k.A.", "not available", "not-measured"),
        ("entfällt", "not available", "not-measured"),
        ("해당 없음", "not available", "not-measured"),
        ("TBD", "to be measured", "not-measured"),
        ("待测", "to be measured", "not-measured"),
        ("Not tested yet", "not measured", "not-measured"),
        ("?", "not known", "not-measured"),
        ("x", "a cross", "not-measured"),
        ("❌", "a cross", "not-measured"),
        ("NaN", "not a number", "not-measured"),
        ("nan ± nan", "not a number", "not-measured"),
        ("-inf", "not finite", "not-measured"),
        ("∞", "not finite", "not-measured"),
        ("#DIV/0!", "not finite", "not-measured"),
        ("~~12.5~~", "struck out", "not-measured"),
        ("OOM", "out of memory", "oom"),
        ("**OOM**", "out of memory", "oom"),
        ("❌ OOM", "out of memory", "oom"),
        ("OOM (24 GB)", "out of memory", "oom"),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "out of memory", "oom"),
        ("RuntimeError: MPS backend out of memory", "out of memory", "oom"),
        ("显存不足", "out of memory", "oom"),
        ("Error", "failed", "failed"),
        ("FAILED", "failed", "failed"),
        ("crash", "failed", "failed"),
        ("segfault", "failed", "failed"),
        ("RuntimeError: Expected all tensors", "failed", "failed"),
        ("timeout", "timed out", "failed"),
        ("timed out (> 1h)", "timed out", "failed"),
        ("not supported", "not supported", "unsupported"),
        ("Not supported on MPS", "not supported", "unsupported"),
        ("unsupported", "not supported", "unsupported"),
        ("不支持", "not supported", "unsupported"),
    ],
)
def test_a_text_without_figure_says_why(text, reason, status):
    found = missing_of(text)

    assert found is not None
    assert found.reason == reason
    assert status_of(found) == status
    assert parsed(text) == found


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
