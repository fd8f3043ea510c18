"""A site built over an older one is, byte for byte, what it is built from nothing."""

import random
import shutil
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import select

from benchdb import resources
from benchdb.site import build, pages
from benchdb.store import results
from benchdb.store.database import open_database
from benchdb.store.tables import finding, run
from tests.in_process import benchdb
from tests.site.sites import runs
from tests.store_factory import Machine, Run, add
from tests.summary_page import WALL
from tests.written_reports import report, store

LATER = Run(machine=Machine("M4"), values={WALL: 12.5}, source="later")


@pytest.fixture(name="database")
def a_database(tmp_path: Path) -> Path:
    return store(tmp_path, runs())


def built(database: Path, folder: Path, *languages: str) -> str:
    """Write the site, and return what the command said of its files."""
    options = [word for code in languages or ("en",) for word in ("--lang", code)]
    done = report(database, "--site", folder, *options)
    assert done.status == 0, done.err
    return done.out


def contents_of(folder: Path) -> dict[str, bytes]:
    every = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


def added(database: Path, new: Run) -> str:
    engine = open_database(str(database))
    with engine.begin() as connection:
        digest = add(connection, new)
        results.renew(connection)
    engine.dispose()
    return digest


def forgotten(database: Path, digest: str) -> None:
    done = benchdb("forget", digest, "--yes", "--db", database)
    assert done.status == 0, done.err


def is_as_cold(database: Path, folder: Path, *languages: str) -> bool:
    cold = database.parent / "cold"
    built(database, cold, *languages)
    return contents_of(folder) == contents_of(cold)


def test_after_a_new_run(database, tmp_path):
    built(database, tmp_path / "site", "en", "de")
    added(database, LATER)
    text = built(database, tmp_path / "site", "en", "de")

    assert (tmp_path / "site" / "chip" / "m4.html").exists()
    assert ", 0 as they were" not in text
    assert is_as_cold(database, tmp_path / "site", "en", "de")


def test_after_something_is_found_in_a_run(database, tmp_path):
    digest = added(database, LATER)
    built(database, tmp_path / "site")
    before = contents_of(tmp_path / "site")
    engine = open_database(str(database))
    with engine.begin() as connection:
        groups = {"run": digest, "code": "impossible-os", "metric": "", "detail": {}}
        connection.execute(finding.insert().values(groups))
    engine.dispose()
    built(database, tmp_path / "site")

    page = f"run/{digest[:12]}.json"
    assert contents_of(tmp_path / "site")[page] != before[page]
    assert is_as_cold(database, tmp_path / "site")


def test_after_a_template_or_the_program_changed(database, tmp_path, monkeypatch):
    render = pages.render
    with monkeypatch.context() as older:
        older.setattr(resources, "program", lambda: b"older")
        older.setattr(
            pages, "render", lambda *given: render(*given).replace("footer", "header")
        )
        built(database, tmp_path / "site")
    built(database, tmp_path / "site")

    assert is_as_cold(database, tmp_path / "site")


def test_a_catalogue_that_changed_is_another_program(tmp_path, monkeypatch):
    digests, folder = resources.digests.__wrapped__, resources.folder
    before = digests()
    copy = tmp_path / "collectors" / "catalogue"
    shutil.copytree(folder("collectors") / "catalogue", copy)
    monkeypatch.setattr(
        resources,
        "folder",
        lambda name: tmp_path / name if name == "collectors" else folder(name),
    )

    assert digests() == before
    (copy / "chips.json").write_text("[]", encoding="utf-8")
    assert not {*digests()} & {*before}


def test_with_nothing_new_no_page_is_made(database, tmp_path, monkeypatch):
    built(database, tmp_path / "site")

    def refused(*_: object) -> str:
        raise AssertionError("a page was made")

    monkeypatch.setattr(pages, "data", refused)
    text = built(database, tmp_path / "site")

    assert "(0 files written" in text


def test_after_an_interrupted_build_of_what_is_gone_again(
    database, tmp_path, monkeypatch
):
    """Its pages may have the size of those that were there before."""
    site = tmp_path / "site"
    built(database, site)
    digest = added(database, LATER)
    render, made = pages.render, []

    def interrupted(page, language, frame):
        made.append(page.address)
        if page.address == "run/" + digest[:12]:
            raise KeyboardInterrupt
        # What it writes may have the size of what was there.
        path = site / frame.path(page.address, language.code)
        return (
            "x" * path.stat().st_size
            if path.exists()
            else render(page, language, frame)
        )

    with monkeypatch.context() as patched:
        patched.setattr(pages, "render", interrupted)
        patched.setattr(build, "_ENOUGH", 10_000)  # in this process
        report(database, "--site", site, "--lang", "en")
    assert len(made) > 1
    # As a build that is killed while it writes leaves it.
    (site / "run" / f".{digest[:12]}.html.part").write_text("<!doc")
    forgotten(database, digest)
    built(database, site)

    assert is_as_cold(database, site)


def test_after_anything_in_any_order(database, tmp_path, monkeypatch):
    """Systems that stay as they were are not held against each other again."""
    chance = random.Random(28)  # noqa: S311  an order, no secret
    site, languages = tmp_path / "site", ["en"]
    new = [
        Run(machine=Machine(chip), values={WALL: 10.0 + n}, source=f"s{n}")
        for n, chip in enumerate(("M1", "M4", "M1 Max", "M2"))
    ]
    there = [added(database, LATER)]

    def finds() -> None:
        groups = {"code": "future-date", "metric": "", "detail": {}}
        engine = open_database(str(database))
        with engine.begin() as connection:
            every = connection.scalars(select(run.c.digest)).all()
            connection.execute(
                finding.insert(), [{"run": it, **groups} for it in every]
            )
        engine.dispose()

    def spoils() -> None:
        for path in chance.sample(sorted(site.rglob("*.[hj]*")), 12):
            path.write_text("no page of ours")

    def deletes() -> None:
        shutil.rmtree(site / "assets")

    def changes_program() -> None:
        monkeypatch.setattr(resources, "program", lambda: chance.randbytes(32))
        monkeypatch.setattr(resources, "program", cache(resources.program))

    events = [
        *[lambda it=it: there.append(added(database, it)) for it in new],
        *[lambda: forgotten(database, there.pop(0))] * 2,
        *(finds, spoils, deletes, changes_program, lambda: languages.append("ar")),
    ]
    chance.shuffle(events)
    built(database, site)
    for event in events:
        event()
        built(database, site, *languages)
        assert is_as_cold(database, site, *languages)
        shutil.rmtree(database.parent / "cold")
