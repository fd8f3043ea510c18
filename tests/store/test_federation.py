"""Sites with a server each, gathered into one: as if all had been imported there."""

import json
import re
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchdb.store.database import open_database, reading
from benchdb.store.postgresql.setup import SHARED
from tests.bundle_files import exported
from tests.contents import contents
from tests.in_process import benchdb
from tests.keys import fingerprint, new_key
from tests.postgres import PASSWORD, Server, server
from tests.store.sites import TWO_RUNS, Site, bonn, federated, let_see, oslo

# What each site keeps to itself, and what is of each database alone.
_OWN = dict.fromkeys(("imported_file", "source_file", "document", "made_by"), ())


@pytest.fixture(scope="module")
def sites(postgres: Server, tmp_path_factory) -> Iterator[tuple[Site, Site]]:
    with tempfile.TemporaryDirectory() as room, server(Path(room)) as another:
        files = tmp_path_factory.mktemp("files")
        yield bonn(postgres, files), oslo(another, files)


@pytest.fixture(scope="module")
def imported(sites: tuple[Site, Site], tmp_path_factory) -> str:
    """Where both sites' exports were imported into one file, the plain way."""
    room = tmp_path_factory.mktemp("exports")
    files = [room / f"{site.name}.jsonl" for site in sites]
    for site, file in zip(sites, files, strict=True):
        assert benchdb("export", "-o", file, "--db", site.url).status == 0
    assert benchdb("import", *files, "--db", room / "both.sqlite").status == 0
    return str(room / "both.sqlite")


@pytest.fixture(scope="module")
def gathered(postgres: Server, template: str, sites: tuple[Site, Site]) -> str:
    location = federated(postgres, template, *sites)
    done = benchdb("db", "gather", "--db", location)
    assert (done.status, done.err) == (0, "")
    assert done.out == "bonn: 70 new runs\noslo: 44 new runs\n"
    return location


@pytest.fixture
def reporting(postgres: Server, template: str, sites: tuple[Site, Site]) -> str:
    """Where a database is that sees the sites' tables, and has nothing of them yet."""
    return federated(postgres, template, *sites)


def rows(location: str) -> dict[str, Any]:
    return contents(open_database(location)) | _OWN


def change(location: str, statement: str) -> None:
    with open_database(location).begin() as connection:
        connection.exec_driver_sql(statement)


def test_the_tables_are_those_that_both_exports_bring(gathered, imported, sites):
    result = rows(gathered)

    assert result == rows(imported)
    codes = {row[1] for row in result["finding"]}
    alone = {row[1] for site in sites for row in rows(site.url)["finding"]}
    assert codes - alone == {"duplicate-key"}  # takes the runs of both to be seen
    assert {"0.10.0"} == {
        version for row in result["source"] if (version := row[12]) is not None
    }


@pytest.mark.parametrize(
    "command",
    [
        ("report", "--lang", "en", "-o", "-", "--format", "html"),
        ("report", "--lang", "en", "-o", "-", "--format", "json", "--chip", "M1"),
        ("list", "--json"),
        ("machines", "list"),
        ("export",),
    ],
)
def test_a_command_prints_what_it_would_of_the_exports(gathered, imported, command):
    ours, plain = (benchdb(*command, "--db", item) for item in (gathered, imported))

    assert (ours.status, plain.status) == (0, 0), ours.err
    assert ours.out == plain.out
    assert re.search("resnet-?50", ours.out, re.IGNORECASE) or "machines" in command


def test_nothing_is_wrong_with_what_was_gathered(gathered):
    done = benchdb("db", "check", "--db", gathered)

    assert done.status == 0, done.out


def test_one_site_after_the_other_gives_the_same_and_again_changes_nothing(
    reporting, gathered
):
    first = benchdb("db", "gather", "bonn", "--db", reporting)
    before = rows(reporting)
    second = benchdb("db", "gather", "bonn", "--db", reporting)

    assert (first.out, second.out) == ("bonn: 70 new runs\n", "bonn: 0 new runs\n")
    assert rows(reporting) == before
    assert benchdb("db", "gather", "--db", reporting).out.endswith("44 new runs\n")
    assert rows(reporting) == rows(gathered)


