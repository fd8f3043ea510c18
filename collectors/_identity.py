"""Which program measured: its name, its version, and the digest of its source."""

import hashlib
from pathlib import Path

# Equal to benchdb's own version; a test compares them.
VERSION = "0.1.0"

# What every collector runs on. The fingerprint of the machine is apart from it, but for
# what the meters use.
SHARED = (
    "_apple",
    "_ask",
    "_assignment",
    "_catalogue",
    "_cell",
    "_child",
    "_choices",
    "_dataset",
    "_dataset_cifar10",
    "_dataset_files",
    "_dataset_mnist",
    "_dataset_pickle",
    "_datasets",
    "_describe",
    "_dropped",
    "_energy",
    "_energy_apple",
    "_energy_card",
    "_energy_macmon",
    "_energy_meters",
    "_energy_nvml",
    "_energy_powermetrics",
    "_energy_rapl",
    "_energy_rest",
    "_energy_stream",
    "_evidence",
    "_failures",
    "_findings",
    "_framework",
    "_gates",
    "_harness",
    "_identity",
    "_images",
    "_lines",
    "_machine_found",
    "_machine_nvidia",
    "_messages",
    "_options",
    "_parse_ioreport",
    "_parse_linux_system",
    "_parse_macos_conditions",
    "_parse_nvidia",
    "_parse_powermetrics",
    "_peaks",
    "_private",
    "_process",
    "_protocol",
    "_seed_protocol",
    "_steady",
    "_supervisor",
    "_telemetry",
    "_telemetry_cooling",
    "_telemetry_during",
    "_telemetry_pace",
    "_telemetry_phases",
    "_timing",
    "_variables",
    "_worker",
)


def source_files(program: Path, framework: str) -> list[Path]:
    """Return the program, its own ``_<framework>_*.py`` and what all share."""
    folder = Path(__file__).resolve().parent
    shared = [folder / f"{name}.py" for name in SHARED]
    own = program.parent.glob(f"_{framework}_*.py")
    return sorted({program, *own, *shared}, key=lambda path: path.name)


def source_digest(program: Path, framework: str) -> str:
    """Return the SHA-256 over names and bytes of the source files, by name."""
    digest = hashlib.sha256()
    for path in source_files(program, framework):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
