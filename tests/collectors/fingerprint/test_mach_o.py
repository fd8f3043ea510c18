"""The SDK of a library, from headers as <mach-o/loader.h> lays them out."""

import struct

import pytest
from fingerprint.mach_o import BuildVersion, build_version, sdk_of

ARM64, X86_64 = 0x0100000C, 0x01000007
UUID = struct.pack("<II16s", 0x1B, 24, b"u" * 16)
BUILT = struct.pack("<IIIIII", 0x32, 24, 1, 14 << 16, 26 << 16 | 5 << 8, 0)
OLD = struct.pack("<IIII", 0x24, 16, 10 << 16 | 13 << 8, 11 << 16 | 1 << 8 | 2)


def thin(*commands: bytes, processor: int = ARM64) -> bytes:
    size = sum(map(len, commands))
    header = (0xFEEDFACF, processor, 0, 6, len(commands), size, 0, 0)
    return struct.pack("<IiiIIIII", *header) + b"".join(commands)


def fat(*slices: tuple[int, bytes]) -> bytes:
    head, body, at = struct.pack(">II", 0xCAFEBABE, len(slices)), b"", 4096
    for processor, content in slices:
        head += struct.pack(">iiIII", processor, 0, at + len(body), len(content), 12)
        body += content
    return head.ljust(at, b"\0") + body


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (thin(UUID, BUILT), BuildVersion("14.0", "26.5")),
        (thin(OLD, processor=X86_64), BuildVersion("10.13", "11.1.2")),
        (
            fat((X86_64, thin(OLD, processor=X86_64)), (ARM64, thin(UUID, BUILT))),
            BuildVersion("14.0", "26.5"),
        ),
        (fat((X86_64, thin(OLD, processor=X86_64))), None),
        (thin(UUID), None),
        (thin(UUID, BUILT)[:40], None),
        (thin(struct.pack("<II", 0x1B, 0), BUILT), None),
        (b"\x7fELF" + b"\0" * 60, None),
        (b"", None),
    ],
)
def test_the_sdk_is_that_of_the_arm64_slice(tmp_path, content, result):
    library = tmp_path / "libtorch_cpu.dylib"
    library.write_bytes(content)

    assert build_version(library) == result
    assert sdk_of(library) == (f"macOS {result.sdk}" if result else None)


def test_a_library_that_is_not_there_says_nothing(tmp_path):
    assert build_version(tmp_path / "none.dylib") is None
