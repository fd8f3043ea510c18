"""What Linux says about processors and system, on x86, Arm and POWER."""

import pytest
from energy.rapl import energy_joules
from fingerprint import commands
from fingerprint import linux as parse
from fingerprint.facts import extract

X86 = """processor\t: {n}
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) Gold 6999 CPU @ 2.00GHz
physical id\t: {package}
core id\t\t: {core}
cpu cores\t: 2
flags\t\t: fpu hypervisor
"""
ARM = "processor\t: {n}\nCPU implementer\t: {maker}\nCPU part\t: {part}\n"


def cpuinfo(text):
    cpus = parse.cpuinfo(text)
    assert cpus is not None
    return cpus


def machine(*threads):
    return "\n".join(X86.format(n=n, package=p, core=c) for n, p, c in threads)


def test_threads_are_not_counted_as_cores():
    text = machine((0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1), (4, 1, 0), (5, 1, 1))

    result = cpuinfo(text)

    assert (result.count, result.cores) == (6, 4)
    assert (result.chip.vendor, result.chip.name) == ("Intel", "Xeon Gold 6999")
    assert result.hypervisor


def test_arm_without_a_name_is_known_by_its_parts():
    text = "\n".join(ARM.format(n=n, maker="0x41", part="0xd0b") for n in range(4))

    result = cpuinfo(text + "\nModel\t\t: Some Board 7\n")

    assert result.chip.name == "Cortex-A76"
    assert (result.cores, result.model) == (4, "Some Board 7")


def test_big_cores_come_before_little_ones():
    parts = ["0x022"] * 4 + ["0x023"] * 2
    text = "\n".join(
        ARM.format(n=n, maker="0x61", part=part) for n, part in enumerate(parts)
    )

    result = cpuinfo(text)

    assert result.chip.name == "M1"
    assert parse.arm_levels(result.parts) == (("Performance", 2), ("Efficiency", 4))


def test_an_unknown_part_is_no_name():
    assert cpuinfo(ARM.format(n=0, maker="0x99", part="0x001")).chip is None


def test_a_model_name_that_says_nothing_is_not_used_on_arm():
    text = ARM.format(n=0, maker="0x41", part="0xd08")

    result = cpuinfo(text + "model name : ARMv8 Processor rev 3 (v8l)\n")

    assert result.chip.name == "Cortex-A72"


def test_power_names_its_processor_elsewhere():
    result = cpuinfo("processor : 0\ncpu : POWER9, altivec supported\n")

    assert (result.chip.vendor, result.chip.name) == ("IBM", "POWER9")


def test_intels_two_kinds_of_cores_are_told_by_perf():
    threads = [(0, 0, 0), (1, 0, 0), (2, 0, 1), (3, 0, 1), (4, 0, 2), (5, 0, 3)]
    result = cpuinfo(machine(*threads))

    tiers = parse.hybrid_levels(result, "0,1-3\n", "4-5")

    assert tiers == (("Performance", 2), ("Efficiency", 2))
    assert parse.hybrid_levels(result, None, None) == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"lscpu": [{"field": "Model name:", "data": "X"},'
        ' {"field": "Core(s) per socket:", "data": "6"},'
        ' {"field": "Socket(s):", "data": "2"}]}',
        '{"lscpu": [{"field": "Vendor ID:", "data": null, "children": ['
        '{"field": "Model name:", "data": "X", "children": ['
        '{"field": "Core(s) per socket:", "data": "6"},'
        ' {"field": "Socket(s):", "data": "2"}]}]}]}',
        "Model name:   X\nCore(s) per socket:  6\nSocket(s): 2\n",
    ],
)
def test_lscpu_flat_nested_or_text_says_the_same(text):
    assert parse.core_types(parse.lscpu(text)) == (parse.CoreType("X", 12),)


def test_quotes_of_os_release_are_removed():
    values = parse.os_release('NAME="Some Linux"\n# c\nVERSION_ID=4.2\nODD="a\n')

    assert values == {"NAME": "Some Linux", "VERSION_ID": "4.2", "ODD": '"a'}


@pytest.mark.parametrize(
    ("text", "quota"), [("max 100000", {}), ("50000 100000", {"cpus": 0.5}), (None, {})]
)
def test_a_quota_may_be_less_than_one_processor(text, quota):
    assert extract(text, parse.QUOTA) == quota


def test_a_group_is_limited_by_those_above_it():
    paths = parse.cgroup_paths("1:cpu:/x\n0::/outer/inner\n")

    assert paths == ("/outer/inner", "/outer", "/")
    assert parse.cgroup_paths("") == ("/",)


def test_a_mouse_is_not_the_battery_of_the_machine():
    files = {
        "/p/mouse/type": "Battery",
        "/p/mouse/scope": "Device",
        "/p/mouse/capacity": "11",
        "/p/BAT0/type": "Battery",
        "/p/BAT0/status": "Discharging",
        "/p/BAT0/capacity": "64",
        "/p/AC/type": "Mains",
        "/p/AC/online": "0",
    }
    result = parse.power_supply(files)

    assert result == {"power_source": "battery", "battery_percent": 64}


def test_a_server_without_supplies_tells_no_source():
    assert parse.power_supply({}) == {}


def test_what_the_machine_has_is_asked_of_its_files(monkeypatch):
    files = {
        "sys/devices/system/memory/memory[0-9]*/state": [
            "online",
            "online\n",
            "offline",
        ],
        "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor": ["b\n", "a", "b"],
    }
    texts = {"/sys/devices/system/memory/block_size_bytes": "8000000\n"}
    monkeypatch.setattr(
        commands, "read_each", lambda of: dict(enumerate(files.get(of, [])))
    )
    monkeypatch.setattr(commands, "read", texts.get)

    assert parse.machine()["chip"]["ram_bytes"] == 2 * 2**27  # those that are online
    assert parse.conditions()["governor"] == "a,b"


@pytest.mark.parametrize(
    ("text", "virtual"), [("kvm\n", True), ("none\n", False), (None, None)]
)
def test_a_hypervisor_is_told_from_none_and_from_not_known(monkeypatch, text, virtual):
    monkeypatch.setattr(commands, "run", lambda *_: text)
    monkeypatch.setattr(commands, "read", lambda _path: None)

    assert parse.machine()["virtual"] is virtual


def test_pressure_and_energy_are_numbers():
    printed = "some avg10=1.25 avg60=0.5\n"

    assert extract(printed, parse.PRESSURE) == {"memory_pressure_percent": 1.25}
    assert energy_joules("2500000\n") == 2.5
    assert energy_joules(None) is None
