"""Install what ``make demo`` and ``make test`` need: system packages, an environment.

    python3 -m tools.install demo|test [FOLDER OF THE ENVIRONMENT]

Each step is announced in one line before it starts; a second call finds everything
there and prints nothing. Where things come from:

* System packages: apt-get on Debian and Ubuntu, as root or with sudo; on a Mac
  Homebrew. Without the rights, the commands for somebody who has them are printed.
* PostgreSQL: the system's. The servers on Python's package index are built without
  ICU, TLS and postgres_fdw, and the tests use all three.
* The browser: the system's, or Debian's Chromium. On Ubuntu and on a Mac Playwright's
  Chromium, in the environment: Ubuntu's is a snap, which cannot read temporary
  folders, and tests should not put an application into a Mac's common folder.

Exit status: 0 everything is there, 1 an installation failed, 2 something is missing
that this program cannot install. Only the standard library is used, and the syntax of
Python 3.8, so that an older Python is answered with a sentence.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tools.machine_needs import (
    MAC,
    MOUNT,
    UBUNTU,
    Requirement,
    System,
    browser,
    install_commands,
    lacks_browser,
    may_fill_a_disk,
    requirements,
    this_system,
)

CHECKOUT = Path(__file__).resolve().parents[1]
CONSTRAINTS = CHECKOUT / "constraints.txt"
LOG = CHECKOUT / "install.log"
EXTRAS = {
    "demo": "charts,torch",
    "test": "charts,torch,tensorflow,mlx,postgres,parquet,docs,dev",
}
OLDEST = (3, 11)
NEWEST = {"demo": (3, 14), "test": (3, 13)}  # the frameworks have packages for
GB = 10**9
# The environment and pip's temporary files, measured on Linux and rounded up.
DISK_SPACE = {"demo": 2 * GB, "test": 5 * GB}
DISK_SPACE_FOR_CUDA = 6 * GB
# pip would compile 265 MB on one core; these parts are hardly ever imported, or are
# not as they are: mypy has been compiled by its makers.
RARELY_IMPORTED = (
    "/(tests?|testing|transformers/models|debugpy|mypyc?|lexers|uniprops)/"
)

NO_NETWORK = re.compile(
    "temporary failure|could not resolve|name or service not known|nameresolutionerror"
    "|connection refused"
    "|network is unreachable|failed to establish|could not connect|unable to connect"
    "|newconnectionerror|certificate_verify_failed|timed out|proxyerror",
    re.IGNORECASE,
)
LONGEST_LINE = 240  # characters of another program's error
NO_SPACE = re.compile("no space left|enough free space|quota exceeded", re.IGNORECASE)


class InstallError(Exception):
    """What is missing or failed, as a sentence, and the exit status."""

    def __init__(self, sentence: str, status: int) -> None:
        """Keep the *sentence* and the *status*."""
        super().__init__(sentence)
        self.status = status


def install_packages(goal: str, system: System) -> None:
    """Install what the system lacks, or raise with what somebody has to do."""
    missing = [need for need in requirements(goal) if not need.is_there()]
    if system.kind in {UBUNTU, MAC}:  # see lacks_browser
        missing = [need for need in missing if need.is_there is not browser]
    _refuse_what_cannot_be_installed(goal, system, missing)
    commands = install_commands(missing, system.kind)
    if not commands:
        return
    packages = [need.packages[system.kind] for need in missing]
    manager = "Homebrew" if system.kind == MAC else "apt-get"
    say(goal, f"installs {', '.join(packages)} with {manager}")
    before = _log_size()
    for command in commands:
        # One broken source of many fails an update; the installation decides.
        required = command[-1] != "update"
        prefixed = [*(system.prefix or ()), *command]
        run(prefixed, manager, required=required, cause_since=before)
    importlib.invalidate_caches()
    absent = [need.name for need in missing if not need.is_there()]
    if absent:
        sentence = f"{manager} installed {', '.join(packages)}, and this machine still"
        raise InstallError(f"{sentence} lacks {', '.join(absent)}: see {LOG.name}", 1)


def _refuse_what_cannot_be_installed(
    goal: str, system: System, missing: Sequence[Requirement]
) -> None:
    lacking = [need.name for need in missing]
    unknown = [need.name for need in missing if system.kind not in need.packages]
    may_not = system.prefix is None
    commands = install_commands(missing, system.kind) if may_not else []
    steps = [" ".join(command) for command in commands if "install" in command]
    if may_not and system.kind == UBUNTU and lacks_browser(goal, system):
        lacking.append("a browser")
        unknown.append("Google Chrome")
    if goal == "test" and not may_fill_a_disk(system):
        lacking.append("a small disk that tests may fill")
        steps.append(MOUNT)
    if not (steps or unknown):
        return
    rights = "Homebrew (brew.sh)" if system.kind == MAC else "root or sudo"
    advice = [f"run as root: {' && '.join(steps)}"] if steps else []
    if steps and system.kind == MAC:
        advice = [f"install Homebrew (brew.sh), which then runs: {' && '.join(steps)}"]
    advice += [f"install {', '.join(unknown)}"] if unknown else []
    cause = f", and there is no {rights} here" if may_not else ""
    sentence = f"this machine lacks {', '.join(lacking)}{cause}; {'; '.join(advice)}"
    raise InstallError(sentence, 2)


def install_environment(goal: str, environment: Path, system: System) -> None:
    """Make *environment* with all packages of *goal*, unless it is there."""
    record = environment / "installed.json"
    earlier = _read_json(record)
    place = f"{sys.version} in {environment}"
    if earlier == {**earlier, "place": place, "pins": _pins(), goal: "installed"}:
        return
    unfinished = environment / "unfinished"
    if earlier.get("place") != place or unfinished.exists():
        _make_environment(goal, environment)
    unfinished.touch()
    record.unlink(missing_ok=True)
    _install_packages_of_python(goal, environment)
    if lacks_browser(goal, system):
        _install_browser(goal, environment, system)
    done = {"demo": "installed", goal: "installed"}  # "test" includes "demo"
    text = json.dumps({"place": place, "pins": _pins(), **done})
    record.write_text(text, encoding="utf-8")
    unfinished.unlink()


def _pins() -> str:
    """Return a digest of the files that say what an environment contains."""
    files = (CHECKOUT / "pyproject.toml", CONSTRAINTS)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _read_json(path: Path) -> dict[str, str]:
    try:
        content: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content


def _make_environment(goal: str, environment: Path) -> None:
    """Make an empty environment; what was half-installed in an old one goes."""
    require_space(DISK_SPACE[goal])
    size = f"up to {DISK_SPACE[goal] // GB} GB, some minutes; details: {LOG.name}"
    say(goal, f"makes the Python environment {environment.name} ({size})")
    run([sys.executable, "-m", "venv", "--clear", str(environment)], "venv")


def _install_packages_of_python(goal: str, environment: Path) -> None:
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", "-c", str(CONSTRAINTS)]
    # An old pip compares each file of an index with a thousand tags: half a minute.
    run([*install, "--upgrade", "pip"], "pip")
    torch = choose_torch(goal, pip, environment)
    ourselves = [*torch, "-e", f"{CHECKOUT}[{EXTRAS[goal]}]"]
    if goal == "demo":
        run([*install, *ourselves], "pip")
        return
    run([*install, "--no-compile", *ourselves], "pip")
    library = [str(environment / "lib"), "-x", RARELY_IMPORTED]
    compiling = ["-W", "ignore", "-m", "compileall", "-qq", "-j", "0"]
    run([python, *compiling, *library], "compileall", required=False)


def _install_browser(goal: str, environment: Path, system: System) -> None:
    say(goal, "installs Playwright's Chromium into the environment")
    playwright = [str(environment / "bin" / "python"), "-m", "playwright"]
    if system.kind == UBUNTU:
        libraries = [*playwright, "install-deps", "chromium"]
        run([*(system.prefix or ()), *libraries], "playwright")
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = "0"  # in the environment, not at home
    run([*playwright, "install", "chromium"], "playwright")


def choose_torch(goal: str, pip: Sequence[str], environment: Path) -> list[str]:
    """Return requirements for PyTorch's CPU build, where an index has it.

    Elsewhere print how large the build is that pip takes.
    """
    if sys.platform != "linux":
        return []
    pins = re.findall(r"^(torch|torchvision)==(\S+)", CONSTRAINTS.read_text(), re.M)
    builds = [(name, f"{version}+cpu") for name, version in pins]
    offered = dict(build for build in builds if _is_offered(pip, *build))
    if "torch" not in offered:
        _announce_large_build(goal, pip, environment, dict(pins)["torch"])
    return [f"{name}=={version}" for name, version in offered.items()]


def _is_offered(pip: Sequence[str], name: str, version: str) -> bool:
    answer = subprocess.run(
        [*pip, "index", "versions", name], capture_output=True, text=True, check=False
    )
    available = re.search("^Available versions:(.*)", answer.stdout, re.MULTILINE)
    return available is not None and version in available[1].replace(",", " ").split()


def _announce_large_build(
    goal: str, pip: Sequence[str], environment: Path, version: str
) -> None:
    """Print the size of what pip would load for PyTorch, if that is CUDA's build."""
    path = environment / "torch.json"
    trial = ["install", "--quiet", "--dry-run", "--ignore-installed", "--report"]
    run([*pip, *trial, str(path), f"torch=={version}"], "pip")
    packages = json.loads(path.read_text(encoding="utf-8"))["install"]
    path.unlink()
    if not any(each["metadata"]["name"].startswith("nvidia") for each in packages):
        return
    size = _download_size([each["download_info"]["url"] for each in packages])
    amount = f"{size / GB:.1f} GB" if size else "several GB"
    say(
        goal,
        f"loads PyTorch with CUDA, {amount}: no index of pip has the CPU build "
        f"{version}+cpu; with one in PIP_EXTRA_INDEX_URL it is 0.2 GB",
    )
    require_space(DISK_SPACE[goal] + DISK_SPACE_FOR_CUDA)


