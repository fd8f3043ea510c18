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

from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.facts import Facts, first_text
from benchdb.importing.tools.result import ABSENT, Hardware, Result

_MACHINE = {"arch", "cpu", "machine", "os", "ram"}
_OF_BENCHMARKS = {"results", "benchmark_version", "durations", "profiles"}
# Columns of a row that hold one item for each combination, beside result and samples.
_SHARED = {
    *("result", "params", "version", "started_at", "duration", "profile", "samples")
}
_MANY = 50  # columns, axes of parameters; honest benchmarks have a handful
# A benchmark's name begins with what it measures; asv says so in its documentation.
_KINDS = {
    "time": "operation_seconds",
    "timeraw": "operation_seconds",
    "peakmem": "peak_memory_reported_bytes",
}
_RELEASE = re.compile(r"(Linux|Darwin|Windows|FreeBSD)(?: ([\w.+-]{1,80}))?")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of asv: results, a machine, or benchmarks."""
    holder = facts.glimpse(document)
    if not isinstance(holder, dict):
        return False
    results = isinstance(holder.get("results"), dict) and "commit_hash" in holder
    return results or _without_results(holder) is not None


def _without_results(holder: Facts) -> str | None:
    """Return what a file of asv describes that holds no results."""
    if "results" not in holder and holder.keys() >= _MACHINE:
        return "a machine"
    described = [entry for name, entry in holder.items() if name != "version"]
    if described and facts.lists({"": described}, "", "code", "name"):
        return "benchmarks"
    return None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark and combination of its parameters."""
    holder = facts.content(document)
    if what := _without_results(holder):
        raise DocumentError(
            f"describes {what} of asv and holds no results; import the files "
            "beside it whose names begin with a commit"
        )
    columns = holder.get("result_columns") or []
    if not isinstance(columns, list) or not all(isinstance(n, str) for n in columns):
        raise DocumentError("result_columns are no names")
    result.require_modest(facts=facts.others(holder, _OF_BENCHMARKS))
    of = result.origin(document, about, "asv")
    for name, entry in holder["results"].items():
        at = facts.pointer("results", name)
        try:
            cells = list(_cells(entry, columns, at))
        except RefusedError as why:
            raw = facts.characters(facts.plain(entry))
            yield building.bad(str(why), locator=at, raw=raw)
            continue
        for cell in cells:
            make = partial(_result, holder, name, cell)
            yield result.attempt(of, make, cell.result, cell.at)


class _Cell(msgspec.Struct, frozen=True):
    """One combination of parameters, with what is said of all of the benchmark.

    *at* is the JSON pointer to the result, *row* has all columns.
    """

    result: Any
    at: str
    row: Facts = {}
    parameters: dict[str, Any] = {}
    samples: Any = None
    statistics: dict[str, Any] = {}


def _cells(entry: Any, columns: Sequence[str], at: str) -> Iterator[_Cell]:
    """Yield what stands at *at*: a number, an object or a row of *columns*."""
    if isinstance(entry, list):
        if not columns:
            raise RefusedError("a row, but the file has no result_columns")
        if len(entry) > len(columns):
            raise RefusedError(f"{len(entry)} cells for {len(columns)} columns")
        place = columns.index("result") if "result" in columns else ""
        row = dict(zip(columns, entry, strict=False))
        yield from _combinations(row, f"{at}/{place}")
    elif isinstance(entry, dict):
        # An object of version 1, as the columns of version 2.
        row = {name: fact for name, fact in entry.items() if name != "stats"}
        if facts.lists(entry, "stats"):
            for name in dict.fromkeys(name for one in entry["stats"] for name in one):
                row[f"stats_{name}"] = [one.get(name) for one in entry["stats"]]
        yield from _combinations(row, f"{at}/result")
    else:
        yield _Cell(entry, at)


def _combinations(row: Facts, at: str) -> Iterator[_Cell]:
    outcome, params = row.get("result"), row.get("params") or []
    if not isinstance(params, list) or not all(isinstance(one, list) for one in params):
        raise RefusedError("params are no lists")
    if max(len(params), len(row)) > _MANY:
        raise RefusedError(f"more than {_MANY} columns, or axes of parameters")
    if not isinstance(outcome, list):
        yield _Cell(outcome, at, row, {"params": params} if params else {})
        return
    count = math.prod(map(len, params))
    if len(outcome) != count:
        raise RefusedError(f"{len(outcome)} results for {count} combinations of params")
    for place, axes in enumerate(itertools.product(*params)):
        yield _Cell(
            outcome[place],
            f"{at}/{place}",
            row,
            {f"param{axis}": text for axis, text in enumerate(axes, start=1)},
            _item(row.get("samples"), place),
            {n: _item(row[n], place) for n in row if n not in _SHARED},
        )


