"""Sessions: what ran on one boot of a machine without a long pause."""

import pytest

from benchdb.sessions import Process, Session, sessions

QUIET = {"load_1m": 0.4, "cpu_count_usable": 8}
BUSY = {"load_1m": 8.0, "cpu_count_usable": 8}


def process(digest, started, ended=None, campaign="monday", machine="m", **before):
    day = "2026-03-02T"
    return Process(
        digest,
        machine,
        campaign,
        started and f"{day}{started}:00+00:00",
        ended and f"{day}{ended}:00+00:00",
        before or QUIET,
    )


def names(*processes):
    found = sessions(processes)
    return [found[one.digest].name for one in processes]


def test_runs_without_a_long_pause_are_one_session():
    assert names(
        process("a", "10:00", "10:10"),
        process("b", "10:39", "10:50"),
        process("c", "11:20", "11:30"),
    ) == ["a", "a", "a"]


def test_a_pause_of_more_than_half_an_hour_begins_another():
    assert names(
        process("a", "10:00", "10:10"),
        process("b", "10:41", "10:50"),
    ) == ["a", "b"]


def test_the_pause_counts_from_the_last_end_of_runs_beside_each_other():
    assert names(
        process("a", "10:00", "11:00"),
        process("b", "10:05", "10:10"),
        process("c", "11:20", "11:25"),
    ) == ["a", "a", "a"]


def test_another_boot_begins_another():
    assert names(
        process("a", "10:00", "10:05", uptime_seconds=36_000),
        process("b", "10:06", "10:10", uptime_seconds=36_360),
        process("c", "10:12", "10:15", uptime_seconds=40),
    ) == ["a", "a", "c"]


def test_campaigns_and_machines_share_no_session():
    assert names(
        process("a", "10:00"),
        process("b", "10:00", campaign="tuesday"),
        process("c", "10:00", machine="other"),
    ) == ["a", "b", "c"]


def test_a_run_without_a_campaign_is_one_by_itself():
    assert names(
        process("a", "10:00", campaign=None), process("b", "10:01", campaign=None)
    ) == ["a", "b"]


def test_runs_of_a_campaign_that_tells_no_time_are_together():
    first, second = names(process("a", None), process("b", None))

    assert first == second


def test_machines_share_no_session_where_a_campaign_tells_no_time():
    first, second = names(process("a", None), process("b", None, machine="other"))

    assert first != second


@pytest.mark.parametrize("started", ["yesterday", "0001-01-01T00:00:00", "9999-12-31"])
def test_a_strange_time_of_a_stranger_is_no_error(started):
    made = [
        Process(digest, "m", "c", started, started, {"uptime_seconds": 1e9})
        for digest in "ab"
    ]

    assert set(sessions(made)) == {"a", "b"}


def test_the_load_is_what_the_first_of_a_row_of_runs_met():
    found = sessions(
        [
            process("a", "10:00", "10:05"),
            process("b", "10:06", "10:10", **BUSY),
            process("c", "10:20", "10:25", **BUSY),
        ]
    )

    assert [found[name].load for name in "abc"] == [0.05, 0.05, 1.0]
    assert [found[name].state for name in "abc"] == ["quiet", "quiet", "busy 2"]
    assert Session("d", None).state == ""
