"""LocalScore: submissions as its program sends them."""

import json
import sqlite3
from contextlib import closing

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import NOTHING
from benchdb.importing.tools import localscore, sqlite_tables
from tests.foreign_files import (
    SAMPLES,
    document,
    sample_cases,
    sample_folders,
    taken,
    written,
)

SUBMISSION = SAMPLES / "localscore_submission.json"


def submission(**facts):
    """Return what is read of the sample's first test with these facts changed."""
    whole = json.loads(SUBMISSION.read_text())
    whole["results"] = [{**whole["results"][0], **facts}]
    return taken(localscore, written(json.dumps(whole)))


@pytest.mark.parametrize(
    ("path", "tests"), sample_cases(SUBMISSION.name, ours=(3,), shared=(9,))
)
def test_a_test_is_three_runs_and_four_averages_are_claims(path, tests):
    read = taken(localscore, document(path))

    assert (len(read.runs), len(read.bad), len(read.claims)) == (3 * tests, 0, 4)
    assert {run.run.label for run in read.runs} == {"aggregate"}
    source = read.runs[0].source
    assert source is not None
    assert "whole test" in source.protocol["tokens_per_joule"]
    assert sum(len(run.end.values) for run in read.runs) == tests * (3 + 2 + 2)


@pytest.mark.parametrize(
    ("path", "model", "seconds", "first_token", "prompt", "generation"),
    sample_cases(
        SUBMISSION.name,
        ours=(
            *("Llama 3.2 3B", 0.50025, "350.75"),
            *([19.936877, 3000.5], [0.666113, 100.25]),
        ),
        shared=(
            *("Llama 3.1 8B", 0.392924316, "250.672818"),
            *([14.830377, 4249.872075], [0.367393, 105.282166]),
        ),
    ),
)
def test_the_figures_are_in_our_units_with_their_characters(
    path, model, seconds, first_token, prompt, generation
):
    both, first, second = taken(localscore, document(path)).runs[:3]

    figures = {value.metric: value for value in both.end.values}
    whole = {"model": model, "quantization": "Q4_K_M", "test": "pp1024+tg16"}
    assert [record.run.workload for record in (both, first, second)] == [
        *("llm-generate", "llm-prefill", "llm-decode")
    ]
    lengths = ({"prompt_tokens": 1024}, {"generated_tokens": 16}, {"depth": 1024})
    for record, values in zip(
        (both, first, second),
        ({**lengths[0], **lengths[1]}, lengths[0], {**lengths[1], **lengths[2]}),
        strict=True,
    ):
        assert record.run.parameters.items() >= {**whole, **values}.items()
        assert record.run.parameters.keys() - {*whole, *values} == {"model_n_params"}
        assert record.run.setting == "localscore"
    assert figures["operation_seconds"].value == pytest.approx(seconds)
    assert figures["time_to_first_token_seconds"].printed == first_token
    assert figures["mean_power_watts"].locator == "/results/0/power_watts"
    assert [value.value for value in first.end.values] == prompt
    assert [value.value for value in second.end.values] == generation


@pytest.mark.parametrize(
    ("path", "processor", "cores", "gigabytes", "gpu", "kernel", "version"),
    sample_cases(
        SUBMISSION.name,
        ours=(
            *("Ryzen 9 5950X", 16, 62.75, "GeForce RTX 3060"),
            *("6.1.0-18-amd64", "0.9.2 (b7c6d5e)"),
        ),
        shared=(
            *("EPYC 7352", 24, 125.64, "GeForce RTX 3090"),
            *("6.8.0-52-generic", "0.9.1 (a30b324)"),
        ),
    ),
)
def test_the_machine_is_a_processor_with_a_card(
    path, processor, cores, gigabytes, gpu, kernel, version
):
    run = taken(localscore, document(path)).runs[0]

    chip = run.machine.chip
    assert (chip.vendor, chip.name, chip.cpu_cores) == ("AMD", processor, cores)
    assert chip.ram_bytes == round(gigabytes * 2**30)
    assert chip.accelerators[0].name == gpu
    assert (run.run.device, run.environment.kernel) == ("cuda", kernel)
    assert run.environment.framework_version == version
    assert run.run.missing["started"] == "not in the file"


@pytest.mark.parametrize(
    ("path", "score"),
    sample_cases(
        SUBMISSION.name, ours=("855.6229436583345",), shared=("1007.7311028205496",)
    ),
)
def test_the_averages_are_claims_that_come_true(path, score):
    claims = taken(localscore, document(path)).claims

    assert claims[3].claim.printed == score
    for claim in claims:
        assert claim.claim.recomputed == pytest.approx(claim.claim.value)


def test_a_part_of_which_nothing_was_measured_is_no_result():
    read = submission(prompt_tps=0, prompt_tps_watt=0)

    statuses = [(run.end.status, run.end.reason is None) for run in read.runs]
    assert statuses == [("ok", True), ("not-measured", False), ("ok", True)]


def test_an_unknown_runtime_leaves_the_device_open():
    whole = json.loads(SUBMISSION.read_text())
    whole["runtime_info"]["name"] = "other"
    run = taken(localscore, written(json.dumps(whole))).runs[0]

    assert run.run.device == "unknown"
    assert "NVIDIA" in run.run.missing["device"]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"gen_tps": -1}, "gen_tps is -1, less than nothing"),
        ({"gen_tps": "fast"}, "gen_tps is 'fast', no number"),
        ({"gen_tps": 1e300}, "which cannot be"),
        ({"model_name": None}, "model_name is missing"),
        ({"n_prompt": None}, "n_prompt is missing"),
        ({"name": "a\u202eb"}, "U+202E"),
    ],
)
def test_what_cannot_be_true_is_refused(facts, why):
    assert why in submission(**facts).bad[0].reason


