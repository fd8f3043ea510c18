import pytest

from benchdb.importing.quantities.characters import AmbiguousError, UnreadableError
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.quantities.unit_names import understood


def read(text, unit=None):
    quantity = parsed(text, unit=unit)
    assert isinstance(quantity, Quantity)
    return (quantity.value, quantity.unit, quantity.per)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("140 img/sec", (140, "1/s", "img")),
        ("72.8img/s", (72.8, "1/s", "img")),
        ("12 images per second", (12, "1/s", "img")),
        ("12 Bilder pro Sekunde", (12, "1/s", "img")),
        ("12 장/초", (12, "1/s", "img")),
        ("140 samples/sec", (140, "1/s", "sample")),
        ("19 seq/s", (19, "1/s", "seq")),
        ("502 docs/sec", (502, "1/s", "docs")),
        ("10.45 ms/im", (0.01045, "s", "im")),
        ("12 tokens/s", (12, "1/s", "token")),
        ("12 t/s", (12, "1/s", "token")),
        ("12 ktok/s", (12000, "1/s", "token")),
        ("1.2k tok/s", (1200, "1/s", "token")),
        ("3 it/s", (3, "1/s", "it")),
        ("5 steps/s", (5, "1/s", "step")),
        ("60 fps", (60, "1/s", "frame")),
        ("60 img/min", (1, "1/s", "img")),
        ("6 epochs/hour", (6, "1/h", "epoch")),
        ("6 epochs in an hour", (6, "1/h", "epoch")),
        ("2 epochs/min", (120, "1/h", "epoch")),
        ("2 s/it", (2, "s", "it")),
        ("998us/step", (0.000998, "s", "step")),
        ("6 ms/step", (0.006, "s", "step")),
        ("23 秒/epoch", (23, "s", "epoch")),
        ("0.75 min", (45, "s", None)),
        ("21.25秒", (21.25, "s", None)),
        ("3.5초", (3.5, "s", None)),
        ("0,007s", (0.007, "s", None)),
        ("12 Sek", (12, "s", None)),
        ("3 Min.", (180, "s", None)),
        ("1,5 std", (5400, "s", None)),
        ("2 Std.", (7200, "s", None)),
        ("2 heures", (7200, "s", None)),
        ("5 µs", (5e-6, "s", None)),
        ("5 μs", (5e-6, "s", None)),
        ("7 ns", (7e-9, "s", None)),
        ("12 ㎳", (0.012, "s", None)),
        ("21 GB", (21e9, "B", None)),
        ("8 gb", (8e9, "B", None)),
        ("16 Go", (16e9, "B", None)),
        ("15.5 GiB", (15.5 * 2**30, "B", None)),
        ("512 MiB", (512 * 2**20, "B", None)),
        ("400 GB/s", (400e9, "B/s", None)),
        ("12 GB/sec", (12e9, "B/s", None)),
        ("8 Gbps", (1e9, "B/s", None)),
        ("8 Mbit", (1e6, "B", None)),
        ("8.6 TFLOPS", (8.6e12, "FLOP/s", None)),
        ("7.602 TFLops", (7.602e12, "FLOP/s", None)),
        ("7.5 TFlops", (7.5e12, "FLOP/s", None)),
        ("2.5 GFLops", (2.5e9, "FLOP/s", None)),
        ("2.5 gflop/s", (2.5e9, "FLOP/s", None)),
        ("12 GFLOP/s", (12e9, "FLOP/s", None)),
        ("12 (ms)", (0.012, "s", None)),
        ("12 GFLOP/sec", (12e9, "FLOP/s", None)),
        ("12 TFLOPs per second", (12e12, "FLOP/s", None)),
        ("42W", (42, "W", None)),
        ("300 mW", (0.3, "W", None)),
        ("2 MW", (2e6, "W", None)),
        ("3 Wh", (10800, "J", None)),
        ("2 kJ", (2000, "J", None)),
        ("5 J", (5, "J", None)),
        ("3.2 GHz", (3.2e9, "Hz", None)),
        ("5 img/s/W", (5, "1/J", "img")),
        ("3 tokens/J", (3, "1/J", "token")),
        ("494.65%", (494.65, "%", None)),
        ("%50", (50, "%", None)),
        ("50 Prozent", (50, "%", None)),
        ("3.2x", (3.2, "x", None)),
        ("3.2×", (3.2, "x", None)),
        ("×3.2", (3.2, "x", None)),
        ("6 fois", (6, "x", None)),
        ("1.5M tokens", (1.5e6, "1", "token")),
        ("6.74 B params", (6.74e9, "1", "param")),
        ("45 Mio. tokens", (45e6, "1", "token")),
    ],
)
def test_a_unit_becomes_its_base_unit(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    ("letter", "power"),
    [("k", 1), ("K", 1), ("M", 2), ("G", 3), ("T", 4), ("P", 5), ("E", 6)],
)
def test_a_letter_before_bytes_and_operations_multiplies_them(letter, power):
    binary = letter.upper()

    assert read(f"3 {letter}B") == (3 * 1000**power, "B", None)
    assert read(f"3 {letter}B/s") == (3 * 1000**power, "B/s", None)
    assert read(f"3 {letter}FLOPS") == (3 * 1000**power, "FLOP/s", None)
    assert read(f"3 {binary}iB") == (3 * 1024**power, "B", None)
    assert read(f"3 {binary}i") == (3 * 1024**power, "B", None)


