import pytest

from benchdb.plausibility.figures import half_step, numeral, significant_digits, typos


@pytest.mark.parametrize(
    ("printed", "digits"),
    [
        ("54,17s", 4),
        ("1:53,65 total", 5),
        ("1.234,5 img/s", 5),
        ("12 345,6", 6),
        ("2m36s", 3),
        ("140 img/sec", 2),
        ("1100", 2),
        ("1,100", 2),
        ("0.0070", 2),
        ("7.92 GB", 3),
        ("1.5e10", 2),
        ("~42 W", 2),
        ("188.27877402305603", 17),
        ("9" * 10_000, 17),
        ("n/a", 0),
        ("", 0),
    ],
)
def test_the_digits_that_say_something_are_counted(printed, digits):
    assert significant_digits(printed) == digits


@pytest.mark.parametrize(
    ("printed", "number"),
    [("±3", "3"), ("5.2 ms (3 runs)", "5.2"), ("1 234 567", "1 234 567"), ("-", "")],
)
def test_the_number_is_found_without_its_unit(printed, number):
    assert numeral(printed) == number


@pytest.mark.parametrize(
    ("printed", "share"), [("207% cpu", 0.5 / 207), ("0.150", 0.5 / 150), (None, 0)]
)
def test_half_of_the_last_digit_is_told_as_a_share(printed, share):
    assert half_step(printed) == pytest.approx(share)


def test_zeros_say_nothing_about_a_share():
    assert half_step("0.00") == 0


@pytest.mark.parametrize("meant", [160.18, 0.18, 61.18, 60.81, 6.18, 60.1, 60.178])
def test_a_slip_changes_adds_drops_or_swaps_one_digit(meant):
    assert meant in typos(60.18, "60,18s user")


def test_a_slip_in_minutes_is_a_slip_of_what_was_printed():
    assert 166.63 in typos(106.63, "1:46,63 total")


def test_a_numeral_in_thousands_is_taken_as_the_value_spelled_out():
    assert 1334.5 in typos(1234.5, "1.234,5")
    assert 70.0 in typos(7.0, None)


def test_numbers_that_nobody_typed_have_no_slips():
    assert typos(1.2345678901234567e-7, "0.00000012345678901234567") == set()
