"""``report --check``: do the files say what would be written now?"""

from pathlib import Path

import pytest

from benchdb.store.database import open_database
from tests.store_factory import Machine, Run, add
from tests.summary_page import WALL
from tests.written_reports import mixed, report, store

FORMATS = ("--format", "html,csv,json,sqlite")


@pytest.fixture(name="database")
def mixed_database(tmp_path: Path) -> Path:
    return store(tmp_path, mixed())


@pytest.fixture(name="folder")
def written(database: Path, tmp_path: Path) -> Path:
    assert report(database, *FORMATS, "-o", tmp_path / "report").status == 0
    return tmp_path / "report"


def test_equal_files_pass_in_silence(database, folder):
    done = report(database, *FORMATS, "-o", folder, "--check")

    assert (done.status, done.out, done.err) == (0, "", "")


def test_another_run_in_the_database_makes_every_file_differ(database, folder):
    engine = open_database(str(database))
    with engine.begin() as connection:
        add(connection, Run(machine=Machine(chip="M3"), values={WALL: 12.5}))
    engine.dispose()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = report(database, *FORMATS, "-o", folder, "--check")

    assert done.status == 1
    assert [line.partition(":")[0] for line in done.out.splitlines()] == [
        str(folder / f"report.{name}") for name in ("en.html", "csv", "json", "sqlite")
    ]
    assert all(": differs from the database; run: " in x for x in done.out.splitlines())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_line_says_how_to_write_it_again(database, folder):
    (folder / "report.csv").write_text("old")
    options = (*FORMATS, "-o", folder, "--lang", "en")
    done = report(database, *options, "--check")

    command = f"--lang en --format html,csv,json,sqlite -o {folder} --db {database}"
    problem = "differs from the database"
    path = folder / "report.csv"
    assert done.out == f"{path}: {problem}; run: benchdb report {command}\n"


def test_a_missing_file_is_a_difference_and_is_not_written(database, folder):
    (folder / "report.json").unlink()
    done = report(database, *FORMATS, "-o", folder, "--check")

    assert done.status == 1
    assert done.out.startswith(f"{folder / 'report.json'}: is missing; run: ")
    assert not (folder / "report.json").exists()


def test_nothing_is_made_where_nothing_was(database, tmp_path):
    done = report(database, "--format", "csv", "-o", tmp_path / "new", "--check")

    assert done.status == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_in_place_of_a_file_is_a_difference(database, folder):
    (folder / "report.csv").unlink()
    (folder / "report.csv").mkdir()
    done = report(database, *FORMATS, "-o", folder, "--check")

    assert done.status == 1
    assert "report.csv: cannot be read (Is a directory)" in done.out


def test_other_filters_make_another_report(database, folder):
    done = report(database, *FORMATS, "-o", folder, "--check", "--chip", "M2")

    assert done.status == 1
    assert done.out.count("--chip M2") == 4


def test_a_path_cannot_command_the_terminal(database, tmp_path):
    done = report(
        database, "--format", "csv", "-o", tmp_path / "a\x1b[31m\nb", "--check"
    )

    assert done.out.count("\n") == 1
    assert "\x1b" not in done.out
