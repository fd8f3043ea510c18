"""Results of js-framework-benchmark: what a browser took for changes of a page.

What a number counts depends on the benchmark: those that begin with 0 are times in
milliseconds; memory and sizes have units that the file does not tell.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Run
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import amounts, glimpse, median, series, told
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import line, named, others

_KEYED = re.compile(r"(.{1,200}?)-v(\d.{0,80}?)-(keyed|non-keyed)")
_READ = ("framework", "benchmark", "values", "keyed", "type")
# What older files say of the values themselves; it follows from them.
_STATISTICS = ("min", "max", "mean", "median", "geometricMean", "standardDeviation")
_MISSING = {
    "started": "not in the file",
    "device": "a browser, and what it draws with",
    "browser": "not in the file",
}


def recognises(document: Document) -> bool:
    """Tell whether this is the list of results, or a file of one."""
    found = glimpse(document)
    several = found if isinstance(found, list) else [found]
    return bool(several) and all(
        isinstance(one, dict) and {"framework", "benchmark", "values"} <= one.keys()
        for one in several
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each framework, benchmark and phase."""
    found = told(document)
    origin = outcome.origin(document, about, "js-framework-benchmark")
    several = found if isinstance(found, list) else [found]
    for place, entry in enumerate(several):
        at = outcome.pointer(place) if isinstance(found, list) else ""
        values = entry["values"]
        if not isinstance(values, dict) or len(values) > outcome.MANY:
            make = partial(_record, origin, entry, None)
            yield outcome.attempt(make, values, f"{at}/values")
            continue
        for phase, one in values.items():
            make = partial(_record, origin, entry, phase)
            where = f"{at}/values{outcome.pointer(phase)}"
            yield outcome.attempt(make, one, where)


def _record(
    origin: outcome.Origin,
    entry: Mapping[str, Any],
    phase: str | None,
    found: Any,
    at: str,
) -> Record:
    if isinstance(found, dict):
        outcome.require_few(len(found), "phases")
        found, at = found.get("values"), f"{at}/values"
    if not found:
        raise RefusedError("no values")
    timed = _timed(entry)
    metric = "operation_seconds" if timed else "reported_value"
    samples = amounts(found, "values", 1000.0 if timed else 1.0)
    framework, version, keyed = _framework(entry)
    return building.record(
        run=_run(origin, entry, (framework, phase, keyed), at, timed=timed),
        machine=machine(Told()),
        environment=Environment(
            key="-",
            framework=framework,
            framework_version=version,
            missing={"os_name": "not in the file"},
        ),
        source=origin.source,
        values=[median(metric, samples, at)],
        series=series([("measure", samples)]) if timed else (),
    )


def _timed(entry: Mapping[str, Any]) -> bool:
    if isinstance(entry.get("type"), str):
        return bool(entry["type"] == "cpu")
    return str(entry["benchmark"]).startswith("0")


def _framework(entry: Mapping[str, Any]) -> tuple[str, str | None, bool | None]:
    """Return name, version and kind of a framework: ``akashjs-v0.2.9-keyed``."""
    told_name = entry["framework"]
    if not isinstance(told_name, str) or not told_name.strip():
        raise RefusedError("the framework has no name")
    keyed = entry.get("keyed")
    if found := _KEYED.fullmatch(line(told_name)):
        return found[1], found[2], found[3] == "keyed"
    return line(told_name), None, keyed if isinstance(keyed, bool) else None


def _run(
    origin: outcome.Origin,
    entry: Mapping[str, Any],
    what: tuple[str, str | None, bool | None],
    at: str,
    *,
    timed: bool,
) -> Run:
    framework, phase, keyed = what
    name = named("js-framework-benchmark", entry["benchmark"])
    given = {"phase": phase, "keyed": keyed}
    missing = dict(_MISSING)
    basis = {"framework": line(str(entry["framework"]))}
    if timed:
        basis["unit"] = "milliseconds, as the benchmark defines its times"
    else:
        missing["unit"] = "not in the file"
    parameters = others(entry, (*_READ, *_STATISTICS)) | others(given, ())
    return building.run(
        workload=name.workload,
        framework=framework,
        device="unknown",
        parameters=name.parameters | parameters,
        label=origin.label("values"),
        locator=at,
        basis=name.basis | basis,
        missing=missing,
    )
