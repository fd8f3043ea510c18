"""RAPL, in folders like those of the kernel."""

import pytest
from energy.meters import available_meters
from energy.rapl import open_meter
from energy.readings import NoMeterError

MICRO = 1_000_000
RANGE = 1000 * MICRO


def zone(root, place, name, joules):
    folder = root / place
    folder.mkdir(exist_ok=True)
    (folder / "name").write_text(f"{name}\n")
    (folder / "max_energy_range_uj").write_text(f"{RANGE}\n")
    count(root, place, joules)


def count(root, place, joules):
    (root / place / "energy_uj").write_text(f"{round(joules * MICRO)}\n")


def test_packages_add_up_and_memory_is_apart(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 100)
    zone(tmp_path, "intel-rapl:0:0", "core", 60)
    zone(tmp_path, "intel-rapl:0:1", "dram", 20)
    zone(tmp_path, "intel-rapl:1", "package-1", 300)
    zone(tmp_path, "intel-rapl:2", "psys", 999)
    meter = open_meter(root=tmp_path)

    (first,) = meter.read()
    for place, joules in (("0", 150), ("0:0", 90), ("0:1", 25), ("1", 400), ("2", 0)):
        count(tmp_path, f"intel-rapl:{place}", joules)
    (second,) = meter.read()

    assert first.joules == {"cpu": 0.0, "dram": 0.0}
    assert second.joules == {"cpu": 150.0, "dram": 5.0}
    assert (meter.source, meter.scope) == ("rapl", "package")


def test_a_counter_that_wraps_goes_on_counting(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 990)
    meter = open_meter(root=tmp_path)
    values = []

    for joules in (990, 15, 900, 5):
        count(tmp_path, "intel-rapl:0", joules)
        values += [reading.joules["cpu"] for reading in meter.read()]

    assert values == [0.0, 25.0, 910.0, 1015.0]


def test_a_counter_that_cannot_be_read_once_is_not_lost(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 10)
    meter = open_meter(root=tmp_path)
    meter.read()

    (tmp_path / "intel-rapl:0" / "energy_uj").unlink()
    nothing = meter.read()
    count(tmp_path, "intel-rapl:0", 35)

    assert nothing == []
    assert meter.read()[0].joules == {"cpu": 25.0}


def test_counters_for_root_only_are_a_reason_with_the_way_out(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 10)
    # What root may not read either: this test may run as root.
    (tmp_path / "intel-rapl:0" / "energy_uj").unlink()

    with pytest.raises(NoMeterError, match=r"by root only; .*sudo chmod a\+r"):
        open_meter(root=tmp_path)


def test_a_virtual_machine_has_no_counters(tmp_path):
    with pytest.raises(NoMeterError, match="virtual machines; measure on the machine"):
        open_meter(root=tmp_path)


def test_linux_has_rapl_for_its_processor_and_nothing_for_metal(monkeypatch):
    monkeypatch.setenv("BENCHDB_PLATFORM", "linux")

    assert "rapl" in [meter["name"] for meter in available_meters("cpu")]
    assert available_meters("metal") == []
