"""What ``make demo`` and ``make test`` install, on machines that lack everything.

A real bare machine is tried before a release; here are the cases that it is not.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import install, machine_needs

CHECKOUT = Path(__file__).parents[1]
FAKES = Path(__file__).parent / "fakes" / "installing"
TORCH, VISION = "2.13.0", "0.28.0"
WITH_CPU_BUILDS = f"{TORCH}+cpu, {TORCH}, {VISION}+cpu"
DRIVER = """
import os, shutil, sys
from pathlib import Path
from tools import install, machine_needs
system = Path(os.environ["SYSTEM"])
machine_needs.FONT_FOLDERS = (str(system / "fonts"),)
machine_needs.SERVER_FOLDERS = (str(system / "postgresql/*/bin").lstrip("/"),)
machine_needs.CHROME_ON_A_MAC = machine_needs.SMALL_DISK = system / "absent"
machine_needs.has_library = lambda name: (system / name).exists()
machine_needs.sysconfig.get_path = lambda name: str(system / name)
machine_needs._distribution = lambda: os.environ["KIND"]
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
        for module in (install, machine_needs):
            shutil.copy(str(module.__file__), self.checkout / "tools")
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


HEADERS = f"python3.{sys.version_info.minor}-dev"
PACKAGES = (
    *("chromium", "fonts-noto-core", "fonts-noto-cjk", "postgresql"),
    *("libatomic1", "g++", HEADERS, "openssh-client", "openssl"),
)


@pytest.fixture
def debian(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "Debian", "apt-get", "dpkg")


@pytest.fixture
def mac(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path, "macOS", "brew")
    # Xcode's command line tools, which Homebrew needs, and Python have these.
    (machine.bin / "clang++").symlink_to(machine.bin / "brew")
    (machine.system / "include" / "Python.h").touch()
    return machine


def test_root_on_debian_gets_all_that_the_tests_need(debian):
    outcome = debian.make()

    assert (outcome.status, outcome.err) == (0, [])
    assert installations(outcome) == [f"apt-get install {' '.join(PACKAGES)}"]
    assert outcome.calls[0] == "apt-get update"
    announced = ", ".join(PACKAGES)
    assert outcome.out[0] == f"make test: installs {announced} with apt-get"


def test_each_step_is_one_line_and_a_second_call_does_nothing(debian):
    first = debian.make()
    second = debian.make()

    assert len(first.out) == 2
    assert second == Outcome(0, [], [], [])


def test_a_step_stands_after_the_command_that_was_typed(debian):
    line = ["make", "-f", str(CHECKOUT / "Makefile"), "-n", "docs", "PYTHON=py"]
    first = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    typed = {"MAKE_TARGETS": "docs"}

    assert first.startswith('MAKE_TARGETS="docs" py -m tools.install test .venv\n')
    assert [it[:10] for it in debian.make(**typed).out] == ["make docs:"] * 2
    refused = debian.make(VERSION="3.10.0", **typed).err[0]
    assert refused.startswith("make docs: needs Python 3.11 to 3.13, and ")
    assert "run make docs PYTHON=python3." in refused


def test_the_demo_needs_no_package_of_the_system(debian):
    outcome = debian.make("demo")

    assert installations(outcome) == []
    assert outcome.calls[-1].endswith(f"-e {debian.checkout}[charts,torch]")
    assert "makes the Python environment .venv (up to 2 GB" in outcome.out[0]


def test_an_environment_for_the_tests_serves_the_demo_and_not_the_reverse(debian):
    debian.make("demo")
    for_tests = debian.make("test")
    demo = debian.make("demo")

    assert any("[charts,torch,tensorflow," in call for call in for_tests.calls)
    assert not any("-m venv" in call for call in for_tests.calls)
    assert demo.calls == []


def test_changed_pins_are_installed_into_the_same_environment(debian):
    debian.make("demo")
    debian.write_pins("2.14.0")
    outcome = debian.make("demo", OFFERED="2.14.0+cpu")

    assert f"torch==2.14.0+cpu -e {debian.checkout}[charts,torch]" in outcome.calls[-1]
    assert not any("-m venv" in call for call in outcome.calls)


