"""A server that refuses, disappears or is full: one line, and the data as before."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from benchdb.resources import folder
from benchdb.store.database import open_database
from tests.backends import POSTGRESQL, Backend
from tests.command_line import Outcome
from tests.contents import contents
from tests.in_process import benchdb
from tests.postgres import GUARDED, PASSWORD, Server
from tests.store.full_disk import full_disk
from tests.store.old_databases import FILES, old_database

PUBLISHED = folder("published") / "benchdb-h200.jsonl"  # more than is left anywhere


def refused(done: Outcome) -> str:
    assert (done.status, done.err.count("\n")) == (1, 1), done.err
    return done.err


@pytest.fixture
def filled(postgres: Server, template: str) -> str:
    """Return the name of a database with two runs."""
    name = postgres.new_database(template)
    assert benchdb("import", FILES[0], "--db", postgres.address(name)).status == 0
    return name


def test_a_wrong_password_is_told_and_never_shown(postgres, template):
    place = f"/{template}?host={postgres.room}&port={postgres.port}"
    wrong = f"postgresql+psycopg://{GUARDED}:guessed@{place}"
    hidden = f"postgresql+psycopg://{GUARDED}@{place}&password="

    first = refused(benchdb("list", "--db", wrong))
    second = refused(benchdb("list", "--db", f"{hidden}guessed"))
    right = benchdb("db", "version", "--db", hidden + PASSWORD.replace(" ", "%20"))

    for text in (first, second):
        assert "password authentication failed" in text
        assert "guessed" not in text
    # The password is right: what is refused then is the table, and by its name.
    assert "permission denied for table alembic_version" in refused(right)
    assert PASSWORD not in right.err


def test_parameters_of_tls_pass_through(postgres, template):
    place = f"postgresql+psycopg://benchdb@localhost:{postgres.port}/{template}"
    place += "?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert="

    trusted = benchdb("list", "--db", f"{place}{postgres.certificate}")
    nobody = refused(benchdb("list", "--db", f"{place}/dev/null"))

    assert trusted.status == 0, trusted.err
    assert "certificate" in nobody
    with open_database(f"{place}{postgres.certificate}").connect() as connection:
        used = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        assert connection.exec_driver_sql(used).scalar() is True


def test_a_name_shows_no_secret():
    url = "postgresql+psycopg://u:one@127.0.0.1:1/x?password=two&sslpassword=three"

    text = refused(benchdb("list", "--db", f"{url}&oauth_client_secret=four&sslmode=a"))

    assert "cannot open postgresql+psycopg://u@127.0.0.1:1/x?sslmode=a: " in text
    assert [item for item in ("one", "two", "three", "four") if item in text] == []


def killed_while_writing(server: Server, name: str, work: Callable[[], Outcome]) -> str:
    """Kill the server's process that does *work* when it comes to the samples."""
    waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
    with ThreadPoolExecutor(1) as another, server.connect(name) as connection:
        connection.autocommit = False
        connection.execute("LOCK TABLE samples IN ACCESS EXCLUSIVE MODE")
        done = another.submit(work)
        while (result := connection.execute(waiting).fetchone()) is None:
            assert not done.done(), done.result()
            time.sleep(0.01)
        connection.execute("SELECT pg_terminate_backend(%s)", result)
        text = refused(done.result())
        connection.rollback()
    return text


def test_a_server_that_goes_away_during_an_import_keeps_nothing_of_it(postgres, filled):
    location = postgres.address(filled)
    before = contents(open_database(location))
    measured = folder("published") / "benchdb-cpu.jsonl"

    text = killed_while_writing(
        postgres, filled, lambda: benchdb("import", measured, "--db", location)
    )

    assert "cannot write postgresql+psycopg://benchdb@/" in text
    assert "terminating connection due to administrator command" in text
    assert contents(open_database(location)) == before


def test_a_server_that_goes_away_during_a_copy_keeps_nothing_of_it(
    postgres, template, tmp_path
):
    name, source = postgres.new_database(template), tmp_path / "results.sqlite"
    benchdb("import", FILES[0], "--db", source)
    location = postgres.address(name)

    text = killed_while_copying(postgres, name, source, location)

    assert "cannot write postgresql+psycopg://benchdb@/" in text
    assert not any(
        rows
        for table, rows in contents(open_database(location)).items()
        if table != "made_by"
    )


