import pytest

from benchdb.importing.quantities.characters import UnreadableError
from benchdb.importing.quantities.quantity import Quantity, parsed

TIMEIT = "1.2 ms ± 30 µs per loop (mean ± std. dev. of 7 runs, 1,000 loops each)"


def read(text, **hints):
    quantity = parsed(text, **hints)
    assert isinstance(quantity, Quantity)
    return quantity


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1:09:25.48", 4165.48),
        ("1:53,65", 113.65),
        ("03:08", 188),
        ("1-02:03:04", 93784),
        ("1 day, 2:03:04", 93784),
        ("1h 49m 9s", 6549),
        ("2m36s", 156),
        ("0m12.345s", 12.345),
        ("0m12,345s", 12.345),
        ("1min 3s", 63),
        ("1 hour and 20 minutes", 4800),
        ("1 Std. 20 Min.", 4800),
        ("3분 20초", 200),
        ("1時間20分", 4800),
        ("1小时20分", 4800),
        ("5'30\"", 330),
        ("12 s 3 ms", 12.003),
        ("1:53 h", 6780),
        ("12:34 min", 754),
    ],
)
def test_a_time_in_several_units_is_read_in_seconds(text, seconds):
    result = read(text)

    assert (result.value, result.unit) == (seconds, "s")


@pytest.mark.parametrize(
    ("header", "seconds"), [("h:mm", 6780), ("h", 6780), ("min", 113), ("mm:ss", 113)]
)
def test_the_header_says_whether_a_time_begins_with_hours(header, seconds):
    assert read("1:53", unit=header).value == seconds


def test_a_time_can_count_something():
    result = read("2m36s/epoch")

    assert (result.value, result.per) == (156, "epoch")


@pytest.mark.parametrize(
    "text", ["1:75", "1h 75m", "2m 90s", "1:53 ms", "1:53 - 7", "5'60\"", "2 days 1:30"]
)
def test_what_only_looks_like_a_time_is_none(text):
    with pytest.raises(UnreadableError):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "value", "bound"),
    [
        ("<0.3", 0.3, "<"),
        ("≤ 5", 5, "<"),
        ("up to 30", 30, "<"),
        (">100", 100, ">"),
        (">= 100", 100, ">"),
        ("100+", 100, ">"),
        ("more than 3", 3, ">"),
        ("~1.80", 1.8, "~"),
        ("≈ 2", 2, "~"),
        ("ca. 12", 12, "~"),
        ("约12", 12, "~"),
        ("12左右", 12, "~"),
    ],
)
def test_a_bound_is_kept(text, value, bound):
    result = read(text)

    assert (result.value, result.bound) == (value, bound)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("23-24s/epoch", 23, 24),
        ("23–24 s", 23, 24),
        ("10s-12s", 10, 12),
        ("10~12秒", 10, 12),
        ("10 to 12 s", 10, 12),
        ("900 ms - 1.5 s", 0.9, 1.5),
    ],
)
def test_a_range_has_its_middle_as_value(text, low, high):
    result = read(text)

    assert (result.low, result.high, result.unit) == (low, high, "s")
    assert result.value == (low + high) / 2


@pytest.mark.parametrize(
    "text",
    [
        "24-23",
        "10-12-14",
        "2024-05-01",
        "3 GB - 12 ms",
        "<3-4+",
        "1 ± -2",
        "1 s/step - 2 s/epoch",
    ],
)
def test_what_does_not_rise_or_does_not_fit_is_no_range(text):
    with pytest.raises(UnreadableError):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "unit", "value", "uncertainty"),
    [
        ("2368.80 ± 93.24", "t/s", 2368.8, 93.24),
        ("1.2 +/- 0.1", None, 1.2, 0.1),
        ("1,2±0,1 s", None, 1.2, 0.1),
        ("1.2 s (±0.1)", None, 1.2, 0.1),
        ("(94.5 ± 0.3)%", None, 94.5, 0.3),
        ("12.5 ms ± 2%", None, 0.0125, 0.00025),
        ("94.5 ± 0.3%", "%", 94.5, 0.3),
        ("12.5 (0.4)", "ms (std)", 0.0125, 0.0004),
        ("12.5 (0.4)", "ms ± \u03c3", 0.0125, 0.0004),
        ("12.5 ± nan", "s", 12.5, None),
        ("1.042,5  +23,7 -35,1", "img/s", 1042.5, None),
        ("1.042  +23,7 -35,1", "img/s", 1042, None),
        ("12.5 ms (+0.5/-0.5)", None, 0.0125, 0.0005),
        (TIMEIT, None, 0.0012, 0.00003),
    ],
)
def test_what_follows_plus_minus_is_the_uncertainty(text, unit, value, uncertainty):
    result = read(text, unit=unit)

    assert (result.value, result.uncertainty) == (value, uncertainty)


def test_a_point_without_decimals_belongs_to_the_number():
    assert read("2522. ms").value == 2.522
    assert read("1157.ms").value == 1.157


def test_an_ordinal_is_no_duration():
    with pytest.raises(UnreadableError):
        parsed("3. ms")


def test_two_hyphens_make_a_range():
    result = read("25.5--26.5 sec")

    assert (result.low, result.high, result.value) == (25.5, 26.5, 26.0)


@pytest.mark.parametrize(
    ("text", "value", "beside"),
    [
        ("28.86 output tok/s", 28.86, "output"),
        ("123 prompt tokens/s", 123, "prompt"),
        ("45 tok/s (decode only)", 45, "decode"),
        ("12 imgs/s @ bs 64", 12, "bs 64"),
        ("12 img/s (batch size 8)", 12, "batch size 8"),
        ("3 ms (warmup)", 0.003, "warmup"),
        ("3 ms (first run)", 0.003, "first run"),
    ],
)
def test_what_qualifies_a_figure_is_kept_beside_it(text, value, beside):
    result = read(text)

    assert (result.value, result.beside) == (value, beside)


def test_a_time_in_two_units_is_one_if_they_agree():
    assert read("5046 s (84 min)").value == 5046
    assert read("124.4s (2.1m)").value == 124.4
    for text in ("5046 s (2 h)", "12 s (0.4 s)", "300 ms (0.7 s)"):
        with pytest.raises(UnreadableError):
            parsed(text)


def test_a_size_in_two_units_is_one_if_they_agree():
    assert read("3224 MiB (3.15 GiB)").value == 3224 * 2**20
    for text in ("3224 MiB (3.25 GiB)", "3.22 GB (3.24 GB)", "12 (13 GB)"):
        with pytest.raises(ValueError, match=r"GiB|GB"):
            parsed(text)


def test_a_speed_up_behind_a_figure_is_no_second_figure():
    for text in ("336.207 (5.23x)", "336.207 (×5.23)", "336.207 (n/a)"):
        assert read(text).value == 336.207
    for text in ("336.207 (5.23)", "336.207 (5.23x, 2 runs)"):
        with pytest.raises(ValueError, match=r"336\.207"):
            parsed(text)
