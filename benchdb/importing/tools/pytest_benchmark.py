"""Files of pytest-benchmark: statistics of rounds, and the rounds where they were kept.

Failed tests are absent from such a file; nothing here can tell.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchdb.exchange.reader import Item
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import Result

_READ = ("name", "stats", "options", "extra_info", "fullfunc")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of pytest-benchmark."""
    session = fields.glimpse(document)
    return fields.lists(session, "benchmarks", "stats") and isinstance(
        session.get("machine_info"), dict
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    session = fields.content(document)
    shared = {name: fact for name, fact in session.items() if name != "benchmarks"}
    fields.require_small(shared, "session")
    of = result.origin(document, about, "pytest-benchmark")
    for number, benchmark in enumerate(session["benchmarks"]):
        at = f"/benchmarks/{number}"
        make = partial(_result, session, benchmark, at)
        yield result.attempt(of, make, benchmark, at)


def _result(session: Facts, benchmark: Facts, at: str) -> Result:
    stats, info = fields.mapping(benchmark["stats"], "stats"), session["machine_info"]
    cpu = fields.mapping(info.get("cpu") or {}, "machine_info.cpu")
    processor = fields.text(cpu, "brand_raw", "brand")
    vendor = fields.text(cpu, "vendor_id_raw", "vendor_id")
    parameters = fields.others(benchmark, _READ)
    for holder in ("options", "extra_info"):
        more = fields.mapping(benchmark.get(holder) or {}, holder)
        parameters = fields.beside(parameters, more, holder)
    rounds, lost = _rounds(stats)
    where = f"{at}/stats"
    values = [
        result.typical("operation_seconds", rounds, stats, where, "data", "round")
    ]
    if (rate := stats.get("ops")) is not None:
        values.append(result.value("operations_per_second", rate, f"{where}/ops"))
    return Result(
        name=fields.name_of(benchmark, "name", "fullname"),
        locator=at,
        framework=fields.text(info, "python_implementation") or "python",
        parameters=parameters,
        conditions=fields.others(fields.picked(stats, ("iterations", "rounds"))),
        started=fields.text(session, "datetime"),
        values=values,
        times=rounds,
        # Without the name of the host (``node``).
        machine=result.machine(processor, vendor=vendor, threads=cpu.get("count")),
        environment=_environment(session, info),
        basis={} if rounds else {"uncertainty": "stats.stddev"},
        missing={"samples": lost} if lost else {},
        device=("cpu", "the processor is named; pytest-benchmark times Python")
        if processor
        else ("unknown", "no processor in machine_info"),
        device_name=processor,
    )


def _rounds(stats: Facts) -> tuple[tuple[float, ...], str]:
    """Return the rounds if all of them are there, or why they are not.

    People shorten files by hand, and leave a note where the numbers were.
    """
    data = stats.get("data") or []
    if not data:
        return (), "not in the file (needs --benchmark-save-data)"
    if isinstance(data, list) and any(isinstance(item, str) for item in data):
        return (), "stats.data was shortened: it holds text"
    times = fields.amounts(data, "stats.data")
    rounds = fields.count(stats.get("rounds"))
    if rounds in (None, len(times)):
        return times, ""
    return (), f"stats.data has {len(times)} of {rounds} rounds"


def _environment(session: Facts, info: Facts) -> dict[str, Any]:
    system, version = fields.text(info, "system"), fields.text(session, "version")
    built = fields.picked(info, ("python_compiler", "python_build"))
    return {
        "os_name": "macOS" if system == "Darwin" else system,
        "kernel": fields.text(info, "release"),
        "architecture": fields.text(info, "machine"),
        "python": fields.text(info, "python_version"),
        "framework": fields.text(info, "python_implementation") or "python",
        "framework_version": fields.text(
            info, "python_implementation_version", "python_version"
        ),
        "packages": {"pytest-benchmark": version} if version else {},
        "variables": fields.words(built)
        | fields.words(session.get("commit_info"), "commit_"),
    }
