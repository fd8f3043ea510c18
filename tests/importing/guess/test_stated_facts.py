"""What lines state once holds for the tables of the document, or of their section."""

import pytest

from benchdb.importing.guess.headings import settings_in
from benchdb.importing.mapping.recognition import recognised
from tests.importing.guess.guessed import inferred, of_text, records, table

YES = {"readings": "yes"}
TIMES = table("Network | Latency mean (ms)", "resnet50 | 12.5")


def machines(text):
    """Return of each run its chip, its cards, the device, framework and version."""
    result = records(of_text(text, YES), text)
    return [
        (
            record.machine.chip.name,
            [card.name for card in record.machine.chip.accelerators],
            record.run.device,
            record.run.framework,
            record.environment.framework_version,
        )
        for record in result
    ]


@pytest.mark.parametrize(
    "text", ["--- Run of batch 8192, ubatch 4096 ---", "n_batch = 2048", "n_batch 512"]
)
def test_the_batch_of_a_prompt_in_llama_cpp_is_no_batch_size(text):
    assert settings_in(text) == {}
    assert recognised(text, ["batch_size"]).set == {}


def test_the_only_processor_and_the_only_card_that_labels_name_are_the_machine():
    text = "**CPU:** Intel Core i5-10400\n\n**GPU:** RTX 3080\n\n**CUDA:** 11.1\n\n"
    (result,) = machines(text + TIMES)
    assert result[:3] == ("Core i5-10400", ["GeForce RTX 3080"], "cuda")

    third = text + "It took half as long as on an RTX 2080.\n\n" + TIMES
    assert machines(third)[0][:2] == ("unknown", [])


def test_a_list_whose_values_stand_some_blanks_apart_states_machine_and_versions():
    text = (
        "```\nGPU       Radeon AI PRO R9700     32 GB GDDR6\n"
        "CPU       Ryzen 9 5900X           12 cores\n"
        "PyTorch   2.9.1+rocm7.1           built from source\n```\n\n"
    )
    (result,) = machines("# Inference with PyTorch on the GPU\n\n" + text + TIMES)
    cards = ["Radeon AI PRO R9700"]
    assert result == ("Ryzen 9 5900X", cards, "rocm", "torch", "2.9.1+rocm7.1")

    # A row of figures looks the same.
    (result,) = machines("PyTorch   12.5 ms\nMLX       11.5 ms\n\n" + TIMES)
    assert result[3:] == ("unknown", None)


def test_labels_behind_each_other_are_read_one_by_one():
    text = "## O    GPU: RTX 3090. Max memory: 23.6 GB. Platform: Linux.\n"
    text += "/\\    Torch: 2.6.0+cu124. CUDA: 8.6. CUDA Toolkit: 12.4.\n\n"
    (result,) = machines(text + TIMES)
    assert result[2:] == ("cuda", "torch", "2.6.0+cu124")


def test_rows_that_nvidia_smi_prints_name_the_card_of_a_log():
    log = (
        "2024/03/06 12:14:35.703, 0, GeForce GTX TITAN Black, 3, P8, 324 MHz\n"
        "2024/03/06 12:14:40.706, 0, GeForce GTX TITAN Black, 3, P2, 888 MHz\n\n"
        "Inference latency: 0.5 s\n"
    )
    line = inferred(of_text(log, name="log.txt"))["machine"]
    assert line.startswith("machine: GeForce GTX TITAN Black, from line 1")


def test_lines_of_a_section_hold_for_its_tables_alone():
    text = (
        "# Latency\n\n## Left\n\n- GPU: RTX 3090\n- PyTorch 2.4.1\n\n" + TIMES
        + "\n## Right\n\n- GPU: A100\n- PyTorch 2.6.0\n\n### Inference\n\n" + TIMES
        + "\n## Elsewhere\n\n" + TIMES
    )  # fmt: skip
    stored = [(cards, version) for _, cards, _, _, version in machines(text)]
    assert stored == [
        (["GeForce RTX 3090"], "2.4.1"),
        (["A100"], "2.6.0"),
        ([], None),
    ]