def test_what_was_forgotten_here_is_not_gathered_again(reporting):
    benchdb("db", "gather", "--db", reporting)
    forgotten = benchdb("forget", "needle-metal", "--yes", "--db", reporting)
    run = json.loads(benchdb("list", "--json", "--db", reporting).out)[0]["digest"]
    benchdb("forget", run, "--yes", "--db", reporting)
    before = rows(reporting)

    done = benchdb("db", "gather", "--db", reporting)

    assert forgotten.status == 0, forgotten.err
    assert (done.out, done.err) == ("bonn: 0 new runs\noslo: 0 new runs\n", "")
    for table in ("run", "source", "claim", "machine", "environment", "chip"):
        assert rows(reporting)[table] == before[table]
    assert benchdb("db", "check", "--db", reporting).status == 0


def test_what_a_site_measures_later_comes_the_next_time(postgres, template):
    late = Site("bonn", postgres, postgres.new_database(template), "benchdb")
    location = federated(postgres, template, late)
    empty = benchdb("db", "gather", "--db", location)
    benchdb("import", TWO_RUNS, "--db", late.url)

    done = benchdb("db", "gather", "--db", location)

    assert (empty.out, done.out) == ("bonn: 0 new runs\n", "bonn: 2 new runs\n")
    assert rows(location) == rows(late.url)


def test_a_signature_comes_as_well_also_of_runs_that_were_taken_before(
    postgres, template, tmp_path
):
    late = Site("bonn", postgres, postgres.new_database(template), "benchdb")
    location = federated(postgres, template, late)
    key = new_key(tmp_path / "key")
    bundle = exported(tmp_path / "a.benchdb", TWO_RUNS.read_bytes(), key)
    for file in (TWO_RUNS, bundle):
        assert benchdb("import", file, "--db", late.url).status == 0
        done = benchdb("db", "gather", "--db", location)

    assert (done.status, done.out) == (0, "bonn: 0 new runs\n")
    assert len(signed(location)) == 2
    assert signed(location) == signed(late.url)
    assert {row.fingerprint for row in signed(location)} == {fingerprint(key)}


def signed(location: str) -> list[Any]:
    query = "SELECT * FROM signed_run JOIN signature ON digest = signature ORDER BY run"
    with reading(open_database(location)) as connection:
        return list(connection.exec_driver_sql(query))


def test_a_site_that_shares_fewer_tables_is_told(postgres, template, sites):
    location = federated(postgres, template, *sites)
    change(location, "DROP FOREIGN TABLE site_bonn.signed_run")

    done = benchdb("db", "gather", "bonn", "--db", location)

    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "run the SQL of 'benchdb db federate' again" in done.err


def test_whoever_gathers_needs_to_be_no_superuser(postgres, sites):
    database = postgres.new_database()
    with postgres.connect(database) as connection:
        connection.execute(
            "CREATE EXTENSION postgres_fdw; CREATE ROLE gatherer LOGIN; "
            "GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO gatherer; "
            f"GRANT CREATE ON DATABASE {database} TO gatherer; "
            "GRANT CREATE ON SCHEMA public TO gatherer; SET ROLE gatherer"
        )
        let_see(connection, sites[1])

    done = benchdb("db", "gather", "--db", postgres.address(database, "gatherer"))

    assert (done.out, done.err) == ("oslo: 46 new runs\n", "")  # and tables for them


@pytest.mark.parametrize(
    ("trouble", "result"),
    [
        (
            "ALTER SERVER site_oslo OPTIONS (SET port '1')",
            'could not connect to server "site_oslo": connection to server on socket',
        ),
        (
            "ALTER USER MAPPING FOR CURRENT_USER SERVER site_oslo "
            "OPTIONS (SET password 'guessed')",
            "password authentication failed",
        ),
        (
            "ALTER USER MAPPING FOR CURRENT_USER SERVER site_oslo "
            "OPTIONS (SET user 'benchdb'); "
            "ALTER FOREIGN TABLE site_oslo.value OPTIONS (SET table_name 'gone')",
            'relation "public.gone" does not exist',
        ),
    ],
)
def test_a_site_that_cannot_be_read_is_one_line_and_the_other_is_taken(
    reporting, trouble, result
):
    change(reporting, trouble)

    done = benchdb("db", "gather", "--db", reporting)

    assert (done.status, done.out) == (1, "bonn: 70 new runs\n")
    assert done.err.startswith("benchdb: oslo: ")
    assert (result in done.err, done.err.count("\n")) == (True, 1), done.err
    assert "guessed" not in done.err
    assert len(rows(reporting)["run"]) == 70


