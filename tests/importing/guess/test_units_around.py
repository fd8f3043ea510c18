"""Units that stand beside figures, above them, or in an object with them."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.column_profile import unit_in
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    bad_lines,
    figures,
    of_text,
    records,
    table,
)


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("Inference / ms", "ms"),
        ("Inference / img/s", "img/s"),
        ("Zeit / s", "s"),
        ("latency/ms", "ms"),
        ("tokens / s", "tokens / s"),
        ("ms/img", "ms/img"),
        ("Latency, ms / iPhone 7 / CPU", "ms"),
        ("Time, ms / Token", "ms / Token"),
    ],
)
def test_a_unit_below_a_head_or_behind_a_quantity_is_no_part_of_a_rate(header, unit):
    assert unit_in(header) == unit


def test_times_below_a_head_are_times_and_no_rate_per_millisecond():
    head = "<tr><th rowspan=2>Model</th><th colspan=2>Inference</th></tr>"
    lower = "<tr><th>ms</th><th>img/s</th></tr>"
    row = "<tr><td>ViT-S</td><td>5.1</td><td>196</td></tr>"
    text = f"# MPS\n\n<table>{head}{lower}{row}</table>\n"
    columns = of_text(text).map.table[0].columns

    assert columns["Inference / ms"].metric == "work_seconds"
    assert columns["Inference / img/s"].metric == "reported_samples_per_second"


def test_a_device_below_two_heads_divides_no_figure():
    def row(*cells):
        return "<tr>" + "".join(f"<td{cell}</td>" for cell in cells) + "</tr>"

    head = row(" rowspan=3><b>Model</b>", " colspan=2><b>Latency, ms</b>")
    head += row(" colspan=2><b>M2</b>") + row("><b>CPU</b>", "><b>GPU</b>")
    proposal = of_text(f"<table>{head}{row('>vgg', '>150', '>50')}</table>\n")
    columns = proposal.map.table[0].columns

    assert columns["Latency, ms / M2 / GPU"].metric == "latency_mean_seconds"
    assert columns["Latency, ms / M2 / CPU"].metric == "latency_mean_seconds"


def of_json(text):
    document = Document("run.json", text.encode())
    return draft.propose(document, readable(document), {})


def test_the_unit_in_an_object_is_that_of_the_numbers_beside_it():
    text = (
        '[{"chip": "Apple M4", "name": "resnet50", '
        '"latency": {"mean": 41.2, "unit": "ms"}}]'
    )
    columns = of_json(text).map.table[0].columns

    assert columns["latency.mean"].unit == "ms"
    assert columns["latency.mean"].metric == "latency_mean_seconds"
    assert columns["latency.unit"].is_ == "ignore"


def test_of_two_versions_the_second_is_a_setting_and_no_time():
    text = (
        '{"gpu": "MI300X", "software": {"vllm": "0.6.4", "rocm": "6.2"}, '
        '"runs": [{"ttft_ms": 512.2}, {"ttft_ms": 1490.8}]}'
    )
    result = of_json(text)
    columns = {n: it for item in result.map.table for n, it in item.columns.items()}

    assert columns["software.vllm"].field == "framework_version"
    assert columns["software.rocm"].field == "parameters.software_rocm"


def test_the_batch_of_a_heading_counts_no_steps():
    text = "## MLX and PyTorch on an M1 Max, batch 32 (ms per forward)\n\n" + table(
        "Model | PyTorch | MLX", "ViT-B | 182.4 | 121.9", "ResNet-18 | 31.5 | 35.2"
    )
    proposal = of_text(text, {"readings": "yes"})

    columns = proposal.map.table[0].columns
    assert {columns[it].metric for it in ("PyTorch", "MLX")} == {"work_seconds"}
    values = [value for it in records(proposal, text) for value in it.end.values]
    assert [it.value for it in values] == [0.1824, 0.1219, 0.0315, 0.0352]


def test_the_rate_that_requests_come_at_is_a_setting_and_rows_are_no_repetitions():
    text = "# Mistral 7B on one A10G\n\n" + table(
        "Request rate (req/s) | TTFT (ms)", "1 | 45", "2 | 48", "4 | 61"
    )
    proposal = of_text(text)

    (asked,) = [it for it in proposal.questions if "'Request rate" in it.reading()]
    assert asked.likely == "setting"
    assert not any("repetitions" in it.reading() for it in proposal.questions)


def test_lines_of_pairs_that_commas_part_are_no_table():
    text = (
        "Prompt length: 128, new tokens: 200\n"
        "Run 1/2: 1.62 s, 123.4 tok/s\n"
        "Run 2/2: 1.60 s, 125.0 tok/s\n"
    )
    document = Document("run.txt", text.encode())

    assert {it.kind for it in readable(document)} <= {"key-value", "epochs"}


def test_names_most_of_which_are_machines_are_machines_most_likely():
    machines = ("M2 Max 64GB", "RTX 3060", "RX 6800", "Foo 9")
    text = "# Llama 3 8B\n\n" + "\n".join(f"- {it}: 41 t/s" for it in machines)
    document = Document("speeds.md", text.encode())
    proposal = draft.propose(document, readable(document), {})

    (asked,) = [it for it in proposal.questions if it.key.startswith("names of key")]
    assert asked.likely == "machine"


def test_a_unit_stands_before_a_remark_in_brackets_and_below_machines_are_figures():
    rows = ("ResNet-50 fp32 | 402 | 1405", "ResNet-50 fp16 | 1310 | 4120")
    text = "## Inference (images/sec, higher is better)\n\n" + table(
        "Model | V100 | H100", *rows
    )
    columns = of_text(text).map.table[0].columns

    assert columns["V100"].metric == "reported_samples_per_second"
    assert columns["V100"].unit == "images/sec"


def test_whole_numbers_below_machines_are_no_settings():
    text = "# ResNet-50\n\n" + table("Epoch | V100 | H100", "1 | 402 | 140")
    proposal = of_text(text)

    (asked,) = [it for it in proposal.questions if "'V100'" in it.reading()]
    assert asked.likely is None


def test_a_column_of_units_is_that_of_the_columns_whose_names_end_in_its_name():
    header = "Test | mac_rate | mac_time | rate_unit | time_unit | pc_rate | load_s"
    text = table(
        header,
        "gemm | 2896.5 | 47.5 | GFLOP/s | ms/op | 13502 | 2",
        "cnn | 8462 | 3.75 | images/s | ms/step | 17155 | 3",
    )
    proposal = of_text(text, {"readings": "yes"})

    assert not bad_lines(proposal, text)
    assert {(metric, value) for _, metric, value in figures(proposal, text)} == {
        ("teraflops", 2.8965),
        ("teraflops", 13.502),
        ("reported_samples_per_second", 8462),
        ("reported_samples_per_second", 17155),
        ("operation_seconds", 0.0475),
        ("reported_step_seconds", 0.00375),
        ("load_seconds", 2),
        ("load_seconds", 3),
    }


def test_a_column_of_two_units_of_time_is_that_of_each_row():
    text = table("Test | latency | latency_unit", "a | 47.5 | ms", "b | 3.75 | s")
    proposal = of_text(text, {"readings": "yes"})

    assert {value for _, _, value in figures(proposal, text)} == {0.0475, 3.75}


def test_the_one_unit_beside_a_column_is_that_of_its_numbers_and_of_no_ratio():
    header = "Test | latency | latency_unit | pc_over_mac_latency"
    text = table(header, "gemm | 47.5 | ms | 4.5", "cnn | 3.75 | ms | 2.5")
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns

    assert columns["latency"].metric == "latency_mean_seconds"
    assert columns["pc_over_mac_latency"].is_ == "ratio"


@pytest.mark.parametrize(
    ("header", "unit"),
    [("bytes_model.w", None), ("shape.h", None), ("gpu.power (W)", "W"), ("W", "W")],
)
def test_a_letter_is_no_unit_where_it_names_a_part_of_an_object(header, unit):
    assert unit_in(header) == unit
