"""Which machines are the same: by rule, by hand, and back again."""

import json

import pytest
from sqlalchemy import Engine

from benchdb.errors import UsageError
from benchdb.store import machines
from benchdb.store.database import open_database, reading, writing
from tests.backends import Backend
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add


@pytest.fixture
def store(backend: Backend) -> Engine:
    engine = open_database(backend.database())
    with writing(engine) as connection:
        for machine in (
            Machine(model="Mac mini"),
            Machine(model="MacBook Air"),
            Machine(model="before", ours="0123"),
            Machine(model="after", ours="0123"),
        ):
            add(connection, Run(machine=machine, values={"script_wall_seconds": 1.0}))
    return engine


def groups(engine: Engine) -> set[frozenset[str]]:
    """Return the models of the machines that count as one."""
    with reading(engine) as connection:
        known = machines.known_machines(connection)
    by_root: dict[str, set[str]] = {}
    for item in known:
        by_root.setdefault(item.same_as, set()).add(item.model or "")
    return {frozenset(models) for models in by_root.values()}


def digest_of(engine: Engine, model: str) -> str:
    with reading(engine) as connection:
        known = machines.known_machines(connection)
    return next(item.digest for item in known if item.model == model)


def by_hand(engine: Engine, verb: str, *models: str) -> None:
    names = [digest_of(engine, model) for model in models]
    with writing(engine) as connection:
        getattr(machines, verb)(connection, *names)


RULE = {
    frozenset({"Mac mini"}),
    frozenset({"MacBook Air"}),
    frozenset({"before", "after"}),
}


def test_machines_with_the_same_anonymous_id_are_one_and_others_stay_apart(store):
    assert groups(store) == RULE


def reasons(engine: Engine) -> dict[str | None, str]:
    with reading(engine) as connection:
        return {known.model: known.why for known in machines.known_machines(connection)}


def test_each_machine_knows_what_decided_what_it_is_the_same_as(store):
    by_hand(store, "merge", "Mac mini", "MacBook Air")

    assert reasons(store) == {
        "Mac mini": "hand",
        "MacBook Air": "hand",
        "before": "rule",
        "after": "rule",
    }


def test_a_machine_of_its_own_stands_alone(store):
    by_hand(store, "split", "before")

    assert reasons(store)["MacBook Air"] == "alone"
    assert reasons(store)["before"] == reasons(store)["after"] == "hand"


def test_two_machines_merged_by_hand_are_one(store):
    by_hand(store, "merge", "Mac mini", "MacBook Air")

    assert frozenset({"Mac mini", "MacBook Air"}) in groups(store)


def test_merging_groups_takes_all_of_them_along(store):
    by_hand(store, "merge", "Mac mini", "before")
    by_hand(store, "merge", "MacBook Air", "Mac mini")

    assert groups(store) == {frozenset({"Mac mini", "MacBook Air", "before", "after"})}


def test_a_machine_that_comes_later_goes_where_its_namesakes_went(store):
    by_hand(store, "merge", "Mac mini", "before")
    for number in range(8):  # whatever their digests: the least one names the rule
        with writing(store) as connection:
            later = Machine(model=f"later {number}", ours="0123")
            add(connection, Run(machine=later, values={"script_wall_seconds": 1.0}))

    models = {"Mac mini", "before", "after", *(f"later {item}" for item in range(8))}
    assert groups(store) == {frozenset(models), frozenset({"MacBook Air"})}


@pytest.mark.parametrize("model", ["before", "after"])
def test_a_machine_split_by_hand_stands_alone_although_the_rule_joins_it(store, model):
    by_hand(store, "split", model)

    assert groups(store) == {
        frozenset({text}) for text in ("Mac mini", "MacBook Air", "before", "after")
    }


@pytest.mark.parametrize("model", ["Mac mini", "before", "after"])
def test_one_of_three_is_split_and_the_others_stay_together(store, model):
    by_hand(store, "merge", "Mac mini", "before")

    by_hand(store, "split", model)

    rest = {"Mac mini", "before", "after"} - {model}
    assert groups(store) == {
        frozenset({model}),
        frozenset(rest),
        frozenset({"MacBook Air"}),
    }


def test_a_merge_is_taken_back_by_a_split(store):
    by_hand(store, "merge", "Mac mini", "MacBook Air")

    by_hand(store, "split", "MacBook Air")

    assert groups(store) == RULE


@pytest.mark.parametrize("model", ["before", "after"])
def test_undoing_a_split_brings_the_rule_back(store, model):
    by_hand(store, "split", model)

    by_hand(store, "undo", model)

    assert groups(store) == RULE


def test_undoing_a_merge_brings_the_rule_back(store):
    by_hand(store, "merge", "before", "Mac mini")

    by_hand(store, "undo", "Mac mini")

    assert groups(store) == RULE


@pytest.mark.parametrize(
    ("verb", "models", "message"),
    [
        ("merge", ("before", "after"), "the same machine already"),
        ("split", ("Mac mini",), "stands alone already"),
        ("undo", ("before",), "nothing was decided by hand"),
    ],
)
def test_a_decision_that_changes_nothing_is_refused(store, verb, models, message):
    with pytest.raises(UsageError, match=message):
        by_hand(store, verb, *models)

    assert groups(store) == RULE


def test_a_machine_is_found_by_how_its_digest_starts_unless_several_do(store):
    for number in range(16):  # more than there are first digits
        machine = Machine(model=f"Mac {number}")
        with writing(store) as connection:
            add(connection, Run(machine=machine, values={"script_wall_seconds": 1.0}))
    with reading(store) as connection:
        digests = sorted(known.digest for known in machines.known_machines(connection))
        assert machines.find_machine(connection, digests[0].upper()) == digests[0]
        starts = [digest[0] for digest in digests]
        shared = next(digit for digit in starts if starts.count(digit) > 1)
        for start, message in (
            (shared, "several machines start with"),
            ("", "no machine"),
            ("f" * 64, "no machine"),
            ("%", "no machine"),
        ):
            with pytest.raises(UsageError, match=message):
                machines.find_machine(connection, start)


def test_the_command_lists_merges_splits_and_forgets(tmp_path, two_runs):
    db = tmp_path / "results.sqlite"
    published = two_runs.parents[2] / "published" / "needle-metal.jsonl"
    benchdb("import", published, "--db", db)
    listed = json.loads(benchdb("machines", "list", "--json", "--db", db).out)
    result, other, _ = (machine["digest"] for machine in listed)

    merged = benchdb("machines", "merge", result[:12], other[:12], "--db", db)
    shown = benchdb("machines", "list", "--db", db)
    split = benchdb("machines", "split", other[:12], "--db", db)
    undone = benchdb("machines", "undo", other[:12], "--db", db)
    refused = benchdb("machines", "undo", other[:12], "--db", db)

    assert (merged.status, split.status, undone.status) == (0, 0, 0)
    assert f"= {result[:12]} (hand)" in shown.out
    assert refused.status == 2
    assert refused.err.startswith("benchdb: nothing was decided by hand")


def test_a_machine_that_is_not_there_is_told_in_one_line(tmp_path, two_runs):
    db = tmp_path / "results.sqlite"
    benchdb("import", two_runs, "--db", db)

    done = benchdb("machines", "split", "ffff", "--db", db)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "no machine 'ffff'" in done.err
