"""Which versions of a source's protocol were measured to be alike."""

from collections.abc import Mapping

import pytest

from benchdb.statistics import protocols
from benchdb.statistics.protocols import Measured, followed, is_alike, shipped

OLD = (100.0, 101.0, 99.0)
LIKE = (100.5, 101.5, 99.5)
SLOWER = (60.0, 61.0, 59.0)


def measured(figures: Mapping[str, tuple[float, ...]]) -> Measured:
    return Measured(
        workload="mnist",
        setting="standard",
        framework="tensorflow",
        device="cpu",
        metric="fit_samples_per_second",
        compiler="graph",
        chip="M1",
        framework_version="2.21.0",
        measured="2026-11-27",
        figures=figures,
    )


def named(version: int, device: str = "cpu") -> str | None:
    return followed("mnist", "standard", "tensorflow", device, version=version)


@pytest.mark.parametrize(
    ("figures", "names"),
    [
        ({}, ("seed protocol 1", "seed protocol 2", "seed protocol 3")),
        (
            {"1": OLD, "2": SLOWER},
            ("seed protocol 1", "seed protocol 2", "seed protocol 3"),
        ),
        (
            {"1": OLD, "2": LIKE},
            ("seed protocol 1", "seed protocol 1", "seed protocol 3"),
        ),
        # A single process of either shows nothing.
        (
            {"1": (100.0,), "2": (100.0,)},
            ("seed protocol 1", "seed protocol 2", "seed protocol 3"),
        ),
        ({"source": OLD, "2": LIKE}, ("seed protocol 1", None, "seed protocol 3")),
        (
            {"1": SLOWER, "2": LIKE, "3": OLD},
            ("seed protocol 1", "seed protocol 2", "seed protocol 2"),
        ),
    ],
)
def test_versions_have_one_name_where_a_measurement_of_both_says_so(
    figures, names, monkeypatch
):
    monkeypatch.setattr(protocols, "shipped", lambda: (measured(figures),))
    followed.cache_clear()

    assert tuple(named(version) for version in (1, 2, 3)) == names
    assert named(2, "metal") == "seed protocol 2"
    followed.cache_clear()


def test_what_benchdb_ships_was_measured_several_times_in_each_version():
    for item in shipped():
        assert min(map(len, item.figures.values())) >= 3
        for _, estimate in item.compared():
            assert estimate.low is not None
            assert is_alike(estimate) in (True, False)
