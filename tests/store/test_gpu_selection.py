"""Environments in which a process was given one of several cards, whichever."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from benchdb.report import measurement
from benchdb.report.runs import stored
from benchdb.store import gpu_selection
from benchdb.store.run_grades import grades, processes_of
from benchdb.store.tables import run
from tests.store_factory import Machine, Run, add, new_store


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with new_store(tmp_path / "cards.sqlite").begin() as connection:
        yield connection


def environments(connection: Connection, *runs: Run) -> list[str]:
    """Return the environment of each run, or the one that stands for it."""
    result = []
    for item in runs:
        query = select(run.c.environment).where(run.c.digest == add(connection, item))
        result.append(connection.execute(query).scalar_one())
    same = gpu_selection.same_environments(connection)
    return [same.get(entry, entry) for entry in result]


def given(card: str, **variables: str) -> Run:
    return Run(variables={"CUDA_VISIBLE_DEVICES": card, **variables})


def letters(connection, among):
    return {
        name: known.grade.letter
        for name, known in grades(connection, among).items()
        if known.grade is not None
    }


@pytest.mark.parametrize("other", ["1", "15", "GPU-<id>"])
def test_whichever_card_was_given_the_environment_is_alike(connection, other):
    first, second = environments(connection, given("0"), given(other))

    assert first == second


@pytest.mark.parametrize("other", ["", "-1", "0,1", "MIG-<id>", "<hidden>"])
def test_none_or_several_or_a_part_of_one_is_something_else(connection, other):
    first, second = environments(connection, given("0"), given(other))

    assert first != second


def test_a_process_that_was_given_none_in_particular_saw_them_all(connection):
    first, second = environments(connection, given("0"), Run())

    assert first != second


def test_what_else_is_not_equal_keeps_environments_apart(connection):
    runs = [
        given("0"),
        given("1", OMP_NUM_THREADS="4"),
        Run(framework="torch", variables={"CUDA_VISIBLE_DEVICES": "1"}),
        Run(version="2.11", variables={"CUDA_VISIBLE_DEVICES": "1"}),
    ]

    assert len(set(environments(connection, *runs))) == len(runs)


def campaign(connection: Connection, *given_to: str) -> list[str]:
    """Store a process of one cell on each of these cards; return their digests."""
    processes = (
        Run(
            machine=Machine(ours="me"),
            source=None,
            values={"step_seconds": 1.0 + turn / 8},
            variables={"CUDA_VISIBLE_DEVICES": card},
            columns={"campaign": "a", "tier": "standard", "replicate": turn},
        )
        for turn, card in enumerate(given_to)
    )
    return [add(connection, process) for process in processes]


def test_processes_on_one_card_and_another_of_its_kind_are_one_measurement(connection):
    digests = campaign(connection, "0", "1", "0")

    (result,) = measurement.measurements(stored(connection))

    assert result.values == (1.0, 1.125, 1.25)
    assert result.runs == tuple(digests)


def test_they_are_graded_together(connection):
    digests = campaign(connection, "0", "1", "1", "0", "1")

    counts = {len(processes_of(connection, digest)) for digest in digests}
    result = letters(connection, select(run.c.digest))

    assert counts == {5}
    assert result == dict.fromkeys(digests, "C")


def test_a_process_that_nobody_asked_about_has_a_say_in_published_figures(connection):
    failed = {"gates": {"device": {"status": "failed"}}}
    sound, _ = (
        add(
            connection,
            Run(
                values={"step_seconds": 1.0},
                columns={"campaign": "a", "replicate": turn, "checks": checks},
            ),
        )
        for turn, checks in enumerate(({}, failed))
    )

    asked = select(run.c.digest).where(run.c.digest == sound)

    assert letters(connection, asked) == {sound: "X"}


def test_a_published_figure_has_a_letter_and_a_published_failure_has_none(connection):
    done = add(connection, Run(values={"step_seconds": 1.0}))
    add(connection, Run(workload="lstm", columns={"status": "oom"}))

    assert letters(connection, select(run.c.digest)) == {done: "I"}


def test_processes_that_saw_all_cards_are_a_measurement_of_their_own(connection):
    digests = campaign(connection, "0", "1", "0,1")

    counts = [len(processes_of(connection, digest)) for digest in digests]

    assert counts == [2, 2, 1]
    assert len(measurement.measurements(stored(connection))) == 2
