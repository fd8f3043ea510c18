"""The real programs on Macs that are not here, from planning to the report.

Hosts, commands and frameworks are those of ``fakes``; the GPU in them takes its time,
so that a clock which does not wait is found out.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from harness.recorder import GATES

from benchdb.exchange import messages
from tests.collector_programs import decode
from tests.collectors.fake_macs import MLX, TENSORFLOW, TORCH, Mac, together
from tests.command_line import Outcome

# Chip, the cores of its tiers, those of its GPU, and what spoils a measurement there.
HOSTS = {
    "m2_on_battery": ("M2", (4, 4), 8, "on battery"),
    "m3_max_busy": ("M3 Max", (12, 4), 40, "the GPU is busy (96 %)"),
    "m4_low_power": ("M4", (4, 6), 10, "Low Power Mode is on"),
    "m5": ("M5", (4, 6), 10, None),
    "m6": ("M6", (2, 4, 6), 12, None),
}
SPOILT = {host: facts[3] for host, facts in HOSTS.items() if facts[3]}
COLLECT = ("collect", "matmul", "--tier", "smoke", "--size", 256)
# A launch of a tenth of a second makes a window long enough for a figure of energy.
SLOW = (("FAKE_METAL_SECONDS", "0.1"),)
LONG: tuple[object, ...] = (
    *("matmul", "--device", "metal", "--size", 64),
    *("--tier", "smoke", "--steps-per-block", 21),
)


@dataclass(frozen=True)
class Stored:
    """One run of a database, as it is exported."""

    run: messages.Run
    end: messages.End
    machine: messages.Machine
    environment: messages.Environment

    @property
    def values(self) -> dict[str, messages.Value]:
        return {value.metric: value for value in self.end.values}

    @property
    def gates(self) -> dict[str, Any]:
        return {k: gate["status"] for k, gate in self.end.checks["gates"].items()}


def stored(text: str) -> list[Stored]:
    """Return the runs of an exchange file, each with what it refers to."""
    headers = decode(text)
    machines = {
        header.key: header for header in headers if isinstance(header, messages.Machine)
    }
    systems = {
        header.key: header
        for header in headers
        if isinstance(header, messages.Environment)
    }
    ends = {
        header.run: header for header in headers if isinstance(header, messages.End)
    }
    return [
        Stored(
            header,
            ends[header.key],
            machines[header.machine],
            systems[header.environment],
        )
        for header in headers
        if isinstance(header, messages.Run)
    ]


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return tmp_path_factory.mktemp("macs") / "macs.sqlite"


@pytest.fixture(scope="module")
def outcomes(db) -> dict[str, Outcome]:
    """Measure on every Mac, into one database; alone, what takes its time."""

    def collected(mac: Mac, framework: str) -> Callable[[], Outcome]:
        options = ("--metal", "--framework", framework, "--db", db)
        return lambda: mac.benchdb(*COLLECT, *options)

    metered = Mac("m4_max", wrong=SLOW, zeus=True)
    ultra = Mac("m2_ultra", wrong=SLOW, zeus=True)
    all_three = Mac("m4_max", (*TORCH, *TENSORFLOW, *MLX))
    old = Mac("m4_max", wrong=(("FAKE_TORCH", "old"),))
    network = ("mnist", "--device", "metal", "--tier", "smoke", "--precision", "bf16")
    return together(
        {
            "energy by zeus": lambda: metered.collector("torch", *LONG),
            "energy by macmon": lambda: ultra.collector("torch", *LONG),
            "each": lambda: all_three.benchdb(*COLLECT, "--metal", "--db", db),
            "mlx": lambda: Mac("m1", MLX).collector("mlx", *network),
            "torch 2.4": lambda: old.collector("torch", *LONG),
            **{host: collected(Mac(host), "torch") for host in HOSTS},
        }
    )


@pytest.fixture(scope="module")
def exported(outcomes, db) -> str:
    result = {name: done.err for name, done in outcomes.items() if done.status != 0}
    assert result == {}

    return Mac("m1").benchdb("export", "--db", db).out


@pytest.fixture(scope="module")
def runs(exported) -> dict[str, Stored]:
    """Return what PyTorch measured, by the host's model of chip."""
    storeds = stored(exported)
    return {
        item.machine.chip.name: item
        for item in storeds
        if item.run.framework == "torch"
    }


