"""The facts of a doubt, as arguments of messages; a missing one is nothing."""

import math
from collections.abc import Mapping

from benchdb import catalogue
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share
from benchdb.report.metric_kinds import unit_of
from benchdb.report.view.atoms import Quantity
from benchdb.report.wording.terms import work_named

Detail = Mapping[str, object]

_TEXTS = frozenset(
    {
        *("longer", "shorter", "peer", "chip", "device_name", "known", "other"),
        *("os_version", "first"),
    }
)
_FLOPS = ("samples_per_second", "step_seconds")  # what is judged by operations a second


def has(detail: Detail, *names: str) -> bool:
    """Tell whether *detail* has these facts, each of its kind."""
    return all(
        isinstance(detail.get(name), str) and bool(detail[name])
        if name in _TEXTS
        else is_number(detail.get(name))
        for name in names
    )


def is_number(fact: object) -> bool:
    """Tell whether *fact* is a number that can be written."""
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        return False
    try:
        return math.isfinite(float(fact))
    except OverflowError:
        return False


def value(fact: object) -> float:
    """Return *fact* as a number; 0 for what is none."""
    return float(fact) if isinstance(fact, int | float) and is_number(fact) else 0.0


def text(fact: object) -> Name:
    """Return *fact* as it stands."""
    return Name(str(fact))


def title(language: Language, name: object) -> str:
    """Return what to call the workload *name*."""
    known = catalogue.workloads().get(str(name))
    return work_named(language, str(name), known.title if known else str(name))


def count(fact: object) -> int:
    """Return a count or size."""
    return round(value(fact))


def percent(fact: object) -> Share:
    """Return a percentage."""
    return Share(value(fact) / 100)


def amount(fact: object, metric: object) -> Quantity:
    """Return a figure of *metric* with its unit, as far as the metric is known."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    return Quantity(value(fact), unit_of(str(metric), "") if known else "", "")


def seconds(fact: object) -> Quantity:
    """Return a time."""
    return Quantity(value(fact), "s", "")


def speed(detail: Detail, name: str = "") -> Quantity | None:
    """Return a figure that is in *detail* as seconds or as a rate, or nothing."""
    if has(detail, f"{name}seconds"):
        return seconds(detail[f"{name}seconds"])
    if has(detail, f"{name}rate"):
        return amount(detail[f"{name}rate"], detail.get("metric"))
    return None


def rate(fact: object, metric: object) -> Quantity:
    """Return what a chip would have to do for a figure of *metric*, with its unit."""
    known = isinstance(metric, str) and metric in catalogue.metrics()
    if known and not str(metric).endswith(_FLOPS):
        return amount(fact, metric)
    return Quantity(value(fact), "TFLOPS", "")
