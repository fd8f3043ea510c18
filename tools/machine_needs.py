"""What a machine has and lacks of what ``make demo`` and ``make test`` need.

As ``install``, only the standard library and the syntax of Python 3.8.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

DEBIAN, UBUNTU, MAC = "Debian", "Ubuntu", "macOS"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROME_ON_A_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
FONT_FOLDERS = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts"),
    *("~/.local/share/fonts", "~/.fonts", "~/Library/Fonts"),
)
SERVER_FOLDERS = (
    "usr/lib/postgresql/*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)
# Tests fill a disk: root mounts a small one for each, anybody else fills this one.
SMALL_DISK = Path("/mnt/benchdb-small-disk")
MOUNT = (
    f"mkdir -p {SMALL_DISK} && "
    f"mount -t tmpfs -o size=64m,mode=1777 benchdb {SMALL_DISK}"
)


@dataclass(frozen=True)
class System:
    """The kind of machine, and the prefix of commands that need rights."""

    kind: str  # DEBIAN, UBUNTU, MAC or another name
    prefix: tuple[str, ...] | None  # () where none is needed, None without the rights


@dataclass(frozen=True)
class Requirement:
    """Something that the system has to have, and its package on each kind of system."""

    name: str
    is_there: Callable[[], object]
    packages: dict[str, str]


def browser() -> str | None:
    """Return the path of the system's Chromium or Chrome."""
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    return installed or (str(CHROME_ON_A_MAC) if CHROME_ON_A_MAC.exists() else None)


def server_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL's ``initdb`` and ``pg_ctl``."""
    folders = [path for pattern in SERVER_FOLDERS for path in Path("/").glob(pattern)]
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    complete = [path for path in folders if (path / "initdb").exists()]
    return max(complete, key=_version, default=None)


def _version(folder: Path) -> int:
    return max(map(int, re.findall(r"\d+", str(folder))), default=0)


def has_font(stem: str) -> bool:
    """Tell whether a font file whose name begins with *stem* is installed."""
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(any(folder.rglob(f"{stem}*")) for folder in folders if folder.is_dir())


def has_library(name: str) -> bool:
    """Tell whether the shared library *name* can be loaded."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def requirements(goal: str) -> list[Requirement]:
    """Return what *goal* needs of the system."""
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    venv, headers = f"{python}-venv", f"{python}-dev"
    needed = [
        Requirement(
            "Python's module venv",
            lambda: importlib.util.find_spec("ensurepip"),
            {DEBIAN: venv, UBUNTU: venv},
        )
    ]
    if goal == "demo":
        return needed
    arabic, cjk = "fonts-noto-core", "fonts-noto-cjk"
    return [
        *needed,
        Requirement("a browser", browser, {DEBIAN: "chromium"}),
        Requirement(
            "the font Noto Sans Arabic",
            lambda: has_font("NotoSansArabic"),
            {DEBIAN: arabic, UBUNTU: arabic, MAC: "font-noto-sans-arabic"},
        ),
        Requirement(
            "the font Noto Sans CJK",
            lambda: has_font("NotoSansCJK"),
            {DEBIAN: cjk, UBUNTU: cjk, MAC: "font-noto-sans-cjk"},
        ),
        Requirement(
            "PostgreSQL",
            server_programs,
            {DEBIAN: "postgresql", UBUNTU: "postgresql", MAC: "postgresql@17"},
        ),
        Requirement(  # Playwright's Node.js needs it and does not bring it
            "libatomic",
            lambda: sys.platform == "darwin" or has_library("libatomic.so.1"),
            {DEBIAN: "libatomic1", UBUNTU: "libatomic1"},
        ),
        Requirement(  # for torch.compile, as Python's headers are
            "a C++ compiler",
            lambda: shutil.which("g++") or shutil.which("clang++"),
            {DEBIAN: "g++", UBUNTU: "g++"},
        ),
        Requirement(
            "Python's headers",
            lambda: Path(sysconfig.get_path("include"), "Python.h").exists(),
            {DEBIAN: headers, UBUNTU: headers},
        ),
        Requirement(
            "ssh-keygen",
            lambda: sys.platform == "darwin" or shutil.which("ssh-keygen"),
            {DEBIAN: "openssh-client", UBUNTU: "openssh-client"},
        ),
        Requirement(
            "openssl",
            lambda: shutil.which("openssl"),
            {DEBIAN: "openssl", UBUNTU: "openssl", MAC: "openssl@3"},
        ),
    ]


def this_system() -> System:
    """Return what this machine is, and whether we may install on it."""
    if sys.platform == "darwin":
        return System(MAC, () if shutil.which("brew") else None)
    kind = _distribution() if shutil.which("apt-get") else platform.system()
    return System(kind, () if os.geteuid() == 0 else _sudo())


def _distribution() -> str:
    try:
        release = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return DEBIAN
    names = " ".join(re.findall('^ID(?:_LIKE)?="?([^"\n]*)', release, re.MULTILINE))
    return UBUNTU if "ubuntu" in names.split() else DEBIAN


def _sudo() -> tuple[str, ...] | None:
    """Return sudo as it can be used: without a password, else by a person."""
    if shutil.which("sudo") is None:
        return None
    silent = ("sudo", "-n")
    answer = subprocess.run([*silent, "true"], capture_output=True, check=False)
    if answer.returncode == 0:
        return silent
    return ("sudo",) if sys.stdin.isatty() else None


def may_fill_a_disk(system: System) -> bool:
    """Tell whether tests can mount a small disk, or have one."""
    by_themselves = system.prefix in {(), ("sudo", "-n")}
    return system.kind == MAC or by_themselves or os.path.ismount(SMALL_DISK)


def lacks_browser(goal: str, system: System) -> bool:
    """Tell whether Playwright has to bring the browser."""
    return goal == "test" and system.kind in {UBUNTU, MAC} and browser() is None


def install_commands(missing: Sequence[Requirement], kind: str) -> list[list[str]]:
    """Return the commands that install the packages of *missing* on a system."""
    packages = [need.packages[kind] for need in missing if kind in need.packages]
    if not packages:
        return []
    if kind == MAC:
        return [["brew", "install", *packages]]
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    return [
        ["dpkg", "--configure", "-a"],  # finishes what was interrupted
        [*apt, "update"],
        [*apt, "install", "-y", "--fix-broken", "--no-install-recommends", *packages],
    ]
