"""A map proposed for tables that nobody explained: what is assumed, what is open."""

import msgspec
import pytest

from benchdb.catalogue import metrics
from benchdb.importing.guess.column_profile import words
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.maps import faults
from benchdb.importing.quantities.unit_names import understood
from tests.importing.guess.guessed import (
    DOCUMENTS,
    FIXTURES,
    GUESSED,
    meanings,
    of_file,
    of_text,
    proposal,
    records,
)


@pytest.mark.parametrize("path", [*GUESSED, *DOCUMENTS], ids=lambda path: path.stem)
def test_the_toml_means_the_same_as_the_map(path):
    found = of_file(path)

    assert msgspec.toml.decode(found.toml, type=Map) == found.map


@pytest.mark.parametrize("path", GUESSED, ids=lambda path: path.stem)
def test_a_proposed_map_has_no_faults(path):
    found = of_file(path)

    assert list(faults(found.map)) == []


@pytest.mark.parametrize("path", [*GUESSED, *DOCUMENTS], ids=lambda path: path.stem)
def test_every_assumption_and_doubt_is_a_comment(path):
    found = of_file(path)

    comments = [line for line in found.toml.splitlines() if line.startswith("# ")]
    assert {f"# assumed: {one}" for one in found.assumptions} <= set(comments)
    assert {f"# undecided: {one}" for one in found.undecided} <= set(comments)


def test_a_pivot_by_machines_takes_its_unit_from_the_heading():
    found = proposal("machines-as-columns")

    (table,) = found.map.table
    assert table.columns["M1 Max 32c"].set == {"machine": "m1-max-32c"}
    assert table.columns["My Hackintosh"].set == {"machine": "My Hackintosh"}
    values = [one for one in table.columns.values() if one.is_ == "value"]
    assert {one.metric for one in values} == {"reported_samples_per_second"}
    assert {one.unit for one in values} == {"images/sec"}
    assert any("which device" in one for one in found.undecided)


def test_a_pivot_by_models_keeps_the_words_of_the_source():
    found = proposal("models-as-columns")

    (table,) = found.map.table
    assert table.columns["ResNet-50 (img/s)"].set == {
        "workload": "ResNet-50",
        "setting": "guess-models-as-columns",
    }
    assert table.columns["BERT Large (seq/s)"].unit == "seq/s"
    assert table.columns["Notes"].is_ == "ignore"
    assert found.undecided == ()


def test_precisions_as_columns_are_a_pivot():
    (table,) = proposal("dtypes-as-columns").map.table

    assert meanings(table) == {
        "Size": "parameters.size",
        "fp32": "teraflops",
        "fp16": "teraflops",
        "bf16": "teraflops",
    }
    assert table.columns["bf16"].set == {"precision": "bf16"}
    (heading,) = table.headings.values()
    assert heading.set["workload"] == "GEMM"
    assert heading.set["device"] == "cuda"


def test_batch_sizes_as_columns_are_a_pivot():
    (table,) = proposal("batches-as-columns").map.table

    assert table.columns["32"].set == {"parameters.batch_size": 32}
    assert table.columns["32"].metric == "epoch_seconds"


def test_rows_named_after_metrics_are_read_as_metrics():
    (table,) = proposal("metrics-as-rows").map.table

    assert table.columns["column 1"].values == {
        "Throughput (img/s)": "reported_samples_per_second",
        "Peak Power (W)": "peak_power_watts",
        "Memory": "peak_memory_observed_bytes",
    }
    assert table.columns["M1 Max"].set == {"machine": "m1-max"}


def test_sides_as_columns_tell_the_device():
    found = proposal("sides-as-columns")

    (table,) = found.map.table
    assert table.columns["CPU"].set == {"device": "cpu"}
    assert table.columns["MPS"].set == {"device": "metal"}
    assert table.columns["Speedup"].is_ == "ratio"
    assert found.undecided == ()


def test_what_drove_a_gpu_is_asked_for():
    found = proposal("german-times")

    (table,) = found.map.table
    assert table.columns["CPU-Zeit"].set == {"device": "cpu"}
    assert table.columns["GPU-Zeit"].set == {}
    assert table.columns["GPU-Zeit"].decimal == ","
    assert any("which device" in one for one in found.undecided)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "german",
            {
                "Modell": "workload",
                "Gerät": "machine",
                "Speicher": "ram",
                "Stapelgröße": "parameters.batch_size",
                "Zeit (s)": "script_wall_seconds",
                "Leistung (W)": "peak_power_watts",
            },
        ),
        (
            "korean",
            {
                "모델": "workload",
                "기기": "machine",
                "배치": "parameters.batch_size",
                "시간": "script_wall_seconds",
            },
        ),
        (
            "chinese",
            {
                "模型": "workload",
                "显卡": "machine",
                "批大小": "parameters.batch_size",
                "显存": "peak_memory_observed_bytes",
                "耗时": "script_wall_seconds",
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
        ),
        (
            "one-row-per-run",
            {
                "timestamp": "started",
                "chip": "chip",
                "gpu_cores": "gpu_cores",
                "ram_gb": "ram",
                "os": "os_name",
                "framework": "framework",
                "version": "framework_version",
                "device": "device",
                "dtype": "precision",
                "model": "workload",
                "batch_size": "parameters.batch_size",
                "steps": "parameters.steps",
                "images_per_sec": "reported_samples_per_second",
                "peak_mem_gb": "peak_memory_observed_bytes",
                "power_w": "peak_power_watts",
            },
        ),
    ],
)
def test_columns_are_known_in_the_languages_people_publish_in(name, expected):
    (table,) = proposal(name).map.table

    assert meanings(table) == expected


def test_a_run_in_each_row_is_read_whole():
    (path,) = FIXTURES.glob("guess-one-row-per-run.*")

    first, second = records(proposal("one-row-per-run"), path)
    assert first.machine.chip.name == "M1 Max"
    assert first.machine.chip.ram_bytes == 64 * 2**30
    assert first.environment.os_build == "23D56"
    assert first.run.parameters == {"batch_size": 64, "steps": 100}
    assert second.run.precision == "fp16"


def test_memory_that_varies_on_one_machine_was_used_and_is_none_that_it_has():
    table = "| Model | GPU | Memory |\n|---|---|---|\n"
    used = of_text(table + "| vgg16 | M1 | 9 GB |\n| lstm | M1 | 4.5 GB |\n")

    assert meanings(used.map.table[0])["Memory"] == "peak_memory_observed_bytes"


def test_what_headers_and_units_mean_are_metrics_and_units_of_the_catalogue():
    known = words()
    columns = [one for log in known.logs.values() for one in log.values()]

    rules = [rule for several in known.by_unit.values() for rule in several]
    named = {rule.name for rule in rules} | {one.metric or "" for one in columns}
    named |= set(known.roles.values())
    units = {one.unit for one in (*rules, *columns)}

    assert named - {"ratio", ""} <= metrics().keys()
    assert [unit for unit in units if unit and understood(unit) is None] == []
