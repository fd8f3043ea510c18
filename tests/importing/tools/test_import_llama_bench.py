"""llama-bench in each of its formats: the same result, whatever it is written in."""

import json

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import llama_bench
from tests.foreign_files import OURS, SAMPLES, document, sample_cases, taken, written
from tests.importing.tools.llama_bench import RESULT, cell, only, refusal, sample

OF_2023 = {
    "ours": ("llama 3B", (0.4, 0.41, 0.405, 0.395, 0.415)),
    "shared": (
        "llama 7B",
        (0.213837238, 0.211635853, 0.212328053, 0.211329715, 0.212698907),
    ),
}


@pytest.mark.parametrize(
    ("path", "model", "seconds"),
    [
        *sample_cases("llama-bench.json", **OF_2023),
        *sample_cases("llama-bench.jsonl", **OF_2023),
    ],
)
def test_the_samples_of_2023_are_kept_in_seconds(path, model, seconds):
    read = sample(path)

    pp, tg = read.runs
    assert not read.bad
    assert cell(pp) == {
        "work": "llm-prefill",
        "model": model,
        "quantization": "Q4_0",
        "prompt_tokens": 512,
    }
    assert cell(tg) == {
        "work": "llm-decode",
        "model": model,
        "quantization": "Q4_0",
        "generated_tokens": 128,
    }
    assert (pp.run.setting, tg.run.setting) == ("llama-bench", "llama-bench")
    assert [item.phase for item in pp.series] == ["measure"]
    assert pp.series[0].values == pytest.approx(seconds)
    assert len(tg.series[0].values) == 5


@pytest.mark.parametrize(
    ("path", "prompt", "generation"),
    sample_cases(
        "llama-bench-2025.json", ours=(0.128, 1.6), shared=(0.0717452, 1.0753613)
    ),
)
def test_the_value_is_the_median_of_the_samples_and_says_so(path, prompt, generation):
    pp, tg = sample(path).runs

    (value,) = pp.end.values
    assert value.metric == "tokens_per_second"
    assert value.value == pytest.approx(512 / prompt)
    assert value.derived == "512 tokens over the median of 5 samples"
    assert value.locator == "/0/samples_ns"
    assert tg.end.values[0].value == pytest.approx(128 / generation)
    assert pp.run.label == "imported"


@pytest.mark.parametrize(
    ("path", "processor", "gpu", "build", "started"),
    sample_cases(
        "llama-bench.json",
        ours=(
            *("Core i5-12600K", "GeForce RTX 3060"),
            *("1300 (1f2e3d4)", "2023-10-02T08:15:30Z"),
        ),
        shared=(
            *("Core i9-13900K", "GeForce RTX 3090 Ti"),
            *("1275 (3469684)", "2023-09-23T12:09:57Z"),
        ),
    ),
)
def test_where_it_ran_is_told_by_the_columns(path, processor, gpu, build, started):
    pp, _ = sample(path).runs

    chip = pp.machine.chip
    assert (chip.vendor, chip.name) == ("Intel", processor)
    assert [(card.vendor, card.name) for card in chip.accelerators] == [("NVIDIA", gpu)]
    assert pp.run.device == "cuda"
    assert pp.environment.framework_version == build
    assert pp.run.started == started


@pytest.mark.parametrize("path", sample_cases("llama-bench-2025.json"))
def test_every_column_without_a_place_of_its_own_is_a_parameter(path):
    pp, _ = sample(path).runs

    placed = 17  # build, machine, time, figures, work, back ends, the file's name
    columns = json.loads(path.read_text(encoding="utf-8"))[0]
    result = cell(pp).keys() - {"work"}
    assert len(pp.run.parameters) == len(columns) - placed + len(result)
    assert pp.run.parameters["flash_attn"] == -1
    assert pp.run.parameters["quantization"] == "Q4_K_M"
    assert pp.run.conditions["backends"] == columns["backends"]


