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
    result = sessions(processes)
    return [result[item.digest].name for item in processes]


@pytest.mark.parametrize(
    ("processes", "expected"),
    [
        ([("10:00", "10:10"), ("10:39", "10:50"), ("11:20", "11:30")], ["a", "a", "a"]),
        ([("10:00", "10:10"), ("10:41", "10:50")], ["a", "b"]),  # a long pause
        # It counts from the last end of runs beside each other.
        ([("10:00", "11:00"), ("10:05", "10:10"), ("11:20", "11:25")], ["a", "a", "a"]),
    ],
)
def test_a_pause_of_more_than_half_an_hour_begins_another(processes, expected):
    runs = [
        process(name, *result) for name, result in zip("abc", processes, strict=False)
    ]

    assert names(*runs) == expected


def test_another_boot_begins_another():
    assert names(
        process("a", "10:00", "10:05", uptime_seconds=36_000),
        process("b", "10:06", "10:10", uptime_seconds=36_360),
        process("c", "10:12", "10:15", uptime_seconds=40),
    ) == ["a", "a", "c"]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ({}, {"campaign": "tuesday"}, False),
        ({}, {"machine": "other"}, False),
        # Without a campaign a run is one by itself.
        ({"campaign": None}, {"campaign": None}, False),
        # Those of a campaign that tells no time are together on a machine.
        ({"started": None}, {"started": None}, True),
        ({"started": None}, {"started": None, "machine": "other"}, False),
    ],
)
def test_a_session_is_of_one_campaign_and_machine(first, second, together):
    runs = [
        process(name, **{"started": "10:00", **facts})
        for name, facts in (("a", first), ("b", second))
    ]

    assert (len(set(names(*runs))) == 1) is together


@pytest.mark.parametrize("started", ["yesterday", "0001-01-01T00:00:00", "9999-12-31"])
def test_a_strange_time_of_a_stranger_is_no_error(started):
    made = [
        Process(digest, "m", "c", started, started, {"uptime_seconds": 1e9})
        for digest in "ab"
    ]

    assert set(sessions(made)) == {"a", "b"}


def test_the_load_is_what_the_first_of_a_row_of_runs_met():
    result = sessions(
        [
            process("a", "10:00", "10:05"),
            process("b", "10:06", "10:10", **BUSY),
            process("c", "10:20", "10:25", **BUSY),
        ]
    )

    assert [result[name].load for name in "abc"] == [0.05, 0.05, 1.0]
    assert [result[name].state for name in "abc"] == ["quiet", "quiet", "busy 2"]
    assert Session("d", None).state == ""
