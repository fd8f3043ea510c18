"""One language of the report: its catalogue, and CLDR's way of writing figures.

Catalogues are read from the ``.po`` files themselves: there is no compiled copy that
could be out of date. Digits are Latin everywhere.
"""

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Literal

import msgspec
from babel import Locale
from babel.dates import format_date
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from benchdb import resources
from benchdb.report.language import choice, numbers
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.language.direction import (
    LEFT_TO_RIGHT,
    POP,
    is_isolate,
    mixed_order,
)
from benchdb.report.language.units import cldr_unit, patterns, shortened
from benchdb.report.view.atoms import Quantity

_SOURCE = "en"
_DOMAIN = "benchdb"
_NO_BREAK_SPACE = "\u00a0"
_COMMAS = {"ar": "، ", "ja": "、", "zh": "\N{FULLWIDTH COMMA}"}
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
# Where CLDR spells units out, 瓦 and 焦耳, that tables give as symbols.
_SPELT_OUT = {"zh": {"W", "J"}}
_SIZES = ((2**40, "digital-terabyte"), (2**30, "digital-gigabyte"))


class Language(msgspec.Struct, frozen=True):
    """A catalogue and a locale. Messages take their placeholders by name."""

    code: str
    name: str
    direction: Literal["ltr", "rtl"]
    locale: Locale
    catalogue: GNUTranslations

    def gettext(self, message: str, /, **facts: Argument) -> str:
        """Return *message* in this language, with *facts* in its placeholders."""
        return self._filled(self.catalogue.gettext(message), facts)

    def ngettext(self, one: str, many: str, n: int, /, **facts: Argument) -> str:
        """Return the form that *n* needs; it stands in ``%(n)s``."""
        return self._filled(self.catalogue.ngettext(one, many, n), {"n": n, **facts})

    def pgettext(self, context: str, message: str, /, **facts: Argument) -> str:
        """Return *message* as meant in *context*."""
        return self._filled(self.catalogue.pgettext(context, message), facts)

    def npgettext(
        self, context: str, one: str, many: str, n: int, /, **facts: Argument
    ) -> str:
        """Return the form that *n* needs in *context*; it stands in ``%(n)s``."""
        message = self.catalogue.npgettext(context, one, many, n)
        return self._filled(message, {"n": n, **facts})

    def _filled(self, message: str, facts: Mapping[str, Argument]) -> str:
        if not facts:
            return message
        return message % {name: self.written(fact) for name, fact in facts.items()}

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
        return numbers.fixed(self.locale, value, decimals)

    def significant(self, value: float, digits: int = 3) -> str:
        """Return at least *digits* significant digits; whole numbers stay whole."""
        return self.number(value, numbers.significant_decimals(value, digits))

    def printed(self, text: str) -> str:
        """Return ``91.80`` as ``91,80``: digits are never added or dropped."""
        decimals = numbers.printed_decimals(text)
        if decimals is None:
            return text
        plain = text.replace("\N{MINUS SIGN}", "-")
        return numbers.fixed(self.locale, Decimal(plain), decimals)

    def times(self, value: float) -> str:
        """Return a factor: ``13.1×``, ``150×``, near 1 ``1.04×``, below ``0.13×``."""
        return self.multiple(self.factor(value))

    def times_range(self, low: float, high: float) -> str:
        """Return ``2.9–13.1×``, or one factor where both read the same."""
        decimals = numbers.range_decimals(low, high)
        first, last = map(self.number, (low, high), decimals)
        if first == last:
            return self.multiple(first)
        return self.pgettext(
            "range of factors", "%(low)s–%(high)s×", low=first, high=last
        )

    def factor(self, value: float) -> str:
        """Return the digits of a factor, without its sign."""
        return self.number(value, numbers.factor_decimals(value))

    def percent(self, value: float, decimals: int = 0) -> str:
        """Return the fraction *value* as a percentage: ``12 %`` for 0.12."""
        return numbers.fixed(self.locale, value, decimals, "percent")

    def share(self, value: float) -> str:
        """Return ``12 %``, ``3.4 %``, ``0.04 %``: what is there is never none."""
        least = 1 if value < 0.0995 else 0
        decimals = numbers.significant_decimals(value * 100, 1)
        return self.percent(value, max(least, decimals))

    def quantity(self, quantity: Quantity) -> str:
        """Return a figure with its unit: as printed, else with 3 digits or more.

        What its source gives after ± stays there.
        """
        size, unit = shortened(quantity.value, quantity.unit)
        if quantity.printed is not None:
            size, unit, digits = 1, quantity.unit, self.printed(quantity.printed)
        else:
            digits = self.significant(quantity.value * size)
        if quantity.uncertainty is not None:
            spread = self.printed(quantity.uncertainty)
            if size != 1:
                spread = self.significant(float(quantity.uncertainty) * size)
            digits = f"{digits} ± {spread}"
        return self.measure(digits, unit)

    def compact(self, quantity: Quantity) -> str:
        """Return a figure rounded to 3 digits or more, never finer than printed."""
        size, unit = shortened(quantity.value, quantity.unit)
        decimals = numbers.significant_decimals(quantity.value * size, 3)
        if quantity.printed is not None and size == 1:
            known = numbers.printed_decimals(quantity.printed)
            decimals = min(decimals, decimals if known is None else known)
        return self.measure(self.number(quantity.value * size, decimals), unit)

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
        spaced = self.locale.language not in {"ja", "zh"}
        said = (f"{p} " if spaced or p[-1].isascii() else p for p in parts if p)
        return "".join(said).removesuffix(" ")

    def isolate(self, text: str) -> str:
        """Return *text* protected from surrounding right-to-left text."""
        if self.direction == "ltr":
            return text
        ordered = self.ordered(text)
        return ordered if is_isolate(ordered) else f"{LEFT_TO_RIGHT}{ordered}{POP}"

    def ordered(self, text: str) -> str:
        """Return *text* so that it reads in order where it runs left to right.

        Digits, signs and ranges stay left to right; a unit in letters that run right
        to left follows them on their left, where readers look for it.
        """
        return mixed_order(text) if self.direction == "rtl" else text

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
        write_mo(compiled, read_po(file, abort_invalid=True))
    compiled.seek(0)
    own = locale.languages.get(str(locale)) or locale.get_display_name() or str(locale)
    return Language(
        code=code,
        name=own[0].upper() + own[1:],
        direction="rtl" if locale.text_direction == "rtl" else "ltr",
        locale=locale,
        catalogue=GNUTranslations(compiled),
    )


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
