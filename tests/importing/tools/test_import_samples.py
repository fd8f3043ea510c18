"""Every sample, ours and the shared ones, and what it comes to, counted by hand."""

import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from benchdb.catalogue import metrics
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.exchange.writer import header, record_lines, source_line
from benchdb.importing.document import DocumentError
from benchdb.importing.formats import FORMATS
from benchdb.importing.intake import intake
from tests.foreign_files import (
    SAMPLES,
    SHARED_SAMPLES,
    Read,
    document,
    sample_folders,
    sample_id,
    sample_paths,
    taken,
)


@dataclass(frozen=True)
class Held:
    """What a sample holds; of each folder: runs, figures that are there, refusals."""

    tool: str
    labels: set[str]
    units: set[str]
    ours: tuple[int, int, int]
    shared: tuple[int, int, int] | None = None  # where there is no such file


LOCALSCORE = ("localscore", {"aggregate"}, {"1/s", "1/J", "W", "s"})
LLAMA_BENCH = ("llama-bench", {"imported"}, {"1/s"})
HELD = {
    "apple_silicon_llm_bench_raw.json": Held(
        *("apple-silicon-llm-bench", {"imported"}, {"1/s"}), *((2, 2, 0), (2, 2, 0))
    ),
    "hyperfine_two.json": Held(
        *("hyperfine", {"imported"}, {"s"}), *((2, 6, 0), (2, 6, 0))
    ),
    "llama-bench-2025.json": Held(*LLAMA_BENCH, (2, 2, 0), (2, 2, 0)),
    "llama-bench.json": Held(*LLAMA_BENCH, (2, 2, 0), (2, 2, 0)),
    "llama-bench.jsonl": Held(*LLAMA_BENCH, (2, 2, 0), (2, 2, 0)),
    "llama-bench.md": Held(
        *("llama-bench-table", {"aggregate"}, {"1/s"}), *((2, 2, 0), (2, 2, 0))
    ),
    # A column has no name in these two: 27 values stand under 26 of them.
    "llama-bench.csv": Held("llama-bench", set(), set(), (0, 0, 2), (0, 0, 2)),
    "llama-bench.sql": Held("llama-bench", set(), set(), (0, 0, 2), (0, 0, 2)),
    # A test is a prompt, a generation and both, with 7 figures; 3 need its watts. Of
    # our 14 tests 4 have none, of the 117 shared ones 27.
    "localscore_db.sqlite": Held(*LOCALSCORE, (42, 86, 0), (351, 738, 0)),
    "localscore_submission.json": Held(*LOCALSCORE, (9, 21, 0), (27, 63, 0)),
    "pytest_benchmark_2015.json": Held(
        *("pytest-benchmark", {"aggregate"}, {"s"}), *((1, 1, 0), (1, 1, 0))
    ),
    "pytest_benchmark_two.json": Held(
        *("pytest-benchmark", {"aggregate"}, {"s", "1/s"}), *((2, 4, 0), (2, 4, 0))
    ),
}
# What is answered to each; all but the first are of tools that are not read.
_UNKNOWN = "no format that benchdb knows, and no table"
_NO_MAP = "a table, but no map says what the columns mean"
NO_FORMAT = {
    SAMPLES: {"README.md": _NO_MAP, "unknown_tool.json": _UNKNOWN},
    SHARED_SAMPLES: {
        "README.md": _NO_MAP,
        "anubis_leaderboard_submissions.sql": _UNKNOWN,
        "asv_machine.json": _UNKNOWN,
        "asv_machine_rich_mbp.json": _UNKNOWN,
        "asv_result_v1_example.json": _UNKNOWN,
        "asv_result_v2_rich_mbp.json": _UNKNOWN,
        "bencher_bmf.json": _UNKNOWN,
        "clickbench_duckdb_c6a.2xlarge.json": _UNKNOWN,
        "conbench_benchmark_result_POST.json": _UNKNOWN,
        "conbench_benchmark_results_GET.json": _UNKNOWN,
        "dawnbench_entry.json": _UNKNOWN,
        "dawnbench_entry.tsv": _NO_MAP,
        "google_benchmark_macbook_m2max.json": _UNKNOWN,
        "google_benchmark_test1_run1.json": _UNKNOWN,
        "google_benchmark_test3_run0.json": _UNKNOWN,
        "jsfb_results_first3.json": _UNKNOWN,
        "kenn-io_benchdb_minimal_result.json": _UNKNOWN,
        "lnt_report_v2.json": _UNKNOWN,
        "mlperf_client_OutputResultsSchema.json": _UNKNOWN,
        "mlperf_inference_log_detail_head.txt": _UNKNOWN,
        "mlperf_inference_log_summary.txt": _UNKNOWN,
        "mlperf_system_desc.json": _UNKNOWN,
        "mlperf_training_result_0.mllog.txt": _UNKNOWN,
        "phoronix_composite_fragment.xml": _UNKNOWN,
        "phoronix_result-file.xsd": _UNKNOWN,
        "pyperf_telco.json": _UNKNOWN,
        "pyperf_track_memory.json": _UNKNOWN,
    },
}


