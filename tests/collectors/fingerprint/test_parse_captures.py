"""The parsers hold on every output of a real tool, file by file."""

import csv
import json
import re

import pytest
from fingerprint.commands import NVIDIA_QUERY

from tests.collectors.capture_readers import READERS, pattern_of, read
from tests.collectors.captures import FACTS, OURS, matching, names

each_folder = pytest.mark.parametrize("folder", FACTS, ids=lambda f: f.parent.name)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        pytest.param(folder, name, id=f"{folder.parent.name}-{name}")
        for folder in FACTS
        for name in names(folder)
    ],
)
def test_a_capture_gives_the_facts_that_are_in_it(folder, name):
    expected = FACTS[folder][name]

    facts = json.loads(json.dumps(read(folder, name)))

    assert {fact: facts.get(fact) for fact in expected} == expected


@each_folder
def test_every_capture_has_facts_and_every_fact_its_capture(folder):
    assert set(FACTS[folder]) == set(names(folder))


@each_folder
def test_every_capture_is_asked_for_at_least_one_fact(folder):
    assert [name for name, facts in FACTS[folder].items() if not facts] == []


def test_an_index_lists_the_captures_of_its_folder():
    for index in matching("INDEX.tsv"):
        with index.open(encoding="utf-8", newline="") as table:
            rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
            listed = {row["file"] for row in rows}

        assert listed >= set(names(index.parent))


def test_every_reader_has_a_capture_of_ours():
    assert {pattern_of(name) for name in names(OURS)} == {p for p, _ in READERS}


@pytest.mark.parametrize(
    "path", matching("nvidia/help-query-gpu.txt"), ids=lambda p: p.parts[-4]
)
def test_every_field_that_we_query_is_one_that_nvidia_smi_lists(path):
    heads = re.findall(r"^\"[\w.]+\".*$", path.read_text("utf-8"), re.MULTILINE)
    fields = {name for head in heads for name in re.findall(r'"([\w.]+)"', head)}

    assert set(NVIDIA_QUERY.split(",")) <= fields
