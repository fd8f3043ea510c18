"""What our meters make of output of real machines."""

import pytest
from energy import macmon
from energy.macmon import by_domain as of_macmon
from energy.powermetrics import by_domain as of_powermetrics
from energy.powermetrics import plists

from tests.collectors.captures import matching

WITH_POWERS = [
    path
    for path in matching("macos/powermetrics/*.plist")
    if b"<key>combined_power</key>" in path.read_bytes()
]


@pytest.mark.parametrize(
    "path", matching("macos/ioreport/macmon*"), ids=lambda p: p.stem
)
def test_a_line_of_macmon_has_five_domains_whose_first_three_are_its_sum(path):
    facts = macmon.parse(path.read_text("utf-8"))

    watts = of_macmon(facts)

    assert set(watts) == {"cpu", "gpu", "ane", "dram", "gpu_sram"}
    total = watts["cpu"] + watts["gpu"] + watts["ane"]
    assert total == pytest.approx(facts["watts"]["all"], rel=1e-4)


@pytest.mark.parametrize("path", WITH_POWERS, ids=lambda p: p.stem)
def test_a_document_of_powermetrics_has_domains_whose_sum_it_prints(path):
    (document,) = plists(path.read_bytes())

    watts = of_powermetrics(document)

    assert set(watts) == {"cpu", "gpu"}
    combined = document["processor"]["combined_power"] / 1000
    assert sum(watts.values()) == pytest.approx(combined, rel=1e-4)
