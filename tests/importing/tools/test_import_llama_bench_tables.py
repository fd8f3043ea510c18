"""Tables of llama-bench, alone or pasted into a thread between other things."""

import io

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.intake import intake
from benchdb.importing.tools import llama_bench_tables
from tests.foreign_files import OURS, SAMPLES, document, sample_cases, taken, written
from tests.importing.tools.llama_bench import cell


@pytest.mark.parametrize(
    ("path", "model", "size", "prompt", "generation"),
    sample_cases(
        "llama-bench.md",
        ours=(
            *("llama 3B", "1.80 GiB"),
            *((1260.5, 20.25, "1260.50"), (64.25, 0.75)),
        ),
        shared=(
            *("llama 7B", "3.56 GiB"),
            *((2368.8, 93.24, "2368.80"), (131.42, 0.59)),
        ),
    ),
)
def test_the_tables_of_the_sample_have_averages_and_spreads(
    path, model, size, prompt, generation
):
    pp, tg = taken(llama_bench_tables, document(path)).runs

    (value,) = pp.end.values
    assert cell(pp) == {
        "work": "llm-prefill",
        "model": model,
        "quantization": "Q4_0",
        "prompt_tokens": 512,
    }
    assert (value.value, value.uncertainty, value.printed) == prompt
    assert value.locator == "line 3, column t/s"
    assert (tg.end.values[0].value, tg.end.values[0].uncertainty) == generation
    assert (pp.run.label, pp.run.device) == ("aggregate", "cuda")
    assert pp.run.parameters["n_gpu_layers"] == 99
    assert pp.run.parameters["model_size"] == size


def thread():
    return taken(llama_bench_tables, document(OURS / "llama_bench_thread.md"))


def test_a_thread_of_two_machines_tells_them_apart():
    first, second, third = thread().runs

    assert (first.machine.chip.vendor, first.machine.chip.name) == ("Apple", "M1 Ultra")
    assert "Mac Studio with M1 Ultra" in first.machine.label
    assert cell(second)["depth"] == 4096
    assert third.machine.chip.accelerators[0].name == "GeForce RTX 4090"
    assert third.machine.label == "Two machines / The other one"
    assert third.run.parameters["flash_attn"] == 1
    assert third.run.basis["machine"] == "line 16: the tool's log names its GPU"


def test_the_build_stands_below_its_table():
    first, _, third = thread().runs

    assert first.environment.framework_version == "7800 (a1b2c3d4)"
    assert third.environment.framework_version == "7801 (99aabbcc)"


def test_rows_and_tables_that_are_no_result_are_quarantined():
    assert [(bad.number, bad.reason) for bad in thread().bad] == [
        (9, "t/s is 'failed', no rate"),
        (24, "a table that llama-bench does not print; read it with a map"),
    ]


@pytest.mark.parametrize(
    "path", [*sample_cases("llama-bench.json"), *sample_cases("llama-bench.csv")]
)
def test_the_other_formats_are_no_tables(path):
    assert not llama_bench_tables.recognises(document(path))


@pytest.mark.parametrize(
    "test", ["", "pp", "tg-1", "pp512 tg128", "pp" + "9" * 5000, "sampling"]
)
def test_a_test_without_a_length_is_refused(test):
    text = (OURS / "llama_bench_thread.md").read_text().replace("pp512 ", f"{test} ", 1)
    read = taken(llama_bench_tables, written(text))

    assert len(read.runs) == 2
    assert "test is" in read.bad[0].reason


def test_a_log_that_names_two_gpus_by_one_number_names_none():
    text = (OURS / "llama_bench_thread.md").read_text()
    other = "  Device 0: NVIDIA GeForce RTX 3090, VMM: yes\n"
    text = text.replace("  Device 0", f"{other}  Device 0")
    third = taken(llama_bench_tables, written(text)).runs[2]

    assert third.machine.chip.accelerators == ()


@pytest.mark.parametrize(
    "line",
    [
        "ggml_metal_device_init: GPU name:   Apple M1 Max",
        "ggml_vulkan: 0 = Virtio-GPU Venus (Apple M1 Max) (venus) | uma: 1",
    ],
)
def test_the_log_of_metal_and_of_vulkan_names_the_chip(line):
    row = "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | Metal | 99 | pp512 | 800.5 ± 1.5 |\n"

    (run,) = taken(llama_bench_tables, written(f"{line}\n{TABLE}{row}")).runs

    assert run.machine.chip.name == "M1 Max"


TABLE = """\
| model | size | params | backend | ngl | test | t/s |
| ----- | ---: | -----: | ------- | --: | ---: | --: |
"""


def test_the_head_of_a_table_without_a_result_is_refused():
    with pytest.raises(DocumentError, match="no result"):
        taken(llama_bench_tables, written(f"{TABLE}ggml.cpp:724: crashed\n"))


def test_a_table_with_other_formats_beside_it_is_no_file_of_those():
    row = "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CPU | 0 | tg128 | 12.50 ± 0.25 |\n"
    result = (SAMPLES / "llama-bench.json").read_text(encoding="utf-8")
    text = f"# Examples\n\n{TABLE}{row}\n```json\n{result}\n```\n"

    assert intake(io.BytesIO(text.encode()), "README.md").importer == (
        "llama-bench-table"
    )
    assert len(taken(llama_bench_tables, written(text)).runs) == 1


def test_bytes_that_are_no_text_are_not_recognised():
    assert not llama_bench_tables.recognises(written(b"\0\xff"))
