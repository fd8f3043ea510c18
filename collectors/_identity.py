"""Which program measured: its name, its version, and the digest of its source."""

import hashlib
from pathlib import Path

# Equal to benchdb's own version; a test compares them.
VERSION = "0.1.0"

# What every collector runs on; the fingerprint of the machine is apart from it.
SHARED = (
    "_apple",
    "_assignment",
    "_cell",
    "_child",
    "_describe",
    "_findings",
    "_framework",
    "_gates",
    "_harness",
    "_identity",
    "_messages",
    "_options",
    "_private",
    "_process",
    "_protocol",
    "_supervisor",
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
