"""What a newcomer forgets: the second place that an addition needs."""

import tomllib
from pathlib import Path

import pytest

from benchdb.catalogue import metrics
from benchdb.metric_kinds import listed, unit_of
from benchdb.plausibility.rules import RULES
from tools.install import EXTRAS

ROOT = Path(__file__).parents[1]
# What `benchdb show` alone has: parts of a process, and what gates look at.
SHOWN_ONLY = {
    *("build_seconds", "data_seconds", "first_step_seconds", "import_seconds"),
    *("final_loss", "max_relative_error", "idle_power_watts", "parent_cpu_percent"),
    *("peak_device_allocated_bytes", "peak_device_reserved_bytes"),
    *(
        "peak_resident_bytes",
        "predicted_memory_bytes",
        "process_cpu_percent",
        "process_system_seconds",
    ),
    *("process_user_seconds", "process_wall_seconds", "script_cpu_percent"),
    *("gpu_busy_percent", "mfu_at_clock_percent"),
    *("script_system_seconds", "script_user_seconds"),
}
# Bases of quantities, and the two that are multiples of one.
UNITS = {"s", "B", "W", "J", "%", "x", "1", "1/s", "1/h", "1/J", "TFLOP/s", "GB/s"}
COUNTING = ("1/s", "1/J")


def test_a_report_lists_every_metric_but_those_that_show_alone_has():
    assert set(metrics()) == set(listed()) | SHOWN_ONLY
    assert not SHOWN_ONLY & set(listed())


def test_a_metric_is_in_a_unit_that_importing_converts_to():
    assert {metric.unit for metric in metrics().values()} <= UNITS


def test_a_rate_of_anything_but_samples_says_what_it_counts():
    rates = [name for name, metric in metrics().items() if metric.unit in COUNTING]

    shown_as_images = {it for it in rates if unit_of(it, "resnet50").startswith("img/")}

    assert {it for it in shown_as_images if "samples" not in it} == set()


@pytest.mark.parametrize("page", ["docs/importing.md", "schema/README.md"])
def test_every_rule_is_named_where_codes_are_explained(page):
    text = (ROOT / page).read_text("utf-8")

    assert [code for code in RULES if f"`{code}`" not in text] == []


def test_every_collector_has_an_extra_that_the_tests_install():
    programs = (ROOT / "collectors").glob("with_*.py")
    frameworks = {path.stem.removeprefix("with_") for path in programs}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert frameworks <= project["optional-dependencies"].keys()
    # NumPy comes with the others.
    assert frameworks - {"numpy"} <= set(EXTRAS["test"].split(","))