def test_a_site_that_goes_away_in_the_middle_brings_nothing(reporting, sites):
    _, oslo_ = sites
    waiting = (
        "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'value'::regclass"
    )
    with ThreadPoolExecutor(1) as another, oslo_.server.connect(oslo_.database) as held:
        held.autocommit = False
        held.execute("LOCK TABLE value IN ACCESS EXCLUSIVE MODE")
        done = another.submit(benchdb, "db", "gather", "oslo", "--db", reporting)
        while (result := held.execute(waiting).fetchone()) is None:
            assert not done.done(), done.result()
            time.sleep(0.01)
        held.execute("SELECT pg_terminate_backend(%s)", result)
        outcome = done.result()
        held.rollback()

    assert (outcome.status, outcome.err.count("\n")) == (1, 1), outcome.err
    assert not any(rows(reporting).values())


def test_a_site_of_another_schema_is_told(reporting, sites):
    bonn_, _ = sites
    elsewhere = "SET search_path = ''; CREATE SCHEMA later; "
    elsewhere += "CREATE TABLE later.alembic_version AS SELECT '0999' AS version_num"
    with bonn_.server.connect(bonn_.database) as connection:
        connection.execute(elsewhere.encode())
        connection.execute(b"GRANT USAGE ON SCHEMA later TO benchdb_reader")
        connection.execute(b"GRANT SELECT ON later.alembic_version TO benchdb_reader")
    change(
        reporting,
        "ALTER FOREIGN TABLE site_bonn.alembic_version "
        "OPTIONS (SET schema_name 'later')",
    )

    done = benchdb("db", "gather", "bonn", "--db", reporting)

    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "bonn: it has schema 0999, this benchdb " in done.err
    assert not any(rows(reporting).values())


def test_a_password_in_an_address_is_not_printed():
    url = f"oslo=postgresql+psycopg://me:one@host/x?password={PASSWORD}&sslmode=require"

    printed = benchdb("db", "federate", url)

    assert printed.status == 0
    assert "\"sslmode\" 'require'" in printed.out
    assert "OPTIONS (\"user\" 'me');" in printed.out
    assert [text for text in ("one@", "'one'", PASSWORD) if text in printed.out] == []


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ("Oslo=postgresql+psycopg://host/x", "no name for a site"),
        ("o; DROP=postgresql+psycopg://host/x", "no name for a site"),
        ("postgresql+psycopg://host/x", "no name for a site"),
        ("oslo", "must be postgresql+psycopg://"),
        ("oslo=results.sqlite", "must be postgresql+psycopg://"),
        ("oslo=sqlite:///results.sqlite", "must be postgresql+psycopg://"),
        ("oslo=postgresql+psycopg://host", "names no database"),
    ],
)
def test_an_address_that_is_none_is_one_line(result, why):
    done = benchdb("db", "federate", result)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert why in done.err


@pytest.mark.parametrize(
    "result",
    [
        "oslo=postgresql+psycopg://u:hunter@2secret@host/x",
        "oslo=postgresql+psycopg://host/x?password=hunter&words=3",
        "postgresql+psycopg://u:hunter=2secret@host/x",
    ],
)
def test_an_address_with_an_unclear_password_is_refused_and_not_shown(result):
    done = benchdb("db", "federate", result)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert not [part for part in ("hunter", "secret", "words") if part in done.err]


def test_two_sites_of_one_name_are_refused():
    url = "oslo=postgresql+psycopg://host/"

    done = benchdb("db", "federate", f"{url}a", f"{url}b")

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "two addresses for 'oslo'" in done.err


def test_whoever_knows_no_such_site_is_told(gathered, imported):
    unknown = benchdb("db", "gather", "rome", "--db", gathered)
    file = benchdb("db", "gather", "--db", imported)

    assert (unknown.status, file.status) == (2, 2)
    assert unknown.err == "benchdb: no site 'rome'; there are: bonn, oslo\n"
    assert "knows no sites" in file.err


def test_a_site_shares_what_it_would_export():
    assert {table.name for table in SHARED} == {
        *("chip", "machine", "environment", "source", "workload", "metric"),
        *("run", "value", "samples", "flag", "claim", "retraction"),
        *("signature", "signed_run"),
    }
