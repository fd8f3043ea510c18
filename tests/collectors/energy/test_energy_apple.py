"""Meters of a Mac: a package, a program, and Apple's own as root."""

import os
import plistlib
from pathlib import Path

import psutil
import pytest
from energy import macmon, powermetrics
from energy.meters import available_meters, open_meter
from energy.readings import Energy, Integral, NoMeterError, Span, energy_over
from energy.zeus import open_meter as zeus_meter
from harness.telemetry import group_of

from tests.collectors.captures import matching
from tests.collectors.nvml import fresh, wait_until

FAKES = Path(__file__).parents[2] / "fakes"
MACS = FAKES / "macos"


@pytest.fixture
def mac(monkeypatch):
    """Become a Mac, as an ordinary user, with the programs of the fakes."""
    path = f"{MACS / 'commands'}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("BENCHDB_PLATFORM", "darwin")
    monkeypatch.setattr(os, "geteuid", lambda: 501)

    def become(host):
        monkeypatch.setenv("FAKE_MAC", str(MACS / "hosts" / host))

    become("m1_max")
    return become


@pytest.fixture
def zeus(monkeypatch):
    """Install zeus-apple-silicon 1.1.0."""
    fresh(monkeypatch, "zeus_apple_silicon")
    monkeypatch.syspath_prepend(str(FAKES / "zeus"))


@pytest.fixture
def ultra(mac, tmp_path, monkeypatch):
    """Become a Mac with a chip of two dies."""
    (tmp_path / "sysctl.txt").write_text("machdep.cpu.brand_string: Apple M2 Ultra\n")
    monkeypatch.setenv("FAKE_MAC", str(tmp_path))


def readings_of(meter, count):
    result = []

    def enough():
        result.extend(meter.read())
        return len(result) >= count

    wait_until(enough)
    return result


