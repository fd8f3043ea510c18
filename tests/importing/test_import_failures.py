"""Files that a reader fails on: each is told in one line, and the others land."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from benchdb import merge
from benchdb.importing.formats import FORMATS
from benchdb.importing.intake import files, intake
from benchdb.merge import How, Outcome, import_files, import_together, retry
from benchdb.store import documents, reader_process
from benchdb.store.database import open_database
from benchdb.store.documents import refused_files
from tests.contents import contents
from tests.importing.tools.llama_bench import RESULT
from tests.in_process import benchdb


class FailingFormat:
    """A format whose reader has a bug, or meets one."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def recognises(self, document):
        return document.text.startswith("failing")

    def read(self, document, about):
        raise self.error

    def batches(self, items):
        raise self.error


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(str(tmp_path / "results.sqlite"), create=True)


@pytest.fixture
def failing(tmp_path: Path, monkeypatch):
    """Return a function that makes a file whose reader raises an error."""

    def made(error: BaseException) -> Path:
        monkeypatch.setitem(FORMATS, "failing", FailingFormat(error))
        path = tmp_path / "failing.txt"
        path.write_text("failing")
        return path

    return made


def badly_named_table() -> bytes:
    """Return a database of which SQLite tells the damage in words that are no text."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE PLACE (build_commit, test)")
        data = database.serialize()
    return data.replace(b"PLACE", b"\xff\xfe\xfd\xfc\xfb").replace(b"test)", b"test(")


DAMAGING = {
    "no time": (
        json.dumps([{**RESULT, "samples_ns": [5e-324]}]).encode(),
        "samples_ns[0] is 5e-324, which cannot be",
    ),
    "half a character": (
        b'{"results": [{"command": "time_\\ud800", "times": ["x"]}]}',
        "is 'x', no number",
    ),
    "no text": (badly_named_table(), "a SQLite database of no known tool, or damaged"),
}


@pytest.mark.parametrize("name", DAMAGING)
def test_a_damaging_file_gets_one_line_and_the_others_land(tmp_path, two_runs, name):
    content, why = DAMAGING[name]
    path, db = tmp_path / "theirs.json", tmp_path / "results.sqlite"
    path.write_bytes(content)

    done = benchdb("import", path, two_runs, "--db", db)

    assert (done.status, done.err.count("\n")) == (1, 1), done.err
    assert done.err.startswith(f"benchdb: {path}: ")
    assert why in done.err
    assert "a bug of benchdb" not in done.err
    assert f"{two_runs}: 2 runs, 2 new" in done.out


def outcomes(engine: Engine, paths: list[Path]) -> list[Outcome]:
    return list(import_files(engine, files(paths)))


def together(engine: Engine, paths: list[Path]) -> list[Outcome]:
    return import_together(engine, paths, How())


@pytest.mark.parametrize("take", [outcomes, together])
def test_a_bug_of_a_reader_is_reported_as_ours_and_ends_no_batch(
    engine, failing, two_runs, take
):
    path = failing(KeyError("two\nlines"))

    first, second = take(engine, [path, two_runs])

    assert (first.runs, second.runs) == (0, 2)
    text = str(first.error)
    assert text.startswith(
        "a bug of benchdb, KeyError: 'two\\nlines' (test_import_fail"
    )
    assert "please report it, with the file or with what BENCHDB_DEBUG=1" in text


def test_the_traceback_of_a_bug_is_to_be_had(engine, failing, monkeypatch):
    monkeypatch.setenv("BENCHDB_DEBUG", "1")

    with pytest.raises(ZeroDivisionError) as raised:
        outcomes(engine, [failing(ZeroDivisionError())])

    assert [entry.name for entry in raised.traceback][-1] == "read"


def test_a_file_too_large_for_memory_is_no_bug_of_ours(engine, failing, two_runs):
    first, second = outcomes(engine, [failing(MemoryError()), two_runs])

    assert first.error == "takes more memory than there is; split it"
    assert second.added == 2


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_who_ends_the_command_ends_the_batch(engine, failing, two_runs, kind):
    batch = import_files(engine, [two_runs, failing(kind()), two_runs])

    assert next(batch).added == 2
    with pytest.raises(kind):
        next(batch)


def test_nothing_is_left_of_a_file_that_fails_at_its_end(engine, two_runs, monkeypatch):
    before = contents(engine)
    monkeypatch.setattr(merge, "_Landing", raising_at_the_end())

    (outcome,) = outcomes(engine, [two_runs])

    assert "a bug of benchdb, LookupError" in str(outcome.error)
    assert contents(engine) == before


def test_a_bug_in_the_process_that_reads_comes_to_who_waits_for_it(
    two_runs, monkeypatch
):
    sent: list[reader_process._Message] = []
    monkeypatch.setattr(reader_process, "batches", FailingFormat(LookupError()).batches)
    monkeypatch.setattr(reader_process, "_send", sent.append)
    monkeypatch.setattr("gc.set_threshold", lambda count: None)
    with two_runs.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        reader_process.main()

    assert [str(message.refused)[:30] for message in sent] == [
        "a bug of benchdb, LookupError:"
    ]


def raising_at_the_end():
    """Return ``_Landing`` that raises after all was written."""

    class Raising(merge._Landing):
        def finish(self):
            super().finish()
            raise LookupError

    return Raising


def test_a_file_that_fails_while_it_is_written_takes_no_other_along(
    engine, two_runs, tmp_path, monkeypatch
):
    other = tmp_path / "other.jsonl"
    other.write_text(two_runs.read_text() + "\n")
    one_by_one = merge._Landing._write

    def failing_once(self, all_batches, taken, part):
        one_by_one(self, all_batches, taken, part)
        if part._facts["name"] == "other.jsonl":
            raise LookupError

    monkeypatch.setattr(merge._Landing, "_write", failing_once)

    first, second, third = outcomes(engine, [two_runs, other, two_runs])

    assert (first.added, second.added, third.known) == (2, 0, True)
    assert "a bug of benchdb, LookupError" in str(second.error)
    assert len(contents(engine)["run"]) == 2


def test_a_bug_is_reported_where_the_quarantine_is_tried_again(
    engine, tmp_path, monkeypatch
):
    path = tmp_path / "theirs.json"
    path.write_bytes(DAMAGING["no time"][0])
    outcomes(engine, [path])
    with engine.begin() as connection:
        (file,) = refused_files(connection)
    monkeypatch.setattr(merge, "_Landing", raising_at_the_end())

    assert "a bug of benchdb, LookupError" in str(retry(engine, file).error)


@pytest.mark.parametrize("content", [b"| a |\n|---|\n", b""], ids=["foreign", "ours"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    engine, two_runs, tmp_path, monkeypatch, content
):
    path = tmp_path / "changing"
    path.write_bytes(content or two_runs.read_bytes())

    def changed(stream, name, **how):
        path.write_bytes(two_runs.read_bytes() + b'{"type": "unfinished"}\n')
        return intake(stream, name, **how)

    monkeypatch.setattr(merge, "intake", changed)

    (outcome,) = outcomes(engine, [path])

    assert str(outcome.error).startswith("changed while it was read; nothing of it")
    assert not contents(engine)["run"]


def test_a_document_is_kept_under_the_digest_of_its_own_bytes(engine):
    with engine.begin() as connection:
        documents.keep(connection, "a.md", b"a")

        assert documents.kept(connection, hashlib.sha256(b"a").hexdigest()) == b"a"


@pytest.fixture
def outside(tmp_path: Path, two_runs: Path) -> Path:
    """A folder with one file of its own, a link within and two that lead out."""
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "ours.jsonl").write_bytes(two_runs.read_bytes())
    (folder / "again.jsonl").symlink_to(folder / "below" / "ours.jsonl")
    secret = tmp_path / "secret.txt"
    secret.write_text("password")
    (folder / "notes.md").symlink_to("../secret.txt")
    (folder / "below" / "more.md").symlink_to(secret)
    return folder


def test_a_link_out_of_an_imported_folder_is_passed_over(tmp_path, outside):
    done = benchdb("import", outside, "--db", tmp_path / "results.sqlite")

    assert done.status == 0
    assert done.err == (
        f"benchdb: {outside}: passed over 2 links out of this folder (below/more.md); "
        "to import what a link leads to, name the link itself\n"
    )
    assert done.out.count("2 runs") == 2


def test_a_link_that_is_named_is_followed(tmp_path, outside):
    (tmp_path / "link").symlink_to(outside)

    assert files([outside / "notes.md"]) == [outside / "notes.md"]
    assert len(files([tmp_path / "link"])) == 2
