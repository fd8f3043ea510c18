"""The cells of a collector that only says what it offers: each value of each axis.

What one of ours answers to ``--list-cells`` is made here for those that do not.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from benchdb.collecting.programs import TIERS, Description, Offer
from benchdb.errors import UsageError, suggestion

_LIMIT_SECONDS = 1800  # of a process, as that of our quick tier

Axes = Mapping[str, Sequence[str | int]]


class Choice(msgspec.Struct, frozen=True):
    """What of a request a collector can be asked for; *axes* are chosen values."""

    device: str
    tier: str
    precisions: Sequence[str] | None
    axes: Axes
    compiler: str | None
    replicates: int | None


def axes_of(points: Sequence[str]) -> dict[str, list[str | int]]:
    """Return the values of each axis in *points*, which are NAME=VALUE."""
    axes: dict[str, list[str | int]] = {}
    for point in points:
        name, equals, value = point.partition("=")
        if not (name and equals and value):
            raise UsageError(f"{point!r} is not NAME=VALUE")
        axes.setdefault(name, []).append(int(value) if value.isdecimal() else value)
    return axes


def offered_cells(
    its: Description, names: Sequence[str], choice: Choice
) -> dict[str, Any]:
    """Return the cells of the workloads *names* that *choice* leaves.

    Raise ``UsageError`` for what the collector does not offer.
    """
    there = its.precisions.get(choice.device, ())
    for precision in choice.precisions or ():
        if precision not in there:
            hint = suggestion(precision, there) or "; it has none"
            raise UsageError(f"no precision {precision!r} on {choice.device}{hint}")
    offers = [offer for offer in its.offers if offer.name in names]
    known = {name for offer in offers for name in offer.parameters}
    for axis in choice.axes:
        if axis not in known:
            raise UsageError(f"no choice of {axis}{suggestion(axis, known)}")
    compiler = choice.compiler or next(iter(its.compilers), "none")
    return {
        "processes": choice.replicates
        or its.processes.get(choice.tier, TIERS["smoke"]),
        "least_seconds": 0,
        "process_limit": _LIMIT_SECONDS,
        "cells": [
            {
                "workload": offer.name,
                "setting": "standard",
                "device": choice.device,
                "precision": precision,
                "compiler": compiler,
                "parameters": point,
                "axes": point,
                "arguments": [
                    *(offer.name, "--device", choice.device),
                    *(("--precision", precision) if there else ()),
                    *(("--compiler", compiler) if its.compilers else ()),
                    *_settings(point),
                ],
            }
            for offer in offers
            for precision in choice.precisions or there[:1] or ("none",)
            for point in _points(offer, choice.axes, trial=choice.tier == "smoke")
        ],
    }


def _points(offer: Offer, chosen: Axes, *, trial: bool) -> Iterator[dict[str, Any]]:
    """Yield the points of *offer*; of a *trial* the first of what was not chosen."""
    values = [
        chosen.get(name) or (usual[:1] if trial else usual)
        for name, usual in offer.parameters.items()
    ]
    for point in product(*values):
        yield dict(zip(offer.parameters, point, strict=True))


def _settings(point: Mapping[str, Any]) -> Iterator[str]:
    for name, value in point.items():
        yield from ("--set", f"{name}={value}")
