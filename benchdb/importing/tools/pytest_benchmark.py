"""Files of pytest-benchmark: statistics of rounds, and the rounds where they were kept.

Failed tests are absent from such a file; nothing here can tell.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import Hardware, Result
from benchdb.importing.tools.strict import Facts

_READ = ("name", "stats", "options", "extra_info", "fullfunc")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of pytest-benchmark."""
    session = strict.glimpse(document)
    return strict.lists(session, "benchmarks", "stats") and isinstance(
        session.get("machine_info"), dict
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    session = strict.content(document)
    shared = {name: one for name, one in session.items() if name != "benchmarks"}
    result.require_modest(session=shared)
    of = result.origin(document, about, "pytest-benchmark")
    make = partial(_result, session)
    yield from result.records(of, make, session["benchmarks"], "benchmarks")


def _result(session: Facts, benchmark: Facts, at: str) -> Result:
    stats, info = strict.mapping(benchmark["stats"], "stats"), session["machine_info"]
    cpu = info.get("cpu")
    # Without the name of the host (``node``).
    hardware = Hardware(
        processor=texts.first_text(cpu, "brand_raw", "brand"),
        vendor=texts.first_text(cpu, "vendor_id_raw", "vendor_id"),
        threads=cpu.get("count") if isinstance(cpu, dict) else None,
    )
    parameters = texts.others(benchmark, _READ)
    for holder in ("options", "extra_info"):
        more = strict.mapping(benchmark.get(holder) or {}, holder)
        parameters = texts.beside(parameters, more, holder)
    rounds, lost = _rounds(stats)
    absent = "stats has neither median nor mean"
    values = [
        result.median("operation_seconds", rounds, f"{at}/stats/data", of="round")
        if rounds
        else result.middle("operation_seconds", stats, f"{at}/stats", absent)
    ]
    if stats.get("ops") is not None:
        values.append(
            result.value("operations_per_second", stats["ops"], f"{at}/stats/ops")
        )
    held = {name: stats[name] for name in ("iterations", "rounds") if name in stats}
    run = Result(
        name=benchmark.get("name") or benchmark.get("fullname"),
        locator=at,
        framework=texts.first_text(info, "python_implementation") or "python",
        parameters=parameters,
        conditions=texts.scalars(held),
        started=result.started(session.get("datetime")),
        values=values,
        series=result.series(("measure", rounds)),
        machine=hardware.machine(),
        environment=_environment(session, info),
        basis={} if rounds else {"uncertainty": "stats.stddev"},
        missing=lost,
    )
    run.time_on_processor(
        hardware.processor,
        "the processor is named; pytest-benchmark times Python",
        "no processor in machine_info",
    )
    return run


def _rounds(stats: Facts) -> tuple[tuple[float, ...], dict[str, str]]:
    """Return the rounds if all of them are there, or why they are not.

    People shorten files by hand, and leave a note where the numbers were.
    """
    data, lost = stats.get("data"), ""
    if not data:
        lost = "not in the file (needs --benchmark-save-data)"
    elif not isinstance(data, list):
        raise RefusedError("stats.data is no list")
    elif any(isinstance(one, str) for one in data):
        lost = "stats.data was shortened: it holds text"
    else:
        rounds = strict.count(stats.get("rounds"))
        times = strict.amounts(data, "stats.data")
        if rounds in (None, len(times)):
            return times, {}
        lost = f"stats.data has {len(times)} of {rounds} rounds"
    return (), {"samples": lost}


def _environment(session: Facts, info: Facts) -> dict[str, Any]:
    system, version = texts.first_text(info, "system"), session.get("version")
    built = {name: info.get(name) for name in ("python_compiler", "python_build")}
    return {
        "os_name": "macOS" if system == "Darwin" else system,
        "kernel": texts.first_text(info, "release"),
        "architecture": texts.first_text(info, "machine"),
        "python": texts.first_text(info, "python_version"),
        "framework": texts.first_text(info, "python_implementation") or "python",
        "framework_version": texts.first_text(
            info, "python_implementation_version", "python_version"
        ),
        "packages": {"pytest-benchmark": texts.line(str(texts.plain(version)))}
        if version
        else {},
        "variables": texts.words(built)
        | texts.words(session.get("commit_info"), "commit_"),
    }