def _item(column: Any, place: int) -> Any:
    """Return what a column has for one combination; a column may be cut short."""
    listed = column if isinstance(column, list) else []
    return listed[place] if place < len(listed) else None


def _result(holder: Facts, name: str, cell: _Cell) -> Result:
    environment = facts.mapping(holder.get("params") or {}, "params")
    kind = name.rpartition(".")[2].partition("_")[0].lower()
    metric = _KINDS.get(kind, "reported_value")
    versions = holder.get("benchmark_version")
    version = cell.row.get("version") or (
        versions.get(name) if isinstance(versions, dict) else None
    )
    processor = first_text(environment, "cpu")
    run = Result(
        name=name,
        locator=cell.at,
        framework="python",
        parameters=facts.plain(cell.parameters) | facts.others({"version": version}),
        conditions=facts.scalars(cell.statistics),
        values=[],
        machine=_hardware(environment).machine(),
        environment=_environment(holder, environment),
        **result.on_processor(
            processor,
            "the processor is named; asv times Python",
            "no processor in params",
        ),
    )
    _add_figure(run, metric, cell)
    started = cell.row.get("started_at")
    if started is None:
        run.missing["started"] = "the file dates the commit only"
    else:
        seconds = facts.number(started, "started_at") / 1000
        run.started = building.epoch_date(seconds)
    if cell.parameters:
        run.basis["parameters"] = "param1 is the first axis; benchmarks.json names them"
    if kind in _KINDS:
        run.basis[metric] = "the name of the benchmark says what asv measures"
    elif kind == "mem":
        run.basis["unit"] = "bytes: the size of an object, as asv defines mem_"
    else:
        run.missing["unit"] = "only benchmarks.json says"
    return run


def _add_figure(run: Result, metric: str, cell: _Cell) -> None:
    """Add the figure as printed and its samples, or why there is none."""
    if cell.result is None:
        run.status, run.reason = "failed", "the benchmark failed (null in the file)"
        run.values = [result.no_value(metric, run.reason)]
    elif isinstance(cell.result, float) and math.isnan(cell.result):
        run.status, run.reason = "not-measured", "skipped (NaN in the file)"
        run.values = [result.no_value(metric, run.reason, "NaN", cell.at)]
    elif isinstance(cell.result, list | dict):
        raise RefusedError("the result is no number")
    else:
        run.values = [result.value(metric, cell.result, cell.at)]
        if metric == "operation_seconds":
            times = facts.amounts(cell.samples, "samples")
            run.series = result.series(("measure", times))


def _hardware(environment: Facts) -> Hardware:
    """Return the machine: asv counts RAM in bytes on macOS, in KiB on Linux."""
    printed, system = environment.get("ram"), first_text(environment, "os") or ""
    ram = facts.count(printed) or 0
    if system.startswith("Linux"):
        ram *= 1024 if ram < 2**33 else 0
    elif not system.startswith("Darwin"):
        ram = 0
    vague = f"printed {str(printed)[:40]!r}, which is not exact"
    return Hardware(
        processor=first_text(environment, "cpu"),
        threads=environment.get("num_cpu"),
        ram_bytes=ram,
        label=first_text(environment, "machine"),
        missing={"ram_bytes": vague} if printed and not ram else {},
    )


def _environment(holder: Facts, environment: Facts) -> dict[str, Any]:
    python = first_text(holder, "python") or first_text(environment, "python")
    commit = {name: holder.get(name) for name in ("commit_hash", "env_name")}
    commit["commit_date_ms"] = holder.get("date")
    system, kernel = first_text(environment, "os"), None
    if match := _RELEASE.fullmatch(system or ""):  # Darwin 21.2.0
        system, kernel = "macOS" if match[1] == "Darwin" else match[1], match[2]
    return {
        "os_name": system,
        "kernel": kernel,
        "architecture": first_text(environment, "arch"),
        "python": python,
        "framework": "python",
        "framework_version": python,
        "packages": facts.words(holder.get("requirements")),
        "variables": facts.words(commit) | facts.words(holder.get("env_vars")),
        "missing": {} if system else {"os_name": ABSENT},
    }
