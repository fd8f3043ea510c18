"""Arguments of messages: what a placeholder stands for says how it is written.

``str`` is text in the language already and stays as it is, ``int`` is written in full,
``float`` to three digits or more, a ``Quantity`` with its unit, a list as an
enumeration. All but text are protected from words that run the other way.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from benchdb.report.view.atoms import Quantity


class Writer(Protocol):
    """What an argument needs of a language."""

    def times(self, value: float) -> str:
        """Return a factor."""

    def times_range(self, low: float, high: float) -> str:
        """Return a range of factors."""

    def percent(self, value: float, decimals: int = 0) -> str:
        """Return a fraction as a percentage."""


class Name(msgspec.Struct, frozen=True):
    """A name, an identifier, or text of which the direction is not known."""

    text: str

    def written(self, language: Writer) -> str:
        """Return the text as it is."""
        del language
        return self.text


class Times(msgspec.Struct, frozen=True):
    """A factor, ``13.1×``, or with *high* a range of them, ``2.9–13.1×``."""

    low: float
    high: float | None = None

    def written(self, language: Writer) -> str:
        """Return the factors with their sign."""
        if self.high is None:
            return language.times(self.low)
        return language.times_range(self.low, self.high)


class Share(msgspec.Struct, frozen=True):
    """A fraction that is written as a percentage: ``12 %`` for 0.12."""

    value: float
    decimals: int = 0

    def written(self, language: Writer) -> str:
        """Return the percentage."""
        return language.percent(self.value, self.decimals)


Argument = str | float | Quantity | Name | Times | Share | Sequence[str]
