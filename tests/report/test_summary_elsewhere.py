"""The page of a machine that is no Mac, some of whose processes came to no end."""

import pytest
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.report.language import available, load
from benchdb.report.wording.terms import work_named
from tests.store_factory import Run
from tests.summary_page import PC, RATE, WALL, measured, page

EN = load("en")


def stopped(workload: str, **facts):
    """Return a process that a signal stopped before it had measured anything."""
    unmeasured: dict[str, float | None] = {
        "samples_per_joule": None,
        "energy_joules": None,
    }
    (run,) = measured(
        [unmeasured], "cuda", workload=workload, machine=PC, framework="torch", **facts
    )
    why = "the phase measure did not come to its end"
    ended = {"status": "interrupted", "reason": "stopped by SIGINT", "compiler": None}
    columns = {**run.columns, **ended}
    return replace(run, columns=columns, reasons=dict.fromkeys(unmeasured, why))


def worked(**facts):
    return measured([{RATE: 800.0}], "cuda", machine=PC, framework="torch", **facts)


@pytest.mark.parametrize(
    ("workload", "metric"),
    [
        ("resnet50", "samples_per_second"),
        ("conv", "teraflops"),
        ("bandwidth", "gigabytes_per_second"),
    ],
)
def test_a_process_without_a_figure_says_what_it_was_for_and_how_it_ended(
    tmp_path, workload, metric
):
    (row,) = page(tmp_path, [stopped(workload)]).values

    assert row.quantity is None
    assert (row.metric, row.reason) == (metric, "stopped by SIGINT")


def test_a_source_that_has_no_figure_says_of_what(tmp_path):
    printed = 'printed as "-"'
    empty = Run(
        workload="mnist",
        values={WALL: None},
        reasons={WALL: printed},
        columns={"status": "not-measured", "reason": printed},
    )

    (row,) = page(tmp_path, [empty]).values

    assert (row.metric, row.reason) == (WALL, printed)


def test_a_framework_is_named_without_a_version_only_where_none_is_told(tmp_path):
    ended = [replace(run, version="2.11.0") for run in worked()]

    (machine,) = page(tmp_path, [*ended, stopped("conv")]).machines

    assert machine.frameworks == ("torch 2.11.0",)


def test_where_no_version_is_told_a_framework_is_named_without(tmp_path):
    (machine,) = page(tmp_path, [stopped("conv")]).machines

    assert machine.frameworks == ("torch",)


@pytest.mark.parametrize("name", sorted(set(available()) - {"en"}))
def test_every_operation_has_words_of_its_own(name):
    operations = [
        (work, known.title)
        for work, known in workloads().items()
        if known.kind == "operation"
    ]
    values = {title: work_named(load(name), work, title) for work, title in operations}

    assert len(values) == 5
    assert {title for title, words in values.items() if words == title} <= (
        {"Convolution"} if name == "fr" else set()
    )