def test_a_column_that_nobody_knows_yet_tells_runs_apart():
    assert only(warp_drive="on").digest != only(warp_drive="off").digest


def test_true_is_the_1_that_other_formats_print():
    assert only(flash_attn=True).run.parameters["flash_attn"] == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        *sample_cases("llama-bench.csv", ours=(2,), shared=(2,)),
        *sample_cases("llama-bench.sql", ours=(30,), shared=(30,)),
    ],
)
def test_27_values_under_26_columns_are_quarantined_and_never_shifted(path, line):
    read = sample(path)

    assert not read.runs
    assert [bad.number for bad in read.bad] == [line, line + 1]
    assert "27 values under 26 columns" in read.bad[0].reason
    assert "opencl" in read.bad[0].reason


@pytest.mark.parametrize(
    ("path", "rate", "deviation"),
    sample_cases(
        "llama-bench.csv", ours=("1261.083744", 0.48), shared=("2413.341687", 0.371342)
    ),
)
def test_csv_with_the_missing_name_put_back_is_read(path, rate, deviation):
    text = path.read_text(encoding="utf-8").replace("cuda,", "cuda,opencl,", 1)
    pp, tg = taken(llama_bench, written(text)).runs

    assert (pp.end.values[0].value, pp.end.values[0].printed) == (float(rate), rate)
    assert tg.end.values[0].uncertainty == deviation
    assert (pp.run.label, pp.series) == ("aggregate", ())
    assert pp.end.values[0].locator == "line 2, column avg_ts"


def test_csv_has_averages_only_and_a_negative_one_is_refused():
    read = taken(llama_bench, document(OURS / "llama_bench.csv"))

    pp, tg = read.runs
    assert cell(tg) == {
        "work": "llm-decode",
        "model": "llama 1B",
        "quantization": "Q8_0",
        "generated_tokens": 128,
        "depth": 4096,
    }
    assert (pp.end.values[0].uncertainty, tg.end.values[0].uncertainty) == (7.8, None)
    assert [(bad.number, bad.reason) for bad in read.bad] == [
        (4, "avg_ts is -50.000000, less than nothing")
    ]


def test_a_mac_is_its_chip_and_no_discrete_gpu():
    pp, _ = taken(llama_bench, document(OURS / "llama_bench.csv")).runs

    chip = pp.machine.chip
    assert (chip.vendor, chip.name, chip.accelerators) == ("Apple", "M2 Max", ())
    assert pp.run.device == "metal"


def test_the_display_of_a_server_is_no_accelerator():
    assert only(gpu_info="ASPEED").machine.chip.accelerators == ()


def test_folders_of_the_author_are_not_kept():
    pp, _ = taken(llama_bench, document(OURS / "llama_bench.csv")).runs

    assert pp.run.conditions["model_filename"] == "small.gguf"
    windows = only(model_filename=r"C:\Users\somebody\tiny.gguf").run.conditions
    assert windows == {"model_filename": "tiny.gguf", "backends": "CUDA"}


def test_sql_is_read_as_text():
    read = taken(llama_bench, document(OURS / "llama_bench.sql"))

    pp, tg = read.runs
    assert pp.machine.chip.name == "Rock'n'roll 9"
    assert pp.machine.chip.accelerators[0].count == 2
    assert [run.end.values[0].value for run in read.runs] == [9000.5, 12.5]
    assert tg.run.device == "cpu"
    assert [bad.reason for bad in read.bad] == [
        "2 values under 12 columns",
        "no row as the tool writes it: INSERT INTO test (columns) VALUES (…);",
    ]


