"""``benchdb query``: SQL that only reads, as a table, CSV, JSON or Parquet."""

import csv
import io
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

import benchdb
from tests import command_line, published_runs
from tests.backends import POSTGRESQL, SQLITE, Backend
from tests.in_process import benchdb as command
from tests.parquet.parquet_files import stored_samples

FIXTURES = Path(__file__).parents[1] / "fixtures"
ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT max(i) FROM n"
)
FASTEST = (
    "SELECT system, workload, value, unit FROM results "
    "WHERE accelerator = 'H200' AND workload = 'resnet50' ORDER BY value DESC LIMIT 2"
)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


@pytest.fixture
def location(backend: Backend) -> str:
    place = backend.nothing()
    done = command("import", FIXTURES / "two_runs.jsonl", "--db", place)
    assert done.status == 0, done.err
    return place


def expected(shipped: Path, query: str = FASTEST) -> list[tuple[object, ...]]:
    with sqlite3.connect(shipped) as anybody:
        return anybody.execute(query).fetchall()


def test_a_table_has_a_line_for_each_row_and_figures_to_the_right(shipped):
    done = command("query", FASTEST, "--db", shipped)

    title, *lines = done.out.splitlines()
    assert title.split() == ["system", "workload", "value", "unit"]
    for line, row in zip(lines, expected(shipped), strict=True):
        assert [text.strip() for text in line.split("  ") if text] == list(
            map(str, row)
        )
    end = title.index("value") + len("value")
    assert {line[end] for line in lines} == {" "}
    assert done.err == "2 rows\n"


def test_wide_cells_are_cut_in_the_table_alone_and_command_no_terminal(shipped):
    wide = "SELECT printf('%.*c', 500, 'x') || char(27) AS wide, 1 AS one"

    table = command("query", wide, "--db", shipped).out
    whole = command("query", wide, "--format", "json", "--db", shipped).out

    assert max(map(len, table.splitlines())) < 100
    assert "\x1b" not in table
    assert json.loads(whole) == [{"wide": 500 * "x" + "\x1b", "one": 1}]


def test_csv_json_and_parquet_have_the_same_rows(shipped, tmp_path):
    rows = expected(shipped)
    names = ["system", "workload", "value", "unit"]

    text = command("query", FASTEST, "--format", "csv", "--db", shipped).out
    entries = command("query", FASTEST, "--format", "json", "--db", shipped).out
    file = tmp_path / "rows.parquet"
    done = command("query", FASTEST, "--format", "parquet", "-o", file, "--db", shipped)

    reader = csv.reader(io.StringIO(text))
    assert [*reader] == [names, *(list(map(str, row)) for row in rows)]
    assert json.loads(entries) == [dict(zip(names, row, strict=True)) for row in rows]
    assert (done.status, read_table(file).to_pylist()) == (0, json.loads(entries))


@pytest.mark.parametrize("kind", ["table", "csv", "json", "parquet"])
def test_an_answer_without_rows_is_one_in_each_format(shipped, tmp_path, kind):
    file = tmp_path / "rows"
    nothing = "SELECT system, value FROM results WHERE n > 10000"

    done = command("query", nothing, "--format", kind, "-o", file, "--db", shipped)

    assert (done.status, done.out, done.err) == (0, "", "")
    content = {
        "table": lambda: file.read_text().split(),
        "csv": lambda: file.read_text().strip().split(","),
        "json": lambda: json.loads(file.read_text()) or ["system", "value"],
        "parquet": lambda: read_table(file).column_names,
    }[kind]()
    assert content == ["system", "value"]


def test_what_is_missing_is_empty_null_or_a_dash(shipped):
    asked = ("query", "SELECT NULL AS empty, 0 AS zero", "--db", shipped)

    assert command(*asked).out.splitlines()[1].split() == ["–", "0"]
    assert command(*asked, "--format", "csv").out == "empty,zero\n,0\n"
    assert json.loads(command(*asked, "--format", "json").out) == [
        {"empty": None, "zero": 0}
    ]


def test_a_dash_reads_the_question_from_standard_input(shipped):
    asked = ("query", "-", "--format", "csv", "--db", shipped)

    done = command_line.benchdb(*asked, stdin=b"SELECT count(*) AS n\nFROM results;\n")

    ((count,),) = expected(shipped, "SELECT count(*) FROM results")
    assert done.out == f"n\n{count}\n"


def test_both_databases_answer_from_the_views(location):
    query = "SELECT system, workload, value, unit, n, grade FROM results"

    done = command("query", query, "--format", "csv", "--db", location)

    assert done.out.splitlines()[1].startswith("M9 Max · Metal · PyTorch,lstm,481.88,")


