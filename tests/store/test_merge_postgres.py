"""The same imports into PostgreSQL: the same tables as in SQLite, from many at once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine

from benchdb.importing.intake import files
from benchdb.importing.mapping import maps
from benchdb.merge import How, Outcome, import_files
from benchdb.resources import folder
from benchdb.store.database import open_database
from tests import published_runs
from tests.contents import contents
from tests.documents import SHAPES, SHARED_FOLDER, map_path, ours
from tests.foreign_files import SAMPLES, sample_folders
from tests.in_process import benchdb
from tests.postgres import Server

FIXTURES = Path(__file__).parents[1] / "fixtures" / "import"
LOGS = [FIXTURES / name for name in ("llama_bench.csv", "llama_bench.sql", "lists.md")]


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.address(postgres.new_database())


def take(engine: Engine, *paths: Path) -> list[Outcome]:
    return list(import_files(engine, files(paths)))


def take_everything(engine: Engine) -> list[Outcome]:
    """Import some of what is published, files of tools, and documents with maps."""
    seeds = [SHARED_FOLDER] if SHARED_FOLDER.is_dir() else []
    # The largest has ten times as many runs, all of one kind.
    published = [it for it in published_runs.FILES if it.stem != "benchdb-h200"]
    folders = [*published, FIXTURES, *sample_folders(), *seeds]
    outcomes = take(engine, *folders)
    for shape in SHAPES:
        how = How(maps.load(map_path(shape)))
        outcomes += import_files(engine, [ours(shape).path], how)
    return outcomes


def test_everything_gives_the_same_tables_as_in_sqlite(address, tmp_path):
    server, file = (
        open_database(where, create=True)
        for where in (address, str(tmp_path / "results.sqlite"))
    )

    assert take_everything(server) == take_everything(file)

    groups = contents(server)
    assert groups == contents(file)
    assert len(groups["run"]) > 200


def test_an_export_is_the_same_file_as_from_sqlite(address, tmp_path, two_runs):
    file = tmp_path / "results.sqlite"
    undated = tmp_path / "undated.jsonl"  # stands beside what was published undated
    undated.write_text(re.sub('"started":"[^"]*",', "", two_runs.read_text()))
    for where in (address, file):
        published = folder("published") / "pytorch-in-m1.jsonl"
        rows = SAMPLES / "llama-bench.json"
        done = benchdb("import", published, rows, undated, "--db", where)
        assert done.status == 0, done.err
        benchdb("export", "--db", where, "-o", tmp_path / f"{where == file}.jsonl")

    exported = [(tmp_path / f"{holds}.jsonl").read_bytes() for holds in (True, False)]

    assert exported[0] == exported[1]


def test_many_processes_may_make_and_fill_one_database(address, tmp_path):
    command = [sys.executable, "-m", "benchdb", "import", *map(str, LOGS)]
    orders = [command, [*command[:4], *command[:3:-1]]] * 2
    running = [
        subprocess.Popen(
            [*order, "--db", address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for order in orders
    ]
    outputs = [process.communicate()[0].decode() for process in running]
    alone = open_database(str(tmp_path / "results.sqlite"), create=True)
    take(alone, *LOGS)

    assert [process.returncode for process in running] == [1] * len(orders), outputs
    assert sum("llama_bench.csv: 2 runs, 2 new" in output for output in outputs) == 1
    assert contents(open_database(address)) == contents(alone)


def test_a_rehearsal_leaves_nothing_behind(address, two_runs):
    benchdb("import", two_runs, "--db", address)
    engine = open_database(address)
    before = contents(engine)

    done = benchdb("import", "--dry-run", LOGS[0], "--db", address)

    assert "2 runs, 2 new" in done.out
    assert contents(engine) == before
