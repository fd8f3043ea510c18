# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "nvidia-ml-py>=12.535; sys_platform != 'darwin'",
#   "zeus-apple-silicon>=1.1; sys_platform == 'darwin' and platform_machine == 'arm64'",
# ]
# ///
"""Say what machine this is: the fingerprint that every result carries.

Standard library only, so that it runs where nothing else is installed; what the header
names, some meters of energy want.  As a program it prints the machine as a line of the
exchange format; with ``--json`` also the system and the state it is in.  No name of
host or user, no serial number, no path leaves it.
"""

import argparse
import os
import platform
import sys
import time
from typing import Any

from energy.meters import available_meters
from fingerprint import commands, linux, macos, nvidia
from fingerprint.facts import Facts, known
from harness import privacy
from harness.messages import OutputError, put, strict_json
from harness.privacy import NoIdError, anonymous_id, publishable, redact


def machine_line(key: str = "m1") -> dict[str, Any]:
    """Return the ``machine`` line: chip class, model, and an anonymous id."""
    found = macos.machine() if _mac() else linux.machine()
    if not _mac():
        found["chip"] |= known({"accelerators": nvidia.accelerators()})
    identity = _identity(found["missing"])
    line = {"type": "machine", "key": key, "chip": found["chip"]}
    return line | known(
        {
            "model": found["model"],
            "anonymous_id": identity,
            "virtual": found["virtual"],
            "missing": found["missing"] or None,
        }
    )


def system_facts() -> dict[str, Any]:
    """Return what the ``environment`` line says about system, cards and variables."""
    facts = macos.system() if _mac() else linux.system()
    missing = facts.pop("missing")
    if not _mac() and not nvidia.installed() and commands.nvidia_csv():
        missing["devices"] = "nvidia-smi is installed but cannot reach the driver"
    return facts | known(
        {
            "python": platform.python_version(),
            "devices": _devices(),
            "variables": privacy.relevant() or None,
            "missing": missing or None,
        }
    )


def conditions() -> dict[str, Any]:
    """Return the state the machine is in now, as plain values; absent is unknown."""
    shared = {
        "load_1m": round(os.getloadavg()[0], 2),
        # To the minute: enough to tell boots apart, too little to tell machines.
        "uptime_seconds": 60 * round(time.monotonic() / 60),
    }
    if _mac():
        return shared | macos.conditions()
    return shared | linux.conditions() | nvidia.conditions()


def meters() -> dict[str, list[dict[str, Any]]]:
    """Return by device what can measure its energy here, or what it would take."""
    return {
        device: [publishable(one) for one in available_meters(device)]
        for device in ("cpu", "metal", "cuda")
    }


def _mac() -> bool:
    return commands.platform() == "darwin"


def _devices() -> list[Facts]:
    """Return the cards, then the processor as its maker prints it."""
    printed = macos.processor() if _mac() else linux.processor()
    cpu = [{"kind": "cpu", "name": printed}] if printed else []
    return ([] if _mac() else nvidia.devices()) + cpu


def _identity(missing: dict[str, str]) -> str | None:
    """Return the anonymous id, or None with its reason added to *missing*."""
    asked = macos.machine_id() if _mac() else linux.machine_id()
    try:
        return anonymous_id(asked, commands.platform())
    except NoIdError as reason:
        missing["anonymous_id"] = str(reason)
        return None


def main() -> None:
    """Print the fingerprint of this machine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--json", action="store_true", help="system and state as well")
    parser.add_argument(
        "--meters", action="store_true", help="what can measure energy, by device"
    )
    parser.add_argument(
        "--redact", action="store_true", help="standard input, nothing private in it"
    )
    wanted = parser.parse_args()
    if wanted.redact:
        put(redact(sys.stdin.buffer.read().decode(errors="replace")))
        return
    if wanted.meters:
        put(strict_json(meters()))
        return
    # As the lines of a collector say it.
    line = publishable(machine_line())
    if wanted.json:
        state = publishable({"conditions": conditions()})
        line = {"machine": line, "system": publishable(system_facts())} | state
    put(strict_json(line))


if __name__ == "__main__":
    try:
        main()
    except OutputError as refused:
        sys.exit(f"machine: {refused}" if str(refused) else 1)
