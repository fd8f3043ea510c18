"""What would spoil a measurement is told, and nothing else."""

import pytest

from benchdb.collecting.preflight import spoilers

CALM = {
    "load_1m": 0.4,
    "cpu_count_usable": 8,
    "power_source": "ac",
    "low_power_mode": False,
    "thermal_pressure": "nominal",
    "memory_pressure": "normal",
    "memory_pressure_percent": 0.0,
    "swap_used_bytes": 2**30,
    "gpu_other_processes": 0,
    "gpu_utilisation_percent": 3,
    "gpu_throttle_reasons": "sw_power_cap",
    "cpu_speed_limit_percent": 100,
    "rosetta": False,
    "virtual": False,
}


def spoiled_by(variables: dict[str, str] | None = None, **conditions) -> list[str]:
    system = {"variables": variables} if variables else {}
    now = {"conditions": {**CALM, **conditions}, "system": system}
    return [spoiler.what for spoiler in spoilers(now)]


def test_a_calm_machine_has_nothing_to_say():
    assert spoiled_by() == []


def test_what_is_not_known_is_no_spoiler():
    assert spoilers({"conditions": {}, "system": {}}) == ()


@pytest.mark.parametrize(
    ("conditions", "what"),
    [
        ({"power_source": "battery"}, "on battery"),
        ({"low_power_mode": True}, "Low Power Mode is on"),
        ({"power_mode": "low-power"}, "the power mode is low-power"),
        ({"thermal_pressure": "heavy"}, "the machine is hot (pressure heavy)"),
        ({"cpu_speed_limit_percent": 70}, "the CPU is held at 70 % of its speed"),
        (
            {"gpu_throttle_reasons": "hw_thermal_slowdown+sw_power_cap"},
            "the GPU is slowed down (hw_thermal_slowdown+sw_power_cap)",
        ),
        ({"load_1m": 5.0}, "other work is running (load 5.0)"),
        ({"memory_pressure": "critical"}, "memory is short (pressure critical)"),
        (
            {"memory_pressure_percent": 12.4},
            "memory is short (programs wait for it 12 % of the time)",
        ),
        ({"gpu_other_processes": 2}, "other programs use the GPU (2)"),
        ({"gpu_utilisation_percent": 80}, "the GPU is busy (80 %)"),
        ({"rosetta": True}, "this Python runs under Rosetta"),
        (
            {"fanless": True},
            "this Mac has no fan: it slows down when it works for long",
        ),
        ({"virtual": True}, "this is a virtual machine, which shares its processors"),
    ],
)
def test_each_condition_is_told_in_words(conditions, what):
    assert spoiled_by(**conditions) == [what]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTORCH_ENABLE_MPS_FALLBACK", "1"),
        ("NVIDIA_TF32_OVERRIDE", "0"),
        ("TF_ENABLE_ONEDNN_OPTS", "0"),
        ("OMP_NUM_THREADS", "1"),
    ],
)
def test_a_variable_that_changes_results_is_named_with_its_value(name, value):
    (what,) = spoiled_by({name: value})

    assert what.startswith(f"{name}={value} ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTORCH_ENABLE_MPS_FALLBACK", "0"),
        ("TF_ENABLE_ONEDNN_OPTS", "1"),
        ("CUDA_LAUNCH_BLOCKING", ""),
        ("KERAS_BACKEND", "tensorflow"),
    ],
)
def test_a_variable_that_says_the_usual_is_not(name, value):
    assert spoiled_by({name: value}) == []
