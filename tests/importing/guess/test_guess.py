"""A map proposed for tables that nobody explained: what the document itself says."""

import msgspec
import pytest

from benchdb.catalogue import metrics
from benchdb.importing.guess.column_profile import header_terms, words
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.maps import faults
from benchdb.importing.quantities.unit_names import understood
from tests.importing.guess.guessed import (
    DOCUMENTS,
    FIXTURES,
    GUESSED,
    asked,
    converse,
    document,
    meanings,
    of_file,
    of_text,
    proposal,
    records,
    table,
)

TORCH = "# PyTorch training {}\n\n"


@pytest.mark.parametrize("path", [*GUESSED, *DOCUMENTS], ids=lambda path: path.stem)
def test_the_toml_means_the_same_as_the_map_and_has_no_faults(path):
    result = of_file(path)

    assert msgspec.toml.decode(result.toml, type=Map) == result.map
    assert list(faults(result.map)) == []


@pytest.mark.parametrize("path", [*GUESSED, *DOCUMENTS], ids=lambda path: path.stem)
def test_a_map_is_rules_and_no_list_of_cells(path):
    result = of_file(path)

    assert len(result.toml.splitlines()) <= 40 * max(1, len(result.map.table))
    assert result.map.machines == {}


def test_a_pivot_by_machines_takes_its_unit_and_its_work_from_headings():
    result = proposal("machines-as-columns", {"columns of My Hackintosh": "machine"})

    (outcome,) = result.map.table
    assert outcome.columns["M1 Max 32c"].set == {
        "chip": "Apple M1 Max",
        "gpu_cores": 32,
    }
    assert outcome.columns["3090"].set == {"accelerator": "3090"}
    assert outcome.columns["My Hackintosh"].set == {"machine": "My Hackintosh"}
    values = [it for it in outcome.columns.values() if it.is_ == "value"]
    assert {it.metric for it in values} == {"reported_samples_per_second"}
    assert {it.unit for it in values} == {"images/sec"}
    assert outcome.columns["Model"].field == "workload"
    assert asked(result) == {"device"}


def test_a_pivot_by_models_asks_what_is_done_with_them():
    result = proposal("models-as-columns")

    (key,) = asked(result)
    inference = proposal("models-as-columns", {key: "inference"})
    (outcome,) = inference.map.table
    applied = {"workload": "resnet50", "mode": "inference"}
    assert outcome.columns["ResNet-50 (img/s)"].set == applied
    assert inference.map.set == {"setting": "guess-models-as-columns"}
    assert outcome.columns["BERT Large (seq/s)"].unit == "seq/s"
    assert outcome.columns["Notes"].is_ == "ignore"
    assert asked(inference) == set()


def test_precisions_as_columns_are_a_pivot():
    result = proposal("dtypes-as-columns")

    (outcome,) = result.map.table
    assert meanings(outcome) == {
        "Size": "parameters.size",
        "fp32": "teraflops",
        "fp16": "teraflops",
        "bf16": "teraflops",
    }
    assert outcome.columns["bf16"].set == {"precision": "bf16"}
    assert result.map.set["workload"] == "matmul"
    assert outcome.names == ("machine", "device", "framework")
    assert asked(result) == set()


def test_batch_sizes_as_columns_are_a_pivot():
    (result,) = proposal("batches-as-columns").map.table

    assert result.columns["32"].set == {"parameters.batch_size": 32}
    assert result.columns["32"].metric == "epoch_seconds"
    assert result.columns["32"].unit == "seconds per epoch"


def test_rows_named_after_metrics_are_read_as_metrics():
    assert asked(proposal("metrics-as-rows")) == {
        "work of its title",
        "meaning of Memory",
    }
    result = proposal("metrics-as-rows", {"meaning of Memory": "leave-out"})

    (outcome,) = result.map.table
    assert outcome.columns["column 1"].values == {
        "Throughput (img/s)": "reported_samples_per_second",
        "Peak Power (W)": "peak_power_watts",
        "*": "",
    }
    assert outcome.columns["M1 Max"].set == {"chip": "Apple M1 Max"}


