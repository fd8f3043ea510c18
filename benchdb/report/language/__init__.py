"""One language of the report: its catalogue, and CLDR's way of writing figures.

Catalogues are read from the ``.po`` files themselves: there is no compiled copy that
could be out of date. Digits are Latin everywhere.
"""

import io
import math
import re
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache, lru_cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Literal

import msgspec
from babel import Locale
from babel.dates import format_date
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po
from babel.numbers import NumberPattern

from benchdb import resources
from benchdb.errors import BenchdbError
from benchdb.report.language import choice
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.language.direction import (
    LEFT_TO_RIGHT,
    POP,
    is_isolate,
    is_simple,
    mixed_order,
)
from benchdb.report.language.units import cldr_unit, patterns, shortened
from benchdb.report.view.atoms import Quantity

_SOURCE = "en"
_DOMAIN = "benchdb"
_NO_BREAK_SPACE = "\u00a0"
_COMMAS = {"ar": "، ", "ja": "、", "zh": "、"}
_SEMICOLONS = {
    "ar": "؛ ",
    "fr": "\N{NARROW NO-BREAK SPACE}; ",
    "ja": "、",
    "zh": "\N{FULLWIDTH SEMICOLON}",
}
# CLDR units whose short form is what people write. Not the second: "sec", "Sek.".
_CLDR_UNITS = {
    "W": "power-watt",
    "J": "energy-joule",
    "GB": "digital-gigabyte",
    "MB": "digital-megabyte",
    "kB": "digital-kilobyte",
}
# Where CLDR spells units out, 瓦, 焦耳 and 줄, that tables give as symbols.
_SPELT_OUT = {"zh": {"W", "J"}, "ko": {"J"}}
# CLDR's minimumGroupingDigits, which Babel does not apply: 1100, but 11.000.
_GROUPED_FROM_FIVE_DIGITS = {"es", "it", "pl"}
_PLAIN = re.compile(r"(?P<sign>[-\N{MINUS SIGN}]?)\d+(\.(?P<fraction>\d+))?")
# Beyond these, digits are written as a power of ten: nobody counts zeros.
_HUGE, _MOST_DECIMALS = 10**15, 12
_EXACT = Context(prec=400)  # every float, and every figure that a name's length allows
_SAMPLE = Decimal("1234567.5")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = ((2**40, "digital-terabyte"), (2**30, "digital-gigabyte"))


