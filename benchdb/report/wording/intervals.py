"""The interval of a repeated figure, in the unit in which the figure is written."""

from benchdb.report.language import Language
from benchdb.report.language.units import shortened
from benchdb.report.view.atoms import Quantity


def limits(language: Language, quantity: Quantity) -> str | None:
    """Return its ends, for where the unit stands beside them; one run has none."""
    if quantity.n < 2 or quantity.low is None or quantity.high is None:
        return None
    size, _ = shortened(quantity.value, quantity.unit)
    low, high = (language.significant(x * size) for x in (quantity.low, quantity.high))
    return language.pgettext("interval", "%(low)s–%(high)s", low=low, high=high)


def interval(language: Language, quantity: Quantity) -> str | None:
    """Return its ends with the unit; one run has none."""
    ends = limits(language, quantity)
    return ends and language.measure(ends, shortened(quantity.value, quantity.unit)[1])
