"""Figures that no measurement can give are taken, flagged, and lead no headline."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchdb.catalogue import metrics
from benchdb.plausibility.rules import judge
from tests import exchange_lines, published_runs
from tests.front_page import leading
from tests.in_process import benchdb
from tests.observed_runs import codes, seen

OPEN = (
    *("final_loss", "score", "reported_value", "max_relative_error"),
    "bits_per_byte",
)
MAC = {
    "key": "mac",
    "chip": {"vendor": "Apple", "name": "M1 Max", "gpu_cores": 32, "cpu_cores": 10},
}
RESNET = {"workload": "resnet50", "framework": "torch", "precision": "fp32"}
PRODUCT = {"workload": "matmul", "framework": "torch", "precision": "fp32"}


@pytest.mark.parametrize(
    ("metric", "value", "doubtful"),
    [
        ("samples_per_second", -5.0, True),
        ("samples_per_second", 0.0, True),
        ("teraflops", 0.0, True),
        ("epoch_seconds", -1.0, True),
        ("script_user_seconds", 0.0, False),  # shells print 0.00
        ("mean_power_watts", 0.0, False),  # so do meters
        ("mean_power_watts", -3.0, True),
        ("final_accuracy", 0.0, False),
        ("samples_per_second", 5.0, False),
    ],
)
def test_less_than_nothing_and_a_rate_of_zero_are_impossible(metric, value, doubtful):
    run = seen(workload="custom", values={metric: value})

    pairs = codes(judge([run], {"impossible-figure"}))
    assert pairs == [("a", "impossible-figure")] * doubtful


def test_of_every_metric_but_open_ones_less_than_nothing_is_impossible():
    runs = [
        seen(name, workload="custom", values={name: -1.0}, source=name)
        for name in metrics()
    ]

    doubted = {run for run, code in codes(judge(runs)) if code == "impossible-figure"}
    assert metrics().keys() - doubted == set(OPEN)


def imported(folder: Path, name: str, factor: float) -> Path:
    """Return a database of published runs and some of a Mac, *factor* times as fast."""
    path, database = folder / f"{name}.jsonl", folder / f"{name}.sqlite"
    published_runs.imported(folder).rename(database)
    header, machine, environment = exchange_lines.START
    lines = [header, exchange_lines.line(machine, **MAC), environment]
    for device in ("cpu", "metal"):
        for kind, rates in ((RESNET, "samples_per_second"), (PRODUCT, "teraflops")):
            key = f"{device} {rates}"
            facts = {**kind, "device": device, "parameters": {"batch_size": 64}}
            value = {"metric": rates, "value": 3.0 * factor}
            joule = {"metric": "samples_per_joule", "value": 0.5 * factor}
            watts = {"metric": "mean_power_watts", "value": 6.0 * factor}
            lines.append(exchange_lines.run(key, machine="mac", **facts))
            lines.append(exchange_lines.end(key, values=[value, joule, watts]))
    path.write_bytes(b"".join(lines))
    done = benchdb("import", path, "--db", database)
    assert (done.status, done.err) == (0, "")
    return database


def answers(database: Path) -> list[object]:
    return [leading(database)]


def test_an_impossible_figure_is_stored_and_told_and_in_no_headline(tmp_path):
    below, zero = imported(tmp_path, "below", -1), imported(tmp_path, "zero", 0)
    without = published_runs.imported(tmp_path)

    with closing(sqlite3.connect(below)) as connection:
        query = "SELECT count(*) FROM finding WHERE code = 'impossible-figure'"
        assert connection.execute(query).fetchone() == (12,)
        # As an older benchdb left it.
        connection.execute("DELETE FROM finding WHERE code = 'impossible-figure'")
        connection.commit()

    assert answers(below) == answers(zero) == answers(without)
