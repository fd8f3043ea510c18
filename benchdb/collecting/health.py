"""What this machine can measure, and what keeps it from measuring the rest."""

import platform
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchdb import __version__
from benchdb.collecting.programs import (
    Description,
    fingerprint,
    frameworks,
    meters,
    survey,
)
from benchdb.collecting.spoilers import Spoiler, spoilers
from benchdb.errors import BenchdbError


class Health(msgspec.Struct, frozen=True):
    """What can be measured here, with what meters, and what would spoil it now.

    *meters* are energy meters by device; *unknown* says what could not be found out,
    and why.
    """

    versions: Mapping[str, str]
    frameworks: tuple[Description, ...]
    meters: Mapping[str, Sequence[Mapping[str, Any]]]
    spoilers: tuple[Spoiler, ...]
    unknown: Mapping[str, str]

    @property
    def can_measure(self) -> bool:
        """Tell whether anything can be measured."""
        return any(
            device.available and one.workloads
            for one in self.frameworks
            for device in one.devices.values()
        )


def health(*, isolated: bool = False) -> Health:
    """Ask all the collectors and the machine how they are."""
    unknown: dict[str, str] = {}
    machine: dict[str, Any] = {}
    energy: dict[str, list[dict[str, Any]]] = {}
    try:
        machine = fingerprint()
    except BenchdbError as error:
        unknown["machine"] = str(error)
    try:
        energy = meters(isolated=isolated)
    except BenchdbError as error:
        unknown["meters"] = str(error)
    found = survey(frameworks(), isolated=isolated)
    return Health(
        versions=_versions(machine.get("system", {})),
        frameworks=tuple(found),
        meters=energy,
        spoilers=spoilers(machine),
        unknown=unknown,
    )


def _versions(system: Mapping[str, Any]) -> dict[str, str]:
    names = ("os_name", "os_version", "os_build", "kernel", "architecture")
    known = {name: str(system[name]) for name in names if name in system}
    return {"benchdb": __version__, "python": platform.python_version(), **known}