def test_sides_as_columns_tell_the_device():
    answers = {
        "work of Model": "model",
        "time of CPU": "epoch_seconds",
    }
    result = proposal("sides-as-columns", answers)

    (outcome,) = result.map.table
    assert outcome.columns["CPU"].set == {"device": "cpu"}
    assert outcome.columns["MPS"].set == {"device": "metal"}
    assert outcome.columns["Speedup"].is_ == "ratio"
    assert asked(result) == set()


def test_the_gpu_of_a_row_computes_by_what_its_maker_has():
    path = FIXTURES / "guess-german-times.md"
    text = path.read_text()
    answers = {"work": "lstm", "time of": "script_wall_seconds"}

    result, _ = converse(text, answers, path.name)

    (outcome,) = result.map.table
    assert outcome.columns["GPU-Zeit"].set == {"device": "gpu"}
    assert outcome.columns["GPU-Zeit"].decimal == ","
    assert {it.run.device for it in records(result, text)} == {"cpu", "metal"}


@pytest.mark.parametrize(
    ("name", "expected", "open_"),
    [
        (
            "german",
            {
                "Modell": "workload",
                "Gerät": "machine",
                "Stapelgröße": "parameters.batch_size",
                "Zeit (s)": "work_seconds",
                "Speicher": "ignore",
                "Leistung (W)": "mean_power_watts",
            },
            {
                "work of Modell",
                "time of Zeit (s)",
                "meaning of Speicher",
                "meaning of Leistung (W)",
                "device",
                "framework",
            },
        ),
        (
            "french",
            {
                "Modèle": "workload",
                "Ordinateur": "machine",
                "Taille de lot": "parameters.batch_size",
                "Débit": "reported_samples_per_second",
                "Temps par époque": "epoch_seconds",
            },
            {"device", "framework"},
        ),
        (
            "one-row-per-run",
            {
                "timestamp": "started",
                "chip": "chip",
                "gpu_cores": "gpu_cores",
                "ram_gb": "ram",
                "os": "os",
                "framework": "framework",
                "version": "framework_version",
                "device": "device",
                "dtype": "precision",
                "model": "workload",
                "batch_size": "parameters.batch_size",
                "steps": "parameters.steps",
                "images_per_sec": "reported_samples_per_second",
                "peak_mem_gb": "peak_memory_observed_bytes",
                "power_w": "mean_power_watts",
            },
            {"work of model", "meaning of power_w"},
        ),
    ],
)
def test_columns_are_known_in_the_languages_people_publish_in(name, expected, open_):
    result = proposal(name)

    if result.map.table:
        assert meanings(result.map.table[0]) == expected
    assert asked(result) <= open_


@pytest.mark.parametrize("name", ["korean", "chinese"])
def test_what_a_time_is_of_and_what_is_done_is_asked_in_any_language(name):
    topics = {key.split(" of ")[0] for key in asked(proposal(name))}

    assert {"work", "time"} <= topics


def test_a_run_in_each_row_is_read_whole():
    (path,) = FIXTURES.glob("guess-one-row-per-run.*")
    answers = {"work of model": "model", "meaning of power_w": "peak_power_watts"}

    result = of_file(path, answers)
    first, second = records(result, path.read_text(), path.name)
    assert first.machine.chip.name == "M1 Max"
    assert first.machine.chip.ram_bytes == 64 * 2**30
    assert first.environment.os_build == "23D56"
    assert first.run.workload == "resnet50"
    assert first.run.parameters == {"batch_size": 64, "steps": 100}
    assert second.run.precision == "fp16"


