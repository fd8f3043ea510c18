"""Files made to cost more than they weigh: refused before they do."""

import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from benchdb.errors import ExchangeError
from benchdb.importing.document import DocumentError
from benchdb.importing.mapping import run_groups
from benchdb.importing.provenance import NOTHING
from benchdb.importing.tools import (
    hyperfine,
    localscore,
    pytest_benchmark,
    sqlite_tables,
)
from tests.foreign_files import taken, written
from tests.importing.mapping.mapped import BASE, THROUGHPUT, items, records


def test_a_number_of_thousands_of_digits_is_none():
    text = '{"results": [{"command": "x", "times": [0.' + "1" * 5000 + "]}]}"
    (bad,) = taken(hyperfine, written(text)).bad

    assert bad.reason == "times[0] is printed with more than 400 characters"


def test_facts_that_every_record_would_repeat_are_few():
    session = {"machine_info": {"x": "x" * 70_000}, "benchmarks": []}

    with pytest.raises(DocumentError, match="session takes more than 64 KiB"):
        taken(pytest_benchmark, written(json.dumps(session)))
    with pytest.raises(DocumentError, match="no JSON"):
        list(pytest_benchmark.read(written("{"), NOTHING))


MIB = 2**20
WATCHED = Path(__file__).parents[3] / "benchmarks" / "watched.py"


def filled(unit: str, size: int) -> bytes:
    return f"[{unit * (size // len(unit))}0]".encode()


def inside(document: bytes) -> bytes:
    """Return a result of llama-bench with *document* as a fact."""
    return b'[{"avg_ts": 1, "n_gen": 1, "model_type": "a", "x": ' + document + b"}]"


def million_keys() -> bytes:
    return ("{" + ",".join(f'"{n:08x}":1' for n in range(10**6)) + "}").encode()


# Made when they are needed: every worker imports this.
DENSE = {
    "empty lists": (lambda: filled("[],", 9 * MIB), "up to 6,291,457 values in"),
    "lists on lines": (lambda: filled("[],\n", 9 * MIB), "up to 4,718,593 values in"),
    "floats": (lambda: filled("0.10,", 16 * MIB), "up to 3,355,444 values in"),
    "keys": (million_keys, "up to 1,000,000 values in"),
    "a fact of llama-bench": (lambda: inside(filled("[],", 9 * MIB)), "values in"),
    "short rows": (
        lambda: b"|a|b|\n|-|-|\n" + b"|1|2|\n" * (16 * MIB // 6),
        "80,000 lines",
    ),
    "an exchange line": (
        lambda: (
            b'{"type":"header","format":1,"producer":"x","producer_version":"1"}\n'
            b'{"type":"end","run":"r","status":"ok","checks":{"x":'
            + filled("{},", 16 * MIB)
            + b"}}\n"
        ),
        "more than 1,048,576 values in a line",
    ),
    "as many as are read": (lambda: filled("0.10,", 524_000 * 5), "no format"),
    "long enough": (
        lambda: filled(" " * 9 + "0.1234567890120,", 16 * MIB),
        "no format",
    ),
}


@pytest.mark.parametrize("name", DENSE)
def test_json_takes_a_small_multiple_of_its_size_in_memory(tmp_path, name):
    make, why = DENSE[name]
    content = make()
    path = tmp_path / "dense.json"
    path.write_bytes(content)
    command = [sys.executable, "-m", "benchdb", "import", path, "--db", tmp_path / "db"]

    done = subprocess.run(
        [sys.executable, "-I", "-S", WATCHED, *command], capture_output=True, check=True
    )

    text = done.stderr.decode()
    assert why in text
    assert text.count("\n") == 1
    assert json.loads(done.stdout)["peak_bytes"] < 160 * MIB + 8 * len(content)


def test_json_with_few_values_is_as_long_as_a_document_may_be():
    text = json.dumps({"results": [{"command": "x " * MIB, "times": [0.5]}]})

    assert len(taken(hyperfine, written(text)).runs) == 1


def database(*sql: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.executescript(";".join(sql))
        opened.commit()
        return opened.serialize()


ROWS = (
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
    "INSERT INTO test (build_commit) SELECT 'a' FROM n"
)
COSTLY = {
    "generated": (
        "CREATE TABLE test (build_commit, big AS (printf('%1000000d', 1)))",
        ROWS,
    ),
    "stored": ("CREATE TABLE test (build_commit, b AS (1) STORED)", ROWS),
    "long default": (
        "CREATE TABLE test (build_commit)",
        ROWS,
        f"ALTER TABLE test ADD COLUMN big DEFAULT '{'x' * 100_000}'",
    ),
}
REASONS = {
    "generated": "table 'test' has generated columns, whose SQL is not run",
    "stored": "table 'test' has generated columns, whose SQL is not run",
    "long default": "table 'test' unfolds to more than 12 times the file",
}


@pytest.mark.parametrize("name", COSTLY)
def test_columns_that_the_file_does_not_hold_are_not_read(name):
    document = written(database(*COSTLY[name]))

    with pytest.raises(DocumentError, match=REASONS[name]):
        list(sqlite_tables.rows(document, "test"))


MANY_TABLES = (
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) "
    "INSERT INTO sqlite_master "
    "SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (a)' FROM n"
)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW test AS SELECT zeroblob(1000000) AS build_commit",
        "CREATE VIRTUAL TABLE test USING fts5(build_commit)",
        f"CREATE TABLE test ({', '.join(f'c{n}' for n in range(501))})",
        f"CREATE TABLE test (build_commit); PRAGMA writable_schema = ON; {MANY_TABLES}",
    ],
    ids=["a view", "a virtual table", "501 columns", "30,000 tables"],
)
def test_no_table_is_one_that_its_author_computes(sql):
    document = written(database(sql))

    assert "test" not in sqlite_tables.names(document)
    assert not localscore.recognises(document)


