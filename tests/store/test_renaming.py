"""An upgrade gives the runs of tools the names of the catalogue."""

import pytest
from sqlalchemy import select

from benchdb.merge import import_or_raise
from benchdb.store.checks import wrong_digests
from benchdb.store.database import open_database, reading, writing
from benchdb.store.derived import renew
from benchdb.store.tables import run, workload
from tests.contents import contents
from tests.foreign_files import FIXTURES

FILE = FIXTURES / "old_names.jsonl"
SHIPPED = FIXTURES / "two_runs.jsonl"


@pytest.fixture
def old(backend, monkeypatch):
    """A database that an earlier benchdb filled."""
    monkeypatch.setattr("benchdb.exchange.reader.renamed", lambda record: record)
    engine = open_database(backend.database())
    import_or_raise(engine, [SHIPPED, FILE])
    monkeypatch.undo()
    return engine


def test_upgraded_runs_are_those_that_the_same_file_brings_today(backend, old):
    fresh = open_database(backend.database())
    import_or_raise(fresh, [SHIPPED, FILE])
    with reading(old) as connection:
        names = connection.scalars(select(run.c.workload)).all()
    assert sum("/" in name for name in names) == 21

    with writing(old) as connection:
        renew(connection, "0008")

    assert contents(old) == contents(fresh)
    with reading(old) as connection:
        assert not list(wrong_digests(connection))
        assert not [
            name for name in connection.scalars(select(workload.c.name)) if "/" in name
        ]


def test_an_upgraded_database_takes_nothing_new_from_the_same_file(old):
    with writing(old) as connection:
        renew(connection, "0008")
    once = contents(old)

    assert import_or_raise(old, [FILE]) == 0
    with writing(old) as connection:
        renew(connection, "0008")

    assert contents(old) == once


def test_runs_that_are_mine_stay_mine(old):
    with writing(old) as connection:
        connection.execute(run.update().values(mine=True))

        renew(connection, "0008")

        assert set(connection.scalars(select(run.c.mine))) == {True}
