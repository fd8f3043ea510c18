"""What the name of a side stands for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from benchdb.compare.side_names import Asked, resolve
from benchdb.errors import UsageError
from benchdb.store.database import open_database, reading
from tests.compared import M2, campaign, published, stored
from tests.store_factory import Machine

CARD = Machine("Xeon", vendor="Intel", model=None, gpu="GeForce RTX 3090", ours="xeon")


@pytest.fixture(scope="module", name="room")
def room_of_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("names")
    runs = [
        *campaign("2026-03-01-first", 100.0),
        *campaign("2026-03-02-second", 101.0),
        *campaign("50%_of_it", 50.0, machine=M2),
        *campaign("on the card", 50.0, machine=CARD, device="cuda"),
        published(100.0, machine=Machine("M1 Max"), source="m1-vs-v100"),
        # A source that calls itself as a chip is called.
        published(100.0, machine=Machine("M1 Max"), source="M2"),
    ]
    stored(room / "results.sqlite", runs)
    (room / "friend.jsonl").write_text("")
    return room


@pytest.fixture(name="database")
def open_names(room: Path) -> Iterator[Connection]:
    with reading(open_database(str(room / "results.sqlite"))) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("2026-03-01-first", "campaign", "2026-03-01-first"),
        ("2026-03-01", "campaign", "2026-03-01-first"),
        ("campaign:50%_of", "campaign", "50%_of_it"),
        ("M1", "chip", "M1"),
        ("apple m1", "chip", "M1"),
        ("chip: M2", "chip", "M2"),
        ("geforce rtx 3090", "chip", "GeForce RTX 3090"),
        ("m1-vs-v100", "source", "m1-vs-v100"),
        ("source:M1-VS-V100", "source", "m1-vs-v100"),
        ("postgresql+psycopg://h/d", "database", "postgresql+psycopg://h/d"),
    ],
)
def test_a_name_stands_for_what_alone_has_it(name, kind, value, database):
    assert resolve(database, name) == Asked(kind, value)


def test_files_are_told_from_databases_by_what_is_in_them(room, database):
    file, other = str(room / "friend.jsonl"), str(room / "results.sqlite")

    assert resolve(database, file) == Asked("file", file)
    assert resolve(database, other) == Asked("database", other)
    with pytest.raises(UsageError, match="is a database"):
        resolve(database, f"file:{other}")
    with pytest.raises(UsageError, match="is no database"):
        resolve(database, f"database:{file}")


def test_a_machine_has_its_id_the_start_of_it_and_a_digest(database):
    by_id = resolve(database, "machine:aaaaaaaa11111111")

    assert by_id.kind == "machine"
    assert resolve(database, "AAAAAAAA") == by_id
    assert resolve(database, by_id.value[:12]) == by_id
    assert resolve(database, by_id.name.replace(" ", ":")) == by_id


def test_runs_have_six_letters_at_least(room, tmp_path):
    digests = stored(tmp_path / "few.sqlite", campaign("a campaign", 1.0))
    with reading(open_database(str(tmp_path / "few.sqlite"))) as connection:
        for digest in digests:
            assert resolve(connection, digest[:6].upper()) == Asked("run", digest)
        with pytest.raises(UsageError, match="nothing is called"):
            resolve(connection, digests[0][:5])


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("2026-03", ["campaign:2026-03-01-first", "campaign:2026-03-02-second"]),
        ("M2", ["chip:M2", "source:M2"]),
    ],
)
def test_a_name_that_fits_several_lists_them(name, listed, database):
    with pytest.raises(UsageError, match=f"'{name}' fits several: ") as error:
        resolve(database, name)

    assert all(item in str(error.value) for item in listed)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("chip:M3", "no chip 'M3'; did you mean 'M"),
        ("source:m1-vs-v10", "no source 'm1-vs-v10'; did you mean 'm1-vs-v100'?"),
        ("campaign:2026-03-01-frist", "did you mean '2026-03-01-first'?"),
        ("machine:aaaaaaab11111111", "did you mean 'aaaaaaaa11111111'?"),
        ("chip:RTX 3090", "did you mean 'GeForce RTX 3090'?"),
        ("run:123456", "no run '123456'"),
        ("file:nothing.jsonl", "no file 'nothing.jsonl'"),
        ("m1-vs-v1000", "nothing is called 'm1-vs-v1000'; a side is run, campaign, "),
        ("chip:", "nothing is called 'chip:'"),
        ("zzzz", "there are: "),
        ("\udcff", "nothing is called"),
        ("a" * 5000, "nothing is called"),
        ("%%%%%%%", "nothing is called"),
    ],
)
def test_an_unknown_name_is_said_with_what_is_there(name, result, database):
    with pytest.raises(UsageError) as error:
        resolve(database, name)

    assert result in str(error.value)


def test_names_are_the_same_on_every_kind_of_database(backend):
    location = backend.database()
    stored(location, campaign("2026-03-01-first", 100.0))

    with reading(open_database(location)) as connection:
        for name in ("2026-03-01", "campaign:2026-03-01-first"):
            assert resolve(connection, name) == Asked("campaign", "2026-03-01-first")
        assert resolve(connection, "chip:M1") == Asked("chip", "M1")
        assert resolve(connection, "aaaaaaaa").kind == "machine"
