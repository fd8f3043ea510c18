"""Export writes what import reads, byte for byte."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchdb.store import read
from benchdb.store.database import open_database, reading
from tests import command_line, published_runs
from tests.contents import contents
from tests.in_process import benchdb
from tests.published_page import TRANSCRIBED


@pytest.fixture(scope="module")
def exported(tmp_path_factory, two_runs) -> tuple[list[Path], list[Path]]:
    """Databases of all kinds of runs, the second of what the first exports; exports."""
    folder = tmp_path_factory.mktemp("exported")
    databases = [folder / "1.sqlite", folder / "2.sqlite"]
    exports = [folder / "1.jsonl", folder / "2.jsonl"]
    published_runs.imported(folder).rename(databases[0])
    for file, database, export in zip(
        (two_runs, exports[0]), databases, exports, strict=True
    ):
        imported = benchdb("import", file, "--db", database)
        done = command_line.benchdb("export", "-o", export, "--db", database)
        assert (imported.status, done.status) == (0, 0)
    return databases, exports


def test_export_import_export_is_byte_identical(exported):
    databases, exports = exported

    first, second = (export.read_bytes() for export in exports)
    assert first == second
    assert (
        first.count(b'"type":"run"') == published_runs.count(published_runs.FILES) + 2
    )
    for database in databases:
        checked = benchdb("db", "check", "--db", database)
        assert (checked.status, checked.err) == (0, "")


def test_an_export_carries_every_table_but_the_list_of_files(exported):
    before, after = (contents(open_database(str(path))) for path in exported[0])

    for files in ("imported_file", "source_file"):
        assert before.pop(files) != after.pop(files)
    assert before == after


def test_stored_digests_follow_from_what_is_stored(exported):
    engine = open_database(str(exported[0][0]))

    with reading(engine) as connection:
        recomputed = sorted(record.digest for record in read.records(connection))

    assert recomputed == [row[0] for row in contents(engine)["run"]]


def test_export_to_standard_output_can_be_piped_into_head(tmp_path, two_runs):
    database = published_runs.database(tmp_path)

    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m benchdb export --db {database} | head -n 1"],
        capture_output=True,
        check=True,
        text=True,
    )

    assert done.stdout.startswith('{"type":"header"')
    assert "Traceback" not in done.stderr


def test_an_export_can_be_narrowed_to_what_was_measured(tmp_path, two_runs):
    database = tmp_path / "1.sqlite"
    benchdb("import", two_runs, *TRANSCRIBED, "--db", database)

    measured = benchdb("export", "--label", "measured", "--db", database).out
    source = benchdb("export", "--source", "needle-metal", "--db", database).out

    assert types(measured) == {
        "header": 1,
        "machine": 1,
        "environment": 1,
        "run": 2,
        "samples": 2,
        "end": 2,
    }
    assert types(source)["run"] == 10
    assert (types(source)["source"], types(source)["claim"]) == (1, 4)


def test_mine_is_what_this_machine_measured_and_no_one_else(tmp_path, two_runs):
    database = published_runs.database(tmp_path)
    benchdb("import", two_runs, "--db", database)

    assert types(benchdb("export", "--mine", "--db", database).out) == {"header": 1}


def types(exported: str) -> Counter[str]:
    return Counter(json.loads(line)["type"] for line in exported.splitlines())


def test_a_filter_that_no_run_matches_is_told(tmp_path):
    database, file = tmp_path / "r.sqlite", tmp_path / "f.jsonl"
    benchdb("import", os.devnull, "--db", database)

    done = benchdb("export", "--workload", "lstm", "-o", file, "--db", database)

    assert (done.status, done.out) == (0, "")
    assert done.err == "benchdb: no run matches --workload lstm\n"
    assert len(file.read_bytes().splitlines()) == 1


@pytest.mark.parametrize("command", ["export", "report --format json -o -"])
def test_without_a_standard_output_a_place_has_to_be_named(tmp_path, command):
    database = tmp_path / "r.sqlite"
    benchdb("import", os.devnull, "--db", database)
    start = f'exec "{sys.executable}" -m benchdb {command} --db "{database}" >&-'

    done = subprocess.run(
        ["sh", "-c", start], check=False, stderr=subprocess.PIPE, text=True
    )

    assert done.returncode == 2
    assert done.stderr == (
        "benchdb: there is no standard output; name a place with -o\n"
    )
