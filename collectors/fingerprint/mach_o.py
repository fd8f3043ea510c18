"""For which macOS a library was built, from the header of its Mach-O file.

As otool -l and vtool -show-build print it; <mach-o/loader.h> has the format. Metal
offers a program what the SDK knew that it was linked with, whatever the system has.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_THIN = {b"\xcf\xfa\xed\xfe": 32, b"\xce\xfa\xed\xfe": 28}  # bytes of the header
_FAT, _FAT_64 = b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"
_ARM64 = 0x0100000C
_VERSION_MIN_MACOSX, _BUILD_VERSION = 0x24, 0x32
_MOST_COMMANDS = 10_000
_MOST_BYTES = 2**22


@dataclass(frozen=True)
class BuildVersion:
    """The oldest system that a library runs on, and the SDK that it was linked with."""

    least_system: str
    sdk: str


def build_version(path: Path) -> BuildVersion | None:
    """Return what the file at *path* says; None where it says nothing, or is none.

    Of a file for several processors that for arm64.
    """
    try:
        with path.open("rb") as file:
            return _of_file(file)
    except (OSError, struct.error):
        return None


def sdk_of(path: Path) -> str | None:
    """Return the system whose SDK the file at *path* was linked with, if it says so."""
    built = build_version(path)
    return f"macOS {built.sdk}" if built else None


def _of_file(file: BinaryIO) -> BuildVersion | None:
    magic = file.read(4)
    if magic in (_FAT, _FAT_64):
        entry = struct.Struct(">iiQQII" if magic == _FAT_64 else ">iiIII")
        (count,) = struct.unpack(">I", file.read(4))
        slices = [entry.unpack(file.read(entry.size)) for _ in range(min(count, 100))]
        offset = next((item[2] for item in slices if item[0] == _ARM64), None)
        if offset is None:
            return None
        file.seek(offset)
        magic = file.read(4)
    if magic not in _THIN:
        return None
    _, _, _, count, size = struct.unpack("<iiIII", file.read(20))
    file.read(_THIN[magic] - 24)
    commands, at = file.read(min(size, _MOST_BYTES)), 0
    for _ in range(min(count, _MOST_COMMANDS)):
        kind, length = struct.unpack_from("<II", commands, at)
        if kind == _BUILD_VERSION:
            _, least, sdk = struct.unpack_from("<III", commands, at + 8)
            return BuildVersion(_version(least), _version(sdk))
        if kind == _VERSION_MIN_MACOSX:
            return BuildVersion(
                *map(_version, struct.unpack_from("<II", commands, at + 8))
            )
        if length < 8:  # would never end
            return None
        at += length
    return None


def _version(packed: int) -> str:
    """Return a version of nibbles, ``xxxx.yy.zz``, without a last zero."""
    parts = [packed >> 16, packed >> 8 & 0xFF, packed & 0xFF]
    return ".".join(map(str, parts if parts[2] else parts[:2]))
