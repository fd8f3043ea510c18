import pytest

from tests.importing.mapping.mapped import (
    BASE,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    table,
    value,
)


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("3 GB", "unit contradiction"),
        ("3", "has no unit"),
        ("3 tokens/s", "counts token"),
        ("3 ms", "unit contradiction"),
    ],
)
def test_a_unit_that_cannot_be_meant_is_refused(cell, why):
    text = table("Model | GPU | Speed", f"vgg16 | M1 | {cell}")
    found = items(BASE + "[[table]]" + THROUGHPUT, text)

    assert records(found) == []
    assert why in refused(found)[0][1]


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("Time (ms)", "metric = 'epoch_seconds'"),
        ("ms", "metric = 'epoch_seconds'"),
        ("Time", "metric = 'epoch_seconds', unit = 'ms'"),
    ],
)
def test_the_unit_may_stand_in_the_header_or_in_the_map(header, column):
    toml = f"""
    [[table]]
    [table.columns]
    Model = {{ field = "workload" }}
    "{header}" = {{ is = "value", {column} }}
    """
    record = only(items(BASE + toml, table(f"Model | {header}", "vgg16 | 250")))

    assert value(record, "epoch_seconds").value == 0.25


@pytest.mark.parametrize(
    ("cell", "metric", "expected"),
    [
        ("8.6 TFLOPS", "teraflops", 8.6),
        ("400 GB/s", "gigabytes_per_second", 400.0),
        ("21 GB", "peak_memory_observed_bytes", 21e9),
        ("94.5 %", "final_accuracy", 94.5),
    ],
)
def test_figures_come_in_the_unit_of_their_metric(cell, metric, expected):
    toml = f"""
    [[table]]
    [table.columns]
    Model = {{ field = "workload" }}
    X = {{ is = "value", metric = "{metric}" }}
    """
    record = only(items(BASE + toml, table("Model | X", f"vgg16 | {cell}")))

    assert value(record, metric).value == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("21 GB", 21 * 2**30), ("21", 21 * 2**30), ("21 GiB", 21 * 2**30)],
)
def test_gigabytes_are_binary_where_the_map_says_so(cell, expected):
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    X = { is = "value", metric = "peak_memory_observed_bytes", unit = "GiB" }
    """
    record = only(items(BASE + toml, table("Model | X", f"vgg16 | {cell}")))

    assert value(record, "peak_memory_observed_bytes").value == expected


def test_an_accuracy_printed_as_a_fraction_is_one_in_percent():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    X = { is = "value", metric = "final_accuracy", unit = "1" }
    """
    record = only(items(BASE + toml, table("Model | X", "vgg16 | 0.75")))

    assert value(record, "final_accuracy").value == 75.0


@pytest.mark.parametrize(
    ("cell", "status"),
    [("OOM", "oom"), ("-", "not-measured"), ("failed", "failed"), ("", "not-measured")],
)
def test_a_run_without_any_figure_says_how_it_ended(cell, status):
    text = table("Model | GPU | Speed", f"vgg16 | M1 | {cell}")
    record = only(items(BASE + "[[table]]" + THROUGHPUT, text))
    figure = value(record, "reported_samples_per_second")

    assert (record.end.status, record.end.reason) == (status, figure.reason)
    assert (figure.value, figure.printed) == (None, cell)


def test_a_run_with_one_figure_of_two_is_a_run():
    toml = THROUGHPUT + 'Power = { is = "value", metric = "peak_power_watts" }\n'
    text = table("Model | GPU | Speed | Power", "vgg16 | M1 | 3 img/s | OOM")
    record = only(items(BASE + "[[table]]" + toml, text))

    assert record.end.status == "ok"
    assert value(record, "peak_power_watts").reason == "out of memory"


def test_a_text_that_the_map_calls_missing_is_missing():
    toml = THROUGHPUT.replace("Speed = {", 'Speed = { missing = { "0" = "not tried" },')
    text = table("Model | GPU | Speed", "vgg16 | M1 | 0")
    record = only(items(BASE + "[[table]]" + toml, text))

    assert value(record, "reported_samples_per_second").reason == "not tried"
    assert record.end.status == "not-measured"


