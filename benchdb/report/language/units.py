"""Units that CLDR lacks or abbreviates as nobody writes them; translators own them.

The number is part of the message, so order and spacing belong to the translator.
"""

from functools import lru_cache
from typing import Protocol

_DIGITS = "{}"  # where they go in a pattern


class Translator(Protocol):
    """What a unit needs of a language."""

    def pgettext(self, context: str, message: str, /, **facts: object) -> str:
        """Return *message* as meant in *context*."""

    def __hash__(self) -> int:
        """Return a number that equal languages share."""


def own_unit(language: Translator, digits: str, token: str) -> str:
    """Return *digits* with the symbol of the catalogue's unit *token*."""
    pattern = _patterns(language).get(token)
    if pattern is None:
        return f"{digits} {token}".strip()
    return pattern.replace(_DIGITS, digits)


@lru_cache(maxsize=32)  # a page has thousands of quantities
def _patterns(language: Translator) -> dict[str, str]:
    return {
        "s": language.pgettext("unit", "%(value)s s", value=_DIGITS),
        "img/s": language.pgettext("unit", "%(value)s img/s", value=_DIGITS),
        "seq/s": language.pgettext("unit", "%(value)s seq/s", value=_DIGITS),
        "product/s": language.pgettext("unit", "%(value)s products/s", value=_DIGITS),
        "epoch/h": language.pgettext("unit", "%(value)s epochs/h", value=_DIGITS),
        "TFLOPS": language.pgettext("unit", "%(value)s TFLOPS", value=_DIGITS),
        "GB/s": language.pgettext("unit", "%(value)s GB/s", value=_DIGITS),
        "%": language.pgettext("unit", "%(value)s %%", value=_DIGITS),
        "µs": language.pgettext("unit", "%(value)s µs", value=_DIGITS),
        "ns": language.pgettext("unit", "%(value)s ns", value=_DIGITS),
        "sample/s": language.pgettext("unit", "%(value)s samples/s", value=_DIGITS),
        "token/s": language.pgettext("unit", "%(value)s tokens/s", value=_DIGITS),
        "frame/s": language.pgettext("unit", "%(value)s frames/s", value=_DIGITS),
        "op/s": language.pgettext("unit", "%(value)s operations/s", value=_DIGITS),
        "token/J": language.pgettext("unit", "%(value)s tokens/J", value=_DIGITS),
        "sample/J": language.pgettext("unit", "%(value)s samples/J", value=_DIGITS),
        "img/J": language.pgettext("unit", "%(value)s img/J", value=_DIGITS),
        "seq/J": language.pgettext("unit", "%(value)s seq/J", value=_DIGITS),
    }
