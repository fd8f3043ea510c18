"""Reports of LNT, the test infrastructure of LLVM.

Metrics are figures or lists of samples. Their units are in the suite's schema; of the
names of its own suites LNT's documentation gives them.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Run, Status, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    amount,
    glimpse,
    median,
    no_value,
    number,
    series,
    told,
    value,
)
from benchdb.importing.tools.lnt_tests import Report, Test, report
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import line, named, others, told_text, words

_METRICS = {
    "execution_time": "operation_seconds",
    "compile_time": "compile_seconds",
    "score": "score",
}
_STATES = ("execution_status", "compile_status")
_NO_FIGURE = ("name", "hash", "profile", *_STATES)
_PRIVATE = ("name", "uname", "hostname", "host", "node", "ip", "user", "username")


def recognises(document: Document) -> bool:
    """Tell whether this is a report of LNT."""
    found = glimpse(document)
    if not isinstance(found, dict):
        return False
    if {"Machine", "Run", "Tests"} <= found.keys():
        return True
    parts = ("machine", "run", "tests")
    return "format_version" in found and all(name in found for name in parts)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each test, and each of its metrics of an unknown kind."""
    found = report(told(document))
    outcome.require_modest(machine=found.machine, run=found.run)
    if not found.tests:
        raise DocumentError("a report of LNT without tests")
    origin = outcome.origin(document, about, "lnt")
    for test in found.tests:
        if isinstance(test, BadLine):
            yield test
            continue
        unknown = _unknown(test.found)
        if not unknown or _says_more(test.found):
            make = partial(_record, origin, found, test, None)
            yield outcome.attempt(make, test.found, test.at)
        for name in unknown:
            make = partial(_record, origin, found, test, name)
            yield outcome.attempt(make, test.found, test.place(name))


def _says_more(test: Mapping[str, Any]) -> bool:
    """Tell whether a test with metrics of unknown kinds has others, or failed."""
    return any(test.get(name) is not None for name in _METRICS) or bool(_failure(test))


def _unknown(test: object) -> tuple[str, ...]:
    """Return the names of metrics whose unit and direction are not known."""
    if not isinstance(test, dict) or len(test) > outcome.MANY:
        return ()
    return tuple(
        name
        for name, found in test.items()
        if name not in _METRICS
        and name not in _NO_FIGURE
        and not name.endswith((".status", "_status"))
        and isinstance(found, int | float | list)
    )


def _record(
    origin: outcome.Origin,
    whole: Report,
    test: Test,
    only: str | None,
    found: Any,
    at: str,
) -> Record:
    found = outcome.mapping(found, "a test")
    outcome.require_few(len(found), "metrics")
    failure = _failure(found, only)
    if only is None:
        values, parts = _known(test, failure)
    else:
        figure = _figure("reported_value", found[only], test.place(only))
        values, parts = [figure[0]], ()
    told_of_run = outcome.mapping(whole.run, "run")
    status: Status = "failed" if failure else "ok"
    return building.record(
        run=_run(origin, told_of_run, (found, only), at, parts),
        machine=_machine(whole.machine),
        environment=_environment(whole.machine, told_of_run),
        source=origin.source,
        values=values,
        series=parts,
        status=status,
        reason=failure,
    )


def _known(test: Test, failure: str | None) -> tuple[list[Value], tuple[Series, ...]]:
    values: list[Value] = []
    parts: tuple[Series, ...] = ()
    for name, metric in _METRICS.items():
        if test.found.get(name) is None:
            continue
        figure, samples = _figure(metric, test.found[name], test.place(name))
        values.append(figure)
        if metric == "operation_seconds":
            parts = series([("measure", samples)])
    if not values and failure is None:
        raise RefusedError("the test has no figures")
    if not values:
        values.append(no_value("operation_seconds", failure or ""))
    return values, parts


def _figure(metric: str, found: Any, at: str) -> tuple[Value, tuple[float, ...]]:
    """Return the figure, or the median of samples, and the samples."""
    read = number if metric == "reported_value" else amount
    if not isinstance(found, list):
        return value(metric, found, at), (read(found, at),)
    samples = tuple(read(one, f"{at}/{place}") for place, one in enumerate(found))
    if not samples:
        raise RefusedError(f"{at} is an empty list")
    if len(samples) == 1:
        return value(metric, found[0], f"{at}/0"), samples
    return median(metric, samples, at), samples


def _failure(test: Mapping[str, Any], only: str | None = None) -> str | None:
    """Return which part of the test did not pass; 0 is LNT's code of a pass.

    ``user_status`` is about ``user_time`` only.
    """
    own = () if only is None else (f"{only.rpartition('_')[0] or only}_status",)
    for name in (*_STATES, *own):
        state = test.get(name)
        if state is not None and state != 0 and str(state) not in {"0", "PASS"}:
            return f"{name} {line(str(state))[:40]}"
    return None


def _run(
    origin: outcome.Origin,
    told_of_run: Mapping[str, Any],
    what: tuple[Mapping[str, Any], str | None],
    at: str,
    parts: tuple[Series, ...],
) -> Run:
    test, only = what
    if not isinstance(test.get("name"), str):
        raise RefusedError("the test has no name")
    name = named("lnt", test["name"])
    missing = {"device": "not in the file"}
    basis = {"unit": "seconds, as LNT defines execution_time and compile_time"}
    parameters: dict[str, Any] = dict(name.parameters)
    if only is not None:
        basis, missing["unit"] = {}, "in the schema of the suite"
        parameters["measure"] = line(only)
    started = outcome.started(told_of_run.get("start_time"), missing)
    ended = told_text(told_of_run, "end_time")
    if started and ended and ended < started:
        missing["ended"] = f"end_time {ended} is before start_time"
    several = any(isinstance(one, list) for one in test.values())
    return building.run(
        workload=name.workload,
        framework="lnt",
        device="unknown",
        compiler=told_text(told_of_run, "compiler_version"),
        parameters=parameters,
        conditions=words({"hash": test.get("hash")}),
        started=started,
        label=origin.label(parts or several),
        locator=at,
        basis={**name.basis, **basis},
        missing=missing,
    )


def _machine(found: Any) -> Any:
    found = outcome.mapping(found, "machine")
    return machine(Told(label=told_text(found, "name")))


def _environment(
    found: Mapping[str, Any], told_of_run: Mapping[str, Any]
) -> Environment:
    """Return what is told of the machine and the compiler, in LNT's words."""
    rest = others(told_of_run, (*_PRIVATE, "start_time", "end_time"))
    return Environment(
        key="-",
        framework="lnt",
        variables=words(others(found, _PRIVATE), "machine.") | words(rest, "run."),
        missing={"os_name": "not in the file"},
    )
