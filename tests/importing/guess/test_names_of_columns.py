"""What names of columns, and of the objects that hold them, say of their cells.

The documents are made up; each has a name that was once taken for something else.
"""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import (
    bad_lines,
    converse,
    figures,
    meanings,
    metrics_of,
    of_text,
    records,
    table,
)

HEADED = "# matmul with MLX on M2 Max GPU\n\n"
FACTORS = HEADED + table("Size | TFLOPS | Warp | Weft", "512 | 7.5 | 0.25 | 0.125")
MEASURED = json.dumps(
    [
        {
            "engine": "torch",
            "hardware": {
                "gpu_name": "NVIDIA A100",
                "gpu_capability": 8.5,
                "torch_cuda": 11.5,
                "memory_mib": 40960.5,
            },
            "metrics": {
                "n_clips_with_duration": 200,
                "audio_seconds_total": 4971.5,
                "latency_mean_s": 0.625,
                "peak_gpu_allocated_mib": 3361.5,
            },
        }
    ]
)


def of_json(text: str) -> Proposal:
    """Return the proposal for a document in JSON."""
    document = Document("results.json", text.encode())
    return propose(document, READERS["json"](document))


def test_figures_without_a_unit_are_told_apart_by_the_names_of_their_columns():
    proposal, _ = converse(FACTORS, {"numbers of ": "figure", "unit of ": "figure"})

    kept = {
        value.value: record.run.parameters["variant"]
        for record in records(proposal, FACTORS)
        for value in record.end.values
        if value.metric == "reported_value"
    }
    assert kept == {0.25: "Warp", 0.125: "Weft"}
    assert bad_lines(proposal, FACTORS) == []


def test_figures_made_such_by_a_correction_carry_the_name_as_well():
    text = HEADED + table("Size | Foo (TFLOPS) | Bar (GB/s)", "512 | 7.5 | 8.5")
    answer = "yes, but Foo: reported_value; Bar: reported_value"
    proposal = of_text(text, {"readings": answer})

    variants = {it.run.parameters.get("variant") for it in records(proposal, text)}
    assert variants == {"Foo (TFLOPS)", "Bar (GB/s)"}


@pytest.mark.parametrize(
    ("typed", "name", "version"),
    [
        ("vllm-omni", "vllm-omni", None),
        ("vllm-woven 0.25.1", "vllm-woven", "0.25.1"),
        ("mlx-lm 0.21.1", "mlx", "0.21.1"),
        ("pytorch-mps", "torch", None),
        ("tensorflow-metal", "tensorflow", None),
    ],
)
def test_a_typed_framework_that_is_more_than_a_name_of_ours_is_kept(
    typed, name, version
):
    text = "# matmul on M2 Max GPU\n\n" + table("Size | TFLOPS", "512 | 7.5")
    proposal = of_text(text, {"readings": f"yes, but framework: {typed}"})

    (run,) = [it.run for it in records(proposal, text)]
    (environment,) = [it.environment for it in records(proposal, text)]
    assert run.framework == name
    assert environment.framework_version == version


def test_a_number_with_gpus_behind_it_is_how_many_there_are():
    text = HEADED + table(
        "Size | gpus | TFLOPS", "512 | 2 GPU | 7.5", "512 | 4 GPUs | 8.5"
    )
    counts = {it.run.parameters["gpus"] for it in records(of_text(text), text)}

    assert counts == {2, 4}


def test_memory_in_binary_units_is_no_time():
    assert metrics_of(of_json(MEASURED))["metrics.peak_gpu_allocated_mib"] == (
        "peak_memory_observed_bytes"
    )
    (memory,) = [
        value
        for _, metric, value in figures(of_json(MEASURED), MEASURED)
        if metric == "peak_memory_observed_bytes"
    ]
    assert memory == 3361.5 * 2**20


def test_in_json_a_version_is_that_of_the_framework_in_the_same_object():
    """The one at the root is that of the form of the file."""
    run = {
        "version": "2.0",
        "hardware": {"chip": "Apple M1", "performance_cores": 4, "gpu_cores": 7},
        "model": {"name": "Qwen3-8B", "quant": "4bit"},
        "runtime": {"name": "llama.cpp", "version": "0.3.1"},
        "speed": {"decode_tps": 12.5},
    }
    text = json.dumps(run)
    (known,) = records(of_json(text), text)
    chip, parameters = known.machine.chip, known.run.parameters

    assert known.environment.framework_version == "0.3.1"
    assert (chip.name, chip.cpu_cores, chip.gpu_cores) == ("M1", None, 7)
    assert parameters["quantization"] == "4bit"
    assert parameters["hardware_performance_cores"] == 4


def test_what_describes_the_machine_or_the_input_in_json_is_no_result():
    (made,) = of_json(MEASURED).map.table
    settings = {name: it for name, it in meanings(made).items() if "parameters." in it}

    assert settings.keys() >= {
        "hardware.gpu_capability",
        "hardware.torch_cuda",
        "metrics.n_clips_with_duration",
        "metrics.audio_seconds_total",
    }


def test_who_won_and_why_is_neither_framework_nor_machine():
    text = HEADED + table(
        "Size | winner | profile | reason | TFLOPS",
        "512 | torch | H100 fast | JAX failed | 7.5",
        "1024 | vllm | A100 slow | Keras failed | 8.5",
    )
    for record in records(of_text(text), text):
        assert record.run.framework == "mlx"
        assert record.machine.chip.name == "M2 Max"
        assert {"winner", "profile", "reason"} <= record.run.parameters.keys()


def test_an_answer_by_its_name_reaches_all_tables_that_it_is_asked_of():
    text = "# Wool on M2 GPU with torch\n\n" + "\n".join(
        f"## {name}\n\n" + table(f"{column} | Time (s)", f"4 | {seconds}")
        for name, column, seconds in (("Red", "Foo", 2.5), ("Blue", "Bar", 3.5))
    )
    (asked_,) = [it for it in of_text(text).questions if it.key.startswith("work")]
    proposal = of_text(text, {"readings": "yes, but work: new: to-knit"})

    assert len(asked_.lines) > 1
    assert {it.run.workload for it in records(proposal, text)} == {"to-knit"}