def killed_while_copying(server: Server, name: str, source: Path, location: str) -> str:
    """Kill the server's process in the middle of COPY, as a crash would."""
    with server.connect(name) as connection:
        connection.execute(
            "CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'"
        )
        connection.execute(
            "CREATE TRIGGER crash BEFORE INSERT ON samples "
            "FOR EACH ROW EXECUTE FUNCTION crash()"
        )
    return refused(benchdb("db", "copy", source, location))


def test_a_server_that_crashes_is_told_in_one_line(postgres, filled):
    location = postgres.address(filled)
    before = contents(open_database(location))
    crashing = postgres.connect(filled)
    own = crashing.info.backend_pid
    waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
    with ThreadPoolExecutor(1) as another, postgres.connect(filled) as looking:
        crashing.autocommit = False
        crashing.execute("LOCK TABLE run IN ACCESS EXCLUSIVE MODE")
        done = another.submit(benchdb, "list", "--db", location)
        while looking.execute(waiting).fetchone() is None:
            time.sleep(0.01)
        os.kill(own, signal.SIGKILL)  # takes all other sessions along
        text = refused(done.result())
    for item in (crashing, looking):
        item.close()

    assert "cannot read postgresql+psycopg://benchdb@/" in text
    recovered(postgres)
    assert contents(open_database(location)) == before


def recovered(server: Server) -> None:
    """Wait until the server has got up again after a crash."""
    for _ in range(600):
        try:
            server.connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def disk(postgres: Server) -> Iterator[Path]:
    """A disk for a database, which one can fill."""
    with full_disk(2**25) as room:
        space = room / "space"
        space.mkdir()
        if os.geteuid() == 0:
            shutil.chown(space, "nobody")
        with postgres.connect() as connection:
            connection.execute(f"CREATE TABLESPACE tight LOCATION '{space}'".encode())
            yield room
            for (name,) in connection.execute(
                "SELECT datname FROM pg_database JOIN pg_tablespace "
                "ON pg_tablespace.oid = dattablespace WHERE spcname = 'tight'"
            ).fetchall():
                connection.execute(f"DROP DATABASE {name}".encode())
            connection.execute("DROP TABLESPACE tight")


def fill(disk: Path, spare: int) -> None:
    """Leave *spare* bytes free."""
    free = shutil.disk_usage(disk).free
    (disk / "ballast").write_bytes(bytes(free - spare))


def test_a_server_with_a_full_disk_keeps_nothing_of_an_import(postgres, template, disk):
    location = postgres.address(postgres.new_database(template, "tight"))
    benchdb("import", FILES[0], "--db", location)
    before = contents(open_database(location))
    fill(disk, 2**17)

    text = refused(benchdb("import", PUBLISHED, "--db", location))

    assert "No space left on device" in text
    assert contents(open_database(location)) == before


def test_a_server_with_a_full_disk_keeps_nothing_of_a_copy(
    postgres, template, disk, tmp_path
):
    location = postgres.address(postgres.new_database(template, "tight"))
    source = tmp_path / "results.sqlite"
    benchdb("import", PUBLISHED, "--db", source)
    before = contents(open_database(location))
    fill(disk, 2**17)

    text = refused(benchdb("db", "copy", source, location))

    assert "No space left on device" in text
    assert contents(open_database(location)) == before


def test_a_server_with_a_full_disk_stays_at_the_schema_that_it_has(
    postgres, disk, request
):
    old = Backend(POSTGRESQL, request)
    place = make_url(old_database(old, "0001")).database
    location = postgres.address(postgres.new_database(str(place), "tight"))
    benchdb("db", "version", "--db", location)  # the first to connect writes a file
    fill(disk, 2**15)

    text = refused(benchdb("db", "upgrade", "--db", location))

    assert "cannot be upgraded: could not" in text
    assert "No space left on device" in text
    assert ": schema 0001\n" in benchdb("db", "version", "--db", location).out