@pytest.mark.parametrize(
    ("name", "factor", "base"),
    [
        *(("kilobyte", 10**3, "B"), ("megabyte", 10**6, "B")),
        *(("gigabyte", 10**9, "B"), ("terabyte", 10**12, "B")),
        *(("kibibyte", 2**10, "B"), ("mebibyte", 2**20, "B")),
        *(("gibibyte", 2**30, "B"), ("tebibyte", 2**40, "B")),
        *(("bit", 1 / 8, "B"), ("kilobit", 125, "B")),
        *(("megabit", 125_000, "B"), ("gigabit", 125_000_000, "B")),
        *(("hertz", 1, "Hz"), ("kilohertz", 10**3, "Hz")),
        *(("megahertz", 10**6, "Hz"), ("gigahertz", 10**9, "Hz")),
        *(("milliwatt", 1e-3, "W"), ("watt", 1, "W"), ("kilowatt", 1000, "W")),
        *(("joule", 1, "J"), ("kilojoule", 1000, "J")),
        *(("watt-hour", 3600, "J"), ("kWh", 3_600_000, "J")),
    ],
)
def test_a_unit_that_is_spelled_out_is_worth_as_much(name, factor, base):
    assert read(f"4 {name}") == (4 * factor, base, None)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("140", "img/s", (140, "1/s", "img")),
        ("12", "(ms)", (0.012, "s", None)),
        ("1,5", "Std.", (5400, "s", None)),
        ("21 GB", "ms", (21e9, "B", None)),
        ("12k", "tokens", (12000, "1", "token")),
        ("12k", "tok/s", (12000, "1/s", "token")),
        ("6.74 B", "params", (6.74e9, "1", "param")),
        ("512 B", "GB", (512, "B", None)),
        ("8G", "GiB", (8 * 2**30, "B", None)),
        ("8G", "GB", (8e9, "B", None)),
        ("800M", "GB", (8e8, "B", None)),
        ("12m", "s", (720, "s", None)),
        ("12.5 TFLOPs", "TFLOPS", (12.5e12, "FLOP/s", None)),
        ("12 tps", "tokens/s", (12, "1/s", "token")),
        ("7", "1", (7, "1", None)),
    ],
)
def test_the_unit_of_the_column_helps_where_the_cell_has_none(text, unit, expected):
    assert read(text, unit) == expected


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        *(("12 Mb", None), ("12 Mb", "GB"), ("8G", None), ("800M", "GiB")),
        *(("12 tps", None), ("12 TFLOPs", None), ("12k", "ms"), ("12M", "M tokens")),
        *(
            ("12 K", "%"),
            ("12 sps", "tokens/s"),
            ("12 gb/s", None),
            ("12 mw", None),
            ("12 Ms", None),
            ("12 t", None),
        ),
    ],
)
def test_a_unit_with_two_meanings_is_refused(text, unit):
    with pytest.raises(AmbiguousError, match="may mean"):
        parsed(text, unit=unit)


@pytest.mark.parametrize("unit", ["$", "furlongs", "x" * 1000])
def test_a_unit_of_the_column_that_is_none_is_refused(unit):
    with pytest.raises(UnreadableError):
        parsed("12", unit=unit)


def test_a_time_in_a_column_of_rates_is_refused():
    with pytest.raises(UnreadableError, match="column of other figures"):
        parsed("1:53", unit="img/s")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("img/sec", ("1/s", "img", 1.0)),
        ("[ms]", ("s", None, 0.001)),
        ("in ms", ("s", None, 0.001)),
        ("img / s", ("1/s", "img", 1.0)),
        ("img·s⁻¹", ("1/s", "img", 1.0)),
        ("s^-1", ("1/s", None, 1.0)),
        ("초", ("s", None, 1.0)),
        ("Sek.", ("s", None, 1.0)),
        ("min", ("s", None, 60.0)),
        ("MB", ("B", None, 1e6)),
        ("MIB", None),
        ("mW", ("W", None, 0.001)),
        ("MW", ("W", None, 1e6)),
        ("ms", ("s", None, 0.001)),
        ("MS", ("s", None, 0.001)),
        ("%", ("%", None, 1.0)),
        ("B", ("B", None, 1.0)),
        ("FPS/W", ("1/J", "frame", 1.0)),
        ("J/token", ("J", "token", 1.0)),
    ],
)
def test_a_header_says_a_unit(text, expected):
    unit = understood(text)
    assert (unit and (unit.base, unit.per, float(unit.factor))) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "Mb",
            "m",
            "M",
            "Ms",
            "$",
            "€",
            "foo",
            "/",
            "per",
            "tps",
            "m/s",
            "s" * 99,
        ),
        *("img/W", "s/W/s", "k foo/s", "W/s", "s/s/s/s", "GB/step/s"),
        "s/step/img",
    ],
)
def test_what_is_no_unit_or_a_doubtful_one_is_none(text):
    assert understood(text) is None


def test_a_long_word_behind_a_figure_is_no_unit():
    with pytest.raises(UnreadableError, match="no unit or word"):
        parsed("12 " + "m" * 99)


def test_milli_and_mega_are_told_apart_by_case():
    milli, mega = understood("mJ"), understood("MJ")

    assert milli is not None
    assert mega is not None
    assert (float(milli.factor), float(mega.factor)) == (0.001, 1e6)