class Language(msgspec.Struct, frozen=True):
    """A catalogue and a locale. Messages take their placeholders by name."""

    code: str
    name: str
    direction: Literal["ltr", "rtl"]
    locale: Locale
    catalogue: GNUTranslations

    def __hash__(self) -> int:
        """Return what is quick to compute: texts are kept by language."""
        return hash(self.code)

    def gettext(self, message: str, /, **facts: Argument) -> str:
        """Return *message* in this language, with *facts* in its placeholders."""
        return self._filled(self.catalogue.gettext(message), facts)

    def ngettext(self, text: str, many: str, n: int, /, **facts: Argument) -> str:
        """Return the form that *n* needs; it stands in ``%(n)s``."""
        return self._filled(self.catalogue.ngettext(text, many, n), {"n": n, **facts})

    def pgettext(self, context: str, message: str, /, **facts: Argument) -> str:
        """Return *message* as meant in *context*."""
        return self._filled(self.catalogue.pgettext(context, message), facts)

    def npgettext(
        self, context: str, text: str, many: str, n: int, /, **facts: Argument
    ) -> str:
        """Return the form that *n* needs in *context*; it stands in ``%(n)s``."""
        message = self.catalogue.npgettext(context, text, many, n)
        return self._filled(message, {"n": n, **facts})

    def _filled(self, message: str, facts: Mapping[str, Argument]) -> str:
        if not facts:
            return message
        written = {name: self.written(fact) for name, fact in facts.items()}
        try:
            return message % written
        except (KeyError, TypeError, ValueError) as error:
            raise BenchdbError(
                f"{catalogue_path(self.code)}: {message!r} cannot be filled in: "
                f"{error}; it may name {', '.join(written)}, and % is written %%"
            ) from error

    def written(self, fact: Argument) -> str:
        """Return an argument of a message as ``language.arguments`` says."""
        match fact:
            case str():
                return fact
            case int():
                text = self.number(fact)
            case float():
                text = self.significant(fact)
            case Quantity():
                text = self.compact(fact)
            case Name():
                text = fact.text
            case Times(high=None):
                text = self.times(fact.low)
            case Times():
                text = self.times_range(fact.low, fact.high or fact.low)
            case Share():
                text = self.percent(fact.value, fact.decimals)
            case _:
                return self.listing(fact)
        return self.isolate(text)

    def number(self, value: float, decimals: int = 0) -> str:
        """Return *value* with exactly *decimals* decimals."""
        return fixed(self.locale, value, decimals)

    def significant(self, value: float, digits: int = 3) -> str:
        """Return at least *digits* significant digits; whole numbers stay whole."""
        return self.number(value, significant_decimals(value, digits))

    def times(self, value: float) -> str:
        """Return a factor: ``13.1×``, ``150×``, near 1 ``1.04×``, below ``0.13×``."""
        return self.multiple(self.factor(value))

    def times_range(self, low: float, high: float) -> str:
        """Return ``2.9–13.1×``, or one factor where both read the same."""
        decimals = range_decimals(low, high)
        first, last = map(self.number, (low, high), decimals)
        if first == last:
            return self.multiple(first)
        return self.pgettext(
            "range of factors", "%(low)s–%(high)s×", low=first, high=last
        )

    def factor(self, value: float) -> str:
        """Return the digits of a factor, without its sign."""
        return self.number(value, factor_decimals(value))

    def percent(self, value: float, decimals: int = 0) -> str:
        """Return the fraction *value* as a percentage: ``12 %`` for 0.12."""
        return fixed(self.locale, value, decimals, "percent")

    def share(self, value: float) -> str:
        """Return ``12 %``, ``3.4 %``, ``0.04 %``: what is there is never none."""
        least = 1 if value < 0.0995 else 0
        decimals = significant_decimals(value * 100, 1)
        return self.percent(value, max(least, decimals))

    def quantity(self, quantity: Quantity) -> str:
        """Return a figure with its unit: as printed, else with 3 digits or more.

        What its source gives after ± stays there.
        """
        size, unit = shortened(quantity.value, quantity.unit)
        if quantity.printed is not None:
            size, unit = 1, quantity.unit
            digits = fixed(self.locale, quantity.printed)
        else:
            digits = self.significant(quantity.value * size)
        if quantity.uncertainty is not None:
            spread = fixed(self.locale, quantity.uncertainty)
            if size != 1:
                spread = self.significant(float(quantity.uncertainty) * size)
            digits = f"{digits} ± {spread}"
        return self.measure(digits, unit)

    def compact(self, quantity: Quantity) -> str:
        """Return a figure rounded to 3 digits or more, never finer than printed."""
        return self.measure(*self.digits_and_unit(quantity))

    def digits_and_unit(self, quantity: Quantity) -> tuple[str, str]:
        """Return the digits of a rounded figure, and the token of their unit."""
        size, unit = shortened(quantity.value, quantity.unit)
        decimals = significant_decimals(quantity.value * size, 3)
        if quantity.printed is not None and size == 1:
            known = printed_decimals(quantity.printed)
            decimals = min(decimals, decimals if known is None else known)
        return self.number(quantity.value * size, decimals), unit

    def measure(self, digits: str, unit: str) -> str:
        """Return *digits* with the symbol of *unit*, which never wrap apart."""
        spelt_out = _SPELT_OUT.get(self.locale.language, ())
        if unit in _CLDR_UNITS and unit not in spelt_out:
            text = self._cldr(100, _CLDR_UNITS[unit]).replace("100", digits)
        else:
            pattern = patterns(self).get(unit)
            text = pattern.replace("{}", digits) if pattern else f"{digits} {unit}"
        return text.strip().replace(" ", _NO_BREAK_SPACE)

    def unit(self, token: str) -> str:
        """Return the symbol of a unit on its own, for a heading."""
        return self.measure("", token).strip()

    def bytes(self, n: int) -> str:
        """Return a memory size as vendors write it: binary GiB are called GB."""
        size, unit = next((s for s in _SIZES if n >= s[0]), (2**20, "digital-megabyte"))
        decimals = 0 if n % size == 0 else 1
        return self._cldr(round(n / size, decimals), unit)

    def date(self, iso: str) -> str:
        """Return the day of an ISO date or time, the month in words."""
        return format_date(datetime.fromisoformat(iso), "long", self.locale)

    def listing(self, items: Sequence[str]) -> str:
        """Return *items* as an enumeration: ``M1, M1 Pro und M1 Max``."""
        text = format_list([self.isolate(item) for item in items], locale=self.locale)
        if self.locale.language == "zh" and len(items) > 1:
            return _spaced(text, *items[-2:])
        if self.locale.language == "es" and len(items) > 1:
            return _with_e(text, items[-1])
        return text

    def sentences(self, parts: Sequence[str]) -> str:
        """Join whole sentences, with a space where the script uses one."""
        texts = (f"{p} " if self.gap or p[-1].isascii() else p for p in parts if p)
        return "".join(texts).removesuffix(" ")

    def isolate(self, text: str) -> str:
        """Return *text* protected from surrounding right-to-left text."""
        if self.direction == "ltr":
            return text
        ordered = mixed_order(text)
        return ordered if is_isolate(ordered) else f"{LEFT_TO_RIGHT}{ordered}{POP}"

    def ordered(self, text: str) -> str:
        """Return *text* so that it reads in order where it runs left to right.

        Digits, signs and ranges stay left to right; a unit in letters that run right
        to left follows them on their left, where readers look for it.
        """
        return mixed_order(text) if self.direction == "rtl" else text

    def figure(self, text: str) -> str:
        """Return *text* for an element that is an isolate of its own."""
        is_safe = self.direction == "ltr" or is_simple(text)
        return text if is_safe else mixed_order(text)

    @property
    def marks(self) -> tuple[str, str, int]:
        """Return what parts groups of three digits and decimals, as scripts need it.

        The number is that from which on digits stand in groups.
        """
        own = _marks(self.locale, "decimal_formats")
        return own.group, own.point, own.grouped_from

    @property
    def gap(self) -> str:
        """Return what stands between sentences: a space where the script uses one."""
        return "" if self.locale.language in {"ja", "zh"} else " "

    @property
    def comma(self) -> str:
        """Return what stands between things that are listed without "and"."""
        return _COMMAS.get(self.locale.language, ", ")

    @property
    def semicolon(self) -> str:
        """Return what stands between phrases that are listed without "and"."""
        return _SEMICOLONS.get(self.locale.language, "; ")

    def multiple(self, digits: str) -> str:
        """Return *digits* with the sign of a factor."""
        return self.pgettext("factor", "%(value)s×", value=digits)

    def _cldr(self, value: float, unit: str) -> str:
        return cldr_unit(self.locale, value, unit)