def test_a_virtual_table_in_disguise_is_none():
    plain = database("CREATE VIRTUAL TABLE test USING fts5(build_commit)")
    document = written(plain.replace(b"CREATE VIRTUAL TABLE", b"CREATE\tVIRTUAL TABLE"))

    assert "test" not in sqlite_tables.names(document)


def test_a_value_longer_than_a_document_holds_is_refused():
    document = written(
        database(
            "CREATE TABLE test (build_commit)",
            "INSERT INTO test VALUES (zeroblob(2000000))",
        )
    )

    with pytest.raises(DocumentError, match="no readable SQLite database"):
        list(sqlite_tables.rows(document, "test"))


ENDLESS = ("(a+)+$", "(a|a)*$", "(.*)*(.*)*(.*)*(.*)*(.*)*z")


@pytest.mark.parametrize("expression", ENDLESS)
def test_an_expression_that_never_ends_is_named_and_broken_off(monkeypatch, expression):
    monkeypatch.setattr(run_groups, "SECONDS", 0.2)
    table = f"[[table]]\nskip = ['{expression}']\n{THROUGHPUT}"
    text = f"| Model | GPU | Speed |\n|---|---|---|\n| {'a' * 60}b | x | 1 |\n"

    with pytest.raises(ExchangeError, match="processor time") as raised:
        items(BASE + table, text)

    assert f"last in the expression {expression!r}; simplify" in str(raised.value)


def test_there_is_no_limit_outside_the_main_thread(monkeypatch):
    monkeypatch.setattr(run_groups, "SECONDS", 1e-6)
    table = f"[[table]]\n{THROUGHPUT}"
    text = "| Model | GPU | Speed |\n|---|---|---|\n| a | x | 1 img/s |\n"

    with ThreadPoolExecutor(1) as another:
        claims = another.submit(items, BASE + table, text).result()

    assert len(records(claims)) == 1
