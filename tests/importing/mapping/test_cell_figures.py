import pytest

from tests.importing.mapping.mapped import (
    BASE,
    SPEED,
    items,
    only,
    records,
    refused,
    speed,
    table,
    value,
)

SAMPLES = "reported_samples_per_second"


def cell_of(cell, metric=SAMPLES, column="", header="Speed"):
    """Return what a map makes of a cell, in a column of figures of *metric*."""
    facts = ", ".join(filter(None, (f'is = "value", metric = "{metric}"', column)))
    toml = f"""
    [[table]]
    [table.columns]
    Model = {{ field = "workload" }}
    "{header}" = {{ {facts} }}
    """
    return items(BASE + toml, table(f"Model | {header}", f"vgg16 | {cell}"))


@pytest.mark.parametrize(
    ("cell", "metric", "column", "expected"),
    [
        ("8.6 TFLOPS", "teraflops", "", 8.6),
        ("400 GB/s", "gigabytes_per_second", "", 400.0),
        ("21 GB", "peak_memory_observed_bytes", "", 21e9),
        ("94.5 %", "final_accuracy", "", 94.5),
        # gigabytes are binary where the map says so
        ("21 GB", "peak_memory_observed_bytes", "unit = 'GiB'", 21 * 2**30),
        ("21", "peak_memory_observed_bytes", "unit = 'GiB'", 21 * 2**30),
        ("21 GiB", "peak_memory_observed_bytes", "unit = 'GiB'", 21 * 2**30),
        # an accuracy printed as a fraction is one in percent
        ("0.75", "final_accuracy", "unit = '1'", 75.0),
        # an iteration and a batch are a step
        ("7.5s/it", "reported_step_seconds", "", 7.5),
        ("7.5s/batch", "reported_step_seconds", "", 7.5),
        ("7.5s/step", "reported_step_seconds", "", 7.5),
    ],
)
def test_figures_come_in_the_unit_of_their_metric(cell, metric, column, expected):
    record = only(cell_of(cell, metric, column))

    assert value(record, metric).value == expected


@pytest.mark.parametrize(
    ("header", "column"), [("Time (ms)", ""), ("ms", ""), ("Time", "unit = 'ms'")]
)
def test_the_unit_may_stand_in_the_header_or_in_the_map(header, column):
    record = only(cell_of("250", "epoch_seconds", column, header))

    assert value(record, "epoch_seconds").value == 0.25


@pytest.mark.parametrize(
    ("cell", "metric", "column", "why"),
    [
        ("3 GB", SAMPLES, "", "unit contradiction"),
        ("3", SAMPLES, "", "has no unit"),
        ("3 tokens/s", SAMPLES, "", "counts token"),
        ("3 ms", SAMPLES, "", "unit contradiction"),
        ("1e308 GB", "stored_bytes", "", "larger than what a float64 holds"),
        ("1e307", "final_accuracy", "unit = '1'", "'1e307' is too large for a number"),
    ],
)
def test_a_figure_that_cannot_be_meant_is_refused(cell, metric, column, why):
    result = cell_of(cell, metric, column)

    assert records(result) == []
    ((place, reason),) = refused(result)
    assert place == "line 3, column Speed"
    assert why in reason


@pytest.mark.parametrize(
    ("cell", "column", "status", "reason"),
    [
        ("OOM", "", "oom", "out of memory"),
        ("-", "", "not-measured", "not printed"),
        ("failed", "", "failed", "failed"),
        ("", "", "not-measured", "not printed"),
        ("0", "missing = { '0' = 'not tried' }", "not-measured", "not tried"),
    ],
)
def test_a_run_without_any_figure_says_how_it_ended(cell, column, status, reason):
    record = only(cell_of(cell, column=column))
    figure = value(record, SAMPLES)

    assert (record.end.status, record.end.reason) == (status, reason)
    assert (figure.value, figure.printed, figure.reason) == (None, cell, reason)


def test_a_run_with_one_figure_of_two_is_a_run():
    toml = SPEED + 'Power = { is = "value", metric = "peak_power_watts" }\n'
    record = only(speed("vgg16 | M1 | 3 img/s | OOM", more=" | Power", toml=toml))

    assert record.end.status == "ok"
    assert value(record, "peak_power_watts").reason == "out of memory"