def test_what_a_section_says_below_its_table_is_not_said_of_it():
    text = "## Left\n\n- GPU: RTX 3090\n\n" + TIMES + "\n- GPU: A100\n"
    assert machines(text)[0][1] == []


def test_cores_and_memory_of_a_machine_that_a_column_names_are_completed_on_the_card():
    listed = "- MacBook Pro M5 Max (40-core GPU), 128GB\n- M1 Max 24c 32GB\n\n"
    rows = table("Chip | decode tok/s", "M5 Max | 19.5", "M1 Max 32c | 9.5")
    heads = table("Tokens | M5 Max tok/s | M1 Max 32c tok/s", "50 | 19.5 | 9.5")

    for text in (listed + rows, listed + heads):
        chips = [record.machine.chip for record in records(of_text(text, YES), text)]
        assert [(it.gpu_cores, it.ram_bytes) for it in chips] == [
            (40, 128 * 2**30),
            (32, None),  # another M1 Max than that of the list
        ]
    line = inferred(of_text(listed + rows))["machine in Chip"]
    assert "'M5 Max' -> M5 Max 40c 128 GB (1)" in line


def test_a_heading_says_the_device_of_its_own_section_alone():
    rows = table("GPU | Speed (FPS)", "RTX 2070 SUPER | 5.4")
    text = "# RIFE\n\n## RIFE (CUDA)\n\n" + rows + "\n## RIFE-NCNN\n\n" + rows
    stored = [it[2:4] for it in machines(text)]
    assert stored == [("cuda", "unknown"), ("vulkan", "ncnn")]

    directml = "## TensorFlow-DirectML on the GPU\n\n" + rows
    assert machines(directml)[0][2:4] == ("unknown", "tensorflow-directml")


def test_a_sentence_says_the_batch_size_in_words():
    text = "Times with PyTorch v1.1.0, Batch size as 4.\n\n" + TIMES
    (record,) = records(of_text(text, YES), text)[:1]
    assert record.run.parameters["batch_size"] == 4


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ("framework: swift", ("swift", None)),
        ("framework: swift 4.1", ("swift", "4.1")),
        ("framework: swift; version: 3.9", ("swift", "3.9")),
        ("version: 3.9; framework: swift", ("swift", "3.9")),
        ("framework: torch", ("torch", "2.1.1")),
        ("resnet18: framework swift", ("swift", None)),
    ],
)
@pytest.mark.parametrize(
    "above", ["# Runs on an A100 with torch 2.1.1", "# Runs\n\n- A100\n- torch 2.1.1"]
)
def test_a_version_goes_with_the_framework_that_another_replaces(above, answer, known):
    rows = table("Model | latency (ms)", "resnet18 | 4.45")
    text = f"{above}\n\n{rows}"

    (record,) = records(of_text(text, {"readings": f"yes, but {answer}"}), text)

    assert (record.environment.framework, record.environment.framework_version) == known


def test_a_version_in_a_column_holds_whatever_the_framework_is():
    rows = table("Model | Version | latency (ms)", "resnet18 | 0.7 | 4.45")
    text = f"# torch on an A100\n\n{rows}"
    answer = "yes, but Version: version; framework: swift"

    (record,) = records(of_text(text, {"readings": answer}), text)

    assert record.environment.framework_version == "0.7"


def test_a_version_goes_with_one_of_several_frameworks_that_are_corrected():
    rows = table("Config | latency (ms)", "jax way | 4.45", "torch way | 5.45")
    text = f"# resnet18 on an A100\n\n- torch 2.1.1\n\n{rows}"
    answer = "yes, but framework: jax"

    result = records(of_text(text, {"readings": answer}), text)

    versions = [it.environment.framework_version for it in result]
    assert [it.environment.framework for it in result] == ["jax", "jax"]
    assert versions == [None, None]


def test_a_version_that_is_answered_holds_where_no_framework_is_replaced():
    rows = table("Config | latency (ms)", "jax way | 4.45", "my way | 5.45")
    text = f"# resnet18 on an A100\n\n{rows}"
    answer = "yes, but version: 3.9; framework: swift"

    result = records(of_text(text, {"readings": answer}), text)

    versions = [it.environment.framework_version for it in result]
    assert versions == ["3.9", "3.9"]
