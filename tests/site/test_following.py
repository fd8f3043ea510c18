"""A site that one process builds again and again is, each time, what it is cold.

That process keeps what it read and computed, and makes only the rest anew.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select

from benchdb.report.class_spreads import class_spreads
from benchdb.report.scope import Wanted, selected
from benchdb.resources import folder
from benchdb.site import compare, front_page, pages, whole
from benchdb.site import run as run_pages
from benchdb.site.content import content
from benchdb.site.pages import Frame
from benchdb.store import results
from benchdb.store.database import open_database, reading, writing
from benchdb.store.known_lots import all_runs
from benchdb.store.memo import Memo
from benchdb.store.run_facts import around, known_runs
from benchdb.store.tables import finding, machine, machine_link, run
from tests import published_runs
from tests.in_process import benchdb
from tests.site.sites import answer, runs, shipped
from tests.site.test_rebuild import contents_of
from tests.store_factory import Machine, Run, add
from tests.summary_page import WALL
from tests.written_reports import store

PUBLISHED = folder("published")
FRAME = Frame(("en",))


class Follower:
    """A database, and a site of it that a process with a memory builds again."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.site = database.parent / "site"
        self.memo = Memo()
        self.engine = open_database(str(database))

    def builds(self, site: Path, memo: Memo | None) -> dict[str, bytes]:
        with (
            reading(self.engine) as connection,
            selected(connection, Wanted()) as scope,
        ):
            whole.renew(connection, scope, FRAME, site, memo=memo)
        return contents_of(site)

    def is_as_cold(self) -> bool:
        cold = self.database.parent / "cold"
        data, wanted = self.builds(self.site, self.memo), self.builds(cold, None)
        shutil.rmtree(cold)
        return data == wanted

    @contextmanager
    def changing(self) -> Iterator[tuple[Connection, results.Changes]]:
        with (
            writing(self.engine) as connection,
            results.following(connection) as changes,
        ):
            yield connection, changes

    def adds(self, new: Run) -> str:
        with writing(self.engine) as connection:
            digest = add(connection, new)
            results.renew(connection)
        return digest

    def says(self, *words: object) -> None:
        done = benchdb(*words, "--db", self.database)
        assert done.status == 0, done.err


@pytest.fixture(name="follower")
def a_follower(tmp_path: Path) -> Iterator[Follower]:
    follower = Follower(store(tmp_path, runs()))
    yield follower
    follower.engine.dispose()


def measured(chip: str, seconds: float, **columns: object) -> Run:
    """Return a run of mine on a machine with an id."""
    own = {"mine": True, "campaign": "own", "replicate": 1, "tier": "standard"}
    return Run(
        device="metal",
        machine=Machine(chip, ours="id"),
        values={"step_seconds": seconds},
        source=None,
        columns={**own, **columns},
    )


@pytest.mark.parametrize("seed", range(2))
def test_after_anything_in_any_order(follower, seed):
    chance = random.Random(seed)  # noqa: S311  an order, no secret
    there: list[str] = []

    def finds(code: str) -> None:
        with follower.changing() as (connection, changes):
            digests = connection.scalars(select(run.c.digest).order_by(run.c.digest))
            digest = chance.choice(digests.all())
            row = {"run": digest, "code": code, "metric": "", "detail": {}}
            connection.execute(insert(finding).values(row))
            changes.touch([digest])

    def links() -> None:
        with follower.changing() as (connection, _):
            every = sorted(connection.scalars(select(machine.c.digest)))
            result, other = chance.sample(every, 2)
            connection.execute(
                insert(machine_link).values(machine=result, same_as=other)
            )

    def withdraws() -> None:
        with reading(follower.engine) as connection:
            mine = connection.scalars(select(run.c.digest).where(run.c.mine)).first()
        if mine is not None:
            follower.says("retract", mine, "--reason", "warm", "--unsigned")

    new = [
        *(
            Run(machine=Machine(it), values={WALL: 9.0}, source="s")
            for it in ("M1", "M4")
        ),
        *(measured("M1 Max", 0.1 * n, replicate=n, seed=n) for n in (1, 2, 3)),
        measured("M1 Max", 0.2, campaign="other", status="failed", reason="cold"),
        answer("M4", "Llama 3.1 8B", 12.5),
        Run(
            device="cuda",
            machine=Machine("H100", "NVIDIA", gpu="H100"),
            values={WALL: 2.0},
        ),
        Run(machine=Machine("M2"), values={WALL: 3.0}, flags=[("order", None)]),
    ]
    file = PUBLISHED / "m1-vs-v100.jsonl"
    events: list[Callable[[], object]] = [
        *[lambda it=it: there.append(follower.adds(it)) for it in new],
        *[lambda: there and follower.says("forget", there.pop(0), "--yes")] * 2,
        withdraws,
        *(lambda: finds("impossible-os"), lambda: finds("future-date"), links),
        lambda: (
            follower.says("import", file),
            follower.is_as_cold(),
            follower.says("import", "--undo"),
        ),
        lambda: follower.says("import", PUBLISHED / "needle-metal.jsonl"),
    ]
    chance.shuffle(events)
    assert follower.is_as_cold()
    for number, event in enumerate(events):
        event()
        assert follower.is_as_cold(), number


def facts_of(connection: Connection, memo: Memo | None) -> dict[str, object]:
    """Return what all pages are made from, and the data of all pairs of systems."""
    with selected(connection, Wanted()) as scope:
        site = content(connection, scope, memo=memo)
    made = [*front_page.pages(site, ())]
    made += [page for kind in whole.SHARED for page in kind(site)]
    items: dict[str, object] = {page.address: pages.data(page) for page in made}
    data = compare.computed(site)
    (pairs,) = compare.pages(site, lambda: data)
    return {**items, "runs": run_pages.addresses(site), "pairs": pairs.files}


def test_of_the_shipped_database_as_well(tmp_path):
    """It has Macs, GPUs, language models: what pages hold against each other."""
    database = tmp_path / "results.sqlite"
    shutil.copyfile(published_runs.FOLDER.parent / "results.sqlite", database)
    engine, memo = open_database(str(database)), Memo()
    new = [
        measured("M4 Max", 0.05),
        answer("M2", "Llama 3.1 8B", 12.5),
        Run(
            device="cuda",
            machine=Machine("H100", "NVIDIA", gpu="H100"),
            values={WALL: 2.0},
            flags=[("order", None)],
        ),
    ]
    with reading(engine) as connection:
        before = facts_of(connection, memo)
    with writing(engine) as connection:
        for item in new:
            add(connection, item)
        results.renew(connection)
    with reading(engine) as connection:
        followed, cold = facts_of(connection, memo), facts_of(connection, None)
    engine.dispose()

    assert before.keys() <= cold.keys()
    assert [name for name in cold if followed[name] != cold[name]] == []
    assert followed.keys() == cold.keys()


def test_of_runs_that_were_read_only_those_of_a_changed_lot_are_read(follower):
    def read() -> list[object]:
        with reading(follower.engine) as connection:
            surroundings = around(connection)
            result = all_runs(connection, (WALL,), surroundings, follower.memo)
            assert result == [*known_runs(connection, None, (WALL,), surroundings)]
        return [id(known_run) for known_run in result]

    first = read()
    follower.adds(Run(machine=Machine("M4"), values={WALL: 9.0}, source="s"))
    second = read()

    assert len(second) == len(first) + 1
    assert {*first} < {*second}


def test_what_was_read_says_as_much_of_chance_as_the_database():
    site = shipped()
    connection = site.inputs.connection

    seens = site.class_spreads(connection)

    assert seens
    assert seens == class_spreads(connection)
