"""What our meters make of output of real machines."""

import _parse_ioreport
import pytest
from _energy_macmon import by_domain as of_macmon
from _energy_powermetrics import by_domain as of_powermetrics
from _parse_powermetrics import plist_sample, plists

from tests.shared_material import SHARED

MACOS = SHARED / "research" / "captures" / "macos"


def test_a_line_of_macmon_has_five_domains_whose_first_three_are_its_sum():
    text = (MACOS / "ioreport" / "macmon_pipe_example_v0.8.json").read_text("utf-8")
    facts = _parse_ioreport.macmon(text)

    watts = of_macmon(facts)

    assert set(watts) == {"cpu", "gpu", "ane", "dram", "gpu_sram"}
    total = watts["cpu"] + watts["gpu"] + watts["ane"]
    assert total == pytest.approx(facts["watts"]["all"], rel=1e-4)


def test_a_document_of_powermetrics_has_domains_whose_sum_it_prints():
    path = MACOS / "powermetrics" / "plist_shape_2026-01_trimmed.plist"
    (document,) = plists(path.read_bytes())
    sample = plist_sample(document)

    watts = of_powermetrics(sample)

    assert set(watts) == {"cpu", "gpu"}
    assert sum(watts.values()) == pytest.approx(sample.watts["combined"], rel=1e-4)
    assert sample.seconds == pytest.approx(1.0237, rel=1e-4)