@pytest.mark.parametrize(
    "results", [[], {}, "none", [1], [{"n_prompt": [[[]]]}]], ids=str
)
def test_results_of_another_shape_are_refused(results):
    whole = json.loads(SUBMISSION.read_text()) | {"results": results}
    read = taken(localscore, written(json.dumps(whole)))

    assert not read.runs
    assert read.bad


def test_other_json_is_no_submission():
    whole = json.loads(SUBMISSION.read_text())

    assert not localscore.recognises(written(json.dumps([whole, 1])))
    assert not localscore.recognises(written("7"))


def test_averages_that_are_not_there_are_no_claims():
    whole = json.loads(SUBMISSION.read_text()) | {"results_summary": {}}

    assert not taken(localscore, written(json.dumps(whole))).claims


DATABASE = SAMPLES / "localscore_db.sqlite"
FIRST_FOUR = (
    "DELETE FROM benchmark_runs WHERE id > 4;"
    "DELETE FROM test_results WHERE benchmark_run_id > 4;"
)


@pytest.fixture(scope="module")
def databases():
    """What is read of the database in each folder of samples, by the folder."""
    return {
        folder: taken(localscore, document(folder / DATABASE.name))
        for folder in sample_folders()
    }


def changed(*sql):
    """Return the sample database after *sql*."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(DATABASE.read_bytes())
        database.executescript("".join(sql))
        return written(database.serialize())


@pytest.mark.parametrize(
    ("path", "submissions", "tests", "arrived"),
    sample_cases(
        DATABASE.name,
        ours=(7, 2, "2025-04-05 06:01:07"),
        shared=(13, 9, "2025-03-19 21:50:27"),
    ),
)
def test_the_database_has_the_tests_of_its_submissions(
    databases, path, submissions, tests, arrived
):
    read = databases[path.parent]

    assert len(read.runs) == 3 * tests * submissions
    assert (len(read.bad), len(read.claims)) == (0, 4 * submissions)
    assert {run.run.device for run in read.runs} == {"cpu", "cuda", "metal", "rocm"}
    assert read.runs[0].run.started == arrived
    assert "created_at" in read.runs[0].run.basis["started"]


@pytest.mark.parametrize(
    ("path", "tests", "zeros"),
    sample_cases(DATABASE.name, ours=(14, 4), shared=(117, 27)),
)
def test_zero_watts_in_the_database_are_not_measured(databases, path, tests, zeros):
    powers = [
        value
        for run in databases[path.parent].runs
        for value in run.end.values
        if value.metric == "mean_power_watts"
    ]
    unknown = [value for value in powers if value.value is None]
    assert (len(powers), len(unknown)) == (tests, zeros)
    assert {value.printed for value in unknown} == {"0.0"}
    assert "not measured" in unknown[0].reason


@pytest.mark.parametrize(
    ("path", "chips"),
    sample_cases(
        DATABASE.name,
        ours=({("M2 Pro", 12, 19, ()), ("M3 Max", 16, 40, ())},),
        shared=({("M1 Pro", 10, 16, ()), ("M4 Max", 16, 40, ())},),
    ),
)
def test_the_cores_of_an_apple_chip_come_from_its_accelerator(databases, path, chips):
    metal = [run for run in databases[path.parent].runs if run.run.device == "metal"]

    apple = {item.machine.chip for item in metal}
    assert {(c.name, c.cpu_cores, c.gpu_cores, c.accelerators) for c in apple} == chips


@pytest.mark.parametrize(
    ("sql", "runs", "refused"),
    [
        (
            "DELETE FROM benchmark_runs WHERE id = 2",
            *(18, "2 tests of a run that is not in the database"),
        ),
        (
            "DELETE FROM accelerators WHERE id = 4",
            *(18, "accelerator_id 4 is not in accelerators"),
        ),
        ("DELETE FROM test_results", 0, "a run without tests"),
    ],
)
def test_what_lacks_its_other_half_is_named(sql, runs, refused):
    read = taken(localscore, changed(FIRST_FOUR, sql))

    assert len(read.runs) == runs
    assert {bad.reason for bad in read.bad} == {refused}
    assert all(bad.locator.startswith("/benchmark_runs/") for bad in read.bad)


def test_an_empty_database_says_so():
    with pytest.raises(DocumentError, match="no run"):
        taken(localscore, changed("DELETE FROM benchmark_runs"))


def test_a_damaged_database_is_refused_in_words():
    content = bytearray(DATABASE.read_bytes())
    content[8192:] = b"\xff" * len(content[8192:])

    with pytest.raises(DocumentError, match="no readable SQLite database"):
        list(localscore.read(written(bytes(content)), about=NOTHING))


ENDLESS = (
    "DROP TABLE runtimes; CREATE VIEW runtimes AS WITH RECURSIVE n(id) AS "
    "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n"
)


def test_half_a_database_an_endless_view_and_other_tables_are_no_submissions():
    half = written(DATABASE.read_bytes()[:5000])

    for item in (half, changed(ENDLESS), changed("DROP TABLE models")):
        assert not localscore.recognises(item)


def test_a_table_that_is_not_there_or_too_long_is_refused(monkeypatch):
    result = document(DATABASE)

    with pytest.raises(DocumentError, match="no table 'nothing'"):
        list(sqlite_tables.rows(result, "nothing"))
    monkeypatch.setattr(sqlite_tables, "ROWS", 13)
    with pytest.raises(DocumentError, match="more than 13 rows"):
        list(sqlite_tables.rows(result, "test_results"))
