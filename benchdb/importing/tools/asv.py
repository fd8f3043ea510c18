"""Result files of asv (airspeed velocity), versions 1 and 2.

Version 1 wrote a number for a benchmark, or an object; version 2 a row whose columns
the file names. Null stands for a benchmark that failed, NaN for one that was skipped.
The file repeats what ``machine.json`` says; the names of parameters and the units of
``track_`` benchmarks stand only in ``benchmarks.json``.
"""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.messages import Status, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import ABSENT, Hardware, Result
from benchdb.importing.tools.strict import Facts

_MACHINE = {"arch", "cpu", "machine", "os", "ram"}
_OF_BENCHMARKS = ("results", "benchmark_version", "durations", "profiles")
# Columns of a row that hold one item for each combination, beside result and samples.
_SHARED = (
    *("result", "params", "version", "started_at", "duration", "profile", "samples"),
)
_AXES = 50  # the most axes of parameters; honest benchmarks have a handful
# A benchmark's name begins with what it measures; asv says so in its documentation.
_KINDS = {
    "time": "operation_seconds",
    "timeraw": "operation_seconds",
    "peakmem": "peak_memory_reported_bytes",
}
_KIND = re.compile(r"(time|timeraw|peakmem)_", re.IGNORECASE)
_RELEASE = re.compile(r"(Linux|Darwin|Windows|FreeBSD)(?: ([\w.+-]{1,80}))?")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of asv: results, a machine, or benchmarks."""
    holder = strict.glimpse(document)
    if not isinstance(holder, dict):
        return False
    results = isinstance(holder.get("results"), dict) and "commit_hash" in holder
    return results or _without_results(holder) is not None


def _without_results(holder: Facts) -> str | None:
    """Return what a file of asv describes that holds no results."""
    if "results" not in holder and holder.keys() >= _MACHINE:
        return "a machine"
    described = [one for name, one in holder.items() if name != "version"]
    names = ("code", "name")
    benchmarks = described and all(
        isinstance(one, dict) and all(name in one for name in names)
        for one in described
    )
    return "benchmarks" if benchmarks else None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark and combination of its parameters."""
    holder = strict.content(document)
    if what := _without_results(holder):
        raise DocumentError(
            f"describes {what} of asv and holds no results; import the files "
            "beside it whose names begin with a commit"
        )
    columns = holder.get("result_columns") or []
    if not isinstance(columns, list) or not all(isinstance(n, str) for n in columns):
        raise DocumentError("result_columns are no names")
    result.require_modest(
        facts={k: v for k, v in holder.items() if k not in _OF_BENCHMARKS}
    )
    of = result.origin(document, about, "asv")
    for name, entry in holder["results"].items():
        at = strict.pointer("results", name)
        try:
            cells = list(_cells(entry, columns, at))
        except RefusedError as why:
            yield building.bad(
                str(why), locator=at, raw=strict.characters(texts.plain(entry))
            )
            continue
        for cell in cells:
            make = partial(_result, holder, name, cell)
            yield result.attempt(of, make, cell.result, cell.at)


class _Cell(msgspec.Struct, frozen=True):
    """One combination of parameters, with what is said of all of the benchmark.

    *at* is the JSON pointer to the result.
    """

    result: Any
    at: str
    parameters: dict[str, Any] = {}
    samples: Any = None
    statistics: dict[str, Any] = {}
    version: object = None
    started_at: object = None


def _cells(entry: Any, columns: Sequence[str], at: str) -> Iterator[_Cell]:
    """Yield what stands at *at*: a number, an object or a row of *columns*."""
    if isinstance(entry, list):
        if not columns:
            raise RefusedError("a row, but the file has no result_columns")
        if len(entry) > len(columns):
            raise RefusedError(f"{len(entry)} cells for {len(columns)} columns")
        places = {name: f"{at}/{place}" for place, name in enumerate(columns)}
        facts = dict(zip(columns, entry, strict=False))
        yield from _row(facts, places.get("result", at))
    elif isinstance(entry, dict):
        # An object of version 1, as the columns of version 2.
        facts = {name: one for name, one in entry.items() if name != "stats"}
        stats = entry.get("stats")
        if isinstance(stats, list) and all(isinstance(one, dict) for one in stats):
            for name in dict.fromkeys(name for one in stats for name in one):
                facts[f"stats_{name}"] = [one.get(name) for one in stats]
        yield from _row(facts, f"{at}/result")
    else:
        yield _Cell(entry, at)


