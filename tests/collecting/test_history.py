"""Which cell a stored process was of, what is left of a campaign, what it will take."""

from dataclasses import replace

from benchdb.collecting.history import AROUND, Past, expected, left
from benchdb.collecting.plan import Cell, Item, Plan, ordered


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
    one = item.cell
    return Past(
        *(one.workload, one.framework, one.device, one.setting),
        precision=precision or one.precision,
        compiler="eager",
        parameters={"batch_size": 1, "data": "synthetic", **dict(one.axes)},
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

    assert [one.seconds for one in expected(smoke, [])] == [None, None]
