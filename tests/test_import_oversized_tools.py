"""Files made to cost more than they weigh: refused before they do."""

import json

import pytest

from benchdb.importing.about import NOTHING
from benchdb.importing.document import DocumentError
from benchdb.importing.formats import FORMATS
from benchdb.importing.tools import (
    asv,
    google_benchmark,
    hyperfine,
)
from tests.foreign_files import taken, written

LARGE = "x" * 70_000
SHARED = {
    "pyperf": {
        "version": "1.0",
        "metadata": {"note": LARGE},
        "benchmarks": [{"runs": [{"values": [1]}]}],
    },
    "pytest-benchmark": {"machine_info": {"x": LARGE}, "benchmarks": []},
    "google-benchmark": {"context": {"num_cpus": 1, "x": LARGE}, "benchmarks": []},
    "asv": {"results": {}, "commit_hash": "c", "params": {"x": LARGE}},
}
MANY = {f"n{number}": number for number in range(300)}


@pytest.mark.parametrize("name", SHARED)
def test_what_all_records_share_is_of_modest_size(name):
    found = written(json.dumps(SHARED[name]))

    assert FORMATS[name].recognises(found)
    with pytest.raises(DocumentError, match="more than 64 KiB"):
        list(FORMATS[name].read(found, NOTHING))


@pytest.mark.parametrize(
    ("reader", "told", "why"),
    [
        (
            google_benchmark,
            {
                "context": {"num_cpus": 1},
                "benchmarks": [{"name": "x", "real_time": 1, "cpu_time": 1, **MANY}],
            },
            "300 counters",
        ),
        (
            asv,
            {"results": {"time_x": {"result": [1], **MANY}}, "commit_hash": "c"},
            "301 columns",
        ),
    ],
)
def test_a_result_is_not_told_apart_into_hundreds(reader, told, why):
    read = taken(reader, written(json.dumps(told)))

    assert [bad.reason[: len(why)] for bad in read.bad] == [why]
    assert read.runs == ()


def test_a_number_of_thousands_of_digits_is_none():
    text = '{"results": [{"command": "x", "times": [0.' + "1" * 5000 + "]}]}"
    (bad,) = taken(hyperfine, written(text)).bad

    assert bad.reason == "times[0] is printed with more than 400 characters"


@pytest.mark.parametrize("name", SHARED)
def test_what_is_no_json_cannot_be_read_as_a_format_of_it(name):
    with pytest.raises(DocumentError, match="no JSON"):
        list(FORMATS[name].read(written("{"), NOTHING))
