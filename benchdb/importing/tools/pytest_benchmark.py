"""Files of pytest-benchmark: statistics of rounds, and the rounds where they were kept.

Failed tests are absent from such a file; nothing here can tell.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Run, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    amount,
    amounts,
    glimpse,
    median,
    series,
    told,
    value,
    whole,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import (
    beside,
    line,
    named,
    others,
    plain,
    scalars,
    told_text,
    words,
)

_READ = ("name", "stats", "options", "extra_info", "fullfunc")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of pytest-benchmark."""
    found = glimpse(document)
    return (
        isinstance(found, dict)
        and isinstance(found.get("machine_info"), dict)
        and isinstance(benchmarks := found.get("benchmarks"), list)
        and all(isinstance(one, dict) and "stats" in one for one in benchmarks)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    session = told(document)
    shared = {name: one for name, one in session.items() if name != "benchmarks"}
    outcome.require_modest(session=shared)
    origin = outcome.origin(document, about, "pytest-benchmark")
    make = partial(_record, origin, session)
    for place, one in enumerate(session["benchmarks"]):
        yield outcome.attempt(make, one, outcome.pointer("benchmarks", place))


def _record(
    origin: outcome.Origin,
    session: Mapping[str, Any],
    benchmark: Mapping[str, Any],
    at: str,
) -> Record:
    stats = outcome.mapping(benchmark["stats"], "stats")
    missing: dict[str, str] = {}
    samples = _rounds(stats, missing)
    where = f"{at}/stats"
    values = [
        median("operation_seconds", samples, f"{where}/data", of="round")
        if samples
        else _middle(stats, where)
    ]
    if "ops" in stats and stats["ops"] is not None:
        values.append(value("operations_per_second", stats["ops"], f"{where}/ops"))
    info = session["machine_info"]
    return building.record(
        run=_run(origin, session, benchmark, at, (samples, missing)),
        machine=machine(_processor(info)),
        environment=_environment(session, info),
        source=origin.source,
        values=values,
        series=series([("measure", samples)]),
    )


def _rounds(stats: Mapping[str, Any], missing: dict[str, str]) -> tuple[float, ...]:
    """Return the rounds if all of them are there; *missing* says why they are not.

    People shorten files by hand, and leave a note where the numbers were.
    """
    data = stats.get("data")
    if not data:
        missing["samples"] = "not in the file (needs --benchmark-save-data)"
        return ()
    if not isinstance(data, list):
        raise RefusedError("stats.data is no list")
    if any(isinstance(one, str) for one in data):
        missing["samples"] = "stats.data was shortened: it holds text"
        return ()
    samples = amounts(data, "stats.data")
    rounds = whole(stats.get("rounds"))
    if rounds is not None and rounds != len(samples):
        missing["samples"] = f"stats.data has {len(samples)} of {rounds} rounds"
        return ()
    return samples


def _middle(stats: Mapping[str, Any], where: str) -> Value:
    spread = stats.get("stddev")
    uncertainty = None if spread is None else amount(spread, "stats.stddev")
    name = "median" if stats.get("median") is not None else "mean"
    if stats.get(name) is None:
        raise RefusedError("stats has neither median nor mean")
    return value(
        "operation_seconds", stats[name], f"{where}/{name}", uncertainty=uncertainty
    )


def _run(
    origin: outcome.Origin,
    session: Mapping[str, Any],
    benchmark: Mapping[str, Any],
    at: str,
    found: tuple[tuple[float, ...], dict[str, str]],
) -> Run:
    samples, missing = found
    stats = benchmark["stats"]
    name = named("pytest-benchmark", benchmark.get("name") or benchmark.get("fullname"))
    parameters = others(benchmark, _READ)
    for holder in ("options", "extra_info"):
        more = outcome.mapping(benchmark.get(holder) or {}, holder)
        parameters = beside(parameters, more, holder)
    basis = {} if samples else {"uncertainty": "stats.stddev"}
    brand = _brand(session["machine_info"])
    if brand:
        basis["device"] = "the processor is named; pytest-benchmark times Python"
    else:
        missing["device"] = "no processor in machine_info"
    return building.run(
        workload=name.workload,
        framework=_framework(session["machine_info"]),
        device="cpu" if brand else "unknown",
        device_name=brand,
        parameters=name.parameters | parameters,
        conditions=scalars(
            {k: stats[k] for k in ("iterations", "rounds") if k in stats}
        ),
        started=outcome.started(session.get("datetime"), missing),
        label=origin.label(samples),
        locator=at,
        basis=name.basis | basis,
        missing=missing,
    )


def _framework(info: Mapping[str, Any]) -> str:
    return told_text(info, "python_implementation") or "python"


def _brand(info: Mapping[str, Any]) -> str | None:
    return told_text(info.get("cpu"), "brand_raw", "brand")


def _processor(info: Mapping[str, Any]) -> Told:
    """Return what is told of the machine, without the name of the host (``node``)."""
    cpu = info.get("cpu")
    cpu = cpu if isinstance(cpu, dict) else {}
    return Told(
        processor=_brand(info),
        vendor=told_text(cpu, "vendor_id_raw", "vendor_id"),
        threads=cpu.get("count"),
    )


def _environment(session: Mapping[str, Any], info: Mapping[str, Any]) -> Environment:
    commit = session.get("commit_info")
    system = told_text(info, "system")
    version = session.get("version")
    variables = words({k: info.get(k) for k in ("python_compiler", "python_build")})
    return Environment(
        key="-",
        os_name="macOS" if system == "Darwin" else system,
        kernel=told_text(info, "release"),
        architecture=told_text(info, "machine"),
        python=told_text(info, "python_version"),
        framework=_framework(info),
        framework_version=told_text(
            info, "python_implementation_version", "python_version"
        ),
        packages={"pytest-benchmark": line(str(plain(version)))} if version else {},
        variables=variables | words(commit, "commit_"),
    )
