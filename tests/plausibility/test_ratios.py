import json

import msgspec
import pytest

from benchdb.exchange.messages import Claim, Flag
from benchdb.plausibility.figures import half_step, numeral, significant_digits, typos
from benchdb.plausibility.ratios import flags_of
from benchdb.resources import folder

# The two values of each claim that its document has both of.
OPERANDS = {
    "519.02%": (188.27877402305603, 36.275963306427),
    "336.00%": (35.99792671203613, 10.713558197021484),
    "224.99%": (42.05255889892578, 18.608237743377686),
    "494.65%": (223.11423015594482, 45.10530471801758),
    "339.59%": (256.45679998397827, 75.51856923103333),
    "2x": (0.15, 0.007),
    "36.5%": (0.337, 0.214),
}


def claims() -> list[Claim]:
    """Return those about two values; others are of a range, or of a limit."""
    files = folder("published").glob("*.jsonl")
    lines = [raw for path in files for raw in path.read_bytes().splitlines()]
    result = [
        msgspec.json.decode(raw, type=Claim)
        for raw in lines
        if raw.startswith(b'{"type":"claim"') and b'"recomputed"' in raw
    ]
    return [claim for claim in result if "claim-exceeded" not in codes(claim.flags)]


def codes(flags: tuple[Flag, ...]) -> list[str]:
    return [flag.code for flag in flags]


def test_every_published_ratio_is_flagged_as_by_hand() -> None:
    for claim in claims():
        slower, faster = OPERANDS[claim.printed]
        texts = (claim.printed, str(slower), str(faster))

        flags = flags_of(
            claim.value or 0, claim.unit or "", slower, faster, printed=texts
        )

        assert flags == claim.flags, claim.printed
    assert {claim.printed for claim in claims()} == set(OPERANDS)


@pytest.mark.parametrize(
    ("stated", "slower", "faster", "printed"),
    [
        (2.0, 3.0, 1.5, ("2x", "3.0", "1.5")),
        (2.0, 2.3, 1.0, ("2x", "2.3", "1.0")),  # rounded
        (2.0, 2.9, 1.0, ("2x", "2.9", "1.0")),  # cut off
        (22.0, 0.15, 0.007, ("22x", "0.15", "0.007")),  # of values before rounding
        (5.19, 188.28, 36.28, ("5.19x", "188.28", "36.28")),
        (0.5, 1.0, 2.0, ("0.5x", "1.0", "2.0")),
        (2.0, 4.0, 2.0, ()),
        (2.0, 0.0, 2.0, ()),  # what cannot be compared
        (2.0, 1.0, -2.0, ()),
        (2.0, 1e12, 1.0, ()),
        (float("inf"), 1.0, 2.0, ()),
    ],
)
def test_a_factor_that_follows_within_its_last_digit_is_no_mismatch(
    stated, slower, faster, printed
):
    assert flags_of(stated, "x", slower, faster, printed=printed) == ()


@pytest.mark.parametrize(
    ("stated", "slower", "faster"), [(2.0, 1e308, 1e-308), (float("nan"), 1.0, 2.0)]
)
def test_a_percentage_that_cannot_be_compared_is_not_flagged(stated, slower, faster):
    assert flags_of(stated, "%", slower, faster) == ()
    assert flags_of(2.0, "px", 1.0, 2.0) == ()


@pytest.mark.parametrize(
    ("stated", "says"), [(33.3, "less-time"), (150.0, "factor"), (50.0, "faster")]
)
def test_a_percentage_is_plain_where_its_words_say_how_it_is_meant(stated, says):
    printed = (f"{stated}%", "3.0", "2.0")
    flags = flags_of(stated, "%", 3.0, 2.0, printed=printed)

    assert flags_of(stated, "%", 3.0, 2.0, printed=printed, says=says) == ()
    # Without them it is that of speed.
    assert codes(flags) == ["speedup-wording"] * (says != "faster")
    assert all(flag.detail["percent_faster"] == 50.0 for flag in flags)


@pytest.mark.parametrize(
    ("unit", "says", "stated", "factor"),
    [
        ("x", "faster", 3.0, 3.0),
        ("%", "faster", 1000.0, 11.0),
        ("%", "factor", 1000.0, 10.0),
        ("%", "less-time", 1000.0, 0.0),
        ("%", "less-time", 75.0, 4.0),
    ],
)
def test_what_fits_no_meaning_is_a_mismatch_of_what_it_says(unit, says, stated, factor):
    detail = {"stated": factor, "recomputed": 1.5}

    assert flags_of(stated, unit, 3.0, 2.0, says=says) == (
        Flag(code="ratio-mismatch", detail=detail),
    )


def test_flags_are_plain_json():
    flags = flags_of(224.99, "%", 42.05255889892578, 18.608237743377686)

    assert json.loads(msgspec.json.encode(flags))[0]["detail"]["ratio"] == 2.26


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
    ("printed", "share"),
    [("207% cpu", 0.5 / 207), ("0.150", 0.5 / 150), (None, 0), ("0.00", 0)],
)
def test_half_of_the_last_digit_is_told_as_a_share(printed, share):
    assert half_step(printed) == pytest.approx(share)


@pytest.mark.parametrize(
    ("value", "printed", "meant"),
    [
        *(
            (60.18, "60,18s user", meant)
            for meant in (160.18, 0.18, 61.18, 60.81, 6.18, 60.1, 60.178)
        ),
        (106.63, "1:46,63 total", 166.63),
        (1234.5, "1.234,5", 1334.5),  # taken as the value spelled out
        (7.0, None, 70.0),
    ],
)
def test_a_slip_changes_adds_drops_or_swaps_one_digit(value, printed, meant):
    assert meant in typos(value, printed)


def test_numbers_that_nobody_typed_have_no_slips():
    assert typos(1.2345678901234567e-7, "0.00000012345678901234567") == set()
