"""Which operating system a text names: ``macOS 12.4 (21F79)``, ``Monterey``."""

import re

from benchdb.importing.recognising.chips import TEXT_LIMIT, tidied

_MACOS = {
    "high sierra": "10.13",
    "mojave": "10.14",
    "catalina": "10.15",
    "big sur": "11",
    "monterey": "12",
    "ventura": "13",
    "sonoma": "14",
    "sequoia": "15",
    "tahoe": "26",
}
_MAC_NAME = re.compile(r"\b(" + "|".join(_MACOS) + r")\b", re.IGNORECASE)
_MAC = re.compile(r"\b(?:mac\s?os(?:\s?x)?|os\s?x)\b", re.IGNORECASE)
_MAC_VERSION = re.compile(r"(?<![\w.])(\d{2}(?:\.\d{1,2}){0,2})(?![\w.]*\w)")
_MAC_BUILD = re.compile(r"(?<![A-Za-z0-9])(\d{2}[A-Z]\d{2,5}[a-z]?)(?![A-Za-z0-9])")
# Names as /etc/os-release has them.
_LINUX = {
    "ubuntu": "Ubuntu",
    "debian": "Debian GNU/Linux",
    "fedora": "Fedora Linux",
    "centos": "CentOS",
    "rocky linux": "Rocky Linux",
    "arch linux": "Arch Linux",
    "amazon linux": "Amazon Linux",
    "pop!_os": "Pop!_OS",
    "linux mint": "Linux Mint",
    "windows": "Windows",
    "ios": "iOS",
    "ipados": "iPadOS",
}
_OTHER = re.compile(
    r"(?<![A-Za-z0-9])(" + "|".join(map(re.escape, _LINUX)) + r")"
    r"(?:\s+(?:server|gnu/linux|linux))?"
    r"(?:\s+(\d{1,4}(?:\.\d{1,4}){0,2})(?![\w.]*\w))?",
    re.IGNORECASE,
)
System = tuple[str, str | None, str | None]


def os(text: str) -> System | None:
    """Return name, version and build; ``None`` if none is named, or if two are.

    A name of a macOS stands for its version; both must agree where both are there.
    """
    plain = tidied(text) if len(text) <= TEXT_LIMIT else ""
    others = {
        (_LINUX[match[1].lower()], match[2], None) for match in _OTHER.finditer(plain)
    }
    mac = _MAC_NAME.search(plain) or _MAC.search(plain)
    if mac and others:
        return None
    if mac:
        return _mac(plain)
    if len(others) == 1:
        return others.pop()
    bare = re.search(r"(?<![A-Za-z])linux(?![A-Za-z])", plain, re.IGNORECASE)
    return ("Linux", None, None) if bare and not others else None


def _mac(plain: str) -> System | None:
    names = {_MACOS[match[1].lower()] for match in _MAC_NAME.finditer(plain)}
    build = _MAC_BUILD.search(plain)
    versions = {match[1] for match in _MAC_VERSION.finditer(_MAC_BUILD.sub(" ", plain))}
    if len(names) > 1 or len(versions) > 1:
        return None
    version = next(iter(versions), None)
    named = next(iter(names), None)
    if version and named and not f"{version}.".startswith(f"{named}."):
        return None
    return "macOS", version or named, build[1] if build else None
