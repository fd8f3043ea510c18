"""Facts of a flag as arguments of the sentences about it; None where one is odd."""

import math
from collections.abc import Callable, Mapping
from typing import TypeGuard

from benchdb import catalogue
from benchdb.metric_kinds import unit_of
from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share
from benchdb.report.view.atoms import Quantity
from benchdb.report.wording.terms import work_named

Detail = Mapping[str, object]
# A fact of a flag as an argument of a message; None where it is missing, or odd.
Fact = Callable[[Language, Detail], Argument | None]

_FLOPS = ("samples_per_second", "step_seconds")  # what is judged by operations a second


def text_of(name: str, write: Callable[[Language, str], str] | None = None) -> Fact:
    """Return a fact that is text, as *write* says it."""

    def fact(language: Language, detail: Detail) -> Name | None:
        text = detail.get(name)
        if not isinstance(text, str) or not text:
            return None
        return Name(write(language, text) if write else text)

    return fact


def number_of(name: str, write: Callable[[float, object], Argument]) -> Fact:
    """Return a fact that is a number, as *write* says it, which gets the metric too."""

    def fact(_: Language, detail: Detail) -> Argument | None:
        number = detail.get(name)
        return write(float(number), detail.get("metric")) if is_number(number) else None

    return fact


def is_number(fact: object) -> TypeGuard[int | float]:
    """Tell whether *fact* is a number that can be written."""
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        return False
    try:
        return math.isfinite(float(fact))
    except OverflowError:
        return False


def count(number: float, _: object) -> Argument:
    """Return a number of things."""
    return round(number)


def percent(number: float, _: object) -> Argument:
    """Return a share that a flag has in percent."""
    return Share(number / 100)


def seconds(number: float, _: object) -> Argument:
    """Return a time in seconds."""
    return Quantity(number, "s", "")


def gigabytes(number: float, _: object) -> Argument:
    """Return an amount of memory in GB."""
    return Quantity(number, "GB", "")


def amount(number: float, metric: object) -> Argument:
    """Return a figure of *metric* with its unit, as far as the metric is known."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    return Quantity(number, unit_of(str(metric), "") if known else "", "")


def rate(number: float, metric: object) -> Argument:
    """Return what a chip would have to do for a figure of *metric*, with its unit."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    if known and not str(metric).endswith(_FLOPS):
        return amount(number, metric)
    return Quantity(number, "TFLOPS", "")


def speed_of(prefix: str) -> Fact:
    """Return a figure that a flag has in seconds, or else as a rate."""

    def fact(language: Language, detail: Detail) -> Argument | None:
        time = number_of(f"{prefix}seconds", seconds)(language, detail)
        return time or number_of(f"{prefix}rate", amount)(language, detail)

    return fact


def work_title(language: Language, name: str) -> str:
    """Return the title of the workload *name*."""
    known = catalogue.workloads().get(name)
    return work_named(language, name, known.title if known else name)


def mode(language: Language, detail: Detail) -> Argument | None:
    """Return the precision that a peak is of, unless it is of any."""
    return None if detail.get("mode") == "any" else text_of("mode")(language, detail)


def utilisation(language: Language, detail: Detail) -> Argument | None:
    """Return what a flag states as a share of what the chip can do."""
    metric = detail.get("metric")
    stated = number_of("stated", percent)(language, detail)
    return stated if metric == "mfu_percent" else None
