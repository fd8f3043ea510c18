"""The fingerprint as a program: real here, and on small fake hosts."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest
from fingerprint import nvidia as cards

from benchdb.exchange.messages import Environment, Machine, Run

PROGRAM = Path(__file__).resolve().parents[3] / "collectors" / "machine.py"
FAKES = Path(__file__).parents[2] / "fakes"
MACS = sorted(
    path.name for path in (FAKES / "macos" / "hosts").iterdir() if path.is_dir()
)


def run(*arguments, commands=None, **environment):
    path = f"{commands}:{os.environ['PATH']}" if commands else os.environ["PATH"]
    started = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, "PATH": path, **environment},
    )
    return started.stdout.decode("utf-8"), started.stderr.decode("utf-8")


def everything(**how):
    """Return all that is told of a host; several tests look at the same one."""
    return json.loads(_printed(**{name: str(value) for name, value in how.items()}))


@cache
def _printed(**how):
    return run("--json", **how)[0]


def mac(host, **environment):
    commands = FAKES / "macos" / "commands"
    host = str(FAKES / "macos" / "hosts" / host)
    return {
        "commands": commands,
        "FAKE_MAC": host,
        "BENCHDB_PLATFORM": "darwin",
        **environment,
    }


def nvidia(**environment):
    return {
        "commands": FAKES / "nvidia" / "commands",
        "BENCHDB_PLATFORM": "linux",
    } | environment


def decoded(result):
    """Read what was printed by the rules of the exchange format, or fail."""
    system = result["system"] | {"type": "environment", "key": "e1"}
    required = {"workload": "w", "framework": "f", "device": "cpu", "label": "measured"}
    conditions = {"type": "run", "key": "r1", "machine": "m1", "environment": "e1"}
    conditions |= required | {"conditions": result["conditions"]}
    return (
        msgspec.convert(result["machine"], Machine),
        msgspec.convert(system, Environment),
        msgspec.convert(conditions, Run),
    )


def test_this_machine_is_told_by_one_exchange_line():
    printed, errors = run()
    machine = msgspec.json.decode(printed, type=Machine)

    assert printed.count("\n") == 1
    assert machine.key == "m1"
    assert machine.chip.cpu_cores
    assert machine.chip.ram_bytes
    assert errors == ""


def test_this_machine_keeps_its_anonymous_id():
    again = json.loads(run()[0])

    assert again == everything()["machine"]


@pytest.mark.parametrize("how", [{}, nvidia(), *map(mac, MACS)])
def test_what_is_printed_fits_the_exchange_format_and_unknown_is_absent(how):
    result = everything(**how)
    machine, environment, run_line = decoded(result)

    assert "null" not in json.dumps(result)
    for part in (result["machine"], result["system"]):
        assert not part.keys() & part.get("missing", {}).keys()
    assert machine.chip.vendor != "unknown"
    assert environment.os_name
    assert run_line.conditions


def test_an_m1_max_is_known_with_its_tiers_and_gpu_cores():
    result = everything(**mac("m1_max"))["machine"]

    assert result["chip"] == {
        "vendor": "Apple",
        "name": "M1 Max",
        "cpu_cores": 10,
        "cpu_levels": [
            {"name": "Performance", "cores": 8},
            {"name": "Efficiency", "cores": 2},
        ],
        "gpu_cores": 24,
        "ram_bytes": 64 * 2**30,
    }
    assert (result["model"], result["virtual"]) == ("MacBookPro18,4", False)


# What a host is told as, by the place of the fact.
TOLD = [
    ("m1_max", "conditions.power_source", "ac"),
    ("m1_max", "conditions.power_mode", "high"),
    ("m1_max", "conditions.low_power_mode", False),
    ("m1_max", "conditions.thermal_pressure", "nominal"),
    ("m4_low_power", "conditions.power_source", "battery"),
    ("m4_low_power", "conditions.battery_percent", 57),
    ("m4_low_power", "conditions.low_power_mode", True),
    ("m4_low_power", "conditions.memory_pressure", "warning"),
    ("m4_low_power", "conditions.swap_used_bytes", int(3000.25 * 2**20)),
    ("m1_pro_hot", "conditions.thermal_pressure", "heavy"),
    ("m2_on_battery", "conditions.fanless", True),
    ("rosetta", "system.rosetta", True),
    ("rosetta", "system.architecture", "x86_64"),
    ("rosetta", "conditions.rosetta", True),
    ("rosetta", "machine.chip.gpu_cores", 8),  # asked for as arm64
    ("rosetta", "system.os_version", "14.3"),  # of sw_vers, where sysctl has none
    ("rosetta", "system.os_build", "21G115"),
    ("vm", "machine.virtual", True),
    ("vm", "machine.chip.name", "M2"),
    ("vm", "machine.missing.gpu_cores", "a virtual machine does not show them"),
    # The name of the processor as it is printed.
    ("vm", "system.devices", [{"kind": "cpu", "name": "Apple M2 (Virtual)"}]),
    (
        "intel",
        "machine.chip.accelerators",
        [
            {
                "vendor": "AMD",
                "name": "Radeon Pro 5700",
                "memory_bytes": 2**33,
                "count": 1,
            }
        ],
    ),
    ("intel", "conditions.cpu_speed_limit_percent", 72),
    ("intel", "system.rosetta", False),
]
# Of two like cards, whose state is that of the worse.
CARDS = [
    (
        {},
        "machine.chip.accelerators",
        [
            {
                "vendor": "NVIDIA",
                "name": "Fake X200",
                "memory_bytes": 100 * 2**30,
                "count": 2,
            }
        ],
    ),
    ({}, "conditions.gpu_temperature_celsius", 66),
    ({}, "conditions.gpu_sm_clock_mhz", 1100),
    ({}, "conditions.gpu_utilisation_percent", 97),
    ({}, "conditions.gpu_throttle_reasons", "sw_power_cap"),
    ({}, "conditions.gpu_other_processes", 2),
    # Hidden from CUDA, a card does not count.
    ({"CUDA_VISIBLE_DEVICES": "0"}, "conditions.gpu_count", 1),
    ({"CUDA_VISIBLE_DEVICES": "0"}, "conditions.gpu_throttle_reasons", "none"),
    # A driver without XML still tells the card, a broken one says why not.
    ({"FAKE_NVIDIA": "no-xml"}, "machine.chip.accelerators.0.name", "Fake X200"),
    (
        {"FAKE_NVIDIA": "broken"},
        "system.missing.devices",
        "nvidia-smi is installed but cannot reach the driver",
    ),
]


def fact(result, place):
    """Return the fact at a *place*, names and numbers with dots between."""
    for step in place.split("."):
        result = result[int(step)] if step.isdecimal() else result[step]
    return result


@pytest.mark.parametrize(("host", "place", "expected"), TOLD)
def test_a_mac_is_told_as_it_is(host, place, expected):
    assert fact(everything(**mac(host)), place) == expected


@pytest.mark.parametrize(("how", "place", "expected"), CARDS)
def test_cards_are_told_as_they_are(how, place, expected):
    assert fact(everything(**nvidia(**how)), place) == expected


def test_what_is_not_there_is_absent():
    assert "gpu_cores" not in everything(**mac("vm"))["machine"]["chip"]
    broken = everything(**nvidia(FAKE_NVIDIA="broken"))
    assert "accelerators" not in broken["machine"]["chip"]


def test_like_cards_are_two_devices():
    devices = everything(**nvidia())["system"]["devices"]

    cards = [device for device in devices if device["kind"] == "gpu"]
    assert [card["vbios"][-1] for card in cards] == ["1", "2"]
    assert cards[0]["power_limit_watts"] == 650
    assert cards[0]["power_limit_default_watts"] == 700


def test_the_highest_clock_is_told_by_card(monkeypatch):
    monkeypatch.setenv("BENCHDB_PLATFORM", "linux")
    commands = FAKES / "nvidia" / "commands"
    monkeypatch.setenv("PATH", str(commands), prepend=os.pathsep)
    cards.installed.cache_clear()

    assert cards.highest_clocks() == {"Fake X200": 2200}
    cards.installed.cache_clear()


def test_help_is_there():
    assert "--json" in run("--help")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no full device")
@pytest.mark.parametrize("arguments", [(), ("--json",), ("--meters",)], ids=" ".join)
def test_a_fingerprint_that_nothing_takes_is_told_in_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (
        1,
        "machine: cannot write standard output: No space left on device\n",
    )


@pytest.mark.parametrize("where", ["C", "C.UTF-8"])
def test_text_to_be_redacted_may_be_anything(where):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--redact"],
        input="Grüße ".encode() + b"\xff",
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": where, "PYTHONIOENCODING": "latin-1"},
    )

    assert done.stdout.decode() == "Grüße \ufffd"