@pytest.mark.parametrize(
    ("cell", "metric", "facts"),
    [
        ("<0.3 img/s", SAMPLES, {"reason": "only a bound is printed"}),
        ("20-24 img/s", SAMPLES, {"reason": "only a range is printed"}),
        ("2.5 ± 0.5 TFLOPS", "teraflops", {"value": 2.5, "uncertainty": 0.5}),
        ("~1.80 img/s", SAMPLES, {"value": 1.8}),
    ],
)
def test_bounds_ranges_and_uncertainties_are_kept_as_such(cell, metric, facts):
    record = only(cell_of(cell, metric))
    figure = value(record, metric)

    names = ("value", "reason", "derived", "uncertainty")
    stated = {name: getattr(figure, name) for name in names}
    assert {name: fact for name, fact in stated.items() if fact is not None} == facts
    assert figure.printed == cell
    codes = ["approximate"] if cell.startswith("~") else []
    assert [flag.code for flag in record.end.flags] == codes


def test_a_figure_with_a_word_of_failure_is_kept_with_that_word():
    record = only(cell_of("128.15 img/s(memory not enough)"))

    assert value(record, SAMPLES).value == 128.15
    assert record.end.status == "ok"
    assert record.run.conditions == {"remark": "memory not enough"}


def test_a_count_before_a_rate_is_its_remark():
    record = only(cell_of("512 images @ 61.9 img/s"))

    assert value(record, SAMPLES).value == 61.9
    assert record.run.conditions == {"remark": "512 images"}


def test_a_figure_whose_unit_is_another_is_of_the_metric_of_that_unit():
    record = only(cell_of("6.3938 TFLOPS", "gigabytes_per_second", "unit = 'GB/s'"))

    assert value(record, "teraflops").value == 6.3938


def test_a_blank_cell_in_a_row_that_failed_says_how():
    toml = SPEED + 'Error = { field = "parameters.error" }\n'
    record = only(
        speed("vgg16 | M1 | | CUDA out of memory", more=" | Error", toml=toml)
    )

    assert (record.end.status, record.end.reason) == ("oom", "out of memory")


def parts_of(cell, parts):
    toml = f"""
    [[table]]
    [table.columns]
    Model = {{ field = "workload" }}
    Time = {{ is = "value", parts = {{ {parts} }} }}
    """
    return items(BASE + toml, table("Model | Time", f"lstm | {cell}"))


ZSH = "54,17s user 3,32s system 115% cpu 49,707 total"
PARTS = (
    'user = "script_user_seconds", system = "", cpu = "", total = "script_wall_seconds"'
)


def test_a_cell_with_parts_has_a_figure_for_each_that_is_named():
    record = only(parts_of(ZSH, PARTS))

    assert {item.metric: (item.value, item.printed) for item in record.end.values} == {
        "script_user_seconds": (54.17, "54,17s user"),
        "script_wall_seconds": (49.707, "49,707 total"),
    }


def test_a_cell_without_its_parts_has_none_of_the_figures():
    record = only(parts_of("-", PARTS))

    assert record.end.status == "not-measured"
    assert [item.value for item in record.end.values] == [None, None]


@pytest.mark.parametrize(
    ("cell", "parts", "why"),
    [
        (ZSH, 'user = "script_user_seconds"', "without a metric"),
        (ZSH, f'{PARTS}, real = ""', "the part 'real' is not there"),
        ("3 s / 4 s", 'user = "epoch_seconds"', "not what time prints"),
        ("3s user 4s user", 'user = "epoch_seconds"', "twice"),
    ],
)
def test_parts_that_do_not_fit_are_refused(cell, parts, why):
    ((place, reason),) = refused(parts_of(cell, parts))

    assert place == "line 3, column Time"
    assert why in reason


def test_samples_of_a_work_that_counts_tokens_are_refused():
    made = items(
        SPEED, table("Model | GPU | Speed", "llm-train | M1 Max | 6.7 samples/s")
    )

    why = "it counts samples, and llm-train counts tokens: name the work otherwise"
    assert refused(made) == [("line 3, column Speed", why)]
