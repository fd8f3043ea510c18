"""What powermetrics prints, in text and property lists."""

import plistlib

import _parse_ioreport as ioreport
import _parse_powermetrics as parse

TEXT = """Machine model: Mac99,1
OS version: 99A1

*** Sampled system activity (Thu Jan  1 00:00:00 2026 +0000) (500.00ms elapsed) ***

M0-Cluster HW active frequency: 1500 MHz
M0-Cluster HW active residency:  .69% (900 MHz: .5% 2000 MHz:   0% 1800 MHz:   0%)
M0-Cluster idle residency:  99.31%
M0-Cluster down residency:   0.00%
P-Cluster Power: 250 mW
CPU Power: 1200 mW
GPU Power: 300 mW
Combined Power (CPU + GPU + ANE): 1500 mW
GPU HW active frequency: 400 MHz
GPU HW active residency:  12.00% (400 MHz: 12% 1100 MHz:   0% 1100 MHz:   0%)
GPU Power: 298 mW
Current pressure level: Heavy
"""


def test_a_sample_has_powers_in_watts_and_the_first_gpu_power():
    (sample,) = parse.samples(TEXT)

    assert sample.seconds == 0.5
    assert sample.watts == {"cpu": 1.2, "gpu": 0.3, "combined": 1.5}
    assert sample.thermal_pressure == "heavy"


def test_a_cluster_may_have_any_name_and_a_percent_no_leading_zero():
    (sample,) = parse.samples(TEXT)
    middle, fast = sample.clusters

    assert (middle.name, middle.active_percent, middle.down_percent) == (
        "M0",
        0.69,
        0.0,
    )
    assert (fast.name, fast.watts) == ("P", 0.25)


def test_the_highest_clock_is_not_the_last_of_the_list():
    (sample,) = parse.samples(TEXT)

    assert sample.clusters[0].max_mhz == 2000
    assert sample.gpu_max_mhz == 1100


def test_the_machine_is_named_above_the_samples():
    assert parse.machine(TEXT) == {"model": "Mac99,1", "os_build": "99A1"}


def test_intel_prints_watts_without_a_space():
    text = "Intel energy model derived package power (CPUs+GT+SA): 21.50W\n"

    assert parse.samples(text)[0].watts == {"package": 21.5}


def test_documents_are_separated_by_nul_and_the_last_may_be_cut():
    document = plistlib.dumps({"gpu": {"freq_hz": 450.0, "idle_ratio": 0.25}})

    found = parse.plists(document + b"\0" + document + b"\0" + document[:90])

    assert len(found) == 2
    assert parse.plist_sample(found[0]).gpu_mhz == 450
    assert parse.plist_sample(found[0]).gpu_active_percent == 75


def test_help_is_no_sample():
    assert parse.samples("Usage: powermetrics [-i interval]\n -f <format> text\n") == ()


def test_what_is_no_json_is_nothing():
    assert ioreport.macmon("error: no sensors") == {}
    assert ioreport.system_info("") == {}
