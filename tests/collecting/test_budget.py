"""Which process a budget pays for next, with costs and figures made up."""

import random
from collections import Counter

import pytest

from benchdb.collecting.budget import (
    Cost,
    Known,
    State,
    Step,
    answer,
    foreseen,
    next_step,
    questions,
    shortest,
)
from benchdb.collecting.plan import Cell

LARGE = 10**11
CHEAP = Cost(first=30, later=20, stretch=50)
SURE = Cost(first=30, later=20, stretch=50, measured=True)


def cell(
    workload: str, device: str = "cpu", operations: int = LARGE, size: int = 0
) -> Cell:
    axes = (("size", size),) if size else ()
    return Cell(
        *(workload, "torch", device, "fp32", "standard", "eager", axes, ()),
        operations=operations,
    )


def pair(workload: str, operations: int = LARGE, size: int = 0) -> tuple[Cell, Cell]:
    gpu, cpu = (cell(workload, on, operations, size) for on in ("metal", "cpu"))
    return gpu, cpu


def state(*cells: Cell, cost: Cost = CHEAP, **figures: tuple[float, ...]) -> State:
    """Return a state of these cells; *figures* go by workload and device."""
    known = {}
    for item in cells:
        values = figures.get(f"{item.workload}_{item.device}".replace("-", "_"), ())
        known[item] = Known({"now": values} if values else {})
    return State(questions(cells), dict.fromkeys(cells, cost), known)


def following(now: State, seconds: float) -> Step:
    """Return what is next, where there is something."""
    step = next_step(now, seconds)
    assert step is not None
    return step


def course(now: State, seconds: float) -> list[str]:
    """Return what would run, one after another."""
    names = []
    while step := next_step(now, seconds):
        names.append(f"{step.cell.workload} {step.cell.device}")
        now, seconds = now.with_one(step.cell), seconds - step.seconds
    return names


def test_a_pair_has_three_processes_a_side_in_turns_before_another_begins():
    ran = course(state(*pair("resnet50"), *pair("lstm")), 350)

    assert ran[:6] == ["resnet50 metal", "resnet50 cpu"] * 3
    assert ran[6:12] == ["lstm metal", "lstm cpu"] * 3


def test_what_is_begun_is_brought_to_its_end_first():
    begun = state(*pair("resnet50"), *pair("lstm"), lstm_metal=(0.1, 0.1))

    assert following(begun, 600).cell == cell("lstm")


def test_an_unclear_verdict_gets_two_more_a_side_and_no_further():
    noisy = (0.1, 0.15, 0.2)
    three = state(
        *pair("lstm"), *pair("resnet50"), lstm_metal=noisy, lstm_cpu=noisy[::-1]
    )
    five = state(
        *(*pair("lstm"), *pair("resnet50")),
        lstm_metal=noisy + noisy[:2],
        lstm_cpu=noisy[::-1] + noisy[:2],
    )

    assert following(three, 600).cell.workload == "lstm"
    assert following(five, 600).cell.workload == "resnet50"


def test_the_side_that_is_faster_is_told_with_its_interval():
    now = state(
        *pair("lstm"), lstm_metal=(0.10, 0.101, 0.099), lstm_cpu=(0.3, 0.303, 0.297)
    )

    result = answer(now.known, now.questions[0])

    assert result is not None
    assert result.word == "faster"
    assert result.ratio.value == pytest.approx(3.0)
    assert result.ratio.low
    assert result.ratio.high
    assert result.ratio.low < 3.0 < result.ratio.high


def test_with_all_answered_the_widest_interval_is_next():
    wide, narrow = (8.0, 9.0, 10.0), (0.9, 0.9001, 0.8999)
    slow_cpu = state(*pair("lstm"), lstm_metal=narrow, lstm_cpu=wide)
    slow_gpu = state(*pair("lstm"), lstm_metal=wide, lstm_cpu=narrow)

    assert following(slow_cpu, 300).cell.device == "cpu"
    assert following(slow_gpu, 300).cell.device == "metal"


def test_work_of_another_kind_comes_before_a_second_of_a_kind():
    cells = (*pair("resnet50"), *pair("mobilenetv2"), *pair("distilbert"))

    ran = course(state(*cells), 330)

    assert [text.split()[0] for text in ran[0:12:6]] == ["resnet50", "distilbert"]


def test_more_work_is_more_useful_at_the_same_cost():
    small = pair("matmul", operations=10**6, size=100)
    large = pair("matmul", operations=10**12, size=8192)

    assert following(state(*small, *large), 600).cell.axes == (("size", 8192),)


