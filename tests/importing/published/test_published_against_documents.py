"""What stands in an exchange file, looked up in the document it was read from.

The files are the published ones where their documents are here, and exports of ours.
"""

import hashlib
import re

import pytest

from benchdb.exchange.messages import Claim, Source
from tests.documents import Mapped, each
from tests.importing.published.transcriptions import (
    cells,
    lines_of,
    matches,
    place_of,
    runs_of,
    text_at,
    transcribed,
    values_of,
)

WORKLOADS = {
    "ResNet18": "resnet18",
    "ResNet50": "resnet50",
    "MobileNetV2": "mobilenetv2",
    "EfficientNetB0": "efficientnet-b0",
    "DistilBERT": "distilbert",
    "BERTLarge": "bert-large",
    "lstm.py": "lstm",
    "mnist.py": "mnist",
    "vgg16_model": "vgg16",
    "resnet_18": "resnet18",
    "mobilenet_v2": "mobilenetv2",
    "efficientnet_b0": "efficientnet-b0",
}
COLUMNS = {
    "fit_samples_per_second": "Throughput",
    "peak_power_watts": "Peak Power|Power",
    "peak_soc_power_watts": "Peak Power",
    "peak_gpu_power_watts": "Peak Power GPU",
    "peak_memory_observed_bytes": "Memory",
}


@each()
def test_the_document_is_the_one_that_was_transcribed(mapped: Mapped) -> None:
    digest = hashlib.sha256(mapped.path.read_bytes()).hexdigest()
    sources = [line for line in lines_of(mapped.name) if isinstance(line, Source)]

    assert [source.document_sha256 for source in sources] == [digest]


@each()
def test_every_figure_stands_where_its_locator_says(mapped: Mapped) -> None:
    for value in values_of(mapped.name):
        assert (value.printed or "") in text_at(mapped, value.locator)


@each()
def test_every_claim_stands_where_its_locator_says(mapped: Mapped) -> None:
    for line in lines_of(mapped.name):
        if isinstance(line, Claim):
            assert line.printed in text_at(mapped, line.locator)


@each("throughput")
def test_no_cell_of_the_throughput_tables_is_left_out(mapped: Mapped) -> None:
    rows = r"^\| \w+ +\| (?:M\d \w+ \d\dc|[34]090) "
    measured = [
        (number, cell)
        for number, line in enumerate(mapped.document.lines, start=1)
        if re.match(rows, line)
        for cell in cells(line)[3:]
    ]

    count = 3 * 3 + 3 * 4 + 3 * 2 if mapped.is_ours else 4 * 3 + 6 * 4 + 8 * 2
    assert len(measured) == count
    assert transcribed(mapped) == measured


@pytest.mark.parametrize(
    ("metric", "pattern"),
    [
        ("script_user_seconds", r"[\d.,]+s user"),
        ("script_system_seconds", r"[\d.,]+s system"),
        ("script_cpu_percent", r"\d+% cpu"),
        ("script_wall_seconds", r"[\d.,:]+ total"),
    ],
)
@each("script-times")
def test_no_time_of_the_script_table_is_left_out(
    mapped: Mapped, metric: str, pattern: str
) -> None:
    measured = matches(mapped, pattern)

    assert len(measured) == (11 if mapped.is_ours else 44)
    assert transcribed(mapped, metric) == measured


@each("script-times")
def test_the_cell_without_a_time_is_kept_as_not_measured(mapped: Mapped) -> None:
    empty = [
        (number, cell)
        for number, line in enumerate(mapped.document.lines, start=1)
        if line.startswith("| Mac")
        for cell in cells(line)
        if cell == "-"
    ]
    kept = {
        (place_of(value.locator)[0], value.printed)
        for value in values_of(mapped.name)
        if value.value is None
    }

    assert empty == [(73 if mapped.is_ours else 99, "-")]
    assert kept == set(empty)


