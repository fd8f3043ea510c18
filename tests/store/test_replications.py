"""Who measured a figure again: other machines, other seeds, and reruns of one's own."""

import json

import pytest

from benchdb.merge import import_files
from benchdb.store import replications as store_replications
from benchdb.store.database import open_database, reading
from benchdb.store.read import records
from benchdb.store.replications import Replication, replications, replications_of
from tests.campaign_history import campaign
from tests.exchange_lines import HEADER, MACHINE, line

GATES = {
    "gates": {
        name: {"status": "passed"} for name in ("device", "parameter_count", "loss")
    }
}
OTHER, THIRD = "1111111111111111", "2222222222222222"


def machine(key: str, anonymous_id: str | None, **chip: object) -> bytes:
    own = json.loads(MACHINE)["chip"] | chip
    return line(MACHINE, key=key, anonymous_id=anonymous_id, chip=own)


def stored(tmp_path, *parts: list[bytes] | bytes):
    """Return a database with what *parts* of a file say, from a stranger."""
    every = [
        data for part in parts for data in (part if isinstance(part, list) else [part])
    ]
    path = tmp_path / "shared.jsonl"
    path.write_bytes(b"".join([HEADER, MACHINE, *every]))
    engine = open_database(str(tmp_path / "r.sqlite"), create=True)
    (outcome,) = import_files(engine, [path])
    assert outcome.clean, outcome
    return engine


def by_campaign(engine) -> dict[str, Replication]:
    """Return the replication of the first process of each campaign, by its day."""
    with reading(engine) as connection:
        result = replications(connection)
        return {
            (record.run.campaign or "")[:8]: result.get(record.digest, Replication())
            for record in records(connection)
            if record.run.replicate == 0
        }


QUIET, BUSY = ({"load_1m": load, "cpu_count_usable": 12} for load in (0.1, 40.0))
FIRST = campaign(0, 480.0, checks=GATES, conditions=QUIET)


def test_another_machine_and_seed_replicate_a_figure(tmp_path):
    again = campaign(1, 470.0, checks=GATES, machine="m2", seed=1000)

    result = by_campaign(stored(tmp_path, machine("m2", OTHER), FIRST, again))

    for replication in result.values():
        assert (replication.machines, replication.n, replication.replicated) == (
            2,
            6,
            True,
        )
        assert replication.agreement == pytest.approx((480 / 470) ** 0.5 - 1, rel=1e-6)
        assert (replication.reruns, replication.within, replication.unlike) == (
            0,
            None,
            0,
        )


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"seed": 0}, id="the same seed"),
        pytest.param({"parameters": {"batch_size": 32}}, id="other work"),
        pytest.param({"precision": "bf16"}, id="another precision"),
        pytest.param({"tier": "standard"}, id="another tier"),
        pytest.param({"checks": {}}, id="no gates"),
        pytest.param({"conditions": BUSY}, id="a busy machine"),
        pytest.param(
            {"checks": {"gates": {"loss": {"status": "failed"}}}}, id="failed"
        ),
    ],
)
def test_what_was_not_the_same_measurement_anew_replicates_nothing(tmp_path, changes):
    usual = {"checks": GATES, "machine": "m2", "seed": 1000}

    again = campaign(1, 470.0, **(usual | changes))
    result = by_campaign(stored(tmp_path, machine("m2", OTHER), FIRST, again))

    assert {replication.replicated for replication in result.values()} == {False}


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(machine("m2", None), id="without an id"),
        pytest.param(machine("m2", OTHER, ram_bytes=2**35), id="of another class"),
        pytest.param(machine("m2", OTHER, gpu_cores=40), id="of another bin"),
        pytest.param(
            line(MACHINE, key="m2", model="Mac98,7"), id="by another name, same id"
        ),
    ],
)
def test_a_machine_that_cannot_be_told_to_be_another_of_the_kind_counts_as_none(
    tmp_path, second
):
    again = campaign(1, 470.0, checks=GATES, machine="m2", seed=1000)

    result = by_campaign(stored(tmp_path, second, FIRST, again))

    assert {
        (replication.machines, replication.replicated)
        for replication in result.values()
    } == {(1, False)}


def test_of_three_machines_those_that_agree_replicate_each_other(tmp_path):
    machines = machine("m2", OTHER), machine("m3", THIRD)
    second = campaign(1, 470.0, checks=GATES, machine="m2", seed=1000)
    third = campaign(2, 160.0, checks=GATES, machine="m3", seed=2000)

    result = by_campaign(stored(tmp_path, *machines, FIRST, second, third))

    assert [replication.replicated for replication in result.values()] == [
        True,
        True,
        False,
    ]
    assert {replication.machines for replication in result.values()} == {3}
    assert result["20260302"].agreement == pytest.approx(3**0.5 - 1, rel=1e-6)


def linked(number: int, rate: float, originals: list[str]) -> list[bytes]:
    """Return a campaign of which each process reproduces one of *originals*."""
    lines = campaign(number, rate, checks=GATES)
    links = iter(originals)
    return [
        line(data, reproduces=next(links))
        if json.loads(data)["type"] == "run"
        else data
        for data in lines
    ]


def test_reruns_on_the_same_machine_reproduce_and_replicate_nothing(tmp_path):
    engine = stored(tmp_path, FIRST)
    with reading(engine) as connection:
        originals = [record.digest for record in records(connection)]
    engine.dispose()
    reruns = linked(1, 475.0, originals), linked(2, 240.0, originals)

    replication = by_campaign(stored(tmp_path, FIRST, *reruns))["20260302"]

    assert (replication.machines, replication.agreement, replication.replicated) == (
        1,
        None,
        False,
    )
    assert (replication.reruns, replication.unlike) == (1, 1)
    assert replication.within == pytest.approx(480 / 475 - 1, rel=1e-6)


def test_a_link_to_a_run_of_other_work_or_that_is_not_here_claims_nothing(tmp_path):
    other = campaign(3, 100.0, checks=GATES, parameters={"batch_size": 32})
    engine = stored(tmp_path, other)
    with reading(engine) as connection:
        foreign = [record.digest for record in records(connection)]
    engine.dispose()

    result = by_campaign(
        stored(
            tmp_path, other, linked(0, 480.0, foreign), linked(1, 480.5, ["f" * 64] * 3)
        )
    )

    assert {
        (replication.reruns, replication.within) for replication in result.values()
    } == {(0, None)}


@pytest.mark.parametrize("most", [100, 0])
def test_one_run_is_asked_for_alone_however_many_did_its_work(
    tmp_path, monkeypatch, most
):
    """Of many that did its work those of its cell are held against it, all of them."""
    monkeypatch.setattr(store_replications, "_MOST", most)
    again = campaign(1, 470.0, checks=GATES, machine="m2", seed=1000)
    other = campaign(2, 480.0, checks=GATES, parameters={"batch_size": 32})

    engine = stored(tmp_path, machine("m2", OTHER), FIRST, again, other)
    with reading(engine) as connection:
        every = replications(connection)
        alone = {
            digest: replications_of(connection, digest, lambda _: {})[digest]
            for digest in every
        }

    assert alone == every
    assert {replication.replicated for replication in every.values()} == {True}
