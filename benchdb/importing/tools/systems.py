"""Operating systems by the names that tools print for them, where that is certain."""

import re
from typing import Any

_LINUX = re.compile(r"Linux-(.{1,200}?)-(x86_64|aarch64|armv\w{1,4}|i\d86|ppc64le)\b")
_MACOS = re.compile(r"macOS-([\d.]{1,20})-(\w{1,20})")
_DARWIN = re.compile(r"Darwin-([\d.]{1,20})-(\w{1,20})")
_WINDOWS = re.compile(r"Windows-[\w.]{1,20}-([\d.]{1,20})")
_RELEASE = re.compile(r"(Linux|Darwin|Windows|FreeBSD)(?: ([\w.+-]{1,80}))?")


def platform(printed: str) -> dict[str, Any]:
    """Return the fields of an environment in what Python calls the platform."""
    if found := _LINUX.match(printed):
        return {"os_name": "Linux", "kernel": found[1], "architecture": found[2]}
    if found := _MACOS.match(printed):
        return {
            "os_name": "macOS",
            "os_version": found[1],
            "architecture": found[2],
        }
    if found := _DARWIN.match(printed):
        return {"os_name": "macOS", "kernel": found[1], "architecture": found[2]}
    if found := _WINDOWS.match(printed):
        return {"os_name": "Windows", "os_version": found[1]}
    return {}


def release(printed: str | None) -> dict[str, Any]:
    """Return the fields in a name and a kernel: ``Darwin 21.2.0``; as it is if none."""
    if not printed:
        return {"missing": {"os_name": "not in the file"}}
    if not (found := _RELEASE.fullmatch(printed)):
        return {"os_name": printed}
    name = "macOS" if found[1] == "Darwin" else found[1]
    return {"os_name": name, **({"kernel": found[2]} if found[2] else {})}
