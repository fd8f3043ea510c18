"""All or nothing, and rehearsals: --strict and --dry-run."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests import command_line
from tests.importing.readme_import import (  # noqa: F401 - fixtures
    README,
    database,
    map_file,
    readme_file,
    rows,
)
from tests.in_process import benchdb


def test_strict_takes_nothing_where_one_record_is_bad(db, two_runs, readme, map_):
    benchdb("import", two_runs, "--db", db)
    before = rows(db)

    done = benchdb("import", "--strict", readme, "--map", map_, "--db", db)

    assert done.status == 1
    assert "nothing was kept (--strict)" in done.out
    assert rows(db) == before


def test_a_rehearsal_says_what_would_happen_and_keeps_nothing(
    db, two_runs, readme, map_
):
    command_line.benchdb("import", two_runs, "--db", db)
    before = db.read_bytes()

    done = command_line.benchdb(
        "import", "--dry-run", readme, "--map", map_, "--db", db
    )

    assert "3 runs, 3 new" in done.out
    assert "nothing was kept (--dry-run)" in done.out
    assert db.read_bytes() == before


def test_a_rehearsal_makes_no_database(db, two_runs):
    done = benchdb("import", "--dry-run", two_runs, "--db", db)

    assert (done.status, db.exists()) == (0, False)
    assert "2 runs, 2 new" in done.out


def test_strict_means_all_files_of_the_command(db, two_runs, readme, map_, tmp_path):
    good = tmp_path / "good.md"
    good.write_text(README.replace("| AlexNet | 64 | 1 | 2 |\n", ""))

    done = benchdb("import", "--strict", good, readme, "--map", map_, "--db", db)

    assert done.status == 1
    assert f"{good}: 3 runs, 3 new [map speed]" in done.out
    assert set(rows(db).values()) == {0, 1}  # alembic_version has its row


@pytest.mark.parametrize("mode", ["old schema", "read-only", "other journal"])
def test_a_rehearsal_leaves_any_database_as_it_is(tmp_path, db, two_runs, mode):
    fixtures = Path(__file__).parents[1] / "fixtures" / "databases"
    command_line.benchdb("import", two_runs, "--db", tmp_path / "made.sqlite")
    with sqlite3.connect(tmp_path / "made.sqlite") as connection:
        connection.execute("VACUUM INTO ?", [str(db)])  # in the old journal mode
    connection.close()
    if mode == "old schema":
        shutil.copyfile(fixtures / "0001.sqlite", db)
    if mode == "read-only":
        db.chmod(0o444)
    before, beside = db.read_bytes(), sorted(tmp_path.iterdir())

    done = command_line.benchdb("import", "--dry-run", two_runs, "--db", db)

    assert (done.status, done.err) == (0, "")
    assert "0 new (file imported before)" in done.out
    assert db.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == beside
