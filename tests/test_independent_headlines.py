"""The headlines of the shipped database, computed once more from its bare rows.

With nothing but sqlite3, json and math: no computation of benchdb has a part in it. The
JSON report is made by the command line. Where a headline is a bounded figure its range
is compared, where it is none its absence.
"""

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import benchdb

DATABASE = Path(__file__).parents[1] / "results.sqlite"
# The workloads that all Macs of the ranking ran, and what nobody doubts of them.
_TIMES = """
SELECT chip.name, machine.model, run.device, run.workload, run.parameters, value.value,
       EXISTS (SELECT 1 FROM flag WHERE flag.run = run.digest
               AND (flag.metric IS NULL OR flag.metric = value.metric)
               AND flag.code <> 'impossible-os')
       OR EXISTS (SELECT 1 FROM finding WHERE finding.run = run.digest
                  AND finding.metric IN ('', value.metric)
                  AND finding.code <> 'impossible-os')
FROM value
JOIN run ON run.digest = value.run
JOIN machine ON machine.digest = run.machine
JOIN chip ON chip.digest = machine.chip
JOIN source ON source.digest = run.source
WHERE source.slug = 'm1tensorbench' AND value.metric = 'script_wall_seconds'
  AND value.value IS NOT NULL
"""
_RATES = """
SELECT run.device_name, run.workload, run.batch_size, value.metric, value.value
FROM value
JOIN run ON run.digest = value.run
JOIN source ON source.digest = run.source
WHERE source.slug = 'tf-metal-experiments' AND value.value IS NOT NULL
"""


def rows(query: str) -> list[Any]:
    uri = f"file:{DATABASE}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module", name="told")
def answers_of_the_report() -> dict[str, Any]:
    options = ("--lang", "en", "--format", "json", "-o", "-")
    done = benchdb("report", *options, "--db", DATABASE)
    assert done.status == 0, done.err
    return {one["kind"]: one for one in json.loads(done.out)["answers"]}


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def gains() -> dict[str, dict[str, float]]:
    """Return how many times faster Metal is, by workload and chip, undoubted."""
    sides: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for chip, _, device, workload, _, seconds, doubted in rows(_TIMES):
        if not doubted:
            sides[workload, chip][device] = seconds
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (workload, chip), both in sides.items():
        if both.keys() >= {"cpu", "metal"}:
            found[workload][chip] = both["cpu"] / both["metal"]
    return found


def test_the_gains_of_metal_are_those_of_the_work_that_always_gains(told):
    several = [list(one.values()) for one in gains().values() if len(one) > 1]
    always = [one for one in several if min(one) > 1.05]
    ratios = [ratio for one in always for ratio in one]

    assert isclose(told["metal"]["low"], min(ratios))
    assert isclose(told["metal"]["high"], max(ratios))
    assert len(told["metal"]["facts"]["pays"]) == len(always) == 3


def speeds() -> dict[str, dict[str, float]]:
    """Return the seconds of each chip with Metal by workload, the best machine's."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for chip, _, device, workload, _, seconds, doubted in rows(_TIMES):
        if device == "metal" and not doubted:
            found[chip][workload] = min(seconds, found[chip].get(workload, seconds))
    return found


def test_the_best_mac_is_so_many_times_as_fast_as_the_slowest(told):
    facts, macs = told["mac"]["facts"], speeds()
    best, slowest = macs[facts["best"]], macs[facts["baseline"]]
    # MNIST is not common to all: one machine of the ranking lacks a like figure.
    common = ["resnet50", "mobilenetv2", "distilbert", "lstm"]
    ratios = [slowest[workload] / best[workload] for workload in common]
    mean = geometric_mean(ratios)

    assert facts["workloads"] == len(common)
    assert isclose(told["mac"]["low"], mean)
    assert isclose(told["mac"]["high"], mean)
    assert all(map(isclose, facts["spread"], (min(ratios), max(ratios))))
    for chip, ratio, low, high in facts["others"]:
        others = [slowest[name] / macs[chip][name] for name in common]
        assert ratio is None or isclose(ratio, geometric_mean(others))
        assert isclose(low, min(others))
        assert isclose(high, max(others))
        # No mean where the range crosses 1.
        assert (ratio is None) is (low < 1 < high)


def pairs(answer: dict[str, Any]) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Return the figures of the system and of the reference where both did a work."""
    sides: dict[tuple[str, int], dict[str, dict[str, float]]]
    sides = defaultdict(lambda: defaultdict(dict))
    for chip, workload, batch, metric, value in rows(_RATES):
        sides[workload, batch][chip][metric] = value
    names = answer["facts"]["system"], answer["facts"]["reference"]
    return [
        (both[names[0]], both[names[1]])
        for both in sides.values()
        if both.keys() >= set(names)
    ]


def is_bounded_by(answer: dict[str, Any], ratios: list[float]) -> bool:
    """Tell whether it is the range of *ratios*, or says what differs and no figure."""
    if answer["low"] is None:
        return bool(answer["facts"]["differs"])
    bounds = isclose(answer["low"], min(ratios)), isclose(answer["high"], max(ratios))
    return all(bounds)


RATE, POWER = "fit_samples_per_second", "peak_power_watts"


def test_the_distance_is_the_range_of_the_rates_of_like_work(told):
    ratios = [other[RATE] / own[RATE] for own, other in pairs(told["distance"])]

    assert [round(one, 2) for one in sorted(ratios)] == [5.68, 6.89, 7.86, 8.88]
    assert told["distance"]["facts"]["workloads"] == len(ratios)
    assert is_bounded_by(told["distance"], ratios)


def test_the_work_per_joule_is_the_range_of_rates_over_powers(told):
    ratios = [
        (own[RATE] / own[POWER]) / (other[RATE] / other[POWER])
        for own, other in pairs(told["watt"])
    ]

    assert [round(one, 2) for one in sorted(ratios)] == [1.09, 1.16, 1.35, 1.62]
    assert told["watt"]["facts"]["workloads"] == len(ratios)
    assert is_bounded_by(told["watt"], ratios)


def test_all_published_figures_stand_in_the_database_as_they_were_printed():
    """``test_published.py`` holds each against its printed text; here all are."""
    stored = rows(
        "SELECT source.slug, run.locator, metric, value, printed FROM value "
        "JOIN run ON run.digest = value.run JOIN source ON source.digest = run.source "
        "WHERE run.label IN ('transcribed', 'imported', 'aggregate')"
    )
    written = []
    for path in sorted((DATABASE.parent / "published").glob("*.jsonl")):
        lines = [json.loads(raw) for raw in path.read_text("utf-8").splitlines()]
        slug = next((one["slug"] for one in lines if one["type"] == "source"), None)
        runs = {one["key"]: one for one in lines if one["type"] == "run"}
        written += [
            (slug, runs[one["run"]].get("locator"), *figure(value))
            for one in lines
            if one["type"] == "end" and runs[one["run"]]["label"] != "measured"
            for value in one.get("values", ())
        ]

    assert sorted(stored, key=repr) == sorted(written, key=repr)
    assert len(stored) == 262  # four of them say why there is no figure
    assert len([value for *_, value, _ in stored if value is not None]) == 258


def figure(value: dict[str, Any]) -> tuple[Any, ...]:
    return value["metric"], value.get("value"), value.get("printed")
