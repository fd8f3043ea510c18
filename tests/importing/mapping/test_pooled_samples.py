"""Columns of samples: many cells of one run, kept in the order printed."""

from tests.importing.mapping.mapped import BASE, items, records, refused

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
    assert [(one.phase, one.per, one.values) for one in record.series] == [
        ("seed", 782, (84.5, 80.25, 80.5))
    ]
    assert record.run.locator == "line 3 to line 5"
    assert [
        (value.metric, value.value, value.derived, value.locator)
        for value in record.end.values
    ] == [
        ("epoch_seconds", 80.5, "median of 3 samples", "line 3 to line 5"),
        ("reported_samples_per_second", 601, "median of 3 samples", "line 3 to line 5"),
    ]


def test_an_epoch_without_a_figure_refuses_the_run_that_it_belongs_to():
    assert refused(items(EPOCHS, log("84.5", "OOM"))) == [
        (
            "line 3, column Time",
            "a sample of epoch_seconds is no figure, or of another kind",
        )
    ]
