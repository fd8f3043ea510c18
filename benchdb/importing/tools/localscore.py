"""LocalScore: a submission as its program sends it, or a whole database of them.

A test reads a prompt and then writes text: both are runs, and so is the whole with its
time, its power and the time to its first token. 0 means "not measured". There are no
samples; averages are claims.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.language_models import part_of_test, untuned
from benchdb.exchange.messages import Device, Machine, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result, sqlite_tables
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import ABSENT, Origin, Result

# In the database a table each; averages over runs in one more are not read.
_TABLES = (
    *("benchmark_runs", "test_results", "benchmark_systems", "accelerators"),
    *("model_variants", "models", "runtimes"),
)
_PARTS = ("system_info", "accelerator_info", "runtime_info", "results_summary")
_MARKS = {"results", "results_summary", "accelerator_info"}
_CORES = re.compile(r"(\d{1,3})-Cores?\b", re.ASCII)
_GIB = 2**30  # what the tool calls GB: a Mac of 32 GB has 32.0
_WORDS = fields.words_of("localscore")
_FIGURES = _WORDS["figures"]
_PLACED = {*_WORDS["placed"], *(it for part in _FIGURES.values() for it in part)}
_AVERAGES = _WORDS["averages"]


class _Submission(msgspec.Struct, frozen=True):
    """What one computer sent in, named as in the tool's JSON.

    *tests* come with their locators, *place* is the locator of the summary.
    """

    system: Facts
    accelerator: Facts
    runtime: Facts
    summary: Facts
    tests: Sequence[tuple[str, Facts]]
    place: str
    arrived: str | None = None


def recognises(document: Document) -> bool:
    """Tell whether these are submissions of LocalScore."""
    if document.content.startswith(sqlite_tables.MAGIC):
        return sqlite_tables.names(document).issuperset(_TABLES)
    holder = fields.glimpse(document)
    return isinstance(holder, dict) and holder.keys() >= _MARKS


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the runs of every test, and the averages of each submission as claims."""
    is_database = document.content.startswith(sqlite_tables.MAGIC)
    sent = {} if is_database else fields.content(document)
    protocol = _WORDS["protocol"] | fields.others(sent, (*_PARTS, "results"))
    of = result.origin(document, about, "localscore", protocol=protocol)
    if is_database:
        yield from _database(document, of)
    else:
        yield from _items(of, partial(_from_json, sent), "/")


def _from_json(sent: Facts) -> _Submission:
    tests = sent["results"]
    if not isinstance(tests, list) or not tests:
        raise RefusedError("results is no list of tests")
    system, accelerator, runtime, summary = (
        fields.mapping(sent.get(name) or {}, name) for name in _PARTS
    )
    placed = [
        (f"/results/{number}", fields.mapping(test, "a test"))
        for number, test in enumerate(tests)
    ]
    return _Submission(
        system, accelerator, runtime, summary, placed, "/results_summary"
    )


def _database(document: Document, of: Origin) -> Iterator[Item]:
    tables = {name: list(sqlite_tables.rows(document, name)) for name in _TABLES}
    keyed = {
        name: {row.get("id"): row for row in rows} for name, rows in tables.items()
    }
    tests: dict[object, list[Facts]] = defaultdict(list)
    for test in tables["test_results"]:
        tests[test.get("benchmark_run_id")].append(test)
    if not tables["benchmark_runs"]:
        raise DocumentError("the database of LocalScore holds no run")
    for run in tables["benchmark_runs"]:
        theirs = tests.pop(run.get("id"), [])
        make = partial(_from_database, run, keyed, theirs)
        yield from _items(of, make, f"/benchmark_runs/{run.get('id')}")
    for number, lost in tests.items():
        orphaned = f"{len(lost)} tests of a run that is not in the database"
        yield building.bad(orphaned, locator=f"/benchmark_runs/{number}")


def _from_database(
    run: Facts, keyed: Mapping[str, Mapping[object, Facts]], tests: list[Facts]
) -> _Submission:
    def row(holder: Facts, column: str, table: str) -> Facts:
        """Return the row of *table* that a foreign key means."""
        if (match := keyed[table].get(holder.get(column))) is None:
            raise RefusedError(f"{column} {holder.get(column)!r} is not in {table}")
        return match

    if not tests:
        raise RefusedError("a run without tests")
    variant = row(run, "model_variant_id", "model_variants")
    model = row(variant, "model_id", "models")
    runtime = row(run, "runtime_id", "runtimes")
    system = row(run, "system_id", "benchmark_systems")
    model_facts = {
        "model_name": model.get("name"),
        "model_quant_str": variant.get("quantization"),
        "model_n_params": model.get("params"),
    }
    return _Submission(
        {**system, "version": system.get("system_version")},
        row(run, "accelerator_id", "accelerators"),
        {**runtime, "commit": runtime.get("commit_hash")},
        run,
        [(f"/test_results/{it.get('id')}", {**model_facts, **it}) for it in tests],
        place=f"/benchmark_runs/{run.get('id')}",
        arrived=fields.text(run, "created_at"),
    )


def _items(of: Origin, make: "partial[_Submission]", place: str) -> Iterator[Item]:
    """Yield the runs of every test, and what the submission says of them all."""
    try:
        sent = make()
        place = sent.place
        for at, test in sent.tests:
            for part in _FIGURES:
                make_result = partial(_result, sent, test, part, at)
                yield result.attempt(of, make_result, test, at)
        yield from _claims(of, sent)
    except UNDERSTANDABLE as why:
        yield building.bad(reason(why), locator=place)