def _download_size(urls: Sequence[str]) -> int | None:
    """Return how many bytes all *urls* have together, None if one does not say."""
    total = 0
    for url in urls:
        request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - pip's own
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                total += int(answer.headers["Content-Length"])
        except (OSError, TypeError, ValueError):
            return None
    return total


def require_space(size: int) -> None:
    """Raise unless the disk of the checkout has *size* bytes free."""
    free = shutil.disk_usage(CHECKOUT).free
    if free < size:
        sentence = f"needs {size / GB:.0f} GB on the disk of {CHECKOUT}, which has"
        raise InstallError(f"{sentence} {free / GB:.1f} GB free: make room there", 2)


def run(
    command: Sequence[str],
    name: str,
    *,
    required: bool = True,
    cause_since: int | None = None,
) -> None:
    """Run *command*, its output into the log; raise with the cause if it fails.

    The cause is looked for in its output, or in the log since *cause_since* bytes.
    """
    with LOG.open("ab") as log:
        log.write(f"$ {' '.join(command)}\n".encode())
        log.flush()
        start = log.tell() if cause_since is None else cause_since
        try:
            done = subprocess.run(command, stdout=log, stderr=log, check=False)
        except OSError as error:
            raise InstallError(f"{name} did not start: {error}", 1) from error
    if done.returncode != 0 and required:
        output = LOG.read_bytes()[start:].decode(errors="replace")
        raise InstallError(_cause(name, output), 1)


