"""A verdict on the page and one of a comparison never differ."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, select

from benchdb.compare.cell_rows import compare
from benchdb.compare.side_names import Asked
from benchdb.compare.sides import Known, Side, side_of, sides
from benchdb.report.class_spreads import class_spreads
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.quantities import quantity, rate
from benchdb.report.references import Notes
from benchdb.report.runs import stored
from benchdb.report.scope import Wanted, selected
from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.store.database import open_database, reading
from benchdb.store.run_facts import around
from benchdb.store.tables import run
from tests.published_runs import database, imported
from tests.store_factory import Machine, Run, add, new_store

FEWEST = 15  # pairs of each kind, or the test would say little
NO_NOTES = Notes({}, {})


class Pair(NamedTuple):
    """Two figures on a page, and how many times as fast it calls the first."""

    quantity: Quantity
    against: Quantity
    ratio: Ratio
    metric: str | None = None


def with_and_without_metal(page: Report) -> Iterator[Pair]:
    section = page.sections["metal"]
    for group in section.groups if section else ():
        for row in group.rows:
            if row.ratio:
                yield Pair(row.metal, row.cpu, row.ratio, group.metric)


def ranked(page: Report) -> Iterator[Pair]:
    section = page.sections["ranking"]
    rows = section.rows if section else ()
    anchors = [row for row in rows if row.system == section.baseline]
    for row in rows:
        for cell, anchor in zip(row.cells, anchors[0].cells, strict=True):
            if cell.ratio and cell.quantity != anchor.quantity:
                yield Pair(cell.quantity, anchor.quantity, cell.ratio)


def distant(page: Report) -> Iterator[Pair]:
    section = page.sections["distance"]
    for row in section.rows if section else ():
        for cell in row.cells:
            if cell.share:
                yield Pair(cell.quantity, row.reference, cell.share)


SECTIONS = (with_and_without_metal, ranked, distant)


class Book:
    """The page of a database, and the measurements that its figures are of."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known = Known(class_spreads(connection), around(connection))
        self._measured = measurements(stored(connection))

    def measurement(self, shown: Quantity, metric: str | None) -> Measurement:
        same = [
            one
            for one in self._measured
            if one.runs[0] == shown.run
            and metric in (None, one.conditions.metric)
            and shown.value
            in (quantity(one, NO_NOTES).value, rate(one, NO_NOTES).value)
        ]
        exact = [one for one in same if quantity(one, NO_NOTES).unit == shown.unit]
        return (exact or same)[0]

    def side(self, of: Measurement) -> Side:
        digests = select(run.c.digest).where(run.c.digest.in_(of.runs))
        side = side_of(self._connection, Asked("run", of.runs[0]), digests, self._known)
        metric = of.conditions.metric
        measured = [one for one in side.measured if one.conditions.metric == metric]
        return replace(side, measured=tuple(measured))

    def compared(self, pair: Pair) -> list[Ratio]:
        first = self.measurement(pair.quantity, pair.metric)
        second = self.measurement(pair.against, pair.metric)
        found = compare(self.side(second), self.side(first))
        return [row.ratio for row in found.cells]


def facts(ratio: Ratio) -> tuple[object, ...]:
    known = [pytest.approx(it) for it in (ratio.value, ratio.low, ratio.high) if it]
    return (*known, ratio.verdict, ratio.differs, ratio.unstated, ratio.leads)


Wrong = list[tuple[Pair, list[Ratio]]]


def disagreements(connection: Connection, page: Report) -> tuple[dict[str, int], Wrong]:
    """Return how many pairs each section has, and those that are told otherwise."""
    book, counts = Book(connection), dict[str, int]()
    wrong: Wrong = []
    for section in SECTIONS:
        pairs = list(section(page))
        counts[section.__name__] = len(pairs)
        for pair in pairs:
            found = book.compared(pair)
            # Other work is no cell of both sides.
            wanted = [] if "work" in pair.ratio.differs else [facts(pair.ratio)]
            if list(map(facts, found)) != wanted:
                wrong.append((pair, found))
    return counts, wrong