def test_a_bound_is_no_figure():
    text = table("Model | GPU | Speed", "vgg16 | M1 | <0.3 img/s")
    record = only(items(BASE + "[[table]]" + THROUGHPUT, text))
    figure = value(record, "reported_samples_per_second")

    assert (figure.value, figure.reason) == (None, "only a bound is printed")
    assert figure.printed == "<0.3 img/s"


def test_a_range_has_its_middle_and_says_so():
    text = table("Model | GPU | Speed", "vgg16 | M1 | 20-24 img/s")
    figure = value(
        only(items(BASE + "[[table]]" + THROUGHPUT, text)),
        "reported_samples_per_second",
    )

    assert (figure.value, figure.derived) == (22.0, "middle of the printed range")


def test_an_uncertainty_is_kept_in_the_unit_of_the_figure():
    toml = THROUGHPUT.replace("reported_samples_per_second", "teraflops")
    text = table("Model | GPU | Speed", "matmul | M1 | 2.5 ± 0.5 TFLOPS")
    figure = value(only(items(BASE + "[[table]]" + toml, text)), "teraflops")

    assert (figure.value, figure.uncertainty) == (2.5, 0.5)


PARTS = """
[[table]]
[table.columns]
Model = { field = "workload" }
[table.columns.Time]
is = "value"
parts.user = "script_user_seconds"
parts.system = ""
parts.cpu = ""
parts.total = "script_wall_seconds"
"""


def test_a_cell_with_parts_has_a_figure_for_each_that_is_named():
    cell = "54,17s user 3,32s system 115% cpu 49,707 total"
    record = only(items(BASE + PARTS, table("Model | Time", f"lstm | {cell}")))

    assert {one.metric: (one.value, one.printed) for one in record.end.values} == {
        "script_user_seconds": (54.17, "54,17s user"),
        "script_wall_seconds": (49.707, "49,707 total"),
    }


def test_a_cell_without_its_parts_has_none_of_the_figures():
    record = only(items(BASE + PARTS, table("Model | Time", "lstm | -")))

    assert record.end.status == "not-measured"
    assert [one.value for one in record.end.values] == [None, None]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ('user = "script_user_seconds"', "without a metric"),
        (
            'user = "", system = "", cpu = "", total = "", real = ""',
            "no part is 'real'",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, why):
    toml = f"""
    [[table]]
    [table.columns]
    Model = {{ field = "workload" }}
    Time = {{ is = "value", parts = {{ {parts} }} }}
    """
    cell = "1.5s user 2.5s system 99% cpu 4.00 total"
    found = items(BASE + toml, table("Model | Time", f"lstm | {cell}"))

    assert why in refused(found)[0][1]


def test_a_figure_of_bytes_beyond_all_numbers_is_refused():
    toml = THROUGHPUT.replace("reported_samples_per_second", "stored_bytes")
    text = table("Model | GPU | Speed", "vgg16 | M1 | 1e308 GB")
    found = items(BASE + "[[table]]" + toml, text)

    assert records(found) == []
    assert len(refused(found)) == 1


def test_two_parts_of_one_name_are_refused():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    Time = { is = "value", parts = { s = "epoch_seconds" } }
    """
    found = items(BASE + toml, table("Model | Time", "lstm | 3 s / 4 s"))

    assert refused(found) == [("line 3, column Time", "two parts are 's'")]


def test_a_share_beyond_all_numbers_is_refused():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    X = { is = "value", metric = "final_accuracy", unit = "1" }
    """
    found = items(BASE + toml, table("Model | X", "vgg16 | 1e307"))

    assert refused(found) == [("line 3, column X", "'1e307' is too large for a number")]


@pytest.mark.parametrize("unit", ["s/it", "s/batch", "s/step"])
def test_an_iteration_and_a_batch_are_a_step(unit):
    toml = THROUGHPUT.replace("reported_samples_per_second", "reported_step_seconds")
    text = table("Model | GPU | Speed", f"vgg16 | M1 | 7.5{unit}")
    record = only(items(BASE + "[[table]]" + toml, text))

    assert value(record, "reported_step_seconds").value == 7.5
