"""What a database could not take lies in a file that can be imported."""

from pathlib import Path

import pytest

from benchdb.collecting.campaign import rescued
from benchdb.exchange.record import Record
from benchdb.store import read
from benchdb.store.database import open_database, reading
from tests import published_runs
from tests.in_process import benchdb


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    database = published_runs.database(tmp_path_factory.mktemp("published"))
    with reading(open_database(str(database))) as connection:
        every = read.records(connection)
        return [record for record in every if record.run.label == "measured"][:2]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The current folder and that of temporary files."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    return here, temporary


def occupy(folder: Path) -> Path:
    """Let no file of that name be written, to root either."""
    path = folder / "benchdb-c.jsonl"
    path.mkdir()
    return path


def test_records_are_kept_in_the_current_folder(records, folders, tmp_path):
    here, temporary = folders

    texts = [rescued(record, "c") for record in records]

    file = here / "benchdb-c.jsonl"
    assert texts == [f"kept in {file}, take it in with 'benchdb import'"] * 2
    assert not list(temporary.iterdir())
    done = benchdb("import", file, "--db", tmp_path / "n.sqlite")
    assert done.status == 0
    assert "2 runs, 2 new" in done.out


@pytest.mark.parametrize("spoil", [occupy, Path.rmdir])
def test_they_are_temporary_where_that_cannot_be_written(records, folders, spoil):
    here, temporary = folders
    spoil(here)

    text = rescued(records[0], "c")

    assert text.startswith(f"kept in {temporary}/benchdb-c.jsonl,")
    assert temporary.joinpath("benchdb-c.jsonl").read_bytes().count(b"\n") > 3


def test_what_no_folder_takes_is_told_as_lost(records, folders):
    for folder in folders:
        occupy(folder)

    text = rescued(records[0], "c")

    assert text == "lost, for no folder takes it either: Is a directory"
