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

from benchdb.exchange.lines import Environment, Machine, Run

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


def decoded(found):
    """Read what was printed by the rules of the exchange format, or fail."""
    system = found["system"] | {"type": "environment", "key": "e1"}
    required = {"workload": "w", "framework": "f", "device": "cpu", "label": "measured"}
    conditions = {"type": "run", "key": "r1", "machine": "m1", "environment": "e1"}
    conditions |= required | {"conditions": found["conditions"]}
    return (
        msgspec.convert(found["machine"], Machine),
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
    found = everything(**how)
    machine, environment, run_line = decoded(found)

    assert "null" not in json.dumps(found)
    for part in (found["machine"], found["system"]):
        assert not part.keys() & part.get("missing", {}).keys()
    assert machine.chip.vendor != "unknown"
    assert environment.os_name
    assert run_line.conditions


def test_an_m1_max_is_known_with_its_tiers_and_gpu_cores():
    found = everything(**mac("m1_max"))["machine"]

    assert found["chip"] == {
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
    assert (found["model"], found["virtual"]) == ("MacBookPro18,4", False)


def test_high_power_mode_on_the_adapter_is_seen():
    found = everything(**mac("m1_max"))["conditions"]

    assert (found["power_source"], found["power_mode"]) == ("ac", "high")
    assert found["low_power_mode"] is False


def test_an_m4_on_battery_in_low_power_mode_is_seen():
    found = everything(**mac("m4_low_power"))["conditions"]

    assert (found["power_source"], found["battery_percent"]) == ("battery", 57)
    assert found["low_power_mode"] is True
    assert found["memory_pressure"] == "warning"
    assert found["swap_used_bytes"] == int(3000.25 * 2**20)


def test_a_mac_that_is_too_hot_says_so():
    assert everything(**mac("m1_pro_hot"))["conditions"]["thermal_pressure"] == "heavy"
    assert everything(**mac("m1_max"))["conditions"]["thermal_pressure"] == "nominal"


def test_rosetta_is_told_and_the_gpu_asked_for_as_arm64():
    found = everything(**mac("rosetta"))

    assert found["system"]["rosetta"] is True
    assert found["system"]["architecture"] == "x86_64"
    assert found["conditions"]["rosetta"] is True
    assert found["machine"]["chip"]["gpu_cores"] == 8


def test_the_version_comes_from_sw_vers_where_sysctl_has_none():
    found = everything(**mac("rosetta"))["system"]

    assert (found["os_version"], found["os_build"]) == ("14.3", "21G115")


def test_a_virtual_mac_says_so_and_why_it_has_no_gpu_cores():
    found = everything(**mac("vm"))["machine"]

    assert found["virtual"] is True
    assert found["chip"]["name"] == "M2"
    assert "gpu_cores" not in found["chip"]
    assert "virtual" in found["missing"]["gpu_cores"]


def test_an_intel_mac_has_its_card_and_its_speed_limit():
    found = everything(**mac("intel"))

    assert found["machine"]["chip"]["accelerators"] == [
        {"vendor": "AMD", "name": "Radeon Pro 5700", "memory_bytes": 2**33, "count": 1}
    ]
    assert found["conditions"]["cpu_speed_limit_percent"] == 72
    assert found["system"]["rosetta"] is False


def test_the_printed_name_of_the_processor_is_kept():
    found = everything(**mac("vm"))["system"]["devices"]

    assert found == [{"kind": "cpu", "name": "Apple M2 (Virtual)"}]


def test_like_cards_are_one_accelerator_and_two_devices():
    found = everything(**nvidia())

    assert found["machine"]["chip"]["accelerators"] == [
        {
            "vendor": "NVIDIA",
            "name": "Fake X200",
            "memory_bytes": 100 * 2**30,
            "count": 2,
        }
    ]
    cards = [d for d in found["system"]["devices"] if d["kind"] == "gpu"]
    assert [card["vbios"][-1] for card in cards] == ["1", "2"]
    assert cards[0]["power_limit_watts"] == 650
    assert cards[0]["power_limit_default_watts"] == 700


def test_the_state_of_cards_is_the_worst_of_them():
    found = everything(**nvidia())["conditions"]

    assert found["gpu_temperature_celsius"] == 66
    assert found["gpu_sm_clock_mhz"] == 1100
    assert found["gpu_utilisation_percent"] == 97
    assert found["gpu_throttle_reasons"] == "sw_power_cap"
    assert found["gpu_other_processes"] == 2


def test_the_highest_clock_is_told_by_card(monkeypatch):
    monkeypatch.setenv("BENCHDB_PLATFORM", "linux")
    commands = FAKES / "nvidia" / "commands"
    monkeypatch.setenv("PATH", str(commands), prepend=os.pathsep)
    cards.installed.cache_clear()

    assert cards.highest_clocks() == {"Fake X200": 2200}
    cards.installed.cache_clear()


def test_cards_that_are_hidden_from_cuda_do_not_count():
    found = everything(**nvidia(CUDA_VISIBLE_DEVICES="0"))["conditions"]

    assert found["gpu_count"] == 1
    assert found["gpu_throttle_reasons"] == "none"


def test_a_driver_without_xml_still_tells_the_card():
    found = everything(**nvidia(FAKE_NVIDIA="no-xml"))["machine"]["chip"]

    assert found["accelerators"][0]["name"] == "Fake X200"


def test_a_broken_driver_is_a_reason_and_no_card():
    found = everything(**nvidia(FAKE_NVIDIA="broken"))

    assert "accelerators" not in found["machine"]["chip"]
    assert "driver" in found["system"]["missing"]["devices"]


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
