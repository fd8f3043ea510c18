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
import json
import os
import platform
import sys
import time
from typing import Any

from energy.meters import available_meters, watts_now
from fingerprint import commands, linux, macos, nvidia
from fingerprint.answers import shareable
from fingerprint.facts import Facts, known
from fingerprint.sources import by_source
from harness import anonymous_id, privacy
from harness.anonymous_id import NoIdError
from harness.messages import OutputError, put, strict_json
from harness.privacy import publishable, redact

_WATTS_SECONDS = 8.0


def _host() -> Any:
    return macos if commands.platform() == "darwin" else linux


def machine_line(key: str = "m1") -> dict[str, Any]:
    """Return the ``machine`` line: chip class, model, and an anonymous id."""
    facts = _host().machine()
    chip, missing = facts["chip"], facts["missing"]
    if _host() is linux:
        chip |= known({"accelerators": nvidia.accelerators()})
    identity = None
    try:
        identity = anonymous_id.anonymous_id(_host().machine_id(), commands.platform())
    except NoIdError as reason:
        missing["anonymous_id"] = str(reason)
    return {"type": "machine", "key": key, "chip": chip} | known(
        {
            "model": facts["model"],
            "anonymous_id": identity,
            "virtual": facts["virtual"],
            "missing": missing or None,
        }
    )


def system_facts() -> dict[str, Any]:
    """Return what the ``environment`` line says about system, cards and variables."""
    facts: Facts = _host().system()
    missing = facts.pop("missing")
    cards = nvidia.devices() if _host() is linux else []
    if _host() is linux and not cards and nvidia.ask(*commands.NVIDIA_CSV):
        missing["devices"] = "nvidia-smi is installed but cannot reach the driver"
    # The processor as its maker prints it.
    printed = _host().processor()
    cpu = [{"kind": "cpu", "name": printed}] if printed else []
    return facts | known(
        {
            "python": platform.python_version(),
            "devices": cards + cpu,
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
    own: Facts = _host().conditions()
    return shared | own | (nvidia.conditions() if _host() is linux else {})


def meters() -> dict[str, list[dict[str, Any]]]:
    """Return by device what can measure its energy here, or what it would take."""
    return {
        device: [publishable(meter) for meter in available_meters(device)]
        for device in ("cpu", "metal", "cuda")
    }


def by_every_source(*, as_root: bool) -> dict[str, Any]:
    """Return the fingerprint without an id, what each source says, and their answers.

    The answers are what commands printed, as far as it may leave the machine.
    """
    own = _host().machine()
    facts = {
        "machine": {
            name: own[name] for name in ("chip", "model", "virtual", "missing")
        },
        "system": system_facts(),
        "conditions": conditions(),
        "sources": by_source(as_root=as_root),
    }
    cleaned = {name: publishable(section) for name, section in facts.items()}
    return cleaned | {"answers": shareable(commands.heard)}


def watch(device: str) -> dict[str, Any]:
    """Look at *device* while a process measures that is no worker of ours.

    Say that it has begun by an empty line. Standard input names the process, and when
    that has ended, the seconds of its blocks as JSON. Nobody says when it measures, so
    *during* is from its start to its end.
    """
    # Whoever asks for the fingerprint alone does without.
    from harness.telemetry import MEASURE, Telemetry  # noqa: PLC0415
    from harness.timing import steady  # noqa: PLC0415

    telemetry = Telemetry(device)
    telemetry.start()
    put("\n")
    telemetry.worker = int(sys.stdin.readline())
    telemetry.phase(MEASURE, begin=True, at_ns=time.monotonic_ns())
    times = json.loads(sys.stdin.read())
    telemetry.phase(MEASURE, begin=False, at_ns=time.monotonic_ns())
    seen = telemetry.stop()
    during = seen.checks.get("during", {}) | {"of": "the whole process"}
    checks: dict[str, Any] = {"during": during}
    if times:
        checks["steady"] = steady(times)
    return {"checks": checks, "conditions": conditions() | seen.conditions}


def main() -> None:
    """Print the fingerprint of this machine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--json", action="store_true", help="system and state as well")
    parser.add_argument(
        "--meters", action="store_true", help="what can measure energy, by device"
    )
    parser.add_argument(
        "--renew-id", action="store_true", help="another anonymous id from now on"
    )
    parser.add_argument(
        "--redact", action="store_true", help="standard input, nothing private in it"
    )
    parser.add_argument(
        "--sources", action="store_true", help="what each source says of it"
    )
    parser.add_argument(
        "--watts", metavar="DEVICE", help="what each energy meter says in 8 s"
    )
    parser.add_argument(
        "--powermetrics", action="store_true", help="of these as well, by sudo -n"
    )
    parser.add_argument(
        "--watch", metavar="DEVICE", help="of what a process does that is named later"
    )
    wanted = parser.parse_args()
    if wanted.watch:
        put(strict_json(publishable(watch(wanted.watch))))
        return
    if wanted.redact:
        put(redact(sys.stdin.buffer.read().decode(errors="replace")))
        return
    if wanted.sources:
        put(strict_json(by_every_source(as_root=wanted.powermetrics)))
        return
    if wanted.watts:
        groups = watts_now(wanted.watts, _WATTS_SECONDS, as_root=wanted.powermetrics)
        put(strict_json(publishable(groups)))
        return
    if wanted.renew_id:
        anonymous_id.renew(_host().machine_id(), commands.platform())
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
    except (NoIdError, OutputError) as refused:
        sys.exit(f"machine: {refused}" if str(refused) else 1)