def test_sudo_is_used_where_it_asks_for_no_password(debian):
    debian.add("sudo")
    outcome = debian.make(USER_ID="1000")

    assert outcome.status == 0
    assert len(installations(outcome)) == 1
    assert outcome.calls.count("sudo env") == 2


@pytest.mark.parametrize("programs", [(), ("sudo",)])
def test_without_rights_nothing_runs_and_the_commands_are_printed(debian, programs):
    for name in programs:
        debian.add(name)
    outcome = debian.make(USER_ID="1000", SUDO_REFUSES="yes")

    assert (outcome.status, outcome.out, outcome.calls) == (2, [], [])
    (sentence,) = outcome.err
    assert "there is no root or sudo here; run as root: " in sentence
    command = "apt-get install -y --fix-broken --no-install-recommends"
    assert f"{command} {' '.join(PACKAGES)} && {machine_needs.MOUNT}" in sentence


def test_without_rights_the_demo_still_runs(debian):
    outcome = debian.make("demo", USER_ID="1000")

    assert (outcome.status, outcome.err) == (0, [])


def test_a_mac_gets_its_packages_from_homebrew_and_its_browser_from_playwright(mac):
    outcome = mac.make(USER_ID="501")

    assert (outcome.status, outcome.err) == (0, [])
    assert outcome.calls[0] == (
        "apt-get install font-noto-sans-arabic font-noto-sans-cjk postgresql@17 "
        "openssl@3"
    )
    assert outcome.calls[-1] == "python -m playwright install chromium"
    assert outcome.out[0].endswith("postgresql@17, openssl@3 with Homebrew")


def test_a_mac_without_homebrew_says_where_it_is(mac):
    (mac.bin / "brew").unlink()
    outcome = mac.make(USER_ID="501")

    assert (outcome.status, outcome.calls) == (2, [])
    assert "install Homebrew (brew.sh), which then runs: brew install" in outcome.err[0]


def test_a_mac_is_not_asked_which_build_of_pytorch_there_is(mac):
    outcome = mac.make("demo", USER_ID="501")

    assert not any("index versions" in call for call in outcome.calls)


def test_ubuntu_has_no_chromium_that_reads_temporary_folders(tmp_path):
    ubuntu = Machine(tmp_path, "Ubuntu", "apt-get", "dpkg")
    outcome = ubuntu.make()

    assert outcome.status == 0
    assert "chromium" not in installations(outcome)[0]
    assert outcome.calls[-2:] == [
        "python -m playwright install-deps chromium",
        "python -m playwright install chromium",
    ]


def test_a_system_with_another_package_manager_is_told_what_it_lacks(tmp_path):
    outcome = Machine(tmp_path, "Debian").make()

    assert (outcome.status, outcome.calls) == (2, [])
    assert outcome.err[0].endswith(
        "; install a browser, the font Noto Sans Arabic, the font Noto Sans CJK, "
        "PostgreSQL, libatomic, a C++ compiler, Python's headers, ssh-keygen, "
        "openssl"
    )


def test_the_cpu_build_of_pytorch_is_taken_where_an_index_has_it(debian):
    outcome = debian.make("demo")

    assert f"torch=={TORCH}+cpu torchvision=={VISION}+cpu -e" in outcome.calls[-1]
    assert not any("CUDA" in line for line in outcome.out)


def report_of(folder: Path, **sizes: int) -> str:
    """Write what pip reports of packages of these sizes; return the path."""
    packages = []
    for name, size in sizes.items():
        path = folder / f"{name}.whl"
        with path.open("wb") as file:
            file.truncate(size)
        url = {"url": path.as_uri()}
        packages.append({"metadata": {"name": name}, "download_info": url})
    report = folder / "report.json"
    report.write_text(json.dumps({"install": packages}))
    return str(report)