def test_sides_of_language_models_are_told_by_their_headers():
    result = of_text(
        "# llama.cpp on M4 Pro (Metal)\n\n"
        + table("model | quant | prompt tok/s | gen tok/s", "Phi 4 | Q4_K_M | 301 | 22")
    )

    (outcome,) = result.map.table
    assert outcome.columns["prompt tok/s"].set == {"workload": "llm-prefill"}
    assert outcome.columns["gen tok/s"].set == {"workload": "llm-decode"}
    assert outcome.columns["model"].field == "parameters.model"
    assert outcome.columns["quant"].field == "parameters.quantization"
    assert asked(result) == set()


def test_tests_of_llama_bench_are_the_two_sides_with_their_tokens():
    text = "# llama.cpp, M2, Metal\n\n" + table(
        "model | test | t/s",
        "llama 7B | pp512 | 300.1",
        "llama 7B | tg128 @ d4096 | 9.5",
    )
    result = of_text(text)

    prefill, decode = records(result, text)
    assert asked(result) == set()
    assert prefill.run.workload == "llm-prefill"
    assert prefill.run.parameters["prompt_tokens"] == 512
    assert decode.run.parameters["generated_tokens"] == 128
    assert decode.run.parameters["depth"] == 4096


def test_inferences_are_not_taken_for_our_training():
    text = "# Inference with CUDA (torch)\n\n" + table(
        "Model | GPU | Latency", "ResNet-50 | T4 | 4.1 ms", "VGG16 | T4 | 6.1 ms"
    )
    result = of_text(text)

    works = [record.run.workload for record in records(result, text)]
    assert asked(result) == set()
    assert works == ["resnet50-inference", "vgg16-inference"]
    assert result.map.table[0].columns["Model"].ending == "-inference"


def test_figures_under_the_name_of_a_framework_are_no_versions():
    text = "# M1 Pro\n\n" + table(
        "Operation | mlx_gpu | torch_gpu", "Sort | 1.81 | 2.87", "Sum | 5.51 | 9.12"
    )
    result, _ = converse(text, {"unit": "ms", "numbers": "ms"})

    (outcome,) = result.map.table
    assert outcome.columns["mlx_gpu"].set == {"device": "gpu", "framework": "mlx"}
    assert outcome.columns["mlx_gpu"].metric == "operation_seconds"
    assert {it.run.workload for it in records(result, text)} == {"sort", "sum"}


def test_a_card_in_a_column_of_gpus_ran_by_itself():
    text = TORCH.format("") + table("Model | GPU | s/epoch", "vgg | 3090 | 12")
    (run,) = records(of_text(text), text)

    assert run.run.device == "cuda"
    assert run.machine.chip.accelerators[0].name == "GeForce RTX 3090"


def test_a_count_of_gpu_cores_is_no_device():
    text = "**M1 Pro (2E+8P+16GPU)** torch\n\n" + table("Model | s/epoch", "a | 5")

    assert "device" not in of_text(text).map.table[0].names


def test_the_decimal_mark_of_the_table_is_written_where_a_column_is_ambiguous():
    text = TORCH.format("on M1 GPU") + table(
        "Model | Peak VRAM | s/epoch", "a | 5,194 MB | 6.45", "b | 9,127 MB | 5.60"
    )

    assert of_text(text).map.table[0].columns["Peak VRAM"].decimal == "."


def test_the_same_columns_in_another_order_are_another_table():
    result = of_text(
        TORCH.format("on CUDA")
        + table("GPU | fp32 | fp16", "T4 | 5 s/epoch | 6 s/epoch")
        + "\n"
        + table("GPU | fp16 | fp32", "V100 | 3 s/epoch | 4 s/epoch")
    )

    assert [item.lines for item in result.map.table] == [(3, 3), (7, 7)]


def test_equal_headers_under_other_headings_are_other_figures():
    rows = table("Model | M1 | M2", "vgg16 | 12 | 13") + "\n"
    result = of_text(f"# Training\n\n## Epoch (ms)\n\n{rows}## Speed (img/s)\n\n{rows}")

    first, second = result.map.table
    assert (first.lines, second.lines) == ((5, 5), (11, 11))
    assert (first.columns["M1"].metric, first.columns["M1"].unit) == (
        "epoch_seconds",
        "ms",
    )
    assert second.columns["M1"].metric == "reported_samples_per_second"


