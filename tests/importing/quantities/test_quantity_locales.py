from datetime import timedelta

import pytest
from babel.localedata import locale_identifiers
from babel.numbers import format_decimal, format_scientific, get_decimal_symbol
from hypothesis import given, settings
from hypothesis import strategies as st

from benchdb.importing.quantities.characters import AmbiguousError, UnreadableError
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.quantity import Quantity, parsed, parts
from benchdb.importing.quantities.tokens import convention
from benchdb.importing.quantities.unit_names import understood

quick = settings(deadline=None, max_examples=100)
# Toki Pona groups by two digits, which nobody publishes in.
LOCALES = sorted(set(locale_identifiers()) - {"tok", "tok_001"})
numbers = st.decimals(
    min_value=-(10**12), max_value=10**12, places=4, allow_nan=False
).filter(bool)


def column_of(locale):
    mark = get_decimal_symbol(locale, numbering_system="default")
    return mark if mark in (".", ",") else None


@quick
@given(numbers, st.sampled_from(LOCALES))
def test_a_number_of_any_locale_comes_back(number, locale):
    text = format_decimal(
        number, locale=locale, decimal_quantization=False, numbering_system="default"
    )
    quantity = parsed(text, decimal=column_of(locale))

    assert isinstance(quantity, Quantity)
    assert quantity.value == float(number)


@quick
@given(st.lists(numbers, min_size=5, max_size=9), st.sampled_from(["de", "en", "sv"]))
def test_a_column_shows_the_mark_of_its_locale_or_none(column, locale):
    cells = [format_decimal(item, locale=locale, format="#,##0.00") for item in column]

    assert convention(cells) == column_of(locale)


@quick
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300))
def test_the_shortest_writing_of_a_float_is_read_exactly(number):
    quantity = parsed(repr(number), decimal=".")

    assert isinstance(quantity, Quantity)
    assert quantity.value == number


@quick
@given(numbers, st.sampled_from(["en", "de", "fr"]))
def test_a_number_in_scientific_writing_comes_back(number, locale):
    text = format_scientific(number, locale=locale, decimal_quantization=False)
    quantity = parsed(text, decimal=column_of(locale))

    assert isinstance(quantity, Quantity)
    assert quantity.value == pytest.approx(float(number), rel=1e-15)


@quick
@given(st.integers(0, 10**6), st.integers(0, 999))
def test_a_duration_comes_back_in_every_writing(seconds, thousandths):
    whole = timedelta(seconds=seconds)
    minutes, rest = divmod(seconds, 60)
    expected = seconds + thousandths / 1000
    for text in (
        f"{minutes}m{rest}.{thousandths:03}s",
        f"{minutes}m{rest},{thousandths:03}s",
        f"{minutes // 60}h {minutes % 60}min {rest}.{thousandths:03}s",
        f"{minutes}:{rest:02},{thousandths:03}",
        f"{whole}.{thousandths:03}",
    ):
        quantity = parsed(text)

        assert isinstance(quantity, Quantity)
        assert quantity.value == pytest.approx(expected, rel=1e-12)


def outcome(read):
    try:
        return repr(read())
    except (AmbiguousError, UnreadableError) as refusal:
        return str(refusal)


PIECES = (
    "1 12 345 1,234 1.5 . , : e5 ×10^ ⁻³ ² \u066b \u066c ms s h m img/s / GB k M % x "
    "user total ± +/- - – ~ < ≥ ( ) [1] * _ ` | = 秒 初 nan inf OOM ⑴ ½"
)
FRAGMENTS = [*PIECES.split(), " ", "\u00a0", "\u202e", "\0", "\ud800"]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join) | st.text(),
    st.sampled_from([None, ".", ","]),
    st.sampled_from([None, "ms", "GiB", "tokens", "ms (std)", "h:mm"]),
)
def test_no_text_does_worse_than_being_refused(text, mark, unit):
    assert missing_of(text) is None or missing_of(text) == parsed(text)
    assert understood(text) in (None, understood(text.strip()))
    for read in (
        lambda: parsed(text, decimal=mark, unit=unit),
        lambda: parts(text, decimal=convention([text])),
    ):
        assert "\n" not in outcome(read)


@pytest.mark.parametrize(
    "text",
    ["1" * 10_000, "1," * 5000, "(" * 10**6, "1 " * 10**5, "\u00a0" * 10**6 + "1"],
)
def test_a_cell_that_is_too_long_is_refused_at_once(text):
    with pytest.raises(UnreadableError):
        parsed(text)


@pytest.mark.parametrize("text", ["\u202e12", "12\u20665", "1\x002", "1\x1b[2m2"])
def test_characters_that_hide_or_reorder_are_refused(text):
    with pytest.raises(UnreadableError, match="not text"):
        parsed(text)
