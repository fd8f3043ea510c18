"""NVIDIA's bindings, faked: on the path, fresh, and asked until they answered."""

import importlib
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FAKE = Path(__file__).parents[1] / "fakes" / "nvml"


def installed(monkeypatch: pytest.MonkeyPatch, **given: Any) -> ModuleType:
    """Return the fake, freshly imported, with what is *given* otherwise."""
    monkeypatch.syspath_prepend(str(FAKE))
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "FAKE_NVML"):
        monkeypatch.delenv(name, raising=False)
    fresh(monkeypatch, "pynvml")
    fake = importlib.import_module("pynvml")
    fake.given.update(given)
    return fake


def fresh(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Have *module* imported anew, and forgotten after the test."""
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    del sys.modules[module]


def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bindings ones that are not installed."""
    monkeypatch.setitem(sys.modules, "pynvml", None)


def wait_until(done: Any) -> None:
    """Wait for what a thread does in a moment; fail if it never does."""
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)