def test_equal_headers_under_headings_of_machines_are_one_table():
    rows = table("Model | s/epoch", "vgg16 | 12") + "\n"
    text = f"# JAX\n\n## M1 CPU\n\n{rows}## M2 Pro GPU\n\n{rows}"
    result = of_text(text)

    (outcome,) = result.map.table
    assert outcome.names == ("machine", "device", "framework")
    chips = [(it.machine.chip.name, it.run.device) for it in records(result, text)]
    assert chips == [("M1", "cpu"), ("M2 Pro", "metal")]


def test_the_name_of_a_file_holds_for_all_that_does_not_say_it_itself():
    text = "workload,images_per_sec\nresnet50 training,812.1\n"
    name = "m3_max_40c-torch-mps.csv"
    (run,) = records(of_text(text, {}, name), text, name)

    assert (run.machine.chip.name, run.machine.chip.gpu_cores) == ("M3 Max", 40)
    assert (run.run.device, run.run.framework) == ("metal", "torch")
    assert run.run.workload == "resnet50"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("BatchSize", {"batchsize"}),
        ("batch_size", {"batchsize"}),
        ("Stapelgröße", {"batchsize"}),
        ("批大小", {"batchsize"}),
        ("Trainingszeit", {"time"}),
        ("Peak Power GPU", {"peak", "power", "gpu"}),
        ("학습 시간", {"time"}),
        ("Speed-up", {"ratio"}),
        ("ModelName", {"model"}),
        ("Model (7B)", {"model"}),
        ("Nom du modèle", {"model"}),
        ("Model load time", {"load", "time"}),
        ("Size of the model", {"setting"}),
        ("Foo", set()),
    ],
)
def test_headers_are_sets_of_terms(header, expected):
    assert header_terms(header) == expected


def test_what_headers_and_units_mean_are_metrics_and_units_of_the_catalogue():
    known = words()
    logs = [column for log in known.logs.values() for column in log.values()]
    columns = [log for log in logs if not isinstance(log, str)]

    rules = [rule for several in known.by_unit.values() for rule in several]
    named = {rule.name or "" for rule in rules} | {
        column.metric or "" for column in columns
    }
    named |= set(known.roles.values())
    named |= {name for several in known.candidates.values() for name in several}
    units = {column.unit for column in columns}
    units |= {unit for several in known.numbers.values() for unit in several.split()}
    others = {"score", "figure", "share", "gpu_cores", "cpu_cores"}

    assert named - {"ratio", "ram", ""} <= metrics().keys()
    assert [u for u in units - others if u and understood(u) is None] == []


def test_documents_with_shipped_maps_store_nothing_while_they_ask():
    for path in DOCUMENTS:
        result = of_file(path)
        kinds = {it.metric for item in result.map.table for it in item.columns.values()}
        assert "reported_value" not in kinds
        assert document(path).sha256 in result.map.documents


def test_a_heading_names_the_language_model_of_its_tables():
    rows = table("tok/s | TTFT (ms)", "22.5 | 301") + "\n"
    text = (
        "# llama.cpp on M4 Pro (Metal)\n\n"
        f"## Llama-3.1-8B-Instruct-Q4_K_M.gguf\n\n{rows}## Qwen2.5 7B, 4bit\n\n{rows}"
    )
    result, _ = converse(text, {"work": "llm-decode"})

    models = {
        tuple(sorted(record.run.parameters.items())) for record in records(result, text)
    }
    assert models == {
        (("model", "Llama 3.1 8B"), ("quantization", "Q4_K_M")),
        (("model", "Qwen2.5 7B"), ("quantization", "4bit")),
    }
