"""``benchdb show``: a run, with the figure of its cell before all else."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb.cli.figure_text import figure, interval
from tests import published_runs
from tests.backends import Backend
from tests.cli.test_list import RATE, THREE, filled
from tests.in_process import benchdb
from tests.summary_page import measured


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("published"))


def shown(where: object, *options: object) -> list[str]:
    (run, *_) = json.loads(benchdb("list", "--runs", "--json", "--db", where).out)
    done = benchdb("show", run["digest"], *options, "--db", where)
    assert done.status == 0, done.err
    return done.out.splitlines()


def of_chip(database: Path, chip: str, *options: object) -> str:
    asked = ("--chip", chip, *options, "--limit", 1, "--json", "--db", database)
    return str(json.loads(benchdb("list", *asked).out)[0]["digest"])


def test_the_figure_of_the_cell_comes_first_then_that_of_the_process(backend: Backend):
    where = filled(backend.database(), measured(THREE, batch_size=128))

    first, second, *_ = shown(where)

    assert first.startswith("figure      1,000 img/s (throughput), 95 % interval 9")
    assert first.endswith(", n = 3")
    assert second in {f"this run    {text} img/s" for text in ("990", "1,000", "1,010")}


def test_a_reason_why_several_figures_are_missing_is_said_once(backend: Backend):
    values: dict[str, float | None] = {
        RATE: 5.0,
        "energy_joules": None,
        "mean_power_watts": None,
        "first_step_seconds": 0.25,
        "peak_resident_bytes": 5.71339e8,
    }
    processes = measured([values])
    reasons = dict.fromkeys(("energy_joules", "mean_power_watts"), "no meter")
    where = filled(backend.database(), [replace(processes[0], reasons=reasons)])

    lines = shown(where)

    start = lines.index("values")
    assert lines[start + 1 :][:4] == [
        "  samples_per_second: 5.00 img/s",
        "  peak_resident_bytes: 571 MB",
        "  first_step_seconds: 250 ms",
        "  without a figure, no meter: energy_joules, mean_power_watts",
    ]


def test_evidence_is_there_for_who_asks_for_it(backend: Backend):
    where = filled(backend.database(), measured([{RATE: 1010.0}]))

    without, whole = shown(where), shown(where, "--all")

    evidence = {"samples", "run", "machine", "environment"}
    assert evidence & set(without) == set()
    assert evidence <= set(whole)
    assert "  samples_per_second: 1010 1/s" in whole


def test_the_command_that_measures_it_again_has_only_what_is_unusual(published):
    digest = of_chip(
        published,
        *("H200", "--workload", "matmul", "--precision", "bf16"),
        *("--framework", "torch"),
    )
    lines = benchdb("show", digest, "--db", published).out.splitlines()

    (again,) = [line for line in lines if line.startswith("again")]
    assert again.startswith(
        "again       benchdb collect matmul --framework torch --cuda --size "
    )
    assert "--precision bf16 --tier standard" in again
    assert "--batch-size" not in again


def test_what_others_published_has_no_command(published):
    digest = of_chip(published, "M1 Max")
    lines = benchdb("show", digest, "--db", published).out.splitlines()

    text = "again       –, others published it, and measured in their own way"
    assert text in lines


def test_a_card_is_named_and_not_the_processor_beside_it(published):
    digest = of_chip(published, "H200", "--framework", "torch")
    lines = benchdb("show", digest, "--db", published).out.splitlines()

    (system,) = [line for line in lines if line.startswith("system")]
    assert system.startswith("system      H200 · CUDA · PyTorch 2.")


def test_a_campaign_or_workload_is_no_run_but_has_a_list(published):
    listed = ("list", "--label", "measured", "--limit", 1, "--json", "--db", published)
    name = json.loads(benchdb(*listed).out)[0]["campaign"]

    for what, asked in (("campaign", name), ("workload", "mnist")):
        done = benchdb("show", asked, "--db", published)

        assert done.status == 2
        assert f"is a {what}; 'benchdb list --{what} {asked}' lists" in done.err


@pytest.mark.parametrize(
    ("value", "metric", "result"),
    [
        (44285.4, "samples_per_second", "44,285 samples/s"),
        (0.0032171, "teraflops", "3.22 GFLOPS"),
        (4.49e-5, "teraflops", "44.9 MFLOPS"),
        (1234.5, "teraflops", "1,234 TFLOPS"),
        (5.71339e8, "peak_resident_bytes", "571 MB"),
        (1.01e-8, "operation_seconds", "10.1 ns"),
        (0.00386, "step_seconds", "3.86 ms"),
        (0.0, "final_loss", "0"),
        (75.0, "tokens_per_second", "75.0 tokens/s"),
        (None, "step_seconds", "–"),
    ],
)
def test_figures_are_scaled_for_people(value, metric, result):
    assert figure(value, metric, "of nobody") == result


def test_an_interval_has_the_unit_of_its_figure():
    assert interval(0.0101, (0.0099, 0.0103), "step_seconds", "lstm") == "9.90–10.3"
    assert interval(5.0, (None, None), "step_seconds", "lstm") == "–"
