"""Columns of samples: many cells of one run, kept in the order printed."""

from tests.importing.mapping.mapped import BASE, items, only, records, refused

EPOCHS = f"""
{BASE}
[[table]]
[table.columns]
Model = {{ field = "workload" }}
Epoch = {{ is = "ignore" }}
Time = {{ is = "samples", metric = "epoch_seconds", unit = "s", per = 782 }}
Speed = {{ is = "samples", metric = "reported_samples_per_second", unit = "1/s" }}
"""


def log(*times: str) -> str:
    """Return a table of epochs."""
    rows = [f"| cnn | {n} | {time} | {600 + n} |" for n, time in enumerate(times)]
    return "\n".join(["| Model | Epoch | Time | Speed |", "|---|---|---|---|", *rows])


def test_the_epochs_of_a_training_are_one_run_with_their_median():
    (record,) = records(items(EPOCHS, log("84.5", "80.25", "80.5")))
    assert [(series.phase, series.per, series.values) for series in record.series] == [
        ("seed", 782, (84.5, 80.25, 80.5))
    ]
    assert record.run.locator == "line 3 to line 5"
    assert [
        (value.metric, value.value, value.printed) for value in record.end.values
    ] == [
        ("epoch_seconds", 80.5, "84.5; 80.25; 80.5"),
        ("reported_samples_per_second", 601, "600; 601; 602"),
    ]
    assert {(value.derived, value.locator) for value in record.end.values} == {
        ("median of 3 samples", "line 3 to line 5")
    }


def test_cells_without_a_figure_are_left_out_of_the_samples_and_counted():
    record = only(items(EPOCHS, log("84.5", "OOM", "80.5")))
    assert [series.values for series in record.series] == [(84.5, 80.5)]
    time = record.end.values[0]
    assert (time.value, time.derived) == (
        82.5,
        "median of 2 samples; 1 cells have no figure",
    )


def test_samples_of_one_metric_in_two_kinds_are_refused():
    other = 'Speed = { is = "samples", metric = "epoch_seconds", unit = "s", per = 3 }'
    (speed,) = (line for line in EPOCHS.splitlines() if line.startswith("Speed"))
    why = "two columns of samples are both epoch_seconds"
    assert refused(items(EPOCHS.replace(speed, other), log("84.5"))) == [
        ("line 3, column Time", why),
        ("line 3, column Speed", why),
    ]


def test_samples_beside_a_single_figure_of_their_metric_are_refused_with_its_place():
    mean = '[table.columns]\nModel = { field = "workload" }\n'
    mean += 'Mean = { is = "value", metric = "epoch_seconds", unit = "s" }\n'
    text = log("84.5", "80.5") + "\n\n| Model | Mean |\n|---|---|\n| cnn | 82.5 |\n"

    read = items(f"{EPOCHS}\n[[table]]\n{mean}", text)

    places = {locator: why.partition(";")[0] for locator, why in refused(read)}
    twice = "twice: epoch_seconds of the same run is at"
    assert places == {
        "line 3, column Time": f"{twice} line 8, column Mean as well",
        "line 4, column Time": f"{twice} line 8, column Mean as well",
        "line 8, column Mean": f"{twice} line 3, column Time and 1 more as well",
    }


ONCE = EPOCHS.replace('Time = { is = "samples"', 'Time = { is = "once"')


def test_a_figure_that_stands_in_several_rows_is_kept_once():
    record = only(items(ONCE, log("84.5", "84.5", "84.5")))
    time, speed = record.end.values
    assert (time.value, time.derived, time.locator) == (
        84.5,
        None,
        "line 3, column Time",
    )
    assert (speed.value, speed.derived) == (601, "median of 3 samples")
    assert not record.series


def test_what_is_to_stand_once_and_differs_is_refused():
    why = "epoch_seconds is to be one figure, and is (84.5, 80.25)"
    assert {it[1] for it in refused(items(ONCE, log("84.5", "80.25")))} == {why}
