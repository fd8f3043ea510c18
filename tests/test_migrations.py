"""A database of every schema that was landed is upgraded without loss."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from benchdb.merge import files, import_files
from benchdb.resources import folder
from benchdb.store.database import open_database
from benchdb.store.derived import renew
from benchdb.store.migrate import KNOWN_REVISIONS
from tests.contents import contents
from tests.in_process import benchdb

FIXTURES = Path(__file__).parent / "fixtures"
# What every one of them was filled with, by the benchdb of its time.
FILES = [FIXTURES / "two_runs.jsonl", folder("published") / "needle-metal.jsonl"]
# The source states a macOS for all its machines that is older than the M1 Ultra.
ULTRA_RUNS = range(9)
# Names and versions of what read a file were not kept at first.
_READ_ANEW = "imported_file"


def test_there_is_a_database_of_every_schema_before_ours():
    kept = sorted(path.stem for path in (FIXTURES / "databases").glob("*.sqlite"))

    assert kept == list(KNOWN_REVISIONS[:-1])


@pytest.mark.parametrize("revision", KNOWN_REVISIONS[:-1])
def test_an_upgraded_database_holds_what_a_new_one_would(tmp_path, revision):
    path = tmp_path / "old.sqlite"
    shutil.copyfile(FIXTURES / "databases" / f"{revision}.sqlite", path)
    new = open_database(str(tmp_path / "new.sqlite"), create=True)
    assert all(outcome.clean for outcome in import_files(new, files(FILES)))

    upgraded = contents(open_database(str(path), renew=renew))
    fresh = contents(new)

    assert len(upgraded.pop(_READ_ANEW)) == len(fresh.pop(_READ_ANEW)) == len(FILES)
    assert upgraded == fresh


@pytest.mark.parametrize("revision", KNOWN_REVISIONS[:-1])
def test_the_files_of_an_upgraded_database_bring_nothing_new(tmp_path, revision):
    path = tmp_path / "old.sqlite"
    shutil.copyfile(FIXTURES / "databases" / f"{revision}.sqlite", path)

    done = benchdb("import", *FILES, "--db", path)

    assert done.status == 0, done.err
    assert done.out.count(", 0 new (file imported before)") == len(FILES)
    with sqlite3.connect(f"{path}.backup-{revision}") as backup:
        assert backup.execute("SELECT count(*) FROM run").fetchone() == (12,)
    backup.close()


def test_deriving_anew_changes_nothing_that_an_import_derived(tmp_path):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    list(import_files(engine, files([folder("published")])))
    before = contents(engine)

    with engine.execution_options(benchdb_write=True).begin() as connection:
        renew(connection)

    assert len(before["finding"]) == len(ULTRA_RUNS)
    assert len(before["fingerprint"]) > len(before["finding"])
    assert contents(engine) == before
