"""Two sides that met unlike load: what is said of them."""

from pathlib import Path

import pytest

from benchdb.report.view.atoms import Ratio
from benchdb.site.system_pairs import Worker
from tests.site.sites import site_of
from tests.store_factory import Run
from tests.summary_page import measured
from tests.written_reports import store

CPUS = 8


def sides(before: float | None, later: float | None) -> list[Run]:
    """Return a campaign on the CPU, then one on Metal, each at its load.

    By the times alone Metal is 1.29 times as fast, beyond all chance.
    """
    return [
        run
        for device, scale, load, day in (
            ("cpu", 1.0, before, "2026-03-02"),
            ("metal", 0.775, later, "2026-03-04"),
        )
        for run in measured(
            [{"step_seconds": scale * seconds} for seconds in (1.0, 1.01, 0.99)],
            device,
            campaign=day,
            started=f"{day}T05:06:07Z",
            conditions_before=conditions(load),
        )
    ]


def conditions(load: float | None) -> dict[str, float]:
    return {} if load is None else {"load_1m": load, "cpu_count_usable": CPUS}


def ratio_of(database: Path) -> Ratio:
    """Return what pages say of Metal against the CPU."""
    with site_of(database) as site:
        cpu, metal = Worker("M4 Max", "cpu"), Worker("M4 Max", "metal")
        (row,) = site.systems.cells(cpu, metal)
    return row.ratio


@pytest.mark.parametrize(
    ("before", "later", "verdict", "differs"),
    [
        (0.5, 0.6, "faster", []),
        (20.0, 21.0, "faster", []),
        (0.5, 50.0, "unclear", ["load"]),
        (50.0, 0.5, "unclear", ["load"]),
        (20.0, 50.0, "unclear", ["load"]),  # busy both times, and not alike
    ],
)
def test_a_verdict_between_sides_of_unlike_load_is_unclear_and_says_why(
    tmp_path, before, later, verdict, differs
):
    ratio = ratio_of(store(tmp_path, sides(before, later)))

    assert ratio.value == pytest.approx(1.29, abs=0.01)
    assert (ratio.verdict, [*ratio.differs]) == (verdict, differs)


def test_a_load_that_nobody_states_is_named(tmp_path):
    assert "load" in ratio_of(store(tmp_path, sides(0.5, None))).unstated