def _row(facts: Facts, at: str) -> Iterator[_Cell]:
    outcome, params = facts.get("result"), facts.get("params") or []
    if not isinstance(params, list) or not all(isinstance(one, list) for one in params):
        raise RefusedError("params are no lists")
    result.require_few(len(facts), "columns")
    if len(params) > _AXES:
        raise RefusedError(f"{len(params)} axes of parameters; {_AXES} are read")
    version, started, samples = map(facts.get, ("version", "started_at", "samples"))
    if not isinstance(outcome, list):
        if isinstance(samples, list) and len(samples) == 1:
            (samples,) = samples
        whole = {"params": params} if params else {}
        yield _Cell(outcome, at, whole, samples, {}, version, started)
        return
    count = math.prod(len(one) for one in params)
    if len(outcome) != count:
        raise RefusedError(f"{len(outcome)} results for {count} combinations of params")
    combinations = itertools.product(*params)
    for place, (one, axes) in enumerate(zip(outcome, combinations, strict=True)):
        yield _Cell(
            one,
            f"{at}/{place}",
            {f"param{axis}": text for axis, text in enumerate(axes, start=1)},
            _item(samples, place),
            {n: _item(facts[n], place) for n in facts if n not in _SHARED},
            version,
            started,
        )


def _item(column: Any, place: int) -> Any:
    """Return what a column has for one combination; a column may be cut short."""
    if not isinstance(column, list):
        return None
    return column[place] if place < len(column) else None


def _result(holder: Facts, name: str, cell: _Cell) -> Result:
    environment = strict.mapping(holder.get("params") or {}, "params")
    kind = _KIND.match(name.rpartition(".")[2])
    metric = _KINDS[kind[1].lower()] if kind else "reported_value"
    figure, times, status = _figure(metric, cell)
    versions = holder.get("benchmark_version")
    version = cell.version or (
        versions.get(name) if isinstance(versions, dict) else None
    )
    parameters = texts.plain(cell.parameters)
    if version is not None:
        parameters["version"] = texts.plain(version)
    run = Result(
        name=name,
        locator=cell.at,
        framework="python",
        parameters=parameters,
        conditions=texts.scalars(cell.statistics),
        values=[figure],
        series=times,
        machine=_hardware(environment).machine(),
        environment=_environment(holder, environment),
        status=status,
        reason=figure.reason if status != "ok" else None,
    )
    if cell.started_at is None:
        run.missing["started"] = "the file dates the commit only"
    else:
        seconds = strict.number(cell.started_at, "started_at") / 1000
        run.started = building.epoch_date(seconds)
    if cell.parameters:
        run.basis["parameters"] = "param1 is the first axis; benchmarks.json names them"
    if kind:
        run.basis[metric] = "the name of the benchmark says what asv measures"
    elif name.rpartition(".")[2].lower().startswith("mem_"):
        run.basis["unit"] = "bytes: the size of an object, as asv defines mem_"
    else:
        run.missing["unit"] = "only benchmarks.json says"
    run.time_on_processor(
        texts.first_text(environment, "cpu"),
        "the processor is named; asv times Python",
        "no processor in params",
    )
    return run


def _figure(metric: str, cell: _Cell) -> tuple[Value, tuple[Series, ...], Status]:
    """Return the figure as printed and its samples, or why there is none."""
    if cell.result is None:
        failed = result.no_value(metric, "the benchmark failed (null in the file)")
        return failed, (), "failed"
    if isinstance(cell.result, float) and math.isnan(cell.result):
        skipped = result.no_value(metric, "skipped (NaN in the file)", "NaN", cell.at)
        return skipped, (), "not-measured"
    if isinstance(cell.result, list | dict):
        raise RefusedError("the result is no number")
    figure = result.value(metric, cell.result, cell.at)
    times: tuple[float, ...] = ()
    if cell.samples is not None and metric == "operation_seconds":
        times = strict.amounts(cell.samples, "samples")
    return figure, result.series(("measure", times)), "ok"


def _hardware(environment: Facts) -> Hardware:
    """Return the machine: asv counts RAM in bytes on macOS, in KiB on Linux."""
    printed = str(environment.get("ram") or "").strip()
    system, ram = texts.first_text(environment, "os") or "", None
    if re.fullmatch("[0-9]{4,15}", printed):
        if system.startswith("Darwin"):
            ram = int(printed)
        elif system.startswith("Linux") and int(printed) < 2**33:
            ram = int(printed) * 1024
    vague = f"printed {printed[:40]!r}, which is not exact"
    return Hardware(
        processor=texts.first_text(environment, "cpu"),
        threads=environment.get("num_cpu"),
        ram_bytes=ram,
        label=texts.first_text(environment, "machine"),
        missing={"ram_bytes": vague} if printed and ram is None else {},
    )


def _environment(holder: Facts, environment: Facts) -> dict[str, Any]:
    python = texts.first_text(holder, "python") or texts.first_text(
        environment, "python"
    )
    commit = {name: holder.get(name) for name in ("commit_hash", "env_name")}
    commit["commit_date_ms"] = holder.get("date")
    system = texts.first_text(environment, "os")
    os_name, kernel = system, None
    if match := _RELEASE.fullmatch(system or ""):  # Darwin 21.2.0
        os_name, kernel = "macOS" if match[1] == "Darwin" else match[1], match[2]
    return {
        "os_name": os_name,
        "kernel": kernel,
        "architecture": texts.first_text(environment, "arch"),
        "python": python,
        "framework": "python",
        "framework_version": python,
        "packages": texts.words(holder.get("requirements")),
        "variables": texts.words(commit) | texts.words(holder.get("env_vars")),
        "missing": {} if system else {"os_name": ABSENT},
    }
