"""The gates of a run."""

import hashlib
import math
from struct import pack

import _gates
import pytest
from _framework import PRECISIONS


def test_a_loss_must_be_finite_and_move():
    assert _gates.loss([1.0, 0.9])["ok"]
    assert not _gates.loss([1.0, 1.0])["ok"]
    assert not _gates.loss([1.0, math.nan])["ok"]
    assert _gates.loss([1.0, math.nan])["last"] is None


def test_the_loss_digest_is_over_float32_bytes():
    expected = hashlib.sha256(pack("<3f", 0.5, 0.1, 2.0)).hexdigest()

    assert _gates.loss_digest([0.5, 0.1, 2.0]) == expected


def test_every_precision_has_a_tolerance():
    assert set(_gates.ERROR_TOLERANCE) == set(PRECISIONS)


@pytest.mark.parametrize("error", [2e-5, math.inf, math.nan])
def test_a_wrong_product_fails_its_gate(error: float):
    assert not _gates.relative_error(error, "fp32")["ok"]


def test_a_fallback_to_the_cpu_is_found_out():
    assert not _gates.device("metal", {"metal", "cpu"})["ok"]
    assert _gates.device("metal", {"metal"})["ok"]


def test_drift_is_told_from_first_to_last_third():
    assert _gates.steady([1.0] * 9)["steady"]
    assert _gates.steady([1.0, 1.0, 1.0, 1.0, 1.1, 1.1])["drift_pct"] == 10.0


def test_failed_gates_say_what_was_found():
    checks = {"parameter_count": _gates.parameter_count(7, 8), "stopped": "count"}

    assert _gates.failures(checks) == ["parameter_count (expected 7, counted 8)"]
