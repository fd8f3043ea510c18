"""Every sample of the reference material, and what it comes to, counted by hand."""

import io
from functools import cache

import pytest

from benchdb.catalogue import metrics
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.exchange.writer import header, record_lines, source_line
from benchdb.importing.about import NOTHING
from benchdb.importing.document import DocumentError
from benchdb.importing.formats import FORMATS
from benchdb.importing.intake import intake
from tests.foreign_files import SAMPLES, document, taken

# file: format, runs, figures that are there, refused records, labels, units of figures
HELD = {
    # 4 rows of 9 figures; of one row the time to load is 0, which is not measured.
    "anubis_leaderboard_submissions.sql": (
        *("anubis", 4, 35, 0),
        *({"aggregate"}, {"1/s", "s", "B", "W", "1/J"}),
    ),
    "apple_silicon_llm_bench_raw.json": (
        *("apple-silicon-llm-bench", 2, 2, 0),
        *({"imported"}, {"1/s"}),
    ),
    "asv_result_v1_example.json": ("asv", 24, 19, 0, {"aggregate"}, {"s", "1"}),
    "asv_result_v2_rich_mbp.json": ("asv", 30, 27, 0, {"aggregate"}, {"s"}),
    "google_benchmark_macbook_m2max.json": (
        *("google-benchmark", 2, 4, 0),
        *({"imported"}, {"s"}),
    ),
    "google_benchmark_test1_run1.json": (
        *("google-benchmark", 14, 28, 0),
        *({"imported"}, {"s"}),
    ),
    "google_benchmark_test3_run0.json": (
        *("google-benchmark", 5, 10, 0),
        *({"imported", "aggregate"}, {"s"}),
    ),
    "hyperfine_two.json": ("hyperfine", 2, 6, 0, {"imported"}, {"s"}),
    "llama-bench-2025.json": ("llama-bench", 2, 2, 0, {"imported"}, {"1/s"}),
    "llama-bench.json": ("llama-bench", 2, 2, 0, {"imported"}, {"1/s"}),
    "llama-bench.jsonl": ("llama-bench", 2, 2, 0, {"imported"}, {"1/s"}),
    "llama-bench.md": ("llama-bench-table", 2, 2, 0, {"aggregate"}, {"1/s"}),
    # A column has no name in these two: 27 values stand under 26 of them.
    "llama-bench.csv": ("llama-bench", 0, 0, 2, set(), set()),
    "llama-bench.sql": ("llama-bench", 0, 0, 2, set(), set()),
    # 117 tests, each a prompt, a generation and both.
    "localscore_db.sqlite": (
        *("localscore", 351, 738, 0),
        *({"aggregate"}, {"1/s", "1/J", "W", "s"}),
    ),
    "localscore_submission.json": (
        *("localscore", 27, 63, 0),
        *({"aggregate"}, {"1/s", "1/J", "W", "s"}),
    ),
    "mlperf_inference_log_summary.txt": (
        *("mlperf-inference", 1, 5, 0),
        *({"aggregate"}, {"1/s", "s"}),
    ),
    "mlperf_training_result_0.mllog.txt": (
        *("mlperf-training", 1, 2, 0),
        *({"imported"}, {"s", "1"}),
    ),
    "pyperf_telco.json": ("pyperf", 1, 1, 0, {"imported"}, {"s"}),
    "pyperf_track_memory.json": ("pyperf", 1, 1, 0, {"imported"}, {"B"}),
    "pytest_benchmark_2015.json": (
        *("pytest-benchmark", 1, 1, 0),
        *({"aggregate"}, {"s"}),
    ),
    "pytest_benchmark_two.json": (
        *("pytest-benchmark", 2, 4, 0),
        *({"aggregate"}, {"s", "1/s"}),
    ),
}
EMPTY = {
    "asv_machine.json": ("asv", "a machine"),
    "asv_machine_rich_mbp.json": ("asv", "a machine"),
    "mlperf_client_OutputResultsSchema.json": ("mlperf-description", "JSON schema"),
    "mlperf_inference_log_detail_head.txt": ("mlperf-inference", "log_summary"),
    "mlperf_system_desc.json": ("mlperf-description", "without results"),
}
# What is answered to each; all but the first are of tools that are not read.
_UNKNOWN = "no format that benchdb knows, and no table"
_NO_MAP = "a table, but no map says what the columns mean"
NO_FORMAT = {
    "README.md": _NO_MAP,
    "bencher_bmf.json": _UNKNOWN,
    "clickbench_duckdb_c6a.2xlarge.json": _UNKNOWN,
    "conbench_benchmark_result_POST.json": _UNKNOWN,
    "conbench_benchmark_results_GET.json": _UNKNOWN,
    "dawnbench_entry.json": _UNKNOWN,
    "dawnbench_entry.tsv": _NO_MAP,
    "jsfb_results_first3.json": _UNKNOWN,
    "kenn-io_benchdb_minimal_result.json": _UNKNOWN,
    "lnt_report_v2.json": _UNKNOWN,
    "phoronix_composite_fragment.xml": _UNKNOWN,
    "phoronix_result-file.xsd": _UNKNOWN,
}


