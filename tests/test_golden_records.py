"""What documents come to, by the digests of their records, against the committed ones.

``make goldens`` writes them anew; what changes is then read like any other change.
"""

import pytest

from benchdb.exchange.reader import BadLine
from tests import golden_records
from tests.foreign_files import SAMPLES
from tests.golden_records import BESIDE, FOLDER, OURS, present, text


@pytest.mark.parametrize("name", present())
def test_the_digests_are_as_committed(name):
    committed = (FOLDER / name).read_text(encoding="utf-8")

    assert text(present()[name]()) == committed, "if this is meant, run: make goldens"


def test_there_is_a_file_for_each_group_and_no_other():
    assert {path.name for path in FOLDER.iterdir()} == {*OURS, *BESIDE}


@pytest.mark.parametrize("name", [*OURS, *BESIDE])
def test_the_lines_of_a_file_are_sorted_by_document_and_differ(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()

    documents = [line.partition(":")[0] for line in lines]
    assert documents == sorted(documents)
    assert len({*lines}) == len(lines) > 0


def test_a_document_without_results_has_no_digest():
    items = golden_records.sample_items(SAMPLES / "unknown_tool.json")

    assert golden_records.every_digest("a document", items) == []


def test_a_refused_result_has_no_digest():
    items = golden_records.sample_items(SAMPLES / "llama-bench.csv")

    assert {type(item) for item in items} == {BadLine}
    assert golden_records.record_digests(items) == []


def test_the_files_are_written_anew_as_they_are(tmp_path):
    golden_records.write(tmp_path)

    written = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert written == {
        name: (FOLDER / name).read_text(encoding="utf-8") for name in present()
    }
