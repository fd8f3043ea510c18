"""What is read of a database: in order, a little at a time, and nothing is written."""

import io
import tracemalloc

import pytest
from sqlalchemy import Connection, insert, select, text

from benchdb.merge import import_or_raise
from benchdb.store import documents, read, tables
from benchdb.store.database import open_database, reading
from benchdb.store.documents import Reader
from tests.store_factory import Machine, Run, add

MANY = 20_000


@pytest.fixture
def connection(fleeting: Connection) -> Connection:
    return fleeting


def digests(connection: Connection) -> list[str]:
    return [record.run.key for record in read.records(connection)]


def test_records_come_by_date_then_source_and_what_is_unknown_comes_first(connection):
    sources = {
        name: add(connection, Run(source=name, columns={"started": "2026-01-02"}))
        for name in ("a", "B", "ä")
    }
    late = add(connection, Run(source="a", columns={"started": "2026-01-03"}))
    undated = add(connection, Run(source="a"))
    lone = add(connection, Run(source=None, columns={"started": "2026-01-02"}))
    query = select(tables.run.c.source, tables.run.c.digest)
    of = {row.digest: row.source for row in connection.execute(query)}

    by_source = sorted(sources.values(), key=lambda run: str(of[run]))
    assert digests(connection) == [undated, lone, *by_source, late]


def test_the_first_of_many_records_is_read_without_the_keys_of_all(connection):
    first = add(connection, Run())
    query = select(tables.run).where(tables.run.c.digest == first)
    row = dict(connection.execute(query).mappings().one())
    copies = [{**row, "digest": f"{number:064x}"} for number in range(MANY)]
    connection.execute(insert(tables.run), copies)
    del copies

    tracemalloc.start()
    next(read.records(connection))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 4 * 2**20


def test_who_changes_what_was_read_changes_nothing_that_is_read_later(connection):
    add(connection, Run(machine=Machine(gpu="RTX 3090")))
    query = select(tables.chip.c.accelerators)
    result = connection.scalars(query).one()

    result[0]["name"] = "mine"

    assert connection.scalars(query).one()[0]["name"] == "RTX 3090"


def test_whether_a_file_is_known_is_asked_without_writing(backend, two_runs):
    engine = open_database(backend.database())
    import_or_raise(engine, [two_runs])
    with reading(engine) as connection:
        row = connection.execute(select(tables.imported_file)).one()
        forbid_to_write(connection)
        renamed = documents.fingerprint(io.BytesIO(two_runs.read_bytes()), "A")
        by = Reader(row.importer, row.importer_version)

        assert documents.known_file(connection, renamed, by) == 2


def forbid_to_write(connection: Connection) -> None:
    sqlite = connection.dialect.name == "sqlite"
    connection.execute(
        text("PRAGMA query_only = ON" if sqlite else "SET TRANSACTION READ ONLY")
    )