@pytest.mark.parametrize(
    ("facts", "device"),
    [
        ({"backends": "CUDA"}, "cuda"),
        ({"backends": "Metal,BLAS"}, "metal"),
        ({"backends": "Vulkan,RPC"}, "vulkan"),
        ({"backends": "ROCm"}, "rocm"),
        ({"backends": "SYCL"}, "sycl"),
        ({"backends": "OpenCL"}, "opencl"),
        ({"backends": "BLAS"}, "cpu"),
        ({"backends": "CPU"}, "cpu"),
        ({"backends": "CUDA,Vulkan"}, "unknown"),
        ({"backends": "CUDA,Vulkan", "devices": "Vulkan0"}, "vulkan"),
        ({"backends": "CUDA", "devices": "none"}, "cpu"),
        ({"backends": "Warp"}, "unknown"),
        (
            {"backends": None, "cuda": True, "gpu_info": "AMD Radeon RX 7900 XTX"},
            "rocm",
        ),
        ({"backends": None, "metal": 1, "gpu_blas": 1, "blas": 1}, "metal"),
        ({"backends": None, "gpu_blas": 1}, "unknown"),
        ({"backends": None, "blas": 0}, "cpu"),
        ({"backends": None}, "unknown"),
    ],
)
def test_the_device_follows_from_the_backends(facts, device):
    run = only(**facts).run

    assert run.device == device
    assert "device" in (run.missing if device == "unknown" else run.basis)


def test_no_layer_on_the_gpu_is_the_cpu_and_says_what_is_known():
    run = only(n_gpu_layers=0).run

    assert run.device == "cpu"
    assert run.basis["device"] == "n_gpu_layers is 0: no layer on the GPU of CUDA"


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"avg_ts": "fast"}, "avg_ts is 'fast', no number"),
        ({"avg_ts": 501.0}, "avg_ts is 501.0, but 100 tokens"),
        ({"avg_ts": None}, "avg_ts is missing"),
        ({"samples_ns": "5"}, "samples_ns is '5', no list"),
        ({"samples_ns": [1, -1]}, "samples_ns[1] is -1, less than nothing"),
        ({"samples_ns": [10**30]}, "which cannot be"),
        ({"n_prompt": 0}, "n_prompt and n_gen are both 0"),
        ({"n_prompt": 1.5}, "not a whole number"),
        ({"n_prompt": True}, "n_prompt is True, no number"),
        ({"model_type": None}, "model_type is missing"),
        ({"model_type": ["x"]}, "not text"),
        ({"test_time": "soon"}, "'soon' is no date"),
        ({"test_time": "2999-01-01"}, "has not come yet"),
        ({"model_type": "a\u202eb"}, "U+202E"),
        ({"cpu_info": "x" * 5000}, "cpu_info has 5000 characters"),
        ({"half\ud800": 1}, "surrogate"),
    ],
)
def test_what_cannot_be_true_is_refused_with_the_reason(facts, why):
    assert why in refusal(**facts)


@pytest.mark.parametrize("form", ["{}\n{}\n", "[\n{},\n{}\n]\n"])
def test_results_inside_the_records_of_others_are_not_of_llama_bench(form):
    (result, *_) = json.loads(
        (SAMPLES / "llama-bench.json").read_text(encoding="utf-8")
    )
    wrapped = json.dumps({"mode": "pp", "value": 1, "bench_raw": result})

    assert not llama_bench.recognises(written(form.format(wrapped, wrapped)))


def nested(**held):
    """Return what is read of JSON of others that holds results."""
    document = written(json.dumps({"host": "lab", "model_type": "any", **held}))
    assert llama_bench.recognises(document)
    return taken(llama_bench, document)


def test_results_in_lists_at_any_depth_are_read_with_what_stands_around_them():
    writing = {**RESULT, "n_prompt": 0, "n_gen": 100}
    runs = {"f16": [RESULT, writing], "q8": [{**RESULT, "model_type": "llama 7B Q8_0"}]}
    read = nested(system={"driver": "580.1"}, runs=runs)

    assert [run.run.locator for run in read.runs] == [
        "/runs/f16/0",
        "/runs/f16/1",
        "/runs/q8/0",
    ]
    assert cell(read.runs[1])["generated_tokens"] == 100
    assert read.runs[1].run.conditions == {
        "backends": "CUDA",
        "host": "lab",
        "model_type": "any",
        "system": "driver=580.1",
        "runs.key": "f16",
    }
    assert not read.bad


