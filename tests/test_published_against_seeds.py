import hashlib
import re
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from benchdb.exchange.lines import Claim, End, Line, Machine, Run, Source, Value
from benchdb.resources import folder
from tests.shared_material import SHARED

SLUGS = [
    "m1-vs-v100",
    "m1tensorbench",
    "needle-metal",
    "pytorch-in-m1",
    "tf-metal-experiments",
]

WORKLOADS = {
    "ResNet50": "resnet50",
    "MobileNetV2": "mobilenetv2",
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

every_file = pytest.mark.parametrize("slug", SLUGS)


@cache
def lines_of(slug: str) -> list[Line]:
    raw = (folder("published") / f"{slug}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Line) for line in raw]


def source_of(slug: str) -> Source:
    return next(line for line in lines_of(slug) if isinstance(line, Source))


def bytes_of(slug: str) -> bytes:
    return (SHARED / "seeds" / (source_of(slug).document or "")).read_bytes()


def text_of(slug: str) -> list[str]:
    return bytes_of(slug).decode().split("\n")


def values_of(slug: str) -> Iterator[Value]:
    for line in lines_of(slug):
        if isinstance(line, End):
            yield from line.values


def runs_of(slug: str) -> Iterator[tuple[int, str | None, Run, Machine]]:
    """Yield each run with its line and column, and its machine."""
    lines = lines_of(slug)
    machines = {line.key: line for line in lines if isinstance(line, Machine)}
    for line in lines:
        if isinstance(line, Run):
            yield *place_of(line.locator), line, machines[line.machine]


def place_of(locator: str | None) -> tuple[int, str | None]:
    match = re.fullmatch(r"line (\d+)(?:, (?:column )?(.+))?", locator or "")
    assert match, locator
    return int(match[1]), match[2]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def text_at(slug: str, locator: str | None) -> str:
    """Return the cell that *locator* names, or the line where it names no column."""
    number, column = place_of(locator)
    text = text_of(slug)
    line = text[number - 1]
    if column is None or not line.startswith("|"):
        assert column is None or line.startswith(f"{column}: ")
        return line
    head = next(row for row in reversed(text[:number]) if column in cells(row))
    return cells(line)[cells(head).index(column)]


def found(slug: str, pattern: str) -> list[tuple[int, str]]:
    """Return line number and characters of every match in the document."""
    return [
        (number, match[0])
        for number, line in enumerate(text_of(slug), start=1)
        for match in re.finditer(pattern, line)
    ]


def transcribed(slug: str, prefix: str = "") -> list[tuple[int, str]]:
    return [
        (place_of(value.locator)[0], value.printed or "")
        for value in values_of(slug)
        if value.metric.startswith(prefix) and value.value is not None
    ]


@every_file
def test_the_document_is_the_one_that_was_transcribed(slug: str) -> None:
    digest = hashlib.sha256(bytes_of(slug)).hexdigest()

    assert digest == source_of(slug).document_sha256


@every_file
def test_every_figure_stands_where_its_locator_says(slug: str) -> None:
    for value in values_of(slug):
        assert (value.printed or "") in text_at(slug, value.locator)


@every_file
def test_every_claim_stands_where_its_locator_says(slug: str) -> None:
    for line in lines_of(slug):
        if isinstance(line, Claim):
            assert line.printed in text_at(slug, line.locator)


def test_no_cell_of_the_throughput_tables_is_left_out() -> None:
    rows = r"^\| \w+ +\| (?:M1 Max 32c|M1 Pro 16c|3090) "
    measured = [
        (number, cell)
        for number, line in enumerate(text_of("tf-metal-experiments"), start=1)
        if re.match(rows, line)
        for cell in cells(line)[3:]
    ]

    assert len(measured) == 4 * 3 + 6 * 4 + 8 * 2
    assert transcribed("tf-metal-experiments") == measured


@pytest.mark.parametrize(
    ("metric", "pattern"),
    [
        ("script_user_seconds", r"[\d.,]+s user"),
        ("script_system_seconds", r"[\d.,]+s system"),
        ("script_cpu_percent", r"\d+% cpu"),
        ("script_wall_seconds", r"[\d.,:]+ total"),
    ],
)
def test_no_time_of_the_script_table_is_left_out(metric: str, pattern: str) -> None:
    measured = found("m1tensorbench", pattern)

    assert len(measured) == 44
    assert transcribed("m1tensorbench", metric) == measured


def test_the_cell_without_a_time_is_kept_as_not_measured() -> None:
    empty = [
        (number, cell)
        for number, line in enumerate(text_of("m1tensorbench"), start=1)
        if line.startswith("| Mac")
        for cell in cells(line)
        if cell == "-"
    ]
    kept = {
        (place_of(value.locator)[0], value.printed)
        for value in values_of("m1tensorbench")
        if value.value is None
    }

    assert empty == [(99, "-")]
    assert kept == set(empty)


def test_no_time_of_the_prose_is_left_out() -> None:
    times = found("needle-metal", r"\d\.\d+s\b")
    others = [
        (104, "20"),
        (104, "60 seconds"),
        (115, "4 epochs in an hour"),
        (115, "6 epochs in an hour"),
        (115, "(10 epochs) in only 21 minutes"),
    ]

    assert len(times) == 5
    assert sorted(transcribed("needle-metal")) == sorted(times + others)


def test_no_epoch_of_the_logs_is_left_out() -> None:
    measured = [
        (number, line.split(": ")[1])
        for number, line in found("pytorch-in-m1", r"^\w+: \d+\.\d+$")
    ]

    assert len(measured) == 20
    assert transcribed("pytorch-in-m1") == measured


def test_no_speed_up_of_the_author_is_left_out() -> None:
    claimed = [
        (place_of(line.locator)[0], line.printed)
        for line in lines_of("pytorch-in-m1")
        if isinstance(line, Claim)
    ]

    assert claimed == found("pytorch-in-m1", r"\d+\.\d+%")


def test_a_run_of_the_throughput_tables_is_that_of_its_row() -> None:
    for number, _, run, machine in runs_of("tf-metal-experiments"):
        row = cells(text_of("tf-metal-experiments")[number - 1])

        assert run.workload == WORKLOADS[row[0]]
        assert machine.label == row[1]
        assert run.parameters["batch_size"] == int(row[2])


def test_a_figure_of_the_throughput_tables_is_that_of_its_column() -> None:
    for value in values_of("tf-metal-experiments"):
        column = place_of(value.locator)[1]

        assert column in COLUMNS[value.metric].split("|")


def test_power_of_the_whole_chip_is_claimed_only_where_the_text_says_so() -> None:
    says = found("tf-metal-experiments", "whole SoC and only GPU")
    places = {
        place_of(value.locator)[0]
        for value in values_of("tf-metal-experiments")
        if value.metric == "peak_soc_power_watts"
    }

    assert [number for number, _ in says] == [57]  # the M1 Pro's table follows
    assert places == set(range(62, 68))


def test_a_run_of_the_script_table_is_that_of_its_cell() -> None:
    for number, column, run, machine in runs_of("m1tensorbench"):
        row = cells(text_of("m1tensorbench")[number - 1])

        assert run.workload == WORKLOADS.get(column or "", column)
        assert [machine.model, run.device] == [
            row[0],
            {"ja": "metal", "nein": "cpu"}[row[8]],
        ]
        assert machine.chip.ram_bytes == int(row[1].removesuffix(" GB")) * 2**30
        assert row[2].endswith(run.device_name or "-")


def test_a_run_of_the_logs_is_that_of_its_block() -> None:
    text = text_of("pytorch-in-m1")
    for number, name, run, _ in runs_of("pytorch-in-m1"):
        heads = [line for line in text[:number] if "device=" in line]
        later = any("64 batch" in line for line in text[:number])

        assert heads[-1].endswith({"cpu": "=cpu", "metal": "=mps"}[run.device])
        assert run.workload == WORKLOADS.get(name or "", name)
        assert run.parameters["batch_size"] == (64 if later else 4)