def available() -> tuple[str, ...]:
    """Return the codes of all catalogues, English first."""
    paths = _locales().glob(f"*/LC_MESSAGES/{_DOMAIN}.po")
    codes = {path.parent.parent.name.replace("_", "-") for path in paths}
    return tuple(sorted(codes, key=lambda code: (code != _SOURCE, code)))


def negotiate(requested: Sequence[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the languages to report in: as requested, else as the environment says."""
    return choice.choose(available(), requested, environ)


@lru_cache
def load(code: str) -> Language:
    """Read the catalogue of *code*, one of ``available()``."""
    locale = Locale.parse(code, sep="-")
    compiled = io.BytesIO()
    with catalogue_path(code).open("rb") as file:
        try:
            write_mo(compiled, read_po(file, abort_invalid=True))
        except (PoFileError, UnicodeDecodeError) as error:
            raise BenchdbError(f"{catalogue_path(code)}: {error}") from error
    compiled.seek(0)
    own = locale.languages.get(str(locale)) or locale.get_display_name() or str(locale)
    return Language(
        code=code,
        name=own[0].upper() + own[1:],
        direction="rtl" if locale.text_direction == "rtl" else "ltr",
        locale=locale,
        catalogue=_Catalogue(compiled),
    )


class _Catalogue(GNUTranslations):
    """Messages, each looked up once: pages ask thousands of times for the same."""

    def __init__(self, compiled: io.BytesIO) -> None:
        super().__init__(compiled)
        self.gettext = cache(super().gettext)  # type: ignore[method-assign]
        self.pgettext = cache(super().pgettext)  # type: ignore[method-assign]


def catalogue_path(code: str) -> Path:
    """Return where the catalogue of *code* is."""
    folder = code.replace("-", "_")
    return _locales() / folder / "LC_MESSAGES" / f"{_DOMAIN}.po"


def _locales() -> Path:
    return resources.folder("reports") / "locales"


def _spaced(text: str, previous: str, last: str) -> str:
    """Set Latin names at the end of a Chinese list off from the word between them."""
    left, right = (" " if edge.isascii() else "" for edge in (previous[-1:], last[:1]))
    rest = text.removesuffix(last)
    return f"{rest[:-1]}{left}{rest[-1:]}{right}{last}"


def _with_e(text: str, last: str) -> str:
    """Write ``e`` for the Spanish ``y`` before the sound of i, as CLDR asks for."""
    start = last.lower()
    heard = start if start.startswith(("hia", "hie")) else start.removeprefix("h")
    if not heard.startswith(("i", "í")):
        return text
    return f"{text.removesuffix(f'y {last}')}e {last}"


class _Marks(msgspec.Struct, frozen=True):
    """What a locale sets between digits, and around a figure of either sign.

    Figures are shifted by *scale* powers of ten; from *grouped_from* on their digits
    stand in groups of *grouping*: how many at the end, how many before.
    """

    group: str
    point: str
    above: tuple[str, str]
    below: tuple[str, str]
    scale: int
    grouping: tuple[int, int]
    grouped_from: int


def fixed(
    locale: Locale,
    value: float | str,
    decimals: int = 0,
    style: Literal["decimal", "percent"] = "decimal",
) -> str:
    """Return *value* with exactly *decimals* decimals and the locale's marks.

    A plain figure in a text keeps its own digits, ``91.80`` is ``91,80``; other text
    stays as it is. A fraction is a percentage, with the locale's space and sign,
    where *style* says so. Numbers too long to be read that way are powers of ten:
    ``1.50 × 10³⁰``.
    """
    # Not format_percent with a pattern of our own: that drops the space in de and fr.
    marks = _marks(locale, f"{style}_formats")
    if isinstance(value, str):
        if printed_decimals(value) is None:
            return value
        shown = f"{Decimal(value.replace(chr(0x2212), '-')):f}"
    else:
        if style == "decimal" and not math.isfinite(value):
            return str(value)
        too_long = abs(value) >= _HUGE or decimals > _MOST_DECIMALS
        if style == "decimal" and too_long:
            mantissa, _, power = f"{value:.2e}".partition("e")
            raised = str(int(power)).translate(_RAISED)
            return f"{fixed(locale, float(mantissa), 2)} × 10{raised}"
        shown = rounded(value, decimals, marks.scale)
    before, after = marks.below if shown.startswith("-") else marks.above
    whole, _, fraction = shown.removeprefix("-").partition(".")
    if int(whole) >= marks.grouped_from:
        end, others = marks.grouping
        rest, groups = whole[:-end], [whole[-end:]]
        while rest:
            groups.insert(0, rest[-others:])
            rest = rest[:-others]
        whole = marks.group.join(groups)
    digits = f"{whole}{marks.point}{fraction}" if fraction else whole
    return f"{before}{digits}{after}"


def rounded(value: float, decimals: int, scale: int = 0) -> str:
    """Return *value*, shifted by *scale* powers of ten, with so many decimals.

    With a point, and digits in no groups, whatever the language. Through repr: 0.125 is
    meant as printed, and halves go up as readers expect.
    """
    meant = repr(value)
    fraction = meant.partition(".")[2]
    is_half = len(fraction) == decimals + 1 and fraction.endswith("5")
    if len(fraction) > decimals and not (scale or is_half or "e" in meant):
        return f"{value:.{decimals}f}"  # the same, and quicker
    exact = Decimal(meant).scaleb(scale, _EXACT)
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT):f}"


def significant_decimals(value: float, digits: int) -> int:
    """Return how many decimals show *digits* significant digits; never below 0."""
    if value == 0 or not math.isfinite(value):
        return 0
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return max(0, digits - 1 - exponent)


def factor_decimals(value: float) -> int:
    """Return how many decimals show a factor."""
    if value < 0.995:
        return significant_decimals(value, 2)
    # 1.04 is not 1, as 0.96 is not; what rounds to 1.00 needs no second zero.
    if 1.005 <= value < 1.095:
        return 2
    return 0 if value >= 99.95 else 1


def range_decimals(low: float, high: float) -> tuple[int, int]:
    """Return how many decimals the ends of a range have.

    As many as each other about 1, ``1.04–1.20``; in ``0.13–26.4`` they matter
    differently.
    """
    first, last = factor_decimals(low), factor_decimals(high)
    return (2, 2) if max(first, last) == 2 and high < 1.995 else (first, last)


def printed_decimals(text: str) -> int | None:
    """Return the decimals of a plain figure like ``91.80``, ``None`` for other text."""
    match = _PLAIN.fullmatch(text)
    return len(match["fraction"] or "") if match else None


@lru_cache(maxsize=64)
def _marks(locale: Locale, formats: str) -> _Marks:
    """Return the marks that Babel sets; it takes 100 times as long as we do."""
    pattern: NumberPattern = getattr(locale, formats)[None]
    exact = copy(pattern)  # the locale's own, so that its spaces and groups stay
    exact.frac_prec = (1, 1)
    sample = _SAMPLE.scaleb(-exact.scale)
    above, below = (
        exact.apply(decimal, locale, numbering_system="latn")
        for decimal in (sample, -sample)
    )
    start, end = above.index("1"), above.rindex("5") + 1
    inside = re.findall(r"\D+", above[start:end])
    late = locale.language in _GROUPED_FROM_FIVE_DIGITS
    return _Marks(
        group=inside[0],
        point=inside[-1],
        above=(above[:start], above[end:]),
        below=(below[: below.index("1")], below[below.rindex("5") + 1 :]),
        scale=pattern.scale,
        grouping=pattern.grouping,
        grouped_from=10_000 if late else 0,
    )
