"""Arguments of messages: what a placeholder stands for says how it is written.

``str`` is text in the language already and stays as it is, ``int`` is written in full,
``float`` to three digits or more, a ``Quantity`` with its unit, a list as an
enumeration. All but text are protected from words that run the other way.
"""

from collections.abc import Sequence

import msgspec

from benchdb.report.view.atoms import Quantity


class Name(msgspec.Struct, frozen=True):
    """A name, an identifier, or text of which the direction is not known."""

    text: str


class Times(msgspec.Struct, frozen=True):
    """A factor, ``13.1×``, or with *high* a range of them, ``2.9–13.1×``."""

    low: float
    high: float | None = None


class Share(msgspec.Struct, frozen=True):
    """A fraction that is written as a percentage: ``12 %`` for 0.12."""

    value: float
    decimals: int = 0


Argument = str | float | Quantity | Name | Times | Share | Sequence[str]