def _result(sent: _Submission, test: Facts, part: str, at: str) -> Result:
    values = [
        _figure(test, column, f"{at}/{column}", **figure)
        for column, figure in _FIGURES[part].items()
        if column in test
    ]
    lengths = {name: fields.whole(test, name) for name in ("n_prompt", "n_gen")}
    model = untuned(fields.name_of(test, "model_name"))
    own = fields.text(test, "model_quant_str")
    name = fields.text(test, "name") or "pp{n_prompt}+tg{n_gen}".format(**lengths)
    measured = any(figure.value is not None for figure in values)
    device = _device(sent)
    accelerator = fields.text(sent.accelerator, "name")
    arrived = {"started": "created_at: when the submission arrived"}
    return Result(
        work=part_of_test(part, model, own, lengths),
        locator=at,
        framework=fields.text(sent.runtime, "name") or "unknown",
        device=device,
        device_name=None if device[0] == "cpu" else accelerator,
        parameters={**fields.others(test, _PLACED), "test": name},
        started=sent.arrived,
        values=values,
        machine=_machine(sent),
        environment=_environment(sent),
        status="ok" if measured else "not-measured",
        reason=None if measured else "no figure: the source prints 0 or nothing",
        basis=arrived if sent.arrived else {},
        missing={"precision": ABSENT},
    )


def _figure(
    test: Facts, column: str, at: str, *, metric: str, per: float = 1.0
) -> Value:
    """Return the figure in a column, divided by *per*; null and 0 are no figure."""
    raw = test[column]
    if raw is None:
        return Value(metric=metric, reason=ABSENT, locator=at)
    if not fields.size(test, column):
        why, printed = (
            "not measured: the source means that by 0",
            fields.characters(raw),
        )
        return Value(metric=metric, reason=why, printed=printed, locator=at)
    return result.value(metric, raw, at, per=per)


def _device(sent: _Submission) -> tuple[Device, str]:
    """Return the device, and how that is known, or why it is not."""
    kind = fields.text(sent.accelerator, "type")
    runtime = fields.text(sent.runtime, "name")
    maker = fields.text(sent.accelerator, "manufacturer") or "nobody told"
    if kind == "CPU":
        return "cpu", "the type of the accelerator is CPU"
    if kind == "GPU" and runtime == "llamafile" and maker in _WORDS["devices"]:
        device = _WORDS["devices"][maker]
        return device, f"llamafile computes on GPUs of {maker} with {device}"
    return "unknown", f"accelerator of type {kind} by {maker} under {runtime}"


def _machine(sent: _Submission) -> Machine:
    name = fields.text(sent.accelerator, "name")
    gpu = name if fields.text(sent.accelerator, "type") == "GPU" else None
    processor = fields.text(sent.system, "cpu_name")
    if gpu and processor and gpu.startswith(processor):
        processor = gpu  # Apple M1 Pro 8P+2E+16GPU: the chip with its GPU's cores
    cores = _CORES.search(processor or "")
    gigabytes = fields.size(sent.system, "ram_gb") if sent.system.get("ram_gb") else 0
    ram = round(gigabytes * _GIB) or None
    made = result.machine(processor, cards=[gpu] if gpu else [], ram_bytes=ram)
    if cores is None:
        return made
    return replace(made, chip=replace(made.chip, cpu_cores=int(cores[1])))


def _environment(sent: _Submission) -> dict[str, Any]:
    system, runtime = sent.system, sent.runtime
    version, commit = fields.text(runtime, "version"), fields.text(runtime, "commit")
    both = f"{version} ({commit})" if version and commit else version or commit
    kernel = fields.text(system, "kernel_type")
    system_version = fields.text(system, "version")
    known = fields.others(fields.picked(sent.accelerator, ("name", "memory_gb")))
    return {
        "os_name": "macOS" if kernel == "Darwin" else kernel,
        "kernel": fields.text(system, "kernel_release"),
        "architecture": fields.text(system, "cpu_arch"),
        "framework": fields.text(runtime, "name"),
        "framework_version": both,
        "devices": (known,) if known else (),
        "variables": {"system_version": system_version} if system_version else {},
        "missing": {"os_version": ABSENT},
    }


def _claims(of: Origin, sent: _Submission) -> Iterator[Item]:
    """Yield the averages and the score, which the submitting computer worked out."""
    _, first = sent.tests[0]
    model = (fields.text(first, "model_name"), fields.text(first, "model_quant_str"))
    about = {"model": " ".join(filter(None, model))}
    about |= fields.others({"accelerator": fields.text(sent.accelerator, "name")})
    means = {name: _mean(sent, it["of"]) for name, it in _AVERAGES.items()}
    prompt, generation, first_token = means.values()
    means["performance_score"] = None
    if prompt and generation and first_token:
        # Ten times the geometric mean of the three, the last as a rate.
        product = prompt * generation * 1e3 / first_token
        means["performance_score"] = float(10 * product ** (1 / 3))
    for name, recomputed in means.items():
        if sent.summary.get(name) is not None:
            yield result.claim(
                of,
                f"{name} over {len(sent.tests)} tests",
                sent.summary[name],
                f"{sent.place}/{name}",
                unit=_AVERAGES.get(name, {}).get("unit"),
                about=about,
                recomputed=recomputed,
            )


def _mean(sent: _Submission, column: str) -> float | None:
    """Return the mean of a column over the tests, ``None`` where one has no figure."""
    amounts = [fields.size(it, column) for _, it in sent.tests if it.get(column)]
    return fmean(amounts) if amounts and len(amounts) == len(sent.tests) else None
