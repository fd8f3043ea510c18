"""Ask the machine: run its commands, read its files.  Nothing is parsed here.

Commands are called by bare name through PATH, in the C locale, with a time limit.
Standard error is thrown away, never merged: system_profiler logs there.  A command
that is missing, too slow or silent answers ``None``.

Where BENCHDB_ANSWERS names a file, commands are not asked: it has what they said on
another machine, by command line.
"""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SECONDS = 5.0
SLOW_SECONDS = 20.0  # system_profiler, and nvidia-smi without persistence mode

# The Apple GPU's registry entry, and that which holds the machine's UUID.
DISPLAYS = ("system_profiler", "-json", "SPDisplaysDataType")
GPU_REGISTRY = ("ioreg", "-r", "-c", "AGXAccelerator", "-d", "1", "-w0")
THERMAL_LEVEL = ("notifyutil", "-g", "com.apple.system.thermalpressurelevel")
PLATFORM_REGISTRY = ("ioreg", "-r", "-d", "1", "-c", "IOPlatformExpertDevice")
SYSCTL_NAMES = (
    "hw",  # the subtree: core counts and tiers; it leaves out hw.model
    "hw.model",
    "hw.memsize",
    "machdep.cpu.brand_string",
    "machdep.cpu.features",
    "kern.osproductversion",
    "kern.osversion",
    "kern.hv_vmm_present",
    "sysctl.proc_translated",
)
SYSCTL_CONDITIONS = (
    *("hw.activecpu", "hw.optional.arm64", "hw.model", "machdep.cpu.brand_string"),
    *("kern.hv_vmm_present", "kern.memorystatus_vm_pressure_level"),
    *("sysctl.proc_translated", "vm.swapusage"),
)
# Only what every driver knows: one unknown field and it answers nothing at all.
NVIDIA_QUERY = (
    "name,driver_version,memory.total,power.limit,power.default_limit,vbios_version,"
    "ecc.mode.current,temperature.gpu,clocks.sm,clocks.max.sm,utilization.gpu"
)

NVIDIA_XML = ("nvidia-smi", "-q", "-x")
# What older or restricted drivers still answer.
NVIDIA_CSV = ("nvidia-smi", f"--query-gpu={NVIDIA_QUERY}", "--format=csv")


def platform() -> str:
    """Return ``darwin`` or ``linux``; tests with fake commands set BENCHDB_PLATFORM."""
    return os.environ.get("BENCHDB_PLATFORM") or sys.platform


# What each command has said, by its line; whoever hands it on filters it (``answers``).
heard: dict[str, str] = {}


@functools.cache
def elsewhere() -> dict[str, str] | None:
    """Return what commands said on another machine; None where this one is asked."""
    path = os.environ.get("BENCHDB_ANSWERS")
    return json.loads(Path(path).read_text("utf-8")) if path else None


def run(*command: str, seconds: float = SECONDS) -> str | None:
    """Return what a command prints, whatever its exit status, or None."""
    line = " ".join(command)
    if (answers := elsewhere()) is not None:
        return answers.get(line)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env={**os.environ, "LC_ALL": "C", "LANG": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    heard[line] = done.stdout.decode("utf-8", "replace")
    return heard[line] or None


def read(path: str | Path) -> str | None:
    """Return the text of a file, or None where there is none to read."""
    try:
        return Path(path).read_bytes().decode("utf-8", "replace").strip("\0\n") or None
    except OSError:
        return None


def read_each(pattern: str) -> dict[str, str]:
    """Return the text of every readable file under / that matches, by its path."""
    texts = ((str(path), read(path)) for path in sorted(Path("/").glob(pattern)))
    return {path: text for path, text in texts if text is not None}


def sysctl(names: Iterable[str]) -> str:
    """Return ``name: value`` lines; one process a name, so that none can hide others.

    With ``-n`` an unknown name would shift the lines of those that follow.
    """
    return "\n".join(run("sysctl", name) or "" for name in names)


def system_profiler(*, rosetta: bool) -> str | None:
    """Return the hardware and displays reports as JSON.

    An x86_64 process under Rosetta is told of no chip, so it asks as arm64.
    """
    command = ("system_profiler", "-json", "SPHardwareDataType", "SPDisplaysDataType")
    prefix = ("arch", "-arm64") if rosetta else ()
    return run(*prefix, *command, seconds=SLOW_SECONDS)


def thermal_pressure() -> int | None:
    """Return macOS's thermal pressure level by notify(3), which needs no root."""
    if platform() != "darwin":
        return None
    if elsewhere() is not None:
        return printed_level()
    import ctypes  # noqa: PLC0415  other platforms have no use for it

    name = THERMAL_LEVEL[-1]
    token, level = ctypes.c_int(), ctypes.c_uint64()
    try:
        system = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
        if system.notify_register_check(name.encode(), ctypes.byref(token)) != 0:
            return None
        failed = system.notify_get_state(token, ctypes.byref(level)) != 0
        system.notify_cancel(token)
    except (AttributeError, OSError):
        return printed_level()
    return None if failed else level.value


def printed_level() -> int | None:
    """Return what the program of macOS says: slower, as it has to be started."""
    printed = (run(*THERMAL_LEVEL) or "").split()
    return int(printed[1]) if len(printed) == 2 and printed[1].isdigit() else None
