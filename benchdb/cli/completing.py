"""Values that a shell completes: by the name of the option, whatever the command."""

import os
from collections.abc import Callable, Iterable
from typing import Any

from benchdb.resources import folder
from benchdb.titles import FRAMEWORKS, PRECISIONS

_TIERS = ("smoke", "quick", "standard", "reference")
_DEVICES = ("cpu", "metal", "cuda")


def _workloads() -> Iterable[str]:
    from benchdb.catalogue import workloads  # noqa: PLC0415 - help does without it

    return workloads()


def _measurable() -> Iterable[str]:
    from benchdb.catalogue import collected  # noqa: PLC0415
    from benchdb.own_catalogue import own  # noqa: PLC0415

    return (*collected(), *own().workload)


def _suites() -> Iterable[str]:
    from benchdb.catalogue import suites  # noqa: PLC0415

    return suites()


def _chips() -> Iterable[str]:
    from benchdb.catalogue import chips  # noqa: PLC0415

    return dict.fromkeys(chip.name for chip in chips())


def _codes() -> list[str]:
    """Return the languages of reports."""
    there = (
        path.parents[1].name for path in folder("reports").glob("locales/*/*/*.po")
    )
    return sorted({"en", *there})


def _languages() -> Iterable[str]:
    return [*_codes(), "all"]


COMPLETIONS: dict[str, Callable[[], Iterable[str]]] = {
    "workload": _workloads,
    "workloads": _measurable,  # to be run; filters take those of others
    "suite": _suites,
    "chip": _chips,
    "framework": lambda: FRAMEWORKS,
    "precision": lambda: PRECISIONS,
    "device": lambda: _DEVICES,
    "tier": lambda: _TIERS,
    "lang": _languages,
    "grade": lambda: ("A", "B", "C", "I", "X"),
}


def completed(name: str, _context: Any, _option: Any, incomplete: str) -> list[str]:
    """Return what completes the value of an option *name* that begins so.

    Of several with commas it is the last.
    """
    before, comma, begun = incomplete.rpartition(",")
    # Other shells than bash mark spaces themselves.
    space = "\\ " if "bash" in os.environ.get("_BENCHDB_COMPLETE", "") else " "
    return [
        before + comma + word.replace(" ", space)
        for word in COMPLETIONS[name]()
        if word.casefold().startswith(begun.casefold())
    ]