# The shared database is too long for what is asked of each record again.
SHORT = [
    path
    for path in sample_paths(HELD)
    if path != SHARED_SAMPLES / "localscore_db.sqlite"
]
OF_NO_FORMAT = {
    folder / name: why
    for folder in sample_folders()
    for name, why in NO_FORMAT[folder].items()
}


@cache
def sample(path: Path) -> Read:
    return taken(FORMATS[HELD[path.name].tool], document(path))


def knowing(path):
    result = document(path)
    return [known for known, outcome in FORMATS.items() if outcome.recognises(result)]


@pytest.mark.parametrize("path", sample_paths(HELD), ids=sample_id)
def test_a_sample_comes_to_what_stands_in_it(path):
    expected = HELD[path.name]
    result = sample(path)

    values = [value for run in result.runs for value in run.end.values]
    there = [value for value in values if value.value is not None]
    counts = (len(result.runs), len(there), len(result.bad))
    assert counts == (expected.ours if path.parent == SAMPLES else expected.shared)
    assert {run.run.label for run in result.runs} == expected.labels
    assert {metrics()[value.metric].unit for value in there} == expected.units


@pytest.mark.parametrize("path", sample_paths(HELD), ids=sample_id)
def test_one_format_knows_a_sample_and_no_other_does(path):
    assert knowing(path) == [HELD[path.name].tool]


@pytest.mark.parametrize("path", OF_NO_FORMAT, ids=sample_id)
def test_no_format_claims_a_sample_of_none(path):
    assert knowing(path) == []


@pytest.mark.parametrize("path", OF_NO_FORMAT, ids=sample_id)
def test_a_sample_of_no_format_is_refused_in_one_line_that_says_why(path):
    with path.open("rb") as stream, pytest.raises(DocumentError) as error:
        intake(stream, path.name)

    assert str(error.value).startswith(OF_NO_FORMAT[path])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("folder", sample_folders(), ids=lambda folder: folder.name)
def test_no_sample_is_forgotten(folder):
    there = {path.name for path in folder.iterdir()}

    assert there - {*HELD, *NO_FORMAT[folder]} == set()


@pytest.mark.parametrize("path", sample_paths(HELD), ids=sample_id)
def test_every_figure_says_where_it_stands_and_how_it_came_about(path):
    for run in sample(path).runs:
        assert run.run.locator
        for value in run.end.values:
            assert value.reason or value.printed or value.derived
            assert value.reason or value.locator


@pytest.mark.parametrize("path", SHORT, ids=sample_id)
def test_the_same_document_gives_the_same_digests(path):
    again = taken(FORMATS[HELD[path.name].tool], document(path))

    digests = [run.digest for run in again.runs]
    assert digests == [run.digest for run in sample(path).runs]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("path", SHORT, ids=sample_id)
def test_what_is_exported_again_is_the_same(path):
    runs = sample(path).runs
    sources = {source_line(run.source) for run in runs if run.source}
    exported = b"".join((header(), *sources, *record_lines(runs)))
    again = [
        record for record in read(io.BytesIO(exported)) if isinstance(record, Record)
    ]

    assert sorted(run.digest for run in again) == sorted(run.digest for run in runs)
