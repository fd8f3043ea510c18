"""LocalScore: a submission as its program sends it, or a whole database of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchdb.exchange.lines import Source
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import sqlite_tables
from benchdb.importing.tools.json_numbers import glimpse, told
from benchdb.importing.tools.localscore_runs import Submission, items
from benchdb.importing.tools.outcome import mapping
from benchdb.importing.tools.texts import others

# In the database a table each; averages over runs in one more are not read.
_TABLES = (
    *("benchmark_runs", "test_results", "benchmark_systems", "accelerators"),
    *("model_variants", "models", "runtimes"),
)
_MARKS = {"results", "results_summary", "accelerator_info"}
_PARTS = ("system_info", "accelerator_info", "runtime_info", "results_summary")

Row = dict[str, Any]
Keyed = Mapping[str, Mapping[object, Row]]  # rows of each table by their id


def recognises(document: Document) -> bool:
    """Tell whether these are submissions of LocalScore."""
    if document.content.startswith(sqlite_tables.MAGIC):
        return sqlite_tables.names(document).issuperset(_TABLES)
    return bool(_sent(glimpse(document)))


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the runs of every test, and the averages of each submission as claims."""
    if document.content.startswith(sqlite_tables.MAGIC):
        source = building.source(document, about, "localscore")
        yield from _database(document, source, about)
        return
    found = told(document)
    top = found if isinstance(found, dict) else {}
    protocol = others(top, (*_PARTS, "results"))
    source = building.source(document, about, "localscore", protocol=protocol)
    for place, one in _sent(found).items():
        yield from _json(one, place, source, about)


def _sent(found: Any) -> dict[str, Row]:
    """Return the submissions of a JSON document by their pointers."""
    if isinstance(found, dict):
        return {"": found} if found.keys() >= _MARKS else {}
    if isinstance(found, list) and found:
        whole = all(isinstance(one, dict) and one.keys() >= _MARKS for one in found)
        return {f"/{place}": one for place, one in enumerate(found)} if whole else {}
    return {}


def _json(one: Row, place: str, source: Source, about: About) -> Iterator[Item]:
    try:
        sent = _told(one, place)
    except RefusedError as why:
        yield building.bad(str(why), locator=place or "/")
    else:
        yield from items(sent, source, about.label)


def _told(one: Row, place: str) -> Submission:
    system, accelerator, runtime, summary = (
        mapping(one.get(name) or {}, name) for name in _PARTS
    )
    tests = one["results"]
    if not isinstance(tests, list) or not tests:
        raise RefusedError("results is no list of tests")
    return Submission(
        system=system,
        accelerator=accelerator,
        runtime=runtime,
        summary=summary,
        tests=[mapping(test, "a test") for test in tests],
        places=[f"{place}/results/{number}" for number in range(len(tests))],
        summary_place=f"{place}/results_summary",
    )


def _database(document: Document, source: Source, about: About) -> Iterator[Item]:
    tables = sqlite_tables.tables(document, _TABLES)
    keyed = {
        name: {row.get("id"): row for row in rows} for name, rows in tables.items()
    }
    tests: dict[object, list[Row]] = {}
    for test in tables["test_results"]:
        tests.setdefault(test.get("benchmark_run_id"), []).append(test)
    if not tables["benchmark_runs"]:
        raise DocumentError("the database of LocalScore holds no run")
    for run in tables["benchmark_runs"]:
        place = f"/benchmark_runs/{run.get('id')}"
        try:
            sent = _submission(run, keyed, tests.pop(run.get("id"), []))
        except RefusedError as why:
            yield building.bad(str(why), locator=place)
            continue
        yield from items(sent, source, about.label)
    for number, lost in tests.items():
        orphaned = f"{len(lost)} tests of a run that is not in the database"
        yield building.bad(orphaned, locator=f"/benchmark_runs/{number}")


def _submission(run: Row, keyed: Keyed, tests: list[Row]) -> Submission:
    if not tests:
        raise RefusedError("a run without tests")
    variant = _row(run, keyed, "model_variant_id", "model_variants")
    model = _row(variant, keyed, "model_id", "models")
    runtime = _row(run, keyed, "runtime_id", "runtimes")
    system = _row(run, keyed, "system_id", "benchmark_systems")
    named = {
        "model_name": model.get("name"),
        "model_quant_str": variant.get("quantization"),
        "model_n_params": model.get("params"),
    }
    created = run.get("created_at")
    return Submission(
        system={**system, "version": system.get("system_version")},
        accelerator=_row(run, keyed, "accelerator_id", "accelerators"),
        runtime={**runtime, "commit": runtime.get("commit_hash")},
        summary=run,
        tests=[{**named, **test} for test in tests],
        places=[f"/test_results/{test.get('id')}" for test in tests],
        summary_place=f"/benchmark_runs/{run.get('id')}",
        arrived=created if isinstance(created, str) else None,
    )


def _row(row: Row, keyed: Keyed, column: str, table: str) -> Row:
    """Return the row of *table* that a foreign key means."""
    if (found := keyed[table].get(row.get(column))) is None:
        raise RefusedError(f"{column} {row.get(column)!r} is not in {table}")
    return found
