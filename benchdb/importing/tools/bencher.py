"""Bencher Metric Format: benchmarks, their measures, and a value with its bounds.

The unit of a measure is known to the server only, and whether more of it is better.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import glimpse, number, told, value
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import line, named

_FIELDS = frozenset({"value", "lower_value", "upper_value"})
_MISSING = {
    "unit": "known to the server only",
    "started": "not in the file",
    "device": "not in the file",
}


def recognises(document: Document) -> bool:
    """Tell whether this is Bencher Metric Format and nothing else."""
    found = glimpse(document)
    return (
        isinstance(found, dict)
        and bool(found)
        and all(isinstance(one, dict) and bool(one) for one in found.values())
        and all(_measured(one) for named in found.values() for one in named.values())
    )


def _measured(found: object) -> bool:
    return isinstance(found, dict) and "value" in found and found.keys() <= _FIELDS


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each measure of each benchmark."""
    origin = outcome.origin(document, about, "bencher")
    for benchmark, measures in told(document).items():
        for measure, one in measures.items():
            make = partial(_record, origin, benchmark, measure)
            yield outcome.attempt(make, one, outcome.pointer(benchmark, measure))


def _record(
    origin: outcome.Origin,
    benchmark: str,
    measure: str,
    found: Mapping[str, Any],
    at: str,
) -> Record:
    name = named("bencher", benchmark)
    bounds = {
        bound: number(found[bound], bound)
        for bound in ("lower_value", "upper_value")
        if found.get(bound) is not None
    }
    run = building.run(
        workload=name.workload,
        framework="bencher",
        device="unknown",
        parameters={**name.parameters, "measure": line(measure)},
        conditions=bounds,
        label=origin.label(None),
        locator=at,
        basis=name.basis,
        missing=_MISSING,
    )
    return building.record(
        run=run,
        machine=machine(Told()),
        environment=Environment(key="-", missing={"os_name": "not in the file"}),
        source=origin.source,
        values=[value("reported_value", found["value"], f"{at}/value")],
    )
