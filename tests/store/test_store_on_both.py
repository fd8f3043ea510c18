"""What people see of published results is the same from either kind of database."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.resources import folder
from benchdb.store.database import open_database
from tests import published_runs
from tests.contents import contents
from tests.in_process import benchdb
from tests.postgres import Server

PUBLISHED = folder("published")
# All that was written by hand or measured by us, and the many small files of others:
# few runs, and names of every kind.
SMALL = 20_000  # bytes
OTHERS = [
    path
    for path in sorted((PUBLISHED / "corpus").glob("*.jsonl"))
    if path.stat().st_size < SMALL
]
DOCUMENT = Path(__file__).parents[1] / "fixtures" / "import" / "llama_bench.sql"


@pytest.fixture(scope="module")
def both(postgres: Server, tmp_path_factory) -> tuple[str, str]:
    """Where published results and a document are: a file, and a server."""
    file = published_runs.imported(tmp_path_factory.mktemp("published"))
    bad = file.with_name("bad.jsonl")
    bad.write_text('{"type":"header","format":1,"producer":"a"}\n{no JSON\n')
    assert len(OTHERS) > 50
    assert benchdb("import", *OTHERS, DOCUMENT, bad, "--db", file).status == 1
    address = postgres.address(postgres.new_database())
    assert benchdb("db", "copy", file, address).status == 0
    return str(file), address


REPORT = ("report", "--lang", "en", "-o", "-", "--format")


@pytest.mark.parametrize(
    "command",
    [
        (*REPORT, "html"),
        (*REPORT, "json", "--chip", "M1 Max", "--workload", "resnet50"),
        (*REPORT, "csv", "--grade", "A"),
        ("export",),
        ("list", "--json"),
        ("list", "--source", "m1tensorbench", "--limit", "7"),
        ("machines", "list"),
        ("quarantine", "list"),
    ],
)
def test_a_command_prints_the_same_bytes(both, command):
    file, server = (benchdb(*command, "--db", where) for where in both)

    assert (file.status, server.status) == (0, 0), (file.err, server.err)
    assert file.out == server.out
    assert file.out.count("\n") >= 1


def test_a_run_is_shown_the_same(both):
    listed = benchdb("list", "--source", "needle-metal", "--limit", 1, "--db", both[0])
    run = listed.out.splitlines()[1][:12]

    file, server = (benchdb("show", run, "--db", where) for where in both)

    assert file.status == 0
    assert file.out == server.out


def test_the_plans_of_a_report_s_queries_are_explained_with_their_indexes(both):
    plans = [benchdb("db", "explain", "--db", where).out for where in both]

    for plan in plans:
        assert "1. asked 1 ×: SELECT … FROM " in plan
        assert "   indexes: " in plan
        assert "queries; indexes that none of them uses: " in plan.splitlines()[-1]
    assert "SEARCH " in plans[0]
    assert "Scan " in plans[1]


def test_a_share_that_cannot_lock_is_told_at_once(two_runs, tmp_path):
    path, new = tmp_path / "results.sqlite", tmp_path / "new.sqlite"
    engine = open_database(str(path), create=True)
    import_or_raise(engine, [two_runs])
    engine.dispose()
    before = contents(open_database(str(path)))
    program = [sys.executable, "-m", "tests.store.without_locks"]

    commands = (["list", "--db", path], ["import", DOCUMENT, "--db", new])
    for command in commands:
        done = subprocess.run(
            [*program, *map(str, command)],
            capture_output=True,
            check=False,
            cwd=PUBLISHED.parent,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert "files there cannot be locked (No locks available)" in done.stderr

    assert contents(open_database(str(path))) == before
    assert not new.exists()
