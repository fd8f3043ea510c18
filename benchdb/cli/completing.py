"""Values that a shell completes: by the name of the option, whatever the command."""

from collections.abc import Callable, Iterable
from typing import Any

from benchdb.resources import folder
from benchdb.titles import FRAMEWORKS, PRECISIONS

TIERS = ("smoke", "quick", "standard", "reference")
DEVICES = ("cpu", "metal", "cuda")


def _workloads() -> Iterable[str]:
    from benchdb.catalogue import workloads  # noqa: PLC0415 - help does without it

    return workloads()


def _suites() -> Iterable[str]:
    from benchdb.catalogue import suites  # noqa: PLC0415

    return suites()


def _chips() -> Iterable[str]:
    from benchdb.catalogue import chips  # noqa: PLC0415

    return dict.fromkeys(one.name for one in chips())


def languages() -> list[str]:
    """Return the languages of reports, English among them."""
    there = (
        path.parents[1].name for path in folder("reports").glob("locales/*/*/*.po")
    )
    return sorted({"en", *there})


def _languages() -> Iterable[str]:
    return [*languages(), "all"]


def _formats() -> Iterable[str]:
    return ("html", "markdown", "snippet", "csv", "json", "sqlite", "all")


COMPLETIONS: dict[str, Callable[[], Iterable[str]]] = {
    "workload": _workloads,
    "workloads": _workloads,
    "suite": _suites,
    "chip": _chips,
    "framework": lambda: FRAMEWORKS,
    "precision": lambda: PRECISIONS,
    "device": lambda: DEVICES,
    "tier": lambda: TIERS,
    "lang": _languages,
    "grade": lambda: ("A", "B", "C", "I", "X"),
}


def completed(name: str, _context: Any, _option: Any, incomplete: str) -> list[str]:
    """Return what completes the value of an option *name* that begins so.

    Of several with commas it is the last.
    """
    before, comma, begun = incomplete.rpartition(",")
    return [
        before + comma + word
        for word in COMPLETIONS[name]()
        if word.casefold().startswith(begun.casefold())
    ]
