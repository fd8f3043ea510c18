"""``composite.xml`` of the Phoronix Test Suite: results of one or several systems.

The name of the user is in the file, and stays there.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.lines import Run, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document, DocumentError, parsed_json
from benchdb.importing.tools import outcome, phoronix_systems
from benchdb.importing.tools.json_numbers import (
    amount,
    median,
    no_value,
    number,
    series,
    value,
)
from benchdb.importing.tools.phoronix_scales import scale
from benchdb.importing.tools.texts import line, named, others, scalars
from benchdb.importing.tools.xml_tree import Element, parsed

_ROOT = "PhoronixTestSuite"
_START = 65536  # characters in which the outermost element begins
_NO_FIGURES = {"PASS_FAIL", "MULTI_PASS_FAIL", "IMAGE_COMPARISON"}
_NO_RESULT = "the test produced no result"


def recognises(document: Document) -> bool:
    """Tell whether this is a composite.xml, or the schema of one."""
    try:
        start = document.text[:_START]
    except DocumentError:
        return False
    return start.lstrip().startswith("<") and (
        f"<{_ROOT}" in start or _is_schema(start)
    )


def _is_schema(start: str) -> bool:
    return "XMLSchema" in start and f'name="{_ROOT}"' in start


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each entry of each result."""
    if _is_schema(document.text[:_START]):
        raise DocumentError(
            "the schema of Phoronix result files, which holds no results; "
            "import a composite.xml"
        )
    top = parsed(document.text)
    if top.name != _ROOT:
        raise DocumentError(f"line {top.line}: {top.name[:40]} is no {_ROOT}")
    origin = outcome.origin(document, about, "phoronix")
    systems = {one.told("Identifier"): one for one in top.all("System")}
    for one in (*top.all("System"), *top.all("Result")):
        _require_modest(one)
    for result in top.all("Result"):
        data = result.one("Data")
        for entry in data.all("Entry") if data else ():
            yield building.attempt(
                partial(_record, origin, systems, result, entry),
                line=entry.line,
                raw=entry.told("RawString") or entry.told("Value"),
            )


def _require_modest(shared: Element) -> None:
    """Raise ``DocumentError`` if what entries share is too much to repeat for each."""
    told = sum(len(one.text) for one in shared.children)
    if len(shared.children) > outcome.MANY or told > outcome.SHARED_LIMIT:
        raise DocumentError(
            f"line {shared.line}: a {shared.name} takes more than "
            f"{outcome.SHARED_LIMIT // 1024} KiB, which the test suite never writes"
        )


class _Figures(msgspec.Struct, frozen=True):
    """What an entry comes to, and why there is nothing where there is not."""

    values: list[Value]
    series: tuple[Series, ...] = ()
    failure: str | None = None


def _record(
    origin: outcome.Origin,
    systems: Mapping[str, Element],
    result: Element,
    entry: Element,
) -> Record:
    label = entry.told("Identifier")
    system = systems.get(label) or Element("System", entry.line)
    hardware = phoronix_systems.parts(system.told("Hardware"))
    software = phoronix_systems.parts(system.told("Software"))
    extra = _extra(entry.told("JSON"))
    figures = _figures(result, entry, extra)
    return building.record(
        run=_run(origin, result, (entry, extra), software.get("Compiler"), system),
        machine=phoronix_systems.described(hardware, line(label)),
        environment=phoronix_systems.environment(
            software, hardware, line(result.told("AppVersion"))
        ),
        source=origin.source,
        values=figures.values,
        series=figures.series,
        status="failed" if figures.failure else "ok",
        reason=figures.failure,
    )


def _extra(told: str) -> Mapping[str, Any]:
    """Return what an entry says as JSON; nothing where it is none."""
    try:
        found = parsed_json(told, nan=True) if told else {}
    except DocumentError:
        return {}
    return found if isinstance(found, dict) else {}


def _figures(result: Element, entry: Element, extra: Mapping[str, Any]) -> _Figures:
    known = scale(result.told("Scale"), result.told("Proportion"))
    if result.told("DisplayFormat") in _NO_FIGURES:
        raise RefusedError(f"{result.told('DisplayFormat')} is no figure")
    told = entry.told("Value")
    raw = [one for one in entry.told("RawString").split(":") if one.strip()]
    if "," in told or any("," in one for one in raw):
        raise RefusedError("readings for a line chart, not one figure")
    if not told and not raw:
        error = extra.get("error")
        failure = line(str(error))[:200] if error else _NO_RESULT
        return _Figures([no_value(known.metric, failure)], failure=failure)
    at = _place(entry, "Value")
    if not raw:
        return _Figures([value(known.metric, told, at, per=known.per)])
    read = number if known.metric == "reported_value" else amount
    samples = [read(one, "RawString", known.per) for one in raw]
    at = _place(entry, "RawString")
    figure = (
        value(known.metric, raw[0], at, per=known.per)
        if len(set(raw)) == 1
        else median(known.metric, samples, at)
    )
    timed = known.metric == "operation_seconds" and figure.value is not None
    return _Figures([figure], series([("measure", samples)]) if timed else ())


def _place(entry: Element, name: str) -> str:
    element = entry.one(name) or entry
    return f"line {element.line}, element {name}"


def _run(
    origin: outcome.Origin,
    result: Element,
    what: tuple[Element, Mapping[str, Any]],
    compiler: str | None,
    system: Element,
) -> Run:
    entry, extra = what
    identifier = result.told("Identifier")
    name = named("phoronix", identifier or result.told("Title"))
    if name.workload == "phoronix/":
        raise RefusedError("the result has neither an identifier nor a title")
    told = {
        "arguments": result.told("Arguments"),
        "description": result.told("Description"),
        "title": result.told("Title"),
        "app_version": result.told("AppVersion"),
        "scale": result.told("Scale"),
        "proportion": result.told("Proportion"),
    }
    missing = {"device": "the test decides"}
    known = scale(result.told("Scale"), result.told("Proportion"))
    if known.metric == "reported_value":
        missing["metric"] = f"no metric for {line(result.told('Scale')) or 'no scale'}"
    started = outcome.started(system.told("TimeStamp"), missing)
    return building.run(
        workload=name.workload,
        framework=re.sub(r"-[\d.]+$", "", line(identifier)) or "phoronix",
        device="unknown",
        compiler=compiler,
        parameters=name.parameters | others(told, ()),
        conditions=scalars({k: one for k, one in extra.items() if k != "error"}),
        started=started,
        label=origin.label(entry.told("RawString")),
        locator=f"line {entry.line}",
        basis=name.basis | ({"started": "TimeStamp of the system"} if started else {}),
        missing=missing,
    )