@pytest.mark.parametrize("host", HOSTS)
def test_a_mac_is_stored_with_its_chip_and_what_it_measured_on_metal(host, runs):
    name, levels, gpu_cores, _ = HOSTS[host]
    result = runs[name]

    assert (result.run.device, result.run.device_name) == ("metal", f"Apple {name}")
    assert result.machine.chip.gpu_cores == gpu_cores
    assert tuple(level.cores for level in result.machine.chip.cpu_levels) == levels
    assert result.end.status == "ok"
    assert (result.values["teraflops"].value or 0) > 0


@pytest.mark.parametrize("host", HOSTS)
def test_every_gate_is_told_and_the_clock_waits_for_metal(host, runs):
    gates = runs[HOSTS[host][0]].gates

    assert gates.keys() == set(GATES)
    passed = ("device", "dtype", "result_error", "math_mode", "synchronisation")
    assert {gates[name] for name in passed} == {"passed"}
    assert "failed" not in gates.values()


def test_metal_is_measured_with_each_framework_that_has_it(outcomes, exported):
    name = "M4 Max"
    here = [item for item in stored(exported) if item.machine.chip.name == name]

    assert {item.run.framework for item in here} == {"torch", "tensorflow", "mlx"}
    assert {item.run.device_name for item in here} == {f"Apple {name}"}
    assert {item.end.status for item in here} == {"ok"}


def test_mlx_trains_on_metal_as_it_does_on_the_cpu(outcomes):
    (trained,) = stored(outcomes["mlx"].out)

    assert (trained.end.status, trained.end.reason) == ("ok", None)
    for name in ("device", "dtype", "loss", "reference_loss", "synchronisation"):
        assert trained.gates[name] == "passed"
    assert trained.values["peak_device_allocated_bytes"].value
    # The report of this Mac names no family, and the library is Linux's.
    path = {"metal_family": "unknown", "sdk": "unknown"}
    assert path.items() <= trained.end.checks["path"].items()


def test_a_torch_that_cannot_name_the_gpu_leaves_it_its_chip(outcomes):
    (old,) = stored(outcomes["torch 2.4"].out)

    assert old.run.device_name == "Apple M4 Max"
    assert (old.gates["peak_rate"], old.end.status) == ("passed", "ok")


def test_a_chip_of_which_no_clock_is_known_has_no_peak_to_pass(runs):
    assert runs["M5"].gates["peak_rate"] == "passed"
    assert runs["M6"].gates["peak_rate"] == "not-checked"
    assert "M6" in (runs["M6"].values["mfu_percent"].reason or "")


@pytest.mark.parametrize("host", HOSTS)
def test_the_state_is_told_before_and_after_and_energy_has_its_reason(host, runs):
    result = runs[HOSTS[host][0]]

    for state in (result.run.conditions, result.end.conditions):
        assert {"power_source", "memory_pressure", "load_1m"} <= state.keys()
    assert "window" in (result.values["energy_joules"].reason or "")


@pytest.mark.parametrize("host", SPOILT)
def test_what_spoils_a_measurement_is_warned_of_and_kept(host, outcomes, runs):
    kept = runs[HOSTS[host][0]].run.conditions

    assert f"benchdb: warning: {SPOILT[host]}" in outcomes[host].err
    assert {
        kept["power_source"] == "battery",
        kept.get("low_power_mode") is True,
        kept["memory_pressure"] == "critical",
    } != {False}


def test_a_quiet_mac_on_its_adapter_is_not_warned_of(outcomes):
    # Of the load of the machine that the tests run on, at most.
    warnings = [
        line
        for line in outcomes["m5"].err.splitlines()
        if "warning" in line and "other work is running" not in line
    ]

    assert warnings == []


def test_tensorflow_measures_on_its_metal_plugin(exported):
    (result,) = [
        item for item in stored(exported) if item.run.framework == "tensorflow"
    ]

    assert result.run.device == "metal"
    assert result.run.device_name == "Apple M4 Max"
    assert result.environment.packages["tensorflow-metal"] == "1.2.0"
    assert result.gates["synchronisation"] == "passed"
    assert result.gates["device"] == "passed"


