"""How long a speed lasts, on the pages of chip, workload and run."""

from typing import Any

import pytest

from benchdb.site import chip_page, run, workload_page
from tests.page import parse
from tests.site.sites import html_of, page_at, site_with
from tests.store_factory import Machine, Run

RATE = "samples_per_second"
OVER_TIME = {
    "every_seconds": 1,
    "clock_mhz": [1980, None, 1500],
    "power_watts": [690, 700, 700],
    "burst": {"clock_mhz": 1980, "held_back": "none"},
    "sustained": {"clock_mhz": 1500, "held_back": "sw_power_cap"},
}


def lasting(chip: str, stays: float | None, **facts: Any) -> Run:
    """A run of 400 images a second at first, of which so many per cent stay."""
    values: dict[str, float | None] = {RATE: 310.0, f"burst_{RATE}": 400.0}
    values[f"sustained_{RATE}"] = None if stays is None else 4.0 * stays
    values["sustained_percent"] = stays
    columns = {
        "label": "measured",
        "campaign": chip,
        "replicate": 0,
        "tier": "standard",
        "precision": "bf16",
        "collector": "with_torch",
        "collector_version": "0.1.0",
        "collector_sha256": "ab" * 32,
        "checks": {"over_time": OVER_TIME, "path": {"attention": "flash"}},
        "started": "2026-11-01T10:00:00Z",
    }
    return Run(
        device="metal",
        framework="torch",
        machine=Machine(chip, ours=chip),
        source=None,
        values=values,
        reasons={} if stays else {"sustained_percent": "it did not settle in 180 s"},
        columns=columns,
        **facts,
    )


@pytest.fixture
def site(tmp_path):
    bare = Run(device="metal", machine=Machine("M2 Max"), values={RATE: 300.0})
    some = [lasting("M3", 70.0), lasting("M4 Max", 99.5), lasting("M1", None), bare]
    with site_with(tmp_path, some) as made:
        yield made


def test_a_workload_shows_burst_beside_sustained_the_most_fading_first(site):
    page = page_at(site, "workload/resnet50", workload_page.pages)
    text = parse(html_of(page)).text

    assert [item.head.system.chip for item in page.facts.lasting] == ["M3", "M4 Max"]
    assert "How long the speed lasts" in text
    assert "1 of 2 figures are of a speed that fades" in text
    (section,) = text.split("How long the speed lasts")[-1:]
    assert section.index("400") < section.index("280") < section.index("70.0")


def test_the_ratio_is_a_column_and_neither_rate_a_row(site):
    page = page_at(site, "workload/resnet50", workload_page.pages)
    rows = {row.chip: row for row in page.facts.figures.rows}

    assert {row.metric for row in page.facts.figures.rows} == {RATE}
    assert rows["M3"].stays.value == 70.0
    assert rows["M1"].stays is rows["M2 Max"].stays is None
    assert "Sustained / burst" in parse(html_of(page)).text


def test_a_chip_shows_its_workloads_and_one_without_both_rates_nothing(site):
    fading, silent = (
        page_at(site, f"chip/{name}", chip_page.pages) for name in ("m3", "m2-max")
    )

    assert [item.stays.value for item in fading.facts.lasting] == [70.0]
    assert "How long the speed lasts" in parse(html_of(fading)).text
    assert "How long the speed lasts" not in parse(html_of(silent)).text


def shown(site, chip: str) -> str:
    (page,) = (item for item in run.pages(site) if item.facts.chip == chip)
    return parse(html_of(page)).text.replace("\N{NBSP}", " ")


def test_a_run_says_what_stayed_at_which_clock_and_by_which_path(site):
    text = shown(site, "M3")

    assert "70.0 %: from 400 img/s to 280 img/s" in text
    assert "clock 1,980 MHz; held back none" in text
    assert "clock 1,500 MHz; held back sw_power_cap" in text
    assert "1,980–1,500 MHz" in text
    assert "690–700 W" in text
    assert "attention flash" in text


def test_a_run_that_never_settled_says_why_there_is_no_sustained_rate(site):
    assert "it did not settle in 180 s" in shown(site, "M1")


def test_a_launch_bound_run_says_so_with_the_command_of_its_counterpart(tmp_path):
    bound = lasting(
        "M3", 99.0, findings=[("launch-bound", "gpu_busy_percent", {"busy": 31.2})]
    )
    bound.columns["checks"]["counterpart"] = "inductor-graphs"

    with site_with(tmp_path, [bound]) as made:
        text = shown(made, "M3")

    assert "Launch-bound: the GPU is busy 31% of the time" in text
    command = text.partition("Its compiled counterpart: ")[2]
    assert command.startswith("benchdb collect resnet50 --framework torch --metal ")
    assert " --precision bf16 --compiler inductor-graphs --tier standard" in command
