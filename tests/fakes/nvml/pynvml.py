"""Stands in for NVIDIA's bindings: two like cards that draw 250 and 500 W.

FAKE_NVML, a JSON object, says what is otherwise; tests may change ``given`` as well.
A list of temperatures is read one by one, and its last stays.
"""
# ruff: noqa: N801, N802, N818 - names are NVIDIA's

import json
import os
import time
from collections import Counter
from types import SimpleNamespace

given = {
    "cards": [
        {
            "name": "NVIDIA Fake X200",
            "uuid": "GPU-feedbee1-1111-2222-3333-444455556666",
        },
        {
            "name": "NVIDIA Fake X200",
            "uuid": "GPU-feedbee2-1111-2222-3333-444455556666",
        },
    ],
    "watts": 250.0,
    "sm_clock_mhz": 1500,
    "celsius": [50],
    "reasons": 0x4,
    "utilisation": 97,
    "processes": [],
    "mig": 0,
    "c2c": False,
    "broken": None,
    "unsupported": [],
    **json.loads(os.environ.get("FAKE_NVML", "{}")),
}
asked: Counter[str] = Counter()


class NVMLError(Exception):
    """What every function raises that does not do its work."""


class NVMLError_NotSupported(NVMLError):
    """What a card raises that has no such thing."""


def _answer(question):
    asked[question] += 1
    if question in given["unsupported"]:
        raise NVMLError_NotSupported("Not Supported")
    return given


def nvmlInit():
    if given["broken"]:
        raise NVMLError(given["broken"])
    asked["nvmlInit"] += 1


def nvmlShutdown():
    asked["nvmlShutdown"] += 1


def nvmlDeviceGetCount():
    return len(_answer("nvmlDeviceGetCount")["cards"])


def nvmlDeviceGetHandleByIndex(index):
    return index


def nvmlDeviceGetName(handle):
    return given["cards"][handle]["name"]


def nvmlDeviceGetUUID(handle):
    return given["cards"][handle]["uuid"]


def nvmlDeviceGetTotalEnergyConsumption(handle):
    watts = _answer("nvmlDeviceGetTotalEnergyConsumption")["watts"] * (handle + 1)
    return round(watts * time.monotonic() * 1000)


def nvmlDeviceGetPowerUsage(handle):
    return round(_answer("nvmlDeviceGetPowerUsage")["watts"] * (handle + 1) * 1000)


def nvmlDeviceGetClockInfo(_handle, _kind):
    return _answer("nvmlDeviceGetClockInfo")["sm_clock_mhz"]


def nvmlDeviceGetTemperature(_handle, _sensor):
    celsius = _answer("nvmlDeviceGetTemperature")["celsius"]
    return celsius.pop(0) if len(celsius) > 1 else celsius[0]


def nvmlDeviceGetCurrentClocksThrottleReasons(_handle):
    return _answer("nvmlDeviceGetCurrentClocksThrottleReasons")["reasons"]


def nvmlDeviceGetUtilizationRates(_handle):
    result = _answer("nvmlDeviceGetUtilizationRates")["utilisation"]
    return SimpleNamespace(gpu=result, memory=0)


def nvmlDeviceGetComputeRunningProcesses(_handle):
    result = _answer("nvmlDeviceGetComputeRunningProcesses")["processes"]
    return [SimpleNamespace(pid=pid, usedGpuMemory=None) for pid in result]


def nvmlDeviceGetMigMode(_handle):
    mode = _answer("nvmlDeviceGetMigMode")["mig"]
    return [mode, mode]


def nvmlDeviceGetC2cModeInfoV(_handle):
    return SimpleNamespace(isC2cEnabled=_answer("nvmlDeviceGetC2cModeInfoV")["c2c"])
