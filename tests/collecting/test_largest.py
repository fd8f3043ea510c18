"""Numbers too large are wrong use, and end no campaign."""

from dataclasses import replace

import pytest

from benchdb.collecting.campaign import Finished, measure
from benchdb.collecting.plan import Item, Memory, Request, Settings, plan
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import survey
from benchdb.store import read
from benchdb.store.database import open_database, reading
from tests.collector_programs import COLLECTORS, run
from tests.in_process import benchdb

TOO_LARGE = 10**16


@pytest.mark.parametrize(
    "option",
    ["--batch-size", "--size", "--steps-per-epoch", "--replicates", "--cool-down"],
)
def test_a_number_that_is_too_large_is_wrong_use_at_once(option):
    done = benchdb("collect", "matmul", option, TOO_LARGE)

    assert (done.status, done.out) == (2, "")
    assert "x<=2147483647" in done.err


@pytest.mark.parametrize("option", ["--size", "--set", "--seed"])
@pytest.mark.parametrize("number", [TOO_LARGE, "9" * 5000])
def test_a_collector_alone_refuses_it_as_well(option, number):
    value = f"size={number}" if option == "--set" else str(number)

    done = run(COLLECTORS / "with_numpy.py", "matmul", option, value)

    assert (done.status, done.file) == (2, [])
    assert "is too large; the largest is 4294967295" in done.errors
    assert len(done.errors) < 2000


def test_a_run_that_cannot_be_stored_is_told_and_the_rest_goes_on(tmp_path):
    engine = open_database(str(tmp_path / "r.sqlite"), create=True)
    (cell,) = plan(Request(("matmul",), size=(4,)), survey(["numpy"])).cells
    beyond = replace(cell, parameters={"size": TOO_LARGE}, arguments=("matmul", "-z"))
    items = [Item(item, 0, 1) for item in (cell, beyond, cell)]

    with Interruption() as interruption:
        settings = Settings("c", "smoke", seed=7, time_limit=60)
        events = measure(engine, items, settings, interruption, Memory())
        texts = [event.error for event in events if isinstance(event, Finished)]

    assert texts[::2] == [None, None]
    assert "it cannot be stored, for it has no canonical form" in (texts[1] or "")
    with reading(engine) as connection:
        assert {record.end.status for record in read.records(connection)} == {"ok"}