@pytest.mark.parametrize(
    ("meter", "watts"),
    [("zeus", (27.0, "zeus_apple_silicon")), ("macmon", (22.0, "macmon"))],
)
def test_energy_is_that_of_the_chip_while_blocks_were_measured(meter, watts, outcomes):
    (result,) = stored(outcomes[f"energy by {meter}"].out)

    power, source = watts
    assert result.values["mean_power_watts"].value == pytest.approx(power, rel=0.02)
    assert result.end.checks["energy"]["source"] == source
    assert result.end.checks["energy"]["scope"] == "soc_model"
    assert result.end.checks["during"]["samples"] > 5


def test_the_second_die_of_an_ultra_is_why_macmon_counts_there(outcomes):
    (result,) = stored(outcomes["energy by macmon"].out)

    refused = result.end.checks["energy"]["refused"]
    assert "one die" in refused["zeus_apple_silicon"]
    assert result.machine.chip.gpu_cores == 76
    assert result.end.checks["during"]["temperature_celsius_max"] > 40


def test_show_and_report_know_the_macs(runs, db, tmp_path):
    mac = Mac("m1")
    listed = mac.benchdb("list", "--runs", "--json", "--db", db)
    digests = {run["chip"]: run["digest"] for run in json.loads(listed.out)}
    shown = mac.benchdb("show", digests["M5"], "--all", "--db", db)
    written = ("--lang", "en", "--format", "csv", "-o", tmp_path)
    mac.benchdb("report", *written, "--db", db)

    assert "device_name: Apple M5" in shown.out
    table = (tmp_path / "report.csv").read_text(encoding="utf-8")
    assert [chip for chip in runs if f",{chip},metal," not in table] == []


def test_the_file_of_a_mac_without_benchdb_is_imported(outcomes, tmp_path):
    file, db = tmp_path / "mac.jsonl", tmp_path / "own.sqlite"
    file.write_text(outcomes["energy by zeus"].out, encoding="utf-8")
    mac = Mac("m1")

    outcome = mac.benchdb("import", file, "--db", db)

    assert "1 new" in outcome.err + outcome.out
    (result,) = stored(mac.benchdb("export", "--workload", "matmul", "--db", db).out)
    assert result.machine.chip.name == "M4 Max"


def test_a_gpu_that_is_lost_costs_its_runs_and_no_others(tmp_path):
    db = tmp_path / "lost.sqlite"
    mac = Mac("m1", wrong=(("FAKE_METAL_LOST", str(tmp_path / "lost")),))
    options = ("--size", 64, "--framework", "torch", "--seed", 3, "--db", db)

    done = mac.benchdb(*COLLECT, *options)

    storeds = stored(mac.benchdb("export", "--db", db).out)
    pairs = sorted((item.run.device, item.end.status) for item in storeds)
    assert pairs == [("cpu", "ok"), ("cpu", "ok"), ("metal", "failed"), ("metal", "ok")]
    assert done.status == 1
    assert done.err.count("failed (") == 1


@pytest.mark.parametrize(
    ("wrong", "gates"),
    [("wrong", {"result_error", "math_mode"}), ("impatient", {"synchronisation"})],
)
def test_a_metal_that_lies_is_found_out(wrong, gates):
    mac = Mac("m5", wrong=(("FAKE_METAL", wrong),))

    done = mac.collector("torch", *LONG)

    (result,) = stored(done.out)
    assert (done.status, result.end.status) == (1, "failed")
    assert gates <= {
        name for name, outcome in result.gates.items() if outcome == "failed"
    }
    assert len(done.err.splitlines()) == 1


def test_more_than_metal_has_is_out_of_memory():
    options = ("matmul", "--device", "metal", "--size", 40000, "--tier", "smoke")
    done = Mac("m1").collector("torch", *options)

    (result,) = stored(done.out)
    assert result.end.status == "oom"
    assert "MPS backend out of memory" in (result.end.reason or "")