def test_the_shipped_pages_and_comparisons_say_the_same(tmp_path: Path):
    engine = open_database(str(database(tmp_path)))
    with reading(engine) as connection:
        counts, wrong = disagreements(connection, summarise(connection))

    assert wrong == []
    assert min(counts.values()) >= FEWEST, counts


def test_pages_and_the_runs_that_they_name_say_the_same(tmp_path: Path):
    engine = open_database(str(imported(tmp_path)))
    with reading(engine) as connection:
        book, page = Book(connection), summarise(connection)
    agreed = 0

    for pair in [pair for section in SECTIONS for pair in section(page)]:
        if pair.quantity.sessions > 1 or pair.against.sessions > 1:
            continue  # a run stands for its own campaign, the page for several
        names = [f"run:{it.run}" for it in (pair.against, pair.quantity)]
        metric = book.measurement(pair.against, pair.metric).conditions.metric
        for row in compare(*sides(engine, names)).cells:
            if row.metric == metric and row.other.quantity.value == pair.quantity.value:
                assert facts(row.ratio) == facts(pair.ratio)
                agreed += 1

    assert agreed >= FEWEST


def test_a_page_with_filters_says_what_comparisons_say(tmp_path: Path):
    engine = open_database(str(imported(tmp_path)))
    wanted = Wanted({"workload": ["resnet50", "mobilenetv2"]})
    with reading(engine) as connection:
        with selected(connection, wanted) as scope:
            page = summarise(connection, scope=scope)
        counts, wrong = disagreements(connection, page)

    assert wrong == []
    assert sum(counts.values()) >= FEWEST, counts


def made(seed: int) -> Iterator[Run]:
    """Yield runs of some machines: sessions, versions, load and batches as they come.

    Some are mine, some contributed, some of a source, some smoke runs.
    """
    chance = random.Random(seed)  # noqa: S311 - figures, not secrets
    machines = [
        Machine("M1", ours="m1"),
        Machine("M1 Max", model="MacBook Pro", ram_gib=64, ours="max"),
        Machine("M2", model="Mac mini", ours="m2"),
        Machine("Xeon", vendor="Intel", model=None, gpu="GeForce RTX 3090", ours="x"),
    ]
    began = datetime(2026, 3, 1)
    for place, machine in enumerate(machines):
        devices = ("cpu", "cuda") if machine.gpu else ("cpu", "metal")
        for workload in ("resnet50", "mobilenetv2", "distilbert"):
            for device in devices:
                for campaign in range(chance.choice((1, 1, 2, 3))):
                    batch = chance.choice((32, 32, 64))
                    load = chance.choice((0.1, 0.1, 40.0))
                    version = chance.choice(("2.4.0", "2.4.0", "2.5.0"))
                    speed = (3.0 + place) * (1 if device == "cpu" else 4)
                    speed *= chance.choice((1.0, 1.0, 1.03))
                    started = began + timedelta(days=campaign, hours=place)
                    for replicate in range(chance.choice((1, 2, 3, 5))):
                        rate = speed * chance.gauss(1, 0.01)
                        start = started + timedelta(minutes=replicate)
                        yield Run(
                            workload=workload,
                            device=device,
                            machine=machine,
                            framework="torch",
                            version=version,
                            source=None,
                            values={
                                "samples_per_second": rate,
                                "step_seconds": batch / rate,
                            },
                            columns={
                                "batch_size": batch,
                                "parameters": {"batch_size": batch},
                                "campaign": f"{workload} {device} {campaign}",
                                "replicate": replicate,
                                "started": f"{start.isoformat()}Z",
                                "tier": chance.choice(("quick",) * 9 + ("smoke",)),
                                "mine": place < 2,
                                "conditions_before": {
                                    "load_1m": load,
                                    "cpu_count_usable": 8,
                                },
                            },
                        )


@pytest.mark.parametrize("seed", range(2))
def test_pages_of_made_up_records_and_comparisons_say_the_same(seed, tmp_path):
    engine = new_store(tmp_path / "made.sqlite")
    with engine.begin() as connection:
        for one in made(seed):
            add(connection, one)

        counts, wrong = disagreements(connection, summarise(connection))

    assert wrong == []
    assert sum(counts.values()) >= FEWEST, counts
