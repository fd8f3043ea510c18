"""The one page of a report is kept, and taken for no page of anything else."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchdb import resources
from benchdb.cli import user_database
from benchdb.site import content
from benchdb.user_data import cache_folder
from tests.in_process import benchdb
from tests.written_reports import mixed, report, store

PAGE = ("--format", "html", "-o", "-")
SHIPPED = Path(__file__).parents[2] / "results.sqlite"
SMALL = "m1-vs-v100.jsonl"
# Makes the facts of a page, and tells what was needed.
FACTS = """
import sys
from benchdb.report.scope import Wanted, selected
from benchdb.site.content import content
from benchdb.site.short_facts import single
from benchdb.store.database import open_database, reading
with reading(open_database(sys.argv[1])) as connection:
    with selected(connection, Wanted()) as scope:
        single(content(connection, scope))
print(*sys.modules)
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))


@pytest.fixture(name="database")
def a_database(tmp_path: Path) -> Path:
    return store(tmp_path, mixed())


def page(database: Path, *options: object) -> str:
    done = report(database, *PAGE, *options)
    assert done.status == 0, done.err
    return done.out


def change(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(statement)
        connection.commit()


def made_anew(database: Path, *options: object) -> str:
    aside = cache_folder().with_name("aside")
    cache_folder().rename(aside)
    text = page(database, *options)
    shutil.rmtree(cache_folder())
    aside.rename(cache_folder())
    return text


def shipped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the facts that are kept ship with benchdb instead."""
    reports = shutil.copytree(resources.folder("reports"), folder / "reports")
    (reports / "kept").mkdir(exist_ok=True)
    for path in cache_folder().glob("*.facts"):
        path.rename(reports / "kept" / path.name)
    shutil.rmtree(cache_folder())
    known = resources.folder
    monkeypatch.setattr(
        resources, "folder", lambda name: reports if name == "reports" else known(name)
    )


@pytest.fixture(name="unread")
def every_reading_fails(monkeypatch) -> Callable[[], None]:
    """Return what has every reading of a database fail from then on."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the database was read")

    return lambda: monkeypatch.setattr(content, "gather", refused)


def test_a_page_that_is_wanted_again_is_read(database, unread):
    first = page(database)
    unread()

    assert page(database) == first


def test_another_language_needs_no_database(database, unread):
    german = page(database, "--lang", "de")
    shutil.rmtree(cache_folder())
    page(database)
    unread()

    assert page(database, "--lang", "de") == german


def test_facts_that_ship_with_benchdb_are_used_for_their_database_alone(
    database, tmp_path, monkeypatch, unread
):
    first = page(database)
    shipped(tmp_path, monkeypatch)
    content = database.read_bytes()
    change(database, "UPDATE value SET value = value * 3 WHERE value > 90")

    assert page(database) != first
    database.write_bytes(content)
    unread()
    assert page(database) == first


def test_the_users_own_new_database_has_facts_that_ship(tmp_path, monkeypatch, unread):
    published = tmp_path / "published"
    published.mkdir()
    shutil.copy(resources.folder("published") / SMALL, published)
    monkeypatch.setattr(user_database, "folder", lambda _: published)
    first = benchdb("report", "--lang", "en", *PAGE)
    shipped(tmp_path, monkeypatch)
    shutil.rmtree(tmp_path / "home")
    unread()

    assert first.status == 0, first.err
    assert benchdb("report", "--lang", "en", *PAGE) == first
    assert benchdb("report", "--lang", "de", *PAGE).status == 0


def test_all_that_facts_are_made_with_decides_whether_kept_ones_are_right(tmp_path):
    database = shutil.copyfile(SHIPPED, tmp_path / "results.sqlite")
    command = [sys.executable, "-c", FACTS, database]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    needed = {name.split(".")[1] for name in done.stdout.split() if "benchdb." in name}

    assert {"report", "site", "store", "statistics"} <= needed
    assert needed & resources.ASIDE == set()


def test_a_figure_that_was_forged_below_all_digests_is_shown_as_it_is(database):
    """Whoever writes into the file itself changes no digest that it has of itself."""
    before = page(database)
    change(database, "UPDATE value SET value = value * 3 WHERE value > 90")
    after = page(database)

    assert after != before
    assert after == made_anew(database)


def test_another_database_with_the_same_digests_of_itself_has_its_own_page(
    database, tmp_path
):
    other = store(tmp_path / "other", mixed()[:3])
    for table in ("part", "newest"):
        change(
            other,
            f"DELETE FROM {table}",  # noqa: S608  names of our own
        )
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("ATTACH ? AS known", (str(database),))
            connection.execute(f"INSERT INTO {table} SELECT * FROM known.{table}")  # noqa: S608
            connection.commit()
    page(database)

    assert page(other) == made_anew(other)


def test_what_is_only_in_the_log_counts(database):
    before = page(database)
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("UPDATE value SET value = value * 3 WHERE value > 90")
        writer.commit()
        after = page(database)

        assert Path(f"{database}-wal").stat().st_size > 0
        assert after != before
        assert after == made_anew(database)


@pytest.mark.parametrize("other", [("--chip", "M1"), ("--lang", "de"), ("--all",)])
def test_other_options_have_pages_of_their_own(database, other):
    page(database)

    assert page(database, *other) == made_anew(database, *other)


@pytest.mark.parametrize("content", [b"", b"\x91\x92\xa4half", b"nothing of ours"])
def test_a_kept_page_that_is_spoilt_is_made_anew(database, content):
    before = page(database)
    files = [*cache_folder().iterdir()]
    for path in files:
        path.write_bytes(content)

    assert page(database) == before


def test_what_says_more_than_its_page_says_it_again(database):
    nothing = ("--chip", "M2", "--device", "cuda")
    first, second = (report(database, *PAGE, *nothing) for _ in range(2))

    assert "no result matches" in first.err
    assert second == first


def test_forgetting_a_run_forgets_pages_that_show_it(database):
    page(database)
    with closing(sqlite3.connect(database)) as connection:
        (run,) = connection.execute("SELECT digest FROM run LIMIT 1").fetchone()
    done = benchdb("forget", run, "--yes", "--db", database)

    assert done.status == 0, done.err
    assert [*cache_folder().iterdir()] == []


def test_where_nothing_can_be_kept_a_page_is_made_all_the_same(database, tmp_path):
    (tmp_path / "home").write_text("a file where the folder would be")

    assert page(database) == page(database)