@each("prose")
def test_no_time_of_the_prose_is_left_out(mapped: Mapped) -> None:
    times = matches(mapped, r"\d\.\d+s\b")
    others = {
        "prose": [
            (49, "18"),
            (49, "50 seconds"),
            (55, "3 epochs in an hour"),
            (55, "5 epochs in an hour"),
            (55, "(8 epochs) in only 24 minutes"),
        ],
        "needle-metal": [
            (104, "20"),
            (104, "60 seconds"),
            (115, "4 epochs in an hour"),
            (115, "6 epochs in an hour"),
            (115, "(10 epochs) in only 21 minutes"),
        ],
    }

    assert len(times) == 5
    assert sorted(transcribed(mapped)) == sorted(times + others[mapped.name])


@each("epochs")
def test_no_epoch_of_the_logs_is_left_out(mapped: Mapped) -> None:
    measured = [
        (number, line.split(": ")[1])
        for number, line in matches(mapped, r"^\w+: \d+\.\d+$")
    ]

    assert len(measured) == (12 if mapped.is_ours else 20)
    assert transcribed(mapped) == measured


@each("epochs")
def test_no_speed_up_of_the_author_is_left_out(mapped: Mapped) -> None:
    claimed = [
        (place_of(line.locator)[0], line.printed)
        for line in lines_of(mapped.name)
        if isinstance(line, Claim) and line.kind == "derived"
    ]

    measured = matches(mapped, r"\d+\.\d+%")
    assert len(measured) == (3 if mapped.is_ours else 5)
    assert (sorted(claimed) if mapped.is_ours else claimed) == measured


@each("throughput")
def test_a_run_of_the_throughput_tables_is_that_of_its_row(mapped: Mapped) -> None:
    for number, _, run, machine in runs_of(mapped.name):
        row = cells(mapped.document.lines[number - 1])

        assert run.workload == WORKLOADS[row[0]]
        assert machine.label == row[1]
        assert run.parameters["batch_size"] == int(row[2])


@each("throughput")
def test_a_figure_of_the_throughput_tables_is_that_of_its_column(
    mapped: Mapped,
) -> None:
    for value in values_of(mapped.name):
        column = place_of(value.locator)[1]

        assert column in COLUMNS[value.metric].split("|")


@each("throughput")
def test_power_of_the_whole_chip_is_claimed_only_where_the_text_says_so(
    mapped: Mapped,
) -> None:
    says = matches(mapped, "whole SoC and only GPU|power of the whole chip")
    places = {
        place_of(value.locator)[0]
        for value in values_of(mapped.name)
        if value.metric == "peak_soc_power_watts"
    }

    # The table of the chip with two powers follows.
    assert [number for number, _ in says] == [52 if mapped.is_ours else 57]
    assert places == set(range(57, 60) if mapped.is_ours else range(62, 68))


@each("script-times")
def test_a_run_of_the_script_table_is_that_of_its_cell(mapped: Mapped) -> None:
    for number, column, run, machine in runs_of(mapped.name):
        row = cells(mapped.document.lines[number - 1])

        assert run.workload == WORKLOADS.get(column or "", column)
        assert [machine.model, run.device] == [
            row[0],
            {"ja": "metal", "nein": "cpu"}[row[-1]],
        ]
        assert machine.chip.ram_bytes == int(row[1].removesuffix(" GB")) * 2**30
        assert row[2].endswith(run.device_name or "-")


@each("epochs")
def test_a_run_of_the_logs_is_that_of_its_block(mapped: Mapped) -> None:
    small, large = (8, 32) if mapped.is_ours else (4, 64)
    text = mapped.document.lines
    for number, name, run, _ in runs_of(mapped.name):
        heads = [line for line in text[:number] if "device=" in line]
        later = any(f"{large} batch" in line for line in text[:number])

        assert heads[-1].endswith({"cpu": "=cpu", "metal": "=mps"}[run.device])
        assert run.workload == WORKLOADS.get(name or "", name)
        assert run.parameters["batch_size"] == (large if later else small)
