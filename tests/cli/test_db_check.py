"""``benchdb db check``: silent about a sound database, a line for whatever is not."""

import hashlib
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from benchdb.cli import db
from benchdb.store import checks
from benchdb.store.database import open_database, reading, writing
from benchdb.store.tables import document
from tests import exchange_lines
from tests.backends import POSTGRESQL, SQLITE, Backend
from tests.in_process import benchdb
from tests.store.old_databases import FILES

CHECKOUT = Path(__file__).parents[2]
MEASURED = CHECKOUT / "published" / "benchdb-cpu.jsonl"


@pytest.fixture
def filled(backend: Backend) -> str:
    return backend.holding(*FILES)


def change(location: str, *statements: str) -> None:
    """Change the database behind benchdb's back."""
    engine = open_database(location)
    with writing(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def problems(location: str, *options: object) -> list[str]:
    done = benchdb("db", "check", "--db", location, *options)
    assert done.status == 1, done.err
    return done.out.splitlines()


def test_the_shipped_database_is_sound(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_bytes((CHECKOUT / "results.sqlite").read_bytes())

    done = benchdb("db", "check", "--db", path)

    assert (done.status, done.out.count("\n")) == (0, 1), done.out
    assert done.out.endswith("nothing wrong\n")


def test_a_sound_file_is_checked_where_it_may_only_be_read(tmp_path):
    path, names = tmp_path / "results.sqlite", "SELECT name FROM sqlite_master"
    benchdb("import", *FILES, "--db", path)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
        reader.execute(names).fetchone()  # its log stays while somebody reads
        path.chmod(0o444)
        done = benchdb("db", "check", "--db", path)

    assert done.status == 0, done.out


@pytest.mark.parametrize("batch", [True, 2**32])
def test_a_batch_size_that_no_column_keeps_leaves_a_database_sound(
    backend, tmp_path, batch
):
    location, path = backend.database(), tmp_path / "runs.jsonl"
    rate = [
        {"metric": "step_seconds", "value": 1.0},
        {"metric": "samples_per_second", "value": 1000.0 * batch},
    ]
    run = exchange_lines.run("r", parameters={"batch_size": batch})
    lines = [*exchange_lines.START, run, exchange_lines.end("r", values=rate)]
    path.write_bytes(b"".join(lines))
    imported = benchdb("import", path, "--db", location)

    done = benchdb("db", "check", "--db", location)

    assert imported.out.endswith("runs.jsonl: 1 run, 1 new\n")
    assert (done.status, done.out.count("\n")) == (0, 1), done.out


def test_a_schema_changed_by_hand_is_told(filled):
    change(
        filled,
        "ALTER TABLE run ADD COLUMN mood TEXT",
        "ALTER TABLE run DROP COLUMN ended",
        "DROP INDEX ix_run_cell",
        "DROP TABLE machine_link",
        "CREATE TABLE notes (a TEXT)",
        "CREATE INDEX own ON run (seed)",
    )

    texts = problems(filled)

    assert {item for item in texts if item.startswith("schema: ")} == {
        "schema: column run.mood is none of benchdb's",
        "schema: column run.ended is missing",
        "schema: index ix_run_cell on table run is missing",
        "schema: index ix_machine_link_same_as on table machine_link is missing",
        "schema: table machine_link is missing",
        "schema: table notes is none of benchdb's",
        "schema: index own on table run is none of benchdb's",
    }
    assert any("cannot be checked: " in item for item in texts)
    listed = benchdb("show", "ffff", "--db", filled)
    imported = benchdb("import", MEASURED, "--db", filled)
    for done in (listed, imported):
        assert (done.status, done.err.count("\n")) == (1, 1) or done.status == 2


def test_what_only_a_server_can_change_by_a_statement_is_told(postgres, template):
    location = postgres.address(postgres.new_database(template))
    change(
        location,
        "ALTER TABLE run ALTER COLUMN reason TYPE varchar(9)",
        "ALTER TABLE run ALTER COLUMN framework DROP NOT NULL",
        "ALTER TABLE source ALTER COLUMN supersedes SET DEFAULT 'x'",
        "ALTER TABLE flag DROP CONSTRAINT fk_flag_run",
        "ALTER TABLE flag DROP CONSTRAINT pk_flag",
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql "
        "AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER lose BEFORE INSERT ON run FOR EACH ROW "
        "EXECUTE FUNCTION nothing()",
    )

    assert sorted(problems(location)) == [
        "schema: column run.framework is NULL, not NOT NULL",
        "schema: column run.reason is VARCHAR(9), not TEXT",
        "schema: column source.supersedes is 'x'::text, not []",
        "schema: foreign key of flag (run) is missing",
        "schema: primary key of flag is missing, not run, position",
        "schema: trigger lose on table run is none of benchdb's",
    ]


CHANGES = [
    ("UPDATE run SET seed = 7 WHERE label = 'measured'", "digest: run "),
    ("UPDATE value SET value = value * 2", "digest: run "),
    ("UPDATE samples SET count = 1", " samples, not 1"),
    ("UPDATE machine SET label = 'mine'", "digest: machine "),
    ("UPDATE chip SET gpu_cores = 99", "digest: chip "),
    ("UPDATE environment SET python = '4'", "digest: environment "),
    ("UPDATE source SET title = 'Mine'", "digest: source "),
    ("UPDATE claim SET statement = 'x'", "digest: claim "),
    ("UPDATE run SET checks = '{'", "cannot be read: "),
    ("UPDATE run SET parameters = '[]'", "cannot be read: "),
    ("UPDATE run SET basis = '7'", "cannot be read: "),
    ("UPDATE chip SET accelerators = '[1]'", "cannot be read: "),
    ("UPDATE source SET authors = 'null'", "sources cannot be read: "),
    ("UPDATE claim SET flags = '[{}]'", "claims cannot be read: "),
    ("UPDATE environment SET devices = '7'", "environments cannot be read: "),
    ("UPDATE samples SET packed = substr(packed, 2)", "samples are damaged: "),
    ("DELETE FROM fingerprint", "follows from the runs, but is not there"),
    (
        "INSERT INTO finding SELECT digest, 'outlier', '', '{}' FROM run",
        "does not follow from the runs",
    ),
    ("UPDATE result SET grade = 'A'", "does not follow from the runs"),
    ("DROP VIEW doubts", "view doubts is missing"),
    ("UPDATE fingerprint SET digits = 1", "does not follow from the runs"),
]
# The server answers for its own columns: digests, JSON, bytes, what follows, and views.
ON_A_SERVER = (
    *("run SET seed", "chip SET gpu_cores", "run SET checks", "source SET authors"),
    *("SET packed", "INSERT INTO finding", "result SET grade", "DROP VIEW"),
)


@pytest.mark.parametrize(
    ("kind", "statement", "result"),
    [
        (kind, statement, result)
        for kind in (SQLITE, POSTGRESQL)
        for statement, result in CHANGES
        if kind == SQLITE or any(part in statement for part in ON_A_SERVER)
    ],
)
def test_contents_changed_by_hand_are_told(request, kind, statement, result):
    location = Backend(kind, request).holding(*FILES)
    change(location, statement)

    texts = problems(location)

    assert any(result in item for item in texts), texts


def test_a_document_that_was_changed_is_told(filled):
    sha256 = hashlib.sha256(b"as it was").hexdigest()
    packed = {"a" * 64: b"changed", "b" * 64: None, sha256: b"as it was"}
    engine = open_database(filled)
    with writing(engine) as connection:
        for name, content in packed.items():
            row = {"sha256": name, "name": "README.md", "bytes": 9}
            row["packed"] = b"no zlib" if content is None else zlib.compress(content)
            connection.execute(insert(document), row)
    engine.dispose()

    lines = [line for line in problems(filled) if "document" in line]

    changed = hashlib.sha256(b"changed").hexdigest()
    assert sorted(lines) == [
        f"digest: document {'a' * 12} was changed: its content has the digest "
        f"{changed[:12]}",
        f"digest: document {'b' * 12} cannot be read: Error -3 while decompressing "
        "data: incorrect header check",
    ]


def test_a_bug_of_ours_in_a_check_is_no_damage(filled, monkeypatch):
    def bug(line: object) -> str:
        raise TypeError(line)

    monkeypatch.setattr(checks, "digest_of", bug)

    with reading(open_database(filled)) as connection, pytest.raises(TypeError):
        list(db.problems(connection, None))


def test_a_reference_to_nothing_is_told(filled, backend):
    if backend.kind == SQLITE:
        with closing(sqlite3.connect(filled)) as loose, loose:
            loose.execute("DELETE FROM source")
    else:
        unguarded = "SET session_replication_role = replica"
        change(filled, unguarded, "DELETE FROM source")

    texts = problems(filled)

    assert "reference: run (source): 10 rows refer to no source" in texts
    assert "reference: claim (source): 4 rows refer to no source" in texts


def test_of_many_runs_a_sample_may_be_looked_at(filled):
    change(filled, "UPDATE run SET seed = 7")

    texts = problems(filled, "--sample", "3")

    assert sum(item.startswith("digest: run ") for item in texts) == 3


def test_a_damaged_index_is_told(filled, backend):
    forgetting = (
        "UPDATE pg_index SET indisready = {} "
        "WHERE indexrelid = 'ix_run_campaign'::regclass"
    )
    if backend.kind == SQLITE:
        with closing(sqlite3.connect(filled)) as hidden, hidden:
            hidden.execute("PRAGMA writable_schema = ON")
            hidden.execute(
                "UPDATE sqlite_master SET sql = 'CREATE INDEX ix_run_campaign "
                "ON run (locator)' WHERE name = 'ix_run_campaign'"
            )
    else:
        change(filled, "CREATE EXTENSION amcheck", forgetting.format("false"))
        change(filled, "UPDATE run SET campaign = 'another'")
        change(filled, forgetting.format("true"))

    texts = problems(filled)

    assert any(
        item.startswith("damage: ") and "ix_run_campaign" in item for item in texts
    )
