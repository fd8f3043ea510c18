"""Outputs of llama-bench that are cut, joined, damaged or none at all."""

import json

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import llama_bench
from tests.foreign_files import (
    OURS,
    document,
    sample_folders,
    sample_id,
    taken,
    written,
)
from tests.llama_bench import RESULT, only


def test_without_samples_a_result_is_an_aggregate():
    run = only(samples_ns=[], stddev_ts=2.5)

    assert (run.run.label, run.end.values[0].uncertainty) == ("aggregate", 2.5)
    assert run.end.values[0].printed == "500.0"


def test_tokens_behind_a_prompt_that_nobody_timed():
    run = only(test="tg100@pp900", n_prompt=900, n_gen=100)

    assert run.run.workload == "llama-bench/llama 7B Q4_0/tg100@pp900"
    assert run.end.values[0].value == 500


def test_a_run_killed_while_it_wrote_keeps_its_whole_results():
    text = json.dumps([RESULT, RESULT], indent=1)[:-60]
    read = taken(llama_bench, written(text))

    assert len(read.runs) == 1
    assert "breaks off" in read.bad[0].reason


def test_a_broken_result_spares_the_others():
    doubled = json.dumps(RESULT)[:-1] + ', "n_gen": 1}'
    nan = json.dumps({**RESULT, "avg_ts": float("nan")})
    text = f"[{doubled},\n{nan},\n{json.dumps(RESULT)}, 7]"
    read = taken(llama_bench, written(text))

    assert len(read.runs) == 1
    assert ["n_gen" in read.bad[0].reason, read.bad[1].reason] == [
        True,
        "NaN is no JSON",
    ]
    assert (read.bad[2].number, read.bad[2].reason) == (3, "a result is no object")


def test_a_log_before_the_results_is_passed_over():
    text = "ggml_cuda_init: found 1 CUDA devices\n" + json.dumps([RESULT])

    assert len(taken(llama_bench, written(text)).runs) == 1


def test_one_result_over_many_lines_is_read():
    assert len(taken(llama_bench, written(json.dumps(RESULT, indent=2))).runs) == 1


def test_a_damaged_line_of_json_lines_spares_the_others():
    line = json.dumps(RESULT)
    read = taken(llama_bench, written(f"{line}\n{line[:-9]}\n{line}\n"))

    assert len(read.runs) == 2
    assert [bad.number for bad in read.bad] == [2]


def test_outputs_joined_to_one_csv_file_keep_their_own_columns():
    text = (OURS / "llama_bench.csv").read_text()
    older = (
        text.replace(",n_depth", "")
        .replace('"4096",', "")
        .replace('"0","2025', '"2025')
    )
    read = taken(llama_bench, written(text + older))

    assert len(read.runs) == 4
    assert read.runs[3].run.workload.endswith("/tg128")


def test_a_header_alone_is_no_result():
    header = (OURS / "llama_bench.csv").read_text().split("\n")[0]

    with pytest.raises(DocumentError, match="no result"):
        taken(llama_bench, written(header))


@pytest.mark.parametrize(
    "text",
    [
        "[{" * 100_000 + "avg_ts model_type n_prompt n_gen",
        '[{"avg_ts": ' + "[" * 10_000 + "model_type n_prompt n_gen",
        "INSERT INTO test 'avg_ts model_type n_prompt n_gen" + "'" * 99_999,
        "INSERT INTO test (avg_ts, model_type, n_prompt, n_gen) /* VALUES" * 3000,
        "INSERT INTO test -- avg_ts model_type n_prompt n_gen\n" + "[" * 50_000,
        'build_commit,avg_ts,model_type,n_prompt,n_gen\n"' + "a" * 200_000,
    ],
)
def test_hostile_text_is_refused_in_words(text):
    read = taken(llama_bench, written(text))

    assert not read.runs
    assert read.bad


@pytest.mark.parametrize(
    "path",
    [
        path
        for folder in sample_folders()
        for path in sorted(folder.iterdir())
        if not path.name.startswith("llama-bench")
    ],
    ids=sample_id,
)
def test_no_other_file_is_taken_for_one(path):
    assert not llama_bench.recognises(document(path))


def test_an_array_without_its_end_or_its_commas_keeps_what_is_whole():
    whole = json.dumps(RESULT)

    assert len(taken(llama_bench, written(f"[{whole}; {whole}]")).runs) == 1
    with pytest.raises(DocumentError, match="no result"):
        list(llama_bench.read(written("[\n]"), About()))


def test_a_commit_without_a_number_is_the_version():
    assert only(build_number=0).environment.framework_version == "a1b2c3d4"


def test_csv_that_is_none_from_a_line_on_is_named_there():
    text = (OURS / "llama_bench.csv").read_text()
    read = taken(llama_bench, written(text + '"a"b,1\n'))

    assert len(read.runs) == 2
    assert (read.bad[-1].number, "no CSV" in read.bad[-1].reason) == (5, True)


def test_a_column_that_stands_twice_is_refused():
    text = (OURS / "llama_bench.csv").read_text().replace("n_ubatch", "n_batch")
    read = taken(llama_bench, written(text))

    assert not read.runs
    assert read.bad[0].reason == "column 'n_batch' appears twice"


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("INSERT INTO other (a) VALUES (1)", "table 'other' is none of llama-bench"),
        (
            "INSERT INTO test VALUES (1)",
            "columns of table 'test' are named nowhere",
        ),
        ("INSERT INTO test (a) VALUES (now())", "'now' is no value written out"),
        ("INSERT INTO test (a) VALUES (1", "the statement breaks off"),
        ("INSERT INTO test (a) VALUES (1 2)", "'2' stands where , or ) should"),
        ("INSERT INTO test (a) VALUES (1) (2)", "'(' stands where , should"),
        ("INSERT INTO test (1) VALUES (1)", "'1' is no name of a column"),
        ("INSERT test (a) VALUES (1)", "no INTO after INSERT"),
        ("INSERT OR IGNORE INTO test (a) VALUES (1)", "model_type is missing"),
        ("REPLACE INTO test (model_type) VALUES ('x')", "n_prompt is missing"),
        ("CREATE INDEX i ON test (a); INSERT INTO test VALUES (1)", "named nowhere"),
    ],
)
def test_sql_that_is_not_plain_rows_is_refused(statement, why):
    text = (OURS / "llama_bench.sql").read_text()
    read = taken(llama_bench, written(f"{text}; /* odd */ {statement};"))

    assert len(read.runs) == 2
    assert why in read.bad[2].reason


def test_a_document_that_is_neither_is_refused_when_read_all_the_same():
    with pytest.raises(DocumentError, match="no results of llama-bench"):
        list(llama_bench.read(written("hello"), About()))


def test_bytes_that_are_no_text_are_not_recognised():
    assert not llama_bench.recognises(written(b"\0\xff"))
