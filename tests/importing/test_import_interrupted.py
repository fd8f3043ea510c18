"""What befalls an import: killed, out of disk, beside others; the database is whole."""

import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchdb.resources import folder
from benchdb.store.database import open_database
from tests.contents import contents
from tests.in_process import benchdb

OURS = Path(__file__).parents[1] / "fixtures" / "import"
PUBLISHED = [
    folder("published") / f"{name}.jsonl"
    for name in ("benchdb-h200", "m1tensorbench", "needle-metal")
]
SMALL = 2**19  # bytes; what is imported here takes more


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "benchdb", "import", *map(str, arguments)]


@pytest.fixture
def db(tmp_path: Path, two_runs: Path) -> Path:
    path = tmp_path / "results.sqlite"
    assert subprocess.run(command(two_runs, "--db", path), check=False).returncode == 0
    return path


def test_an_import_that_is_killed_leaves_whole_files_and_can_be_done_again(
    tmp_path, db, two_runs
):
    log = Path(f"{db}-wal")
    with subprocess.Popen(command(*PUBLISHED, "--db", db)) as process:
        while process.poll() is None and not (log.exists() and log.stat().st_size):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)

    with sqlite3.connect(db) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        files = connection.execute("SELECT sum(runs) FROM imported_file").fetchone()
        assert connection.execute("SELECT count(*) FROM run").fetchone() == files
    connection.close()
    fresh = tmp_path / "fresh.sqlite"
    benchdb("import", *PUBLISHED, "--db", db)
    benchdb("import", *PUBLISHED, two_runs, "--db", fresh)
    assert contents(open_database(str(db))) == contents(open_database(str(fresh)))


@pytest.mark.parametrize("how", [[], ["--strict"]])
def test_a_disk_that_is_full_is_told_in_one_line_and_nothing_changes(db, how):
    before = contents(open_database(str(db)))

    done = subprocess.run(
        command(*how, PUBLISHED[0], "--db", db),
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL)),
    )

    told = done.stderr.decode()
    assert (done.returncode, told.count("\n")) == (1, 1), told
    assert told.startswith(f"benchdb: cannot write {db}: ")
    assert "savepoint" not in told
    assert contents(open_database(str(db))) == before


def test_many_processes_importing_what_others_published_agree(tmp_path, db, two_runs):
    names = ("llama_bench.csv", "llama_bench.sql", "llama_bench_thread.md")
    documents = [OURS / name for name in names]
    orders = [documents[turn:] + documents[:turn] for turn in range(3)]

    running = [subprocess.Popen(command(*one, "--db", db)) for one in orders]
    assert {process.wait() for process in running} <= {0, 1}

    alone = tmp_path / "alone.sqlite"
    benchdb("import", two_runs, *documents, "--db", alone)
    found = contents(open_database(str(db)))
    assert found == contents(open_database(str(alone)))
    assert len(found["run"]) > 2
