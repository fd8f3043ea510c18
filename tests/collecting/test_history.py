"""Which cell a stored process was of, what is left of a campaign, what it will take."""

from dataclasses import replace
from typing import Any

import msgspec

from benchdb.collecting.history import (
    AROUND,
    Past,
    expected,
    left,
    on_like_machines,
)
from benchdb.collecting.plan import Cell, Item, Plan, ordered
from benchdb.store.database import open_database, reading
from tests import published_runs


def cell(precision: str, size: int) -> Cell:
    axes = (("size", size),)
    return Cell("matmul", "torch", "cuda", precision, "standard", "eager", axes, ())


def past(
    item: Item,
    status: str = "ok",
    precision: str | None = None,
    seconds: float | None = None,
    watts: float | None = None,
) -> Past:
    result = item.cell
    return Past(
        *(result.workload, result.framework, result.device, result.setting),
        precision=precision or result.precision,
        compiler="eager",
        parameters={"batch_size": 1, "data": "synthetic", **dict(result.axes)},
        replicate=item.replicate,
        status=status,
        before={},
        checks={},
        seconds=seconds,
        watts=watts,
    )


CELLS = [cell("fp32", 4), cell("tf32", 4), cell("fp32", 8)]
ITEMS = ordered(CELLS, 2, seed=3)


def test_what_has_a_process_is_not_left():
    done = [past(ITEMS[0]), past(ITEMS[3], "failed"), past(ITEMS[4], "interrupted")]

    assert left(ITEMS, done) == [ITEMS[1], ITEMS[2], ITEMS[4], ITEMS[5]]


def test_a_process_that_ran_in_another_precision_than_asked_for_is_no_gap():
    done = [past(item, precision="tf32") for item in ITEMS]

    assert left(ITEMS, done) == []


def test_a_process_of_another_size_fills_no_gap():
    (item,) = (i for i in ITEMS if i.replicate == 0 and i.cell == cell("fp32", 8))

    assert item not in left(ITEMS, [past(item)])
    assert len(left(ITEMS, [past(item)])) == 5


PLAN = Plan((cell("fp32", 4), cell("fp32", 8)), 5, least_seconds=17, time_limit=60)
FOUR = Item(cell("fp32", 4), 0, 5)


def test_a_cell_takes_what_it_usually_took_here():
    earlier = [
        past(FOUR, seconds=s, watts=w) for s, w in ((9, 100), (20, 90), (30, 80))
    ]

    four, _ = expected(PLAN, earlier)

    assert (four.seconds, four.at_least, four.joules) == (20 + AROUND, False, 1800)


def test_a_cell_that_never_ran_takes_at_least_what_its_tier_does():
    _, eight = expected(PLAN, [past(FOUR, seconds=20, watts=100)])

    assert (eight.seconds, eight.at_least, eight.joules) == (17, True, None)


def test_what_was_measured_by_a_shorter_protocol_says_nothing_of_this_one():
    longer = Plan((replace(cell("fp32", 4), least_seconds=69.0),), 5, 69, 60)

    (four,) = expected(longer, [past(FOUR, seconds=27)])

    assert four.seconds == 69


def test_energy_that_nobody_metered_is_unknown():
    four, _ = expected(PLAN, [past(FOUR, seconds=20)])

    assert (four.seconds, four.joules) == (20 + AROUND, None)


def test_another_precision_says_nothing_of_this_one():
    four, _ = expected(PLAN, [past(FOUR, seconds=20, precision="tf32")])

    assert four.at_least


def test_a_tier_without_a_least_time_leaves_it_unknown():
    smoke = Plan(PLAN.cells, 1, least_seconds=0, time_limit=60)

    assert [item.seconds for item in expected(smoke, [])] == [None, None]


def changed(result: Past, **facts: Any) -> Past:
    return msgspec.structs.replace(result, **facts)


def test_the_first_process_of_a_cell_which_checks_more_counts_once():
    later = changed(past(FOUR, seconds=20), replicate=1)

    four, _ = expected(PLAN, [past(FOUR, seconds=40), later, later])

    assert four.seconds == (40 + 4 * 20) / 5 + AROUND


def test_a_process_with_a_term_or_with_what_the_source_did_is_no_example():
    with_term = changed(past(FOUR, seconds=60), checks={"term_seconds": 55})
    with_source = changed(past(FOUR, seconds=60), checks={"seed_protocol": {}})

    four, _ = expected(PLAN, [with_term, with_source])

    assert (four.seconds, four.at_least) == (17, True)


def test_what_never_ran_here_takes_what_it_took_on_machines_like_this():
    own, other = past(FOUR, seconds=20), past(FOUR, seconds=30)

    (here, _), (there, _) = (
        expected(PLAN, [own], {}, [other]),
        expected(PLAN, [], {}, [other]),
    )

    assert (here.seconds, here.basis) == (20 + AROUND, "runs here")
    assert (there.seconds, there.basis) == (30 + AROUND, "runs of machines like this")


def test_a_machine_is_alike_by_chip_and_cores_and_a_card_by_its_name(tmp_path):
    chip = {"name": "EPYC", "cpu_cores": 2, "gpu_cores": None}
    with reading(open_database(str(published_runs.imported(tmp_path)))) as connection:
        alike = on_like_machines(connection, chip, [], "quick")
        more = on_like_machines(connection, chip | {"cpu_cores": 4}, [], "quick")
        cards = on_like_machines(connection, {"name": "M9"}, ["NVIDIA H200"], "quick")

    assert {(item.workload, item.device) for item in alike} == {
        ("llm-decode", "cpu"),
        ("llm-prefill", "cpu"),
    }
    assert more == []
    assert {card.device for card in cards} == {"cuda"}
