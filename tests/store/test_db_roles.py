"""``benchdb db grants``: on a real server, each role can do its work and no more."""

from collections.abc import Callable

import psycopg
import pytest

from benchdb.store.database import open_database
from benchdb.store.tables import VIEWS
from tests.backends import Backend
from tests.in_process import benchdb
from tests.postgres import Server
from tests.store.old_databases import FILES, FIXTURES, old_database

As = Callable[[str], str]
DOCUMENTS = [FIXTURES / "import" / "llama_bench.sql", FIXTURES / "two_runs.jsonl"]


@pytest.fixture(scope="module")
def as_(postgres: Server, template: str) -> As:
    """Return where the database is for somebody with one of the three roles."""
    name = postgres.new_database(template)
    give(postgres, name)
    assert benchdb("import", FILES[1], "--db", postgres.address(name)).status == 0
    return lambda role: postgres.address(name, f"some_{role}")


def give(postgres: Server, name: str) -> None:
    printed = benchdb("db", "grants", "--db", postgres.address(name))
    assert printed.status == 0, printed.err
    with postgres.connect(name) as connection:
        for _ in range(2):  # a second time changes nothing
            connection.execute(printed.out.encode())
        for role in ("reader", "contributor", "owner"):
            known = "SELECT 1 FROM pg_roles WHERE rolname = %s"
            if connection.execute(known, [f"some_{role}"]).fetchone() is None:
                create = f"CREATE ROLE some_{role} LOGIN IN ROLE benchdb_{role}"
                connection.execute(create.encode())


def denied(location: str, statement: str) -> bool:
    try:
        with open_database(location).begin() as connection:
            connection.exec_driver_sql(statement)
    except Exception as error:
        return isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege)
    return False


@pytest.mark.parametrize(
    "command",
    [
        ("list",),
        ("export",),
        ("report", "--format", "csv", "-o", "-", "--device", "metal"),
        ("machines", "list"),
        ("quarantine", "list"),
        ("db", "check"),
        ("db", "explain"),
    ],
)
def test_a_reader_reads(as_, command):
    done = benchdb(*command, "--db", as_("reader"))

    assert done.status == 0, done.err or done.out


def test_a_reader_asks_the_views_and_a_contributor_changes_none(as_):
    with open_database(as_("reader")).begin() as connection:
        for view in VIEWS:
            assert connection.exec_driver_sql(f"SELECT * FROM {view}").keys()  # noqa: S608
    assert denied(as_("contributor"), "DROP VIEW results")


def test_a_reader_writes_nothing(as_):
    done = benchdb("import", DOCUMENTS[1], "--db", as_("reader"))

    assert (done.status, done.err.count("\n")) == (1, 1), done.err
    assert "permission denied for table" in done.err
    for statement in ("DELETE FROM finding", "CREATE TABLE mine (a int)"):
        assert denied(as_("reader"), statement)


def test_a_contributor_imports_and_does_not_take_away(as_):
    first, again = (
        benchdb("import", *DOCUMENTS, "--db", as_("contributor")) for _ in range(2)
    )

    assert ": 2 runs, 2 new" in first.out, first.err
    assert "0 new (file imported before)" in again.out, again.err
    for statement in (
        "DELETE FROM run",
        "UPDATE value SET value = 1",
        "UPDATE source SET title = 'mine'",
        "DROP TABLE flag",
        "TRUNCATE run",
        "INSERT INTO machine_link SELECT digest, digest FROM machine",
        "INSERT INTO supersession SELECT digest, digest, 'named', true FROM source",
        "DELETE FROM forgotten",
        "UPDATE alembic_version SET version_num = '0001'",
        "CREATE TABLE mine (a int)",
    ):
        assert denied(as_("contributor"), statement), statement


def test_an_owner_decides_about_machines_and_upgrades(as_, request, postgres, template):
    listed = benchdb("machines", "list", "--db", as_("owner")).out.splitlines()
    text, other = listed[0][:12], listed[-1][:12]
    merged = benchdb("machines", "merge", text, other, "--db", as_("owner"))

    assert merged.status == 0, merged.err
    assert benchdb("machines", "undo", text, "--db", as_("owner")).status == 0


def test_an_owner_forgets_and_a_contributor_brings_nothing_of_it_back(
    postgres, template
):
    name = postgres.new_database(template)
    give(postgres, name)
    owner, contributor = (
        postgres.address(name, f"some_{role}") for role in ("owner", "contributor")
    )
    benchdb("import", *FILES, "--db", contributor)
    words = ("forget", "source:needle-metal", "--yes", "--db")

    refused, done = (benchdb(*words, item) for item in (contributor, owner))
    again = benchdb("import", *FILES, "--db", contributor)

    assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "permission denied" in refused.err
    assert done.status == 0, done.err
    assert again.status == 0, again.err
    assert "10 runs were forgotten here, left out" in again.out
    assert benchdb("db", "check", "--db", owner).status == 0


def test_an_owner_upgrades_and_a_contributor_does_not(request, postgres):
    location = old_database(Backend("postgresql", request), "0002")
    name = location.partition("@/")[2].partition("?")[0]
    give_old(postgres, name)
    theirs = {
        role: postgres.address(name, f"some_{role}")
        for role in ("owner", "contributor")
    }

    failed = benchdb("db", "upgrade", "--db", theirs["contributor"])
    upgraded = benchdb("db", "upgrade", "--db", theirs["owner"])

    assert (failed.status, failed.err.count("\n")) == (1, 1)
    assert "permission denied" in failed.err
    assert upgraded.status == 0, upgraded.err
    assert "run the SQL of 'benchdb db grants'" in upgraded.out


LATER = (
    *("made_by", "newest", "part", "import_part"),
    *("future_date", "source_file", "supersession", "forgotten", "result"),
    *("retraction", "signature", "signed_run", "signer"),
    *VIEWS,
)


def give_old(postgres: Server, name: str) -> None:
    """Give what can be given in a database that lacks the newest tables."""
    printed = benchdb("db", "grants", "--db", postgres.address(name)).out
    with postgres.connect(name) as connection:
        for statement in printed.splitlines():
            if not any(f'"{table}"' in statement for table in LATER):
                connection.execute(statement.encode())


def test_a_file_has_no_roles(tmp_path):
    done = benchdb("db", "grants", "--db", tmp_path / "results.sqlite")

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "is a file, which has no roles" in done.err


def test_somebody_without_any_role_is_told_in_one_line(as_, postgres):
    location = as_("reader").replace("some_reader", "nobody_at_all")

    done = benchdb("list", "--db", location)

    assert (done.status, done.err.count("\n")) == (1, 1)
    assert 'role "nobody_at_all" does not exist' in done.err
