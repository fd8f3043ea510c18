"""The parsers hold on every real output that was collected, file by file."""

import csv
import json
from pathlib import Path

import _parse_nvidia
import pytest
from _ask import NVIDIA_QUERY

from tests.capture_readers import read
from tests.shared_material import SHARED

CAPTURES = SHARED / "research" / "captures"
FACTS = json.loads(
    (Path(__file__).parent / "fixtures" / "capture_facts.json").read_text("utf-8")
)


def indexed():
    with (CAPTURES / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row["file"] for row in rows]


@pytest.mark.parametrize("name", indexed())
def test_a_capture_gives_the_facts_that_are_in_it(name):
    expected = FACTS[name]

    found = json.loads(json.dumps(read(CAPTURES, name)))

    assert {fact: found.get(fact) for fact in expected} == expected


def test_every_capture_has_facts_and_every_fact_its_capture():
    files = {
        path.relative_to(CAPTURES).as_posix()
        for path in CAPTURES.rglob("*")
        if path.is_file() and not path.name.startswith("INDEX")
    }

    assert set(FACTS) == files == set(indexed())


def test_every_capture_is_asked_for_at_least_one_fact():
    assert [name for name, facts in FACTS.items() if not facts] == []


def test_every_field_that_we_query_is_one_that_nvidia_smi_lists():
    listed = (CAPTURES / "nvidia" / "help-query-gpu.txt").read_text(encoding="utf-8")

    fields = _parse_nvidia.query_fields(listed)

    assert set(NVIDIA_QUERY.split(",")) <= fields