def _log_size() -> int:
    return LOG.stat().st_size if LOG.exists() else 0


def _cause(name: str, output: str) -> str:
    """Return why a command failed, as far as its *output* tells."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "ERROR:", "Error:"))]
    last = (errors or lines or ["no output"])[-1]
    full = [line for line in lines if NO_SPACE.search(line)]
    unreached = [line for line in lines if NO_NETWORK.search(line)]
    line, advice = last, f"see {LOG.name}"
    if unreached:
        line = unreached[-1]
        advice = "the packages were not reached: check network, proxy and mirror"
    if full:
        line, advice = full[-1], "the disk is full: make room"
    shown = line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …"
    return f"{name} failed ({shown}); {advice}, then run the same command again"


def say(goal: str, sentence: str) -> None:
    """Print *sentence* after the command that people typed."""
    print(f"make {typed(goal)}: {sentence}", flush=True)


def typed(goal: str) -> str:
    """Return what stood behind make: ``docs`` needs what ``test`` does."""
    return os.environ.get("MAKE_TARGETS") or goal


def check_python(goal: str) -> None:
    """Refuse a Python that is too old, or too new for the frameworks."""
    newest = NEWEST[goal]
    if OLDEST <= sys.version_info[:2] <= newest:
        return
    names = [f"python3.{minor}" for minor in range(newest[1], OLDEST[1] - 1, -1)]
    other = next(filter(shutil.which, names), None)
    advice = "" if other else f"install python3.{OLDEST[1]} or newer and "
    raise InstallError(
        f"needs Python 3.{OLDEST[1]} to 3.{newest[1]}, and {sys.executable} is "
        f"{platform.python_version()}: {advice}run "
        f"make {typed(goal)} PYTHON={other or names[-1]}",
        2,
    )


def main(goal: str, environment: str = ".venv") -> int:
    """Bring the machine to where *goal* can run; return the exit status."""
    try:
        check_python(goal)
        system = this_system()
        install_packages(goal, system)
        install_environment(goal, CHECKOUT / environment, system)
    except InstallError as error:
        print(f"make {typed(goal)}: {error}", file=sys.stderr)
        return error.status
    except OSError as error:
        print(f"make {typed(goal)}: cannot install: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            f"make {typed(goal)}: interrupted; the next call goes on", file=sys.stderr
        )
        return 130
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in {2, 3} or sys.argv[1] not in EXTRAS:
        sys.exit("usage: python3 -m tools.install demo|test [FOLDER]")
    sys.exit(main(*sys.argv[1:]))