@cache
def sample(name):
    return taken(FORMATS[HELD[name][0]], document(SAMPLES / name))


def knowing(name):
    found = document(SAMPLES / name)
    return [known for known, one in FORMATS.items() if one.recognises(found)]


@pytest.mark.parametrize("name", HELD)
def test_a_sample_comes_to_what_stands_in_it(name):
    _, runs, figures, bad, labels, units = HELD[name]
    found = sample(name)

    told = [value for run in found.runs for value in run.end.values]
    there = [value for value in told if value.value is not None]
    assert (len(found.runs), len(there), len(found.bad)) == (runs, figures, bad)
    assert {run.run.label for run in found.runs} == labels
    assert {metrics()[value.metric].unit for value in there} == units


@pytest.mark.parametrize("name", EMPTY)
def test_a_sample_without_results_says_why(name):
    tool, why = EMPTY[name]

    with pytest.raises(DocumentError, match=why):
        list(FORMATS[tool].read(document(SAMPLES / name), NOTHING))


@pytest.mark.parametrize("name", [*HELD, *EMPTY])
def test_one_format_knows_a_sample_and_no_other_does(name):
    expected = HELD[name][0] if name in HELD else EMPTY[name][0]

    assert knowing(name) == [expected]


@pytest.mark.parametrize("name", NO_FORMAT)
def test_no_format_claims_a_sample_of_none(name):
    assert knowing(name) == []


@pytest.mark.parametrize("name", NO_FORMAT)
def test_a_sample_of_no_format_is_refused_in_one_line_that_says_why(name):
    with (SAMPLES / name).open("rb") as stream, pytest.raises(DocumentError) as error:
        intake(stream, name)

    assert str(error.value).startswith(NO_FORMAT[name])
    assert "\n" not in str(error.value)


def test_no_sample_is_forgotten():
    assert {path.name for path in SAMPLES.iterdir()} == {*HELD, *EMPTY, *NO_FORMAT}


@pytest.mark.parametrize("name", HELD)
def test_every_figure_says_where_it_stands_and_how_it_came_about(name):
    for run in sample(name).runs:
        assert run.run.locator
        for value in run.end.values:
            assert value.reason or value.printed or value.derived
            assert value.reason or value.locator


@pytest.mark.parametrize("name", sorted({*HELD} - {"localscore_db.sqlite"}))
def test_the_same_document_gives_the_same_digests(name):
    again = taken(FORMATS[HELD[name][0]], document(SAMPLES / name))

    digests = [run.digest for run in again.runs]
    assert digests == [run.digest for run in sample(name).runs]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("name", sorted({*HELD} - {"localscore_db.sqlite"}))
def test_what_is_exported_again_is_the_same(name):
    runs = sample(name).runs
    sources = {source_line(run.source) for run in runs}
    exported = b"".join((header(), *sources, *record_lines(runs)))
    again = [one for one in read(io.BytesIO(exported)) if isinstance(one, Record)]

    assert sorted(run.digest for run in again) == sorted(run.digest for run in runs)
