"""Samples survive being packed, bit for bit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchdb.exchange.messages import Samples
from benchdb.exchange.packing import Series, joined, pack, unpack
from benchdb.exchange.writer import header, record_lines
from tests.exchange_lines import records

phases = st.sampled_from(["seed", "warmup", "measure", "step"])
times = st.lists(st.floats(allow_nan=False, allow_infinity=False)).map(tuple)
series = st.builds(Series, phases, st.integers(1, 10**6), times)


@given(st.lists(series).map(tuple))
def test_unpacking_gives_back_what_was_packed(some):
    assert unpack(pack(some)) == some


def test_packed_samples_cut_short_are_an_error_not_fewer_samples():
    packed = pack([Series("measure", 1, (1.0, 2.0))])

    with pytest.raises(ValueError, match="damaged"):
        unpack(packed[:-1])


def test_adjacent_lines_of_one_phase_are_one_series():
    lines = [
        Samples(run="r", phase="warmup", values=(1.0,)),
        Samples(run="r", phase="measure", per=2, values=(2.0,)),
        Samples(run="r", phase="measure", per=2, values=(3.0,)),
        Samples(run="r", phase="measure", per=4, values=(4.0,)),
    ]

    assert joined(lines) == (
        Series("warmup", 1, (1.0,)),
        Series("measure", 2, (2.0, 3.0)),
        Series("measure", 4, (4.0,)),
    )


def test_lines_without_samples_leave_no_trace():
    lines = [
        Samples(run="r", phase="measure", values=(1.0,)),
        Samples(run="r", phase="warmup", values=()),
        Samples(run="r", phase="measure", values=(2.0,)),
    ]

    assert joined(lines) == (Series("measure", 1, (1.0, 2.0)),)


def test_a_long_series_is_written_in_parts_and_read_as_one(two_runs):
    record, _ = records(two_runs.read_bytes())
    times = tuple(number / 7 for number in range(250_001))
    long = replace(record, series=(*record.series, Series("step", 2, times)))

    written = b"".join([header(), *record_lines([long])])
    (again,) = records(written)
    lines = [json.loads(line) for line in written.splitlines()]
    steps = [line["values"] for line in lines if line.get("phase") == "step"]

    assert [*map(len, steps)] == [100_000, 100_000, 50_001]
    assert max(map(len, written.splitlines())) < 2**22
    assert (again.series, again.digest) == (long.series, long.digest)
    assert b"".join([header(), *record_lines([again])]) == written