def test_the_size_of_cudas_build_is_printed_before_it_is_loaded(debian, tmp_path):
    report = report_of(tmp_path, torch=9 * 10**8, nvidia_cudnn=16 * 10**8)
    outcome = debian.make("demo", OFFERED=TORCH, REPORT=report)

    assert outcome.status == 0
    assert "loads PyTorch with CUDA, 2.5 GB: no index" in outcome.out[1]
    assert not any("+cpu" in call for call in outcome.calls)


def test_a_build_without_cuda_is_not_announced(debian, tmp_path):
    report = report_of(tmp_path, torch=10**8)
    outcome = debian.make("demo", OFFERED=TORCH, REPORT=report)

    assert (outcome.status, len(outcome.out)) == (0, 1)


def test_cudas_build_is_refused_on_a_disk_without_room_for_it(debian, tmp_path):
    report = report_of(tmp_path, torch=10**8, nvidia_cudnn=10**9)
    room = str(3 * 10**9)
    outcome = debian.make("demo", OFFERED=TORCH, REPORT=report, FREE=room)

    assert outcome.status == 2
    assert f"needs 8 GB on the disk of {debian.checkout}, which" in outcome.err[0]


def test_a_disk_without_room_is_refused_before_anything_is_made(debian):
    outcome = debian.make("demo", FREE="300000000")

    assert (outcome.status, outcome.out, outcome.calls) == (2, [], [])
    assert "which has 0.3 GB free: make room there" in outcome.err[0]


PIP_FAILURES = {
    "ERROR: [Errno 28] No space left on device": "the disk is full: make room",
    "WARNING: Retrying: NewConnectionError\nERROR: No matching distribution": (
        "the packages were not reached: check network, proxy and mirror"
    ),
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES": "see install.log",
}


@pytest.mark.parametrize("answer", PIP_FAILURES)
def test_a_failure_of_pip_is_one_line_and_the_next_call_begins_anew(debian, answer):
    failed = debian.make("demo", PIP_ANSWER=answer)
    again = debian.make("demo")

    assert (failed.status, len(failed.err)) == (1, 1)
    assert failed.err[0].startswith("make demo: pip failed (")
    assert PIP_FAILURES[answer] in failed.err[0]
    assert again.status == 0
    assert "-m venv --clear" in again.calls[0]


APT_FAILURES = {
    "E: Unable to fetch some archives: Could not resolve 'mirror'": (
        "the packages were not reached: check network, proxy and mirror"
    ),
    "E: You don't have enough free space in /var/cache/apt": "the disk is full",
    "E: Unable to locate package chromium": "see install.log",
}


@pytest.mark.parametrize("answer", APT_FAILURES)
def test_a_failure_of_apt_is_one_line_and_no_environment_is_made(debian, answer):
    outcome = debian.make(APT_ANSWER=answer)

    assert (outcome.status, len(outcome.err)) == (1, 1)
    assert outcome.err[0].startswith(f"make test: apt-get failed ({answer})")
    assert APT_FAILURES[answer] in outcome.err[0]
    assert not (debian.checkout / ".venv").exists()


@pytest.mark.parametrize("version", ["3.8.10", "3.10.12", "3.15.0"])
def test_a_python_that_does_not_fit_is_refused_with_the_one_to_take(debian, version):
    debian.add("python")
    (debian.bin / "python").rename(debian.bin / "python3.12")
    outcome = debian.make(VERSION=version)

    assert (outcome.status, outcome.calls) == (2, [])
    assert outcome.err[0].startswith("make test: needs Python 3.11 to 3.13, and ")
    assert outcome.err[0].endswith(": run make test PYTHON=python3.12")


def test_an_old_python_can_read_the_program_and_so_answers():
    for module in (install, machine_needs):
        text = Path(str(module.__file__)).read_text()
        ast.parse(text, feature_version=(3, 8))


def test_this_machine_has_all_that_the_tests_need():
    lacking = [
        need.name for need in machine_needs.requirements("test") if not need.is_there()
    ]

    assert lacking == ([] if machine_needs.browser() else ["a browser"])
    programs = machine_needs.server_programs()
    assert programs is not None
    assert os.access(programs / "pg_ctl", os.X_OK)