def test_samples_of_a_run_are_row_by_row_and_others_stay_packed(shipped, tmp_path):
    known = list(stored_samples(str(shipped)))
    run = known[0][0]
    damaged = shutil.copyfile(shipped, tmp_path / "damaged.sqlite")
    with sqlite3.connect(damaged) as connection:
        connection.execute("UPDATE samples SET packed = 'x' WHERE run <> ?", (run,))
    connection.close()
    asked = 'SELECT run, "index", phase, steps, seconds FROM samples'

    outcome = command(
        *("query", f"{asked} WHERE run = '{run}'", "--format", "json"),
        *("--db", damaged),
    )
    every = command("query", asked, "--db", damaged)

    rows = [tuple(entry.values()) for entry in json.loads(outcome.out)]
    assert rows == [row for row in known if row[0] == run]
    assert every.status == 1
    assert every.err.startswith("benchdb: samples are damaged; 'benchdb db check'")


def test_packed_samples_on_a_server_are_told_where_else_they_are(backend: Backend):
    if backend.kind == SQLITE:
        return
    done = command("query", "SELECT * FROM samples", "--db", backend.database())

    assert done.status == 2
    assert done.err.startswith("benchdb: samples are packed on a server; ask Parquet")


WRITES = (
    "DELETE FROM run",
    "UPDATE run SET mine = (1 = 1)",
    "DROP VIEW results",
    "CREATE TABLE more (x INTEGER)",
    "COMMIT",
    "",
    "/* nothing */",
)


@pytest.mark.parametrize("statement", WRITES)
def test_what_does_not_read_is_refused_and_changes_nothing(location, statement):
    before = command("export", "--db", location).out

    done = command("query", statement, "--db", location)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("benchdb: only what reads can be asked, as SELECT does;")
    assert done.err.count("\n") == 1
    assert command("export", "--db", location).out == before


@pytest.mark.parametrize(
    ("statement", "result"),
    [
        ("SELECT * FROM resultz", "did you mean 'results'?"),
        ("SELECT * FROM runs", "did you mean 'run'?"),
        ("SELECT * FROM xyzzy", "there are: doubts, figures, machine_details, results"),
        ("SELECT workloda FROM results", "did you mean 'workload'?"),
        ("SELECT results.workloda FROM results", "did you mean 'workload'?"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1; DELETE FROM run", ""),
        ("SELECT no_such(1)", "no_such"),
    ],
)
def test_wrong_sql_is_one_line_with_what_is_near(location, statement, result):
    done = command("query", statement, "--db", location)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("benchdb: the query cannot be asked: ")
    assert done.err.count("\n") == 1
    assert result in done.err


def test_an_answer_that_takes_too_long_is_given_up(location):
    done = command("query", ENDLESS, "--timeout", 0.2, "--db", location)

    assert (done.status, done.out) == (1, "")
    assert done.err == (
        "benchdb: the answer takes longer than 0.2 s; ask for less, or give it more "
        "time\n"
    )
    with pytest.raises(benchdb.BenchdbError, match=r"longer than 0\.2 s"):
        benchdb.open(location).query(ENDLESS, timeout=0.2)


def test_ctrl_c_ends_a_long_question(location, backend: Backend):
    query = "SELECT pg_sleep(600)" if backend.kind == POSTGRESQL else ENDLESS
    started = "import sys; from benchdb.store import query as q; ask = q._answered\n"
    telling = (
        f"{started}def told(*rest):\n print('asks', flush=True); return ask(*rest)\n"
        "q._answered = told\n"
        "sys.argv[:] = ['benchdb', 'query', sys.argv[1], '--db', sys.argv[2]]\n"
        "from benchdb.cli import main; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", telling, query, location],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asks\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=60)

    assert (process.returncode, text) == (130, "benchdb: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (("--format", "parquet"), "Parquet is no text; name a file with -o"),
        (("--format", "xml"), "invalid value for '--format'"),
        (("--timeout", "0"), "invalid value for '--timeout'"),
    ],
)
def test_wrong_use_is_told(shipped, arguments, result):
    done = command("query", "SELECT 1", *arguments, "--db", shipped)

    assert done.status == 2
    assert result in done.err


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_columns_of_one_name_are_told_to_be_renamed(shipped, tmp_path, kind):
    done = command(
        *("query", "SELECT 1 AS a, 2 AS a", "--format", kind),
        *("-o", tmp_path / "file", "--db", shipped),
    )

    assert done.status == 2
    assert done.err == "benchdb: two columns are called 'a'; rename one with AS\n"
    assert list(tmp_path.iterdir()) == []


def test_parquet_takes_one_type_a_column(shipped, tmp_path):
    mixed = "SELECT 1 AS a UNION ALL SELECT 'x'"
    place = ("--format", "parquet", "-o", tmp_path / "file", "--db", shipped)

    done = command("query", mixed, *place)

    assert done.status == 2
    assert done.err.startswith("benchdb: a has cells of several types (")


def test_bytes_and_numbers_that_are_none_can_be_written(shipped):
    odd = "SELECT x'00ff' AS bytes, 9e999 AS endless"

    done = command("query", odd, "--format", "json", "--db", shipped)

    assert json.loads(done.out) == [{"bytes": "00ff", "endless": "inf"}]
