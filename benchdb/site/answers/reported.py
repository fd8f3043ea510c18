"""What was reported of language models: tokens per second by model and protocol."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from benchdb.compare.sides import Side
from benchdb.conditions import parsed
from benchdb.report.bins import Bin, reports
from benchdb.report.measurement import Measurement
from benchdb.site.answers.facts import Cell, Group
from benchdb.site.answers.mac_names import macs, plain_chip
from benchdb.site.content import Site

_METRIC = "tokens_per_second"
_WORK: Mapping[str, Group] = {"llm-decode": "decode", "llm-prefill": "prefill"}
_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)B\b")
_PROCESSORS = ("cpu", "npu", "unknown")


class Report(NamedTuple):
    """Tokens per second that somebody reported of a chip."""

    place: Bin
    rate: float
    run: str
    machine: str


Reports = Mapping[Cell, Mapping[Group, Sequence[Report]]]


@lru_cache(maxsize=4096)
def size_of(model: str) -> float:
    """Return how many thousand million parameters a model has by its name, 0 if none.

    Of a mixture the first number is all of them: ``30B A3B``.
    """
    result = _SIZE.search(model)
    return float(result[1]) if result else 0.0


def mac_chips(rows: Iterable[Report]) -> set[str]:
    """Return the Macs among those that reported."""
    return {name for it in rows if (name := plain_chip(it.place.chip)) in macs()}


def reported(site: Site, is_doubtful: Callable[[Collection[str]], bool]) -> Reports:
    """Return what was reported of each model on GPUs of all makers.

    What is flagged, so that it *is_doubtful*, is left out.

    Where a program timed prompts of several lengths, the one that most Macs ran.
    """
    sides = site.systems.sides
    given = {
        worker: (site.common, sides[worker])
        for worker in sides
        if worker.device not in _PROCESSORS
    }
    groups = site.inputs.memo.each(
        "reported",
        given,
        lambda workers: [[*_reported(site, sides[it], is_doubtful)] for it in workers],
    )
    result = defaultdict[tuple[Cell, Group], dict[str, list[Report]]](dict)
    for work, parameters, own in chain.from_iterable(groups):
        result[work].setdefault(parameters, []).extend(own)
    every = defaultdict[Cell, dict[Group, Sequence[Report]]](dict)
    for (cell, group), kinds in result.items():
        best = max(
            kinds, key=lambda it: (len(mac_chips(kinds[it])), len(kinds[it]), it)
        )
        every[cell][group] = kinds[best]
    return every


def _reported(
    site: Site, side: Side, is_doubtful: Callable[[Collection[str]], bool]
) -> Iterator[tuple[tuple[Cell, Group], str, list[Report]]]:
    """Yield what each measurement of a side reports, with its parameters."""
    for measurement in side.measured:
        cell, own = _cell(measurement), measurement.conditions
        if cell and not is_doubtful(site.inputs.notes.on(measurement.runs, _METRIC)):
            work = cell, _WORK[own.workload]
            yield work, own.parameters, _reports(site, measurement)


def _cell(measurement: Measurement) -> Cell | None:
    own = measurement.conditions
    if own.workload not in _WORK or own.metric != _METRIC or own.smoke:
        return None
    facts = parsed(own.parameters)
    model, quantization = facts.get("model"), facts.get("quantization")
    named = isinstance(model, str) and isinstance(quantization, str)
    if not named or not measurement.leads:
        return None
    return Cell(str(model), str(quantization), own.framework, own.setting)


def _reports(site: Site, measurement: Measurement) -> list[Report]:
    """Return the reports behind a measurement."""
    place = site.bins.of(measurement.place)
    return [
        Report(place, value, it.runs[0], it.place.machine)
        for it in reports(measurement)
        for value in it.values[:1]
    ]
