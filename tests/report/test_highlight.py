"""``report --highlight``: the machine to mark, in the words that people have for it."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select

from benchdb.store.database import open_database, reading, writing
from benchdb.store.tables import machine, machine_link, run
from tests.store_factory import Machine
from tests.summary_page import MINE, measured, three_published
from tests.written_reports import report, shown, store

RATE: dict[str, float | None] = {"samples_per_second": 100.0}
ONE, OTHER, THIRD = "abcdef0123456789", "abcdef9876543210", "0a1b2c3d4e5f6071"


def owned(anonymous_id: str | None, model: str) -> Machine:
    return replace(MINE, ours=anonymous_id, model=model)


@pytest.fixture(scope="module", name="database")
def three_machines_and_a_paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = [
        *measured([RATE], machine=owned(ONE, "Mac16,5")),
        *measured([RATE], machine=owned(OTHER, "Mac16,6")),
        *measured([RATE], machine=owned(THIRD, "Mac16,7")),
        *measured([RATE], machine=owned(None, "Mac16,8")),
        *three_published(),
    ]
    return store(tmp_path_factory.mktemp("store"), runs)


def marked(view: dict[str, Any]) -> list[str]:
    return [item["model"] for item in view["machines"] if item["here"]]


def run_of(database: Path, model: str) -> str:
    query = select(run.c.digest).join(machine, run.c.machine == machine.c.digest)
    query = query.where(machine.c.model == model).order_by(run.c.digest)
    with reading(open_database(str(database))) as connection:
        return str(connection.scalars(query).first())


def test_an_anonymous_id_marks_its_machine(database: Path) -> None:
    assert marked(shown(database, "--highlight", ONE)) == ["Mac16,5"]


@pytest.mark.parametrize("start", ["0a1b2c", "0A1B2C3D", THIRD[:-1]])
def test_the_start_of_an_id_is_enough(database: Path, start: str) -> None:
    assert marked(shown(database, "--highlight", start)) == ["Mac16,7"]


def test_a_run_marks_the_machine_it_ran_on(database: Path) -> None:
    digest = run_of(database, "Mac16,6")

    assert marked(shown(database, "--highlight", digest[:12])) == ["Mac16,6"]
    assert marked(shown(database, "--highlight", digest)) == ["Mac16,6"]


def refusal(database: Path, folder: Path, wanted: str) -> str:
    done = report(database, "-o", folder / "page", "--highlight", wanted)

    assert done.status == 2
    assert done.err.count("\n") == 1
    assert not (folder / "page").exists()
    return done.err


def test_several_machines_are_refused(database: Path, tmp_path: Path) -> None:
    text = refusal(database, tmp_path, "abcdef")

    assert "several machines start with 'abcdef'; give more of the id" in text


@pytest.mark.parametrize("wanted", ["nobody", "0a1b2", "%", "______", "", "0a1b2cff"])
def test_nobody_is_refused(database: Path, tmp_path: Path, wanted: str) -> None:
    assert f"no machine {wanted!r} to highlight" in refusal(database, tmp_path, wanted)


@pytest.mark.parametrize("model", ["MacBook", "Mac16,8"])
def test_a_machine_without_an_id_is_refused(
    database: Path, tmp_path: Path, model: str
) -> None:
    text = refusal(database, tmp_path, run_of(database, model)[:12])

    assert "has no anonymous id, so it cannot be highlighted" in text


def test_a_machine_that_the_filters_take_away_is_refused(
    database: Path, tmp_path: Path
) -> None:
    options = "--highlight", ONE, "--chip", "M1"
    done = report(database, "-o", tmp_path / "page", *options)

    assert done.status == 2
    assert f"no result of machine {ONE!r} is in this report" in done.err


def test_the_ids_of_merged_machines_are_one(tmp_path: Path) -> None:
    runs = [
        *measured([RATE], machine=owned(ONE, "Mac16,5")),
        *measured([RATE], machine=owned(OTHER, "Mac16,5")),
    ]
    database = store(tmp_path, runs)
    engine = open_database(str(database))
    with writing(engine) as connection:
        first, second = sorted(connection.scalars(select(machine.c.digest)))
        link = [{"machine": item, "same_as": first} for item in (first, second)]
        connection.execute(insert(machine_link), link)
    engine.dispose()

    assert marked(shown(database, "--highlight", "abcdef")) == ["Mac16,5"]


def test_a_machine_that_has_measured_nothing_yet_is_told_so(
    database: Path, tmp_path: Path
) -> None:
    done = report(database, "-o", tmp_path / "page", "--highlight", "here")

    assert done.status == 0
    assert "no result of this machine is in this report" in done.err
    assert (tmp_path / "page" / "report.en.html").exists()