def test_what_is_too_dear_is_left_for_what_fits():
    now = state(*pair("resnet50"), *pair("lstm", operations=10**7))
    dear = {cost: Cost(200, 200) for cost in now.costs if cost.workload == "resnet50"}
    now = State(now.questions, {**now.costs, **dear}, now.known)

    assert set(course(now, 300)) == {"lstm metal", "lstm cpu"}


def test_too_little_time_for_three_a_side_is_enough_for_two():
    assert course(state(*pair("lstm")), 125) == ["lstm metal", "lstm cpu"] * 2


def test_the_last_process_goes_on_until_the_time_is_over():
    now = state(cell("lstm"), cost=SURE, lstm_cpu=(0.1, 0.2))

    short, long = following(now, 100), following(now, 37)

    assert (short.seconds, long.seconds) == (20, 37)


def test_a_first_process_leaves_time_for_the_second_that_makes_an_interval():
    now = state(cell("lstm"), cost=Cost(40, 35, stretch=50, squeeze=4))

    assert shortest(now) == pytest.approx(78.25)
    assert course(now, 79) == ["lstm cpu"] * 2
    assert following(now, 79).seconds == 40


def test_a_cell_without_a_gpu_beside_it_is_no_question_where_others_have_one():
    asked = questions((*pair("lstm"), cell("mnist")))

    assert [question.workload for question in asked] == ["lstm"]
    assert [
        len(question.cells) for question in questions((cell("lstm"), cell("mnist")))
    ] == [
        1,
        1,
    ]


def test_the_shortest_time_is_that_of_two_processes_a_side():
    assert shortest(state(*pair("lstm"), cost=Cost(30, 20))) == pytest.approx(115)
    half_done = state(*pair("lstm"), cost=Cost(30, 20), lstm_metal=(0.1, 0.1))
    assert shortest(half_done) == pytest.approx(57.5)


def test_ten_processes_a_cell_are_enough():
    full = state(cell("lstm"), lstm_cpu=(0.1, 0.11) * 5)

    assert next_step(full, 1e6) is None


def test_no_plan_takes_longer_than_there_is_time():
    draw = random.Random(1)  # noqa: S311 - no secret
    names = ("lstm", "mnist", "resnet50", "matmul")
    cells = tuple(item for name in names for item in pair(name))
    for _ in range(50):
        numbers = (draw.uniform(5, 300), draw.uniform(5, 200), 2.0, draw.uniform(0, 60))
        costs = {item: Cost(*numbers, squeeze=4.0, measured=True) for item in cells}
        now = State(questions(cells), costs, dict.fromkeys(cells, Known()))
        seconds, spent = draw.uniform(0, 2000), 0.0
        while step := next_step(now, seconds - spent):
            spent, now = spent + step.seconds, now.with_one(step.cell)

        assert spent <= seconds + 1e-6
        assert all(now.count(item) <= 10 for item in cells)


def test_what_else_is_begun_has_three_processes_a_side_as_well():
    cells = [cell for name in ("resnet50", "lstm", "mnist") for cell in pair(name)]
    now = state(*cells, cost=Cost(28, 28, stretch=50, squeeze=4))

    for seconds in range(370, 700, 2):
        ran = Counter(course(now, seconds))
        # A single process was begun for the next budget.
        begun = {name.split()[0] for name, count in ran.items() if count > 1}
        sides = [f"{name} {device}" for name in begun for device in ("metal", "cpu")]
        assert len(begun) > 1, seconds
        assert min(ran[side] for side in sides) >= 3, seconds


def test_a_second_budget_goes_on_where_the_first_stopped():
    cells = (*pair("resnet50"), *pair("lstm"))
    whole = foreseen(state(*cells, cost=SURE), 700)
    half = foreseen(state(*cells, cost=SURE), 350)
    both = foreseen(half, 350)

    first, second = (
        {item.workload for item in cells if done.count(item)} for done in (half, both)
    )
    assert first == {"resnet50", "lstm"}
    assert second == first
    assert abs(sum(map(whole.count, cells)) - sum(map(both.count, cells))) <= 2
    assert sum(map(both.count, cells)) > sum(map(half.count, cells))


def test_time_that_no_interval_fits_into_begins_what_counts_next_time():
    now = state(cell("lstm"), cell("mnist"), cost=SURE, lstm_cpu=(0.1, 0.11) * 5)

    assert following(now, 40).cell == cell("mnist")
