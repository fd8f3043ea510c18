"""Work with language models: what makes its cells, and records under older names."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.exchange.language_models import (
    OLD_NAMES,
    quantization,
    renamed,
    weights,
    work,
)
from benchdb.exchange.record import Record
from benchdb.importing.intake import intake
from tests.foreign_files import FIXTURES, SAMPLES

OLD_FILE = FIXTURES / "old_names.jsonl"
DOCUMENTS = (
    "llama-bench.jsonl",
    "llama-bench-2025.json",
    "llama-bench.md",
    "localscore_submission.json",
    "apple_silicon_llm_bench_raw.json",
)


def records(path: Path) -> list[Record]:
    with path.open("rb") as stream:
        items = list(intake(stream, path.name).items)
    return [record for record in items if isinstance(record, Record)]


@pytest.mark.parametrize(
    ("timed", "name", "cell"),
    [
        ((512, 0), "llm-prefill", {"prompt_tokens": 512}),
        ((0, 128), "llm-decode", {"generated_tokens": 128}),
        ((None, 128, 4096), "llm-decode", {"generated_tokens": 128, "depth": 4096}),
        (
            (512, 128),
            "llm-generate",
            {"prompt_tokens": 512, "generated_tokens": 128},
        ),
    ],
)
def test_what_was_timed_names_the_work_and_its_cell(timed, name, cell):
    prompt, generated, *depth = timed

    pair = work("Qwen3 8B", prompt, generated, depth=depth[0] if depth else 0)

    assert pair == (name, {"model": "Qwen3 8B", **cell})
    assert pair[1].keys() <= set(workloads()[name].cell)


@pytest.mark.parametrize(
    ("printed", "model", "own"),
    [
        ("llama 7B Q4_0", "llama 7B", "Q4_0"),
        ("llama 3B mostly Q4_0", "llama 3B", "Q4_0"),
        ("qwen2 3B Q4_K - Medium", "qwen2 3B", "Q4_K_M"),
        ("qwen3moe 30B.A3B Q4_K - Small", "qwen3moe 30B.A3B", "Q4_K_S"),
        ("llama 8B all F32", "llama 8B", "F32"),
        ("something new", "something new", None),
    ],
)
def test_weights_of_llama_cpp_are_a_model_and_a_quantisation(printed, model, own):
    text, result = weights(printed)

    cell = work(text, 512, 0, quantization=result)[1]
    assert (cell["model"], cell.get("quantization")) == (model, own)


@pytest.mark.parametrize(
    ("model", "own"),
    [
        ("mlx-community/Qwen2.5-3B-4bit", "4bit"),
        ("gemma_2_2b_it_4bit", "4bit"),
        ("Meta-Llama-3.1-8B-Instruct-bf16", "bf16"),
        ("llama3.1:8b-instruct-q4_K_M", "q4_K_M"),
        ("gemma:2b", None),
        ("Llama-3.2-3B-Instruct", None),
    ],
)
def test_a_name_may_end_with_the_quantisation(model, own):
    assert quantization(model) == own


def test_a_file_with_older_names_brings_what_its_documents_bring_today():
    old = records(OLD_FILE)
    today = [record for name in DOCUMENTS for record in records(SAMPLES / name)]

    text = OLD_FILE.read_text("utf-8")
    assert all(f'"workload":"{name}' in text for name in OLD_NAMES)
    read = [
        record for record in old if record.run.setting != "anubis"
    ]  # not read any more
    assert (len(old), len(read), len(today)) == (21, 17, 17)
    # All but which reading of the document it is.
    texts, new = (
        sorted(_bare(record).digest for record in some) for some in (read, today)
    )
    assert texts == new
    assert {record.run.workload for record in old} == {
        *("llm-prefill", "llm-decode", "llm-generate")
    }
    assert {record.run.setting for record in old} == {name[:-1] for name in OLD_NAMES}


def _bare(record: Record) -> Record:
    """Leave out the source, and what is read of a machine since."""
    chip = replace(record.machine.chip, cpu_cores=None)
    missing = {k: v for k, v in record.machine.missing.items() if k != "cpu_cores"}
    machine = replace(record.machine, chip=chip, missing=missing)
    return replace(record, source=None, machine=machine)


def test_a_name_that_no_tool_gave_stays_as_it_is():
    some = records(OLD_FILE)[0]
    assert some.source is not None
    other = replace(
        some,
        run=replace(some.run, workload="llama-bench/my own"),
        source=replace(some.source, importer="map mine"),
    )
    broken = replace(some, run=replace(some.run, workload="llama-bench/x"))

    assert renamed(other) is other
    assert renamed(broken) is broken
