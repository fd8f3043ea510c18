import pytest

from tests.importing.mapping.mapped import (
    BASE,
    PIVOT,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    speeds,
    table,
    value,
)


def test_a_row_becomes_a_run_with_its_place_and_the_characters_printed():
    text = table("Model | GPU | Speed", "vgg16 | M1 Max | 140 img/sec")
    record = only(items(BASE + "[[table]]" + THROUGHPUT, text))
    figure = value(record, "reported_samples_per_second")

    assert (figure.value, figure.printed) == (140.0, "140 img/sec")
    assert figure.locator == "line 3, column Speed"
    assert record.machine.chip.name == "M1 Max"
    assert record.run.label == "transcribed"


def test_columns_are_found_whatever_their_case_and_markup():
    text = table("**MODEL** | `gpu` | Speed", "vgg16 | M1 | 3 img/s")

    assert speeds(items(BASE + "[[table]]" + THROUGHPUT, text)) == {"vgg16": 3.0}


def test_figures_under_equal_fields_are_one_run():
    toml = THROUGHPUT + 'Power = { is = "value", metric = "peak_power_watts" }\n'
    text = table("Model | GPU | Speed | Power", "vgg16 | M1 | 3 img/s | 42W")
    record = only(items(BASE + "[[table]]" + toml, text))

    assert {one.metric: one.value for one in record.end.values} == {
        "reported_samples_per_second": 3.0,
        "peak_power_watts": 42.0,
    }
    assert record.run.locator == "line 3"


def test_a_figure_told_twice_is_refused_with_both_places():
    text = table(
        "Model | GPU | Speed",
        "vgg16 | M1 | 3 img/s",
        "VGG-16 | M1 | 4 img/s",
        "alexnet | M1 | 9 img/s",
    )
    found = items(BASE + "[[table]]" + THROUGHPUT, text)
    ((place, why),) = refused(found)

    assert speeds(found) == {"alexnet": 9.0}
    assert place == "line 4, column Speed"
    assert "twice: reported_samples_per_second" in why
    assert "line 3, column Speed" in why


def test_a_figure_that_cannot_be_read_withholds_its_run_alone():
    toml = THROUGHPUT + 'Power = { is = "value", metric = "peak_power_watts" }\n'
    text = table(
        "Model | GPU | Speed | Power",
        "vgg16 | M1 | 3 img/s | much",
        "alexnet | M1 | 9 img/s | 5 W",
    )
    found = items(BASE + "[[table]]" + toml, text)

    assert speeds(found) == {"alexnet": 9.0}
    assert [place for place, _ in refused(found)] == ["line 3, column Power"]


def test_a_pivot_has_a_run_for_each_column():
    found = items(BASE + PIVOT, table("Model | M1 Max | fp16", "vgg16 | 12.5 | 3.5"))
    machine, precision = records(found)

    assert machine.machine.chip.name == "M1 Max"
    assert precision.run.precision == "fp16"
    assert precision.machine.chip.name == "unknown"
    assert machine.run.locator == "line 3, column M1 Max"


def test_a_bad_cell_of_a_pivot_leaves_the_other_columns():
    found = items(BASE + PIVOT, table("Model | M1 Max | fp16", "vgg16 | what | 3.5"))

    assert [place for place, _ in refused(found)] == ["line 3, column M1 Max"]
    assert [record.run.precision for record in records(found)] == ["fp16"]


BY_METRIC = """
[set]
workload = "vgg16"
[[table]]
[table.columns.Measure]
is = "metric"
values."Time (ms)" = "reported_step_seconds"
values.Memory = "peak_memory_reported_bytes"
values.Note = ""
[table.columns.M1]
is = "value"
set = { machine = "M1" }
[table.columns.M2]
is = "value"
set = { machine = "M2" }
"""


def test_rows_may_be_metrics():
    rows = ("Time (ms) | 20 | 10", "memory | 2 GB | 3 GB", "Note | good | bad")
    found = items(BY_METRIC, table("Measure | M1 | M2", *rows))

    assert refused(found) == []
    assert [
        (record.machine.chip.name, [one.value for one in record.end.values])
        for record in records(found)
    ] == [("M1", [2e9, 0.02]), ("M2", [3e9, 0.01])]


def test_a_row_that_is_no_metric_of_the_map_is_refused():
    found = items(BY_METRIC, table("Measure | M1 | M2", "Loss | 1 | 2"))

    assert refused(found) == [("line 3", "'Loss' is no metric that the map names")]


def test_rows_that_are_left_out_and_blank_rows_say_nothing():
    text = table(
        "Model | GPU | Speed", "Mean | M1 | 5 img/s", " | | ", "vgg16 | M1 | 3 img/s"
    )
    found = items(BASE + "[[table]]\nskip = ['^Mean']" + THROUGHPUT, text)

    assert refused(found) == []
    assert speeds(found) == {"vgg16": 3.0}


def test_a_row_with_too_many_cells_is_quarantined():
    text = table("Model | GPU | Speed", "vgg16 | M1 | 3 | 4", "alexnet | M1 | 9 img/s")
    found = items(BASE + "[[table]]" + THROUGHPUT, text)

    assert speeds(found) == {"alexnet": 9.0}
    assert len(refused(found)) == 1


@pytest.mark.parametrize(
    "cell",
    [
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>",
        "9" * 9000,
        "\u202e3",
        "1e308 kimg/s",
    ],
)
def test_hostile_cells_are_refused_and_the_rest_lands(cell):
    cell = cell.replace("|", "\\|")
    text = table(
        "Model | GPU | Speed", f"vgg16 | M1 | {cell}", "alexnet | M1 | 9 img/s"
    )
    found = items(BASE + "[[table]]" + THROUGHPUT, text)

    assert speeds(found).get("alexnet") == 9.0
    assert "vgg16" not in speeds(found) or speeds(found)["vgg16"] is None


def test_a_workload_of_reversed_text_is_refused():
    text = table(
        "Model | GPU | Speed", "vgg16 | M1 | 3 img/s", "a\u202eb | \u202eM1 | 4 img/s"
    )
    found = items(BASE + "[[table]]" + THROUGHPUT, text)

    assert speeds(found) == {"vgg16": 3.0}
    assert "U+202E" in refused(found)[0][1]


def test_kbytes_of_gnu_time_are_of_1024():
    text = (
        '\tCommand being timed: "a"\n\tUser time (seconds): 1.5\n'
        "\tMaximum resident set size (kbytes): 2048\n"
    )
    map_ = (
        BASE
        + """
[[table]]
read = "time"
[table.columns]
command = { field = "workload" }
[table.columns."Maximum resident set size (kbytes)"]
is = "value"
metric = "peak_memory_observed_bytes"
"""
    )

    record = only(items(map_, text))
    assert value(record, "peak_memory_observed_bytes").value == 2048 * 1024