def test_results_in_texts_of_json_are_read_as_the_tool_printed_them():
    lines = f'ggml_cuda_init: 1 device\n{json.dumps(RESULT)}\n{{"build_commit": 1\n'
    trials = [{"layers": 16, "stdout": lines}, {"layers": 32, "stdout": ""}]
    read = nested(trials=trials)
    array = nested(printed=json.dumps([RESULT], indent=1))

    assert [run.run.locator for run in read.runs] == ["/trials/0/stdout/0"]
    assert read.runs[0].run.conditions["trials.layers"] == "16"
    assert [run.run.locator for run in array.runs] == ["/printed/0"]
    assert [bad.locator for bad in read.bad] == ["/trials/0/stdout/1", "/trials/1"]


def test_what_stands_around_results_of_equal_columns_tells_them_apart():
    slow = {"limit": 100, "results": [RESULT]}
    read = nested(runs=[slow, {"limit": 200, "results": [{**RESULT, "avg_ns": 1}]}])

    limits = [run.run.parameters["runs.limit"] for run in read.runs]
    assert limits == ["100", "200"]
    assert "runs.limit" not in read.runs[0].run.conditions


def test_what_is_listed_beside_results_is_named_and_never_lost():
    read = nested(llama=[RESULT, 7], others=[{"tokens_per_second": 50}])

    assert len(read.runs) == 1
    assert [(bad.locator, bad.raw) for bad in read.bad] == [
        ("/others", '[{"tokens_per_second": 50}]'),
        ("/llama/1", "7"),
    ]


def test_what_each_result_would_repeat_is_small():
    with pytest.raises(DocumentError, match="more than 64 KiB"):
        nested(log="x" * 70_000, runs={"a": [RESULT], "b": [RESULT]})


def test_without_samples_a_result_is_an_aggregate():
    run = only(samples_ns=[], stddev_ts=2.5)

    assert (run.run.label, run.end.values[0].uncertainty) == ("aggregate", 2.5)
    assert run.end.values[0].printed == "500.0"


def test_tokens_behind_a_prompt_that_nobody_timed():
    run = only(test="tg100@pp900", n_prompt=900, n_gen=100)

    assert cell(run) == {
        "work": "llm-decode",
        "model": "llama 7B",
        "quantization": "Q4_0",
        "generated_tokens": 100,
        "depth": 900,
    }
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


@pytest.mark.parametrize(
    "text",
    [
        "ggml_cuda_init: found 1 CUDA devices\n" + json.dumps([RESULT]),
        json.dumps(RESULT, indent=2),
    ],
    ids=["behind a log", "alone, over many lines"],
)
def test_a_result_is_read_wherever_it_begins_and_ends(text):
    assert len(taken(llama_bench, written(text)).runs) == 1


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
    assert [cell(run).get("depth") for run in read.runs] == [None, 4096, None, None]


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
        ("INSERT INTO other (a) VALUES (1)", "no row as the tool writes it"),
        ("INSERT INTO test VALUES (1)", "no row as the tool writes it"),
        ("INSERT INTO test (a) VALUES (now())", "model_type is missing"),
        ("INSERT INTO test (a) VALUES (1", "no row as the tool writes it"),
        ("INSERT INTO test (a) VALUES ('1' 2)", "its values cannot be told apart"),
        ("INSERT INTO test (a) VALUES ('1'), ('2')", "its values cannot be told apart"),
    ],
)
def test_sql_that_is_not_plain_rows_is_refused(statement, why):
    text = (OURS / "llama_bench.sql").read_text()
    read = taken(llama_bench, written(f"{text}\n{statement};"))

    assert len(read.runs) == 2
    assert why in read.bad[2].reason


def test_a_document_that_is_neither_is_refused_when_read_all_the_same():
    with pytest.raises(DocumentError, match="no results of llama-bench"):
        list(llama_bench.read(written("hello"), About()))