def running(group):
    """Return what still runs in a process group; the dead wait for init to reap."""
    return [
        process.pid
        for process in psutil.process_iter(["status"])
        if group_of(process.pid) == group
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.usefixtures("mac", "zeus")
def test_windows_of_zeus_are_added_without_a_gap(monkeypatch):
    times = iter([0, 0, 0, 10, 10, 20, 20])  # each look ends a window and begins one
    monkeypatch.setattr("zeus_apple_silicon.clock", times.__next__)
    meter = zeus_meter()

    first, _, last = [reading for _ in range(3) for reading in meter.read()]
    gained = {name: last.joules[name] - first.joules[name] for name in last.joules}

    assert gained == {"cpu": 100.0, "gpu": 400.0, "dram": 40.0, "gpu_sram": 0.0}
    assert (meter.source, meter.scope) == ("zeus_apple_silicon", "soc_model")


@pytest.mark.parametrize(
    ("fixtures", "counters", "reason"),
    [
        (("mac",), "", "not installed; pip install zeus-apple-sil"),
        (("mac", "zeus"), "no-counters", "finds no counters"),
        # The release that forgets a die is not believed on an Ultra.
        (("ultra", "zeus"), "", r"1\.1\.0 counts one die.*install macmon"),
    ],
)
def test_why_zeus_does_not_count_is_said(fixtures, counters, reason, request):
    for name in fixtures:
        request.getfixturevalue(name)
    request.getfixturevalue("monkeypatch").setenv("FAKE_ZEUS", counters)

    with pytest.raises(NoMeterError, match=reason):
        zeus_meter()


@pytest.mark.usefixtures("ultra", "zeus")
def test_an_ultra_is_measured_by_macmon_and_says_why():
    meter, refused = open_meter("metal", None)
    assert meter is not None
    meter.close()

    assert meter.source == "macmon"
    assert "one die" in refused["zeus_apple_silicon"]


@pytest.mark.usefixtures("ultra", "zeus")
def test_a_later_release_is_believed_on_an_ultra(tmp_path, monkeypatch):
    later = tmp_path / "zeus_apple_silicon-1.2.0.dist-info"
    later.mkdir()
    (later / "METADATA").write_text("Name: zeus-apple-silicon\nVersion: 1.2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert zeus_meter().source == "zeus_apple_silicon"


@pytest.mark.usefixtures("mac")
def test_macmon_gives_joules_and_the_temperature_of_the_part():
    meter = macmon.open_meter("metal")

    first, *_, last = readings_of(meter, 3)
    meter.close()

    seconds = last.at - first.at
    assert (meter.source, meter.scope, last.celsius) == ("macmon", "soc_model", 48.25)
    assert {k: v / seconds for k, v in last.joules.items()} == pytest.approx(
        {"cpu": 4.0, "gpu": 16.0, "ane": 0.0, "dram": 1.5, "gpu_sram": 0.5}
    )


@pytest.mark.usefixtures("mac")
def test_a_closed_meter_leaves_no_process_behind():
    meter = macmon.open_meter("cpu")
    process = meter._process

    meter.close()

    assert process.returncode == -9
    wait_until(lambda: not running(process.pid))


@pytest.mark.usefixtures("mac")
def test_a_program_that_dies_says_so():
    meter = macmon.open_meter("cpu")
    running = meter.trouble()

    os.killpg(meter._process.pid, 9)
    wait_until(meter.trouble)
    text = meter.trouble()
    meter.close()

    assert running is None
    assert text == "macmon ended with status -9"


def test_an_intel_mac_has_neither_zeus_nor_macmon(mac):
    mac("intel")

    meter, refused = open_meter("cpu", None)

    assert meter is None
    assert refused == {
        "zeus_apple_silicon": "this Mac has no Apple silicon; ask for powermetrics",
        "macmon": "macmon ends at once; see what macmon pipe -s 1 says in a terminal",
    }


@pytest.mark.usefixtures("mac", "zeus")
def test_powermetrics_is_used_only_if_asked_for_and_allowed(monkeypatch):
    monkeypatch.setenv("FAKE_SUDO", "1")

    asked, refused = open_meter("metal", None, want_powermetrics=True)
    assert asked is not None
    first, *_, last = readings_of(asked, 3)
    asked.close()
    unasked, _ = open_meter("metal", None)

    assert (asked.source, asked.scope, refused) == ("powermetrics", "soc_model", {})
    joules = last.joules["gpu"] - first.joules["gpu"]
    documents = round(joules / 1.2)
    assert documents >= 2
    assert joules == pytest.approx(1.2 * documents)
    assert unasked is not None
    assert unasked.source == "zeus_apple_silicon"


@pytest.mark.usefixtures("mac", "zeus")
def test_powermetrics_never_asks_for_a_password():
    meter, refused = open_meter("metal", None, want_powermetrics=True)

    assert meter is not None
    assert meter.source == "zeus_apple_silicon"
    assert refused["powermetrics"] == (
        "powermetrics runs as root only, and sudo would ask for a password; "
        "run sudo -v first"
    )


@pytest.mark.usefixtures("mac", "zeus")
def test_every_meter_of_a_mac_is_listed_best_first():
    result = {meter["name"]: meter["available"] for meter in available_meters("metal")}

    assert result == {"zeus_apple_silicon": True, "macmon": True, "powermetrics": False}


@pytest.mark.parametrize("gpu", ["", '"gpu_power": null,', '"gpu_power": NaN,'])
def test_a_line_that_lacks_the_gpu_is_left_out_and_the_next_stands_for_its_time(gpu):
    meter = macmon.Macmon.__new__(macmon.Macmon)  # without the program behind it
    meter.integral, readings = Integral(), []

    for at in range(41):
        power = gpu if at == 20 else '"gpu_power": 20.0,'
        line = f'{{{power} "cpu_power": 6.0, "temp": null}}'
        readings += meter.readings(line.encode(), at / 2)
    used = energy_over(readings, Span(2.0, 18.0), 10.0)

    assert isinstance(used, Energy)
    assert used.domains == {"cpu": pytest.approx(96), "gpu": pytest.approx(320)}


LOST = {
    "torn": b"<plist><dict><key>elapsed_ns",
    "nothing": b"",
    "without a GPU": plistlib.dumps(
        {"elapsed_ns": 500_000_000, "processor": {"cpu_power": 6000.0}}
    ),
    "without watts": plistlib.dumps({"elapsed_ns": 500_000_000}),
}


@pytest.mark.parametrize("lost", LOST)
def test_the_next_document_stands_for_the_time_of_one_that_is_lost(lost):
    meter = powermetrics.Powermetrics.__new__(powermetrics.Powermetrics)
    meter.integral, readings = Integral(), []
    watts = {"cpu_power": 6000.0, "gpu_power": 20_000.0}
    whole = plistlib.dumps({"elapsed_ns": 500_000_000, "processor": watts})

    for at in range(41):
        printed = LOST[lost] if at in (20, 21, 30) else whole
        readings += meter.readings(printed.partition(b"</plist>")[0], at / 2)
    used = energy_over(readings, Span(2.0, 18.0), 10.0)

    assert isinstance(used, Energy)
    assert used.domains == {"cpu": pytest.approx(96), "gpu": pytest.approx(320)}


def test_what_is_no_figure_and_what_is_a_sum_is_left_out():
    powers = {"cpu_power": 2000.0, "gpu_power": 3000.0, "combined_power": 5000.0}

    assert macmon.by_domain({}) == {}
    assert macmon.by_domain({"watts": {"gpu": None, "cpu": "6"}}) == {}
    assert macmon.believable(0.0) is None
    assert powermetrics.by_domain({"processor": powers}) == {"cpu": 2.0, "gpu": 3.0}


@pytest.mark.parametrize(
    ("printed", "clock", "busy"),
    [
        ('"gpu_freq_mhz": 1398, "gpu_active_ratio": 0.25', 1398, 25),
        ('"gpu_usage": [461, 0.021]', 461, None),  # its share is one of the clock
        ('"pcpu_usage": [4500, 0.9]', None, None),
    ],
)
def test_macmon_tells_the_clock_of_the_gpu_and_how_long_it_computed(
    printed, clock, busy
):
    meter = macmon.Macmon.__new__(macmon.Macmon)
    meter.integral = Integral()

    (reading,) = meter.readings(f'{{"gpu_power": 20.0, {printed}}}'.encode(), 1.0)

    assert (reading.clock_mhz, reading.busy_percent) == (clock, busy)


@pytest.mark.parametrize("printed", [1380.0, 1_380_000_000.0])
def test_powermetrics_tells_the_clock_in_either_of_its_units(printed):
    meter = powermetrics.Powermetrics.__new__(powermetrics.Powermetrics)
    meter.integral = Integral()
    gpu = {"freq_hz": printed, "idle_ratio": 0.75}
    document = {"elapsed_ns": 10**9, "processor": {"gpu_power": 9.0}, "gpu": gpu}

    part = plistlib.dumps(document).partition(b"</plist>")[0]
    (reading,) = meter.readings(part, 1.0)

    assert (reading.clock_mhz, reading.busy_percent) == (1380, 25)


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

    watts = macmon.by_domain(facts)

    assert set(watts) == {"cpu", "gpu", "ane", "dram", "gpu_sram"}
    total = watts["cpu"] + watts["gpu"] + watts["ane"]
    assert total == pytest.approx(facts["watts"]["all"], rel=1e-4)


@pytest.mark.parametrize("path", WITH_POWERS, ids=lambda p: p.stem)
def test_a_document_of_powermetrics_has_domains_whose_sum_it_prints(path):
    (document,) = powermetrics.plists(path.read_bytes())

    watts = powermetrics.by_domain(document)

    assert set(watts) == {"cpu", "gpu"}
    combined = document["processor"]["combined_power"] / 1000
    assert sum(watts.values()) == pytest.approx(combined, rel=1e-4)


def test_documents_are_separated_by_nul_and_the_last_may_be_cut():
    document = plistlib.dumps({"processor": {"cpu_power": 450.0, "gpu_power": 0.0}})

    groups = powermetrics.plists(document + b"\0" + document + b"\0" + document[:90])

    assert len(groups) == 2
    assert powermetrics.by_domain(groups[0]) == {"cpu": 0.45, "gpu": 0.0}
    assert macmon.parse("error: no sensors") == {}
