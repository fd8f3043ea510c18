"""Units that CLDR lacks or abbreviates as nobody writes them; translators own them.

The number is part of the message, so order and spacing belong to the translator.
"""

from typing import Protocol


class Translator(Protocol):
    """What a unit needs of a language."""

    def pgettext(self, context: str, message: str, /, **facts: object) -> str:
        """Return *message* as meant in *context*."""


def own_unit(language: Translator, digits: str, token: str) -> str:
    """Return *digits* with the symbol of the catalogue's unit *token*."""
    known = {
        "s": language.pgettext("unit", "%(value)s s", value=digits),
        "img/s": language.pgettext("unit", "%(value)s img/s", value=digits),
        "seq/s": language.pgettext("unit", "%(value)s seq/s", value=digits),
        "product/s": language.pgettext("unit", "%(value)s products/s", value=digits),
        "epoch/h": language.pgettext("unit", "%(value)s epochs/h", value=digits),
        "TFLOPS": language.pgettext("unit", "%(value)s TFLOPS", value=digits),
        "GB/s": language.pgettext("unit", "%(value)s GB/s", value=digits),
        "%": language.pgettext("unit", "%(value)s %%", value=digits),
        "µs": language.pgettext("unit", "%(value)s µs", value=digits),
        "ns": language.pgettext("unit", "%(value)s ns", value=digits),
        "sample/s": language.pgettext("unit", "%(value)s samples/s", value=digits),
        "token/s": language.pgettext("unit", "%(value)s tokens/s", value=digits),
        "frame/s": language.pgettext("unit", "%(value)s frames/s", value=digits),
        "op/s": language.pgettext("unit", "%(value)s operations/s", value=digits),
        "token/J": language.pgettext("unit", "%(value)s tokens/J", value=digits),
        "sample/J": language.pgettext("unit", "%(value)s samples/J", value=digits),
        "img/J": language.pgettext("unit", "%(value)s img/J", value=digits),
        "seq/J": language.pgettext("unit", "%(value)s seq/J", value=digits),
    }
    return known.get(token, f"{digits} {token}".strip())
