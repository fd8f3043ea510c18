"""A machine that lacks everything, with fakes of what could install it.

``tools/install.py`` runs whole, in a process of its own: package managers, sudo and a
Python that makes environments are fakes on the PATH, which note how they are called.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools import install

FAKES = Path(__file__).parent / "fakes" / "installing"
TORCH, VISION = "2.13.0", "0.28.0"
WITH_CPU_BUILDS = f"{TORCH}+cpu, {TORCH}, {VISION}+cpu"
DRIVER = """
import os, shutil, sys
from pathlib import Path
sys.path.insert(0, "tools")
import install
system = Path(os.environ["SYSTEM"])
install.FONT_FOLDERS = (str(system / "fonts"),)
install.SERVER_FOLDERS = (str(system / "postgresql/*/bin").lstrip("/"),)
install.CHROME_ON_A_MAC = install.SMALL_DISK = system / "absent"
install.has_library = lambda name: (system / name).exists()
install.sysconfig.get_path = lambda name: str(system / name)
install._distribution = lambda: os.environ["KIND"]
if os.environ["KIND"] == "macOS":
    sys.platform = "darwin"
sys.executable = os.environ["BIN"] + "/python3"
os.geteuid = lambda: int(os.environ["USER_ID"])
shutil.disk_usage = lambda path: shutil._ntuple_diskusage(0, 0, int(os.environ["FREE"]))
if "VERSION" in os.environ:
    sys.version_info = tuple(map(int, os.environ["VERSION"].split(".")))
sys.exit(install.main(os.environ["GOAL"]))
"""


@dataclass(frozen=True)
class Outcome:
    """How a call ended, what it printed, and which programs it started."""

    status: int
    out: list[str]
    err: list[str]
    calls: list[str]


class Machine:
    """A machine with nothing but Python and make; *programs* stand on its PATH."""

    def __init__(self, folder: Path, kind: str, *programs: str) -> None:
        self.checkout, self.bin = folder / "checkout", folder / "bin"
        self.system, self.calls = folder / "system", folder / "calls"
        (self.checkout / "tools").mkdir(parents=True)
        shutil.copy(install.__file__, self.checkout / "tools")
        self.write_pins(TORCH)
        (self.checkout / "pyproject.toml").touch()
        for name in ("fonts", "include"):
            (self.system / name).mkdir(parents=True)
        self.bin.mkdir()
        for name in ("env", "sh", "cp", "mkdir", "rm", "chmod"):
            (self.bin / name).symlink_to(str(shutil.which(name)))
        shutil.copy(FAKES / "python", self.bin / "python3")
        for name in programs:
            self.add(name)
        self.kind = kind

    def add(self, name: str) -> None:
        fake = FAKES / ("apt-get" if name == "brew" else name)
        if name == "dpkg":
            (self.bin / name).symlink_to(str(shutil.which("true")))
        else:
            shutil.copy(fake, self.bin / name)

    def write_pins(self, torch: str) -> None:
        text = f"torch=={torch}\ntorchvision=={VISION}\n"
        (self.checkout / "constraints.txt").write_text(text)

    def make(self, goal: str = "test", **environment: str) -> Outcome:
        self.calls.write_text("")
        done = subprocess.run(
            [sys.executable, "-c", DRIVER],
            cwd=self.checkout,
            env={
                "PATH": str(self.bin),
                "BIN": str(self.bin),
                "KIND": self.kind,
                "SYSTEM": str(self.system),
                "CALLS": str(self.calls),
                "USER_ID": "0",
                "FREE": "9" + "0" * 12,
                "GOAL": goal,
                "OFFERED": WITH_CPU_BUILDS,
                "PYTHONDONTWRITEBYTECODE": "1",
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = (done.stdout.splitlines(), done.stderr.splitlines())
        return Outcome(done.returncode, *lines, self.calls.read_text().splitlines())


def installations(outcome: Outcome) -> list[str]:
    """Return the calls that install packages of the system, without options."""
    calls = (call.split() for call in outcome.calls if " install " in call)
    return [
        " ".join(word for word in call if not word.startswith("-"))
        for call in calls
        if call[0] in {"apt-get", "brew"}
    ]
