"""Programs that a document names and this machine may lack, as strict as the real ones.

    python -m tests.stand_ins NAME ARGUMENT…

They know the options that documents use, each one of the real program, and refuse all
others; what they are asked for they do in the folder in which they are started: a host
is ``hosts/NAME``, and a site on the web the folder to which ``ADDRESSES`` leads.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ADDRESSES = {"https://example.org/bench/": "public"}
_HOSTS = Path("hosts")
_JOB = "1"
_CHECKOUT = re.compile(r"^\.(?=\[|$)")  # what pip installs, with extras or without
Words = Sequence[str]


class _Parser(argparse.ArgumentParser):
    """Refuses what is not a whole option of the program."""

    def __init__(self, name: str) -> None:
        super().__init__(prog=name, allow_abbrev=False)


def _home(host: str, below: str = "") -> Path:
    """Return a folder in the home of a *host* that there is."""
    if not (_HOSTS / host).is_dir():
        sys.exit(f"ssh: Could not resolve hostname {host}: Name or service not known")
    return _HOSTS / host / below


def _shell(line: str, folder: Path, **more: str) -> int:
    """Run *line* of shell in *folder*; return its status."""
    home = {"HOME": str(folder.resolve())} if folder != Path() else {}
    environment = {**os.environ, **home, **more}
    command = ["bash", "-c", line]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def ssh(words: Words) -> int:
    """Run a command in the home of a host, with our standard input."""
    parser = _Parser("ssh")
    parser.add_argument("host")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args(words)
    return _shell(" ".join(asked.command), _home(asked.host))


def rsync(words: Words) -> int:
    """Copy folders between here and the home of a host."""
    parser = _Parser("rsync")
    parser.add_argument("-a", action="store_true", required=True)
    parser.add_argument("source", nargs="+")
    parser.add_argument("target")
    asked = parser.parse_args(words)
    target = _place(asked.target)
    target.mkdir(exist_ok=True)  # the last folder alone: others are to be there
    for source in asked.source:
        into = target if source.endswith("/") else target / Path(source).name
        shutil.copytree(
            _place(source), into, dirs_exist_ok=True, ignore=lambda *_: {"__pycache__"}
        )
    return 0


def _place(written: str) -> Path:
    host, colon, path = written.rpartition(":")
    return _home(host, path) if colon else Path(path)


def parallel(words: Words) -> int:
    """Run each line of standard input here or at a host; return how many failed."""
    parser = _Parser("parallel")
    parser.add_argument("-j", type=int, required=True)
    parser.add_argument("-S", default="")
    parser.add_argument("--workdir", default="")
    asked = parser.parse_args(words)
    folder = _home(asked.S, asked.workdir) if asked.S else Path(asked.workdir)
    return sum(_shell(line, folder) != 0 for line in sys.stdin.read().splitlines())


def _sbatch_parser() -> argparse.ArgumentParser:
    parser = _Parser("sbatch")
    for name in ("nodelist", "partition", "gres", "array", "job-name", "mem", "time"):
        parser.add_argument(f"--{name}")
    for name in ("nodes", "ntasks"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("exclusive", "requeue"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--output", default="slurm-%A_%a.out")
    parser.add_argument("--open-mode", choices=["append", "truncate"])
    return parser


def sbatch(words: Words) -> int:
    """Run each task of a job array; how they end is not the business of sbatch."""
    parser = _sbatch_parser()
    parser.add_argument("script", type=Path)
    parser.add_argument("rest", nargs="*")
    asked = parser.parse_args(words)
    text = asked.script.read_text()
    if not text.startswith("#!"):
        sys.exit("sbatch: error: This does not look like a batch script.")
    inside = [line[8:] for line in text.splitlines() if line.startswith("#SBATCH ")]
    settled = _sbatch_parser().parse_args(inside)
    for task in _tasks(asked.array or settled.array):
        output = settled.output.replace("%A", _JOB).replace("%a", str(task))
        numbers = {"SLURM_JOB_ID": _JOB, "SLURM_ARRAY_TASK_ID": str(task)}
        with Path(output).open("ab") as log:
            subprocess.run(
                ["bash", asked.script, *asked.rest],
                env={**os.environ, **numbers},
                stdout=log,
                stderr=log,
                check=False,
            )
    sys.stdout.write(f"Submitted batch job {_JOB}\n")
    return 0


def _tasks(array: str) -> Iterator[int]:
    """Yield the numbers of an *array* such as ``1-3,7``."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", array):
        sys.exit("sbatch: error: Invalid job array specification")
    for part in array.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def curl(words: Words) -> int:
    """Print a page of a site that lies here."""
    parser = _Parser("curl")
    parser.add_argument("-s", action="store_true")
    parser.add_argument("address")
    asked = parser.parse_args(words)
    for address, folder in ADDRESSES.items():
        page = Path(folder, asked.address.removeprefix(address))
        if asked.address.startswith(address) and page.is_file():
            sys.stdout.write(page.read_text())
            return 0
    return 6  # could not resolve host


def jq(words: Words) -> int:
    """Print the fields of the JSON on standard input that paths with commas name."""
    (paths,) = words
    whole = json.load(sys.stdin)
    for path in paths.split(", "):
        if not re.fullmatch(r"(\.\w+)+", path):
            sys.exit(f"jq: error: syntax error in {path}")
        result = whole
        for name in path[1:].split("."):
            result = result[name]
        sys.stdout.write(json.dumps(result) + "\n")
    return 0


def sudo(words: Words) -> int:
    """Let anybody in who asks for no more than that: ``sudo -v``."""
    parser = _Parser("sudo")
    parser.add_argument("-v", action="store_true", required=True)
    parser.parse_args(words)
    return 0


def ssh_keygen(words: Words) -> int:
    """Make a key in the home of the sandbox, without a passphrase, or what else."""
    program = shutil.which("ssh-keygen", path=os.defpath) or "ssh-keygen"
    if list(words) == ["-t", "ed25519"]:  # it would ask, and go by the user's account
        key = Path.home() / ".ssh" / "id_ed25519"
        key.unlink(missing_ok=True)
        words = [*words, "-q", "-N", "", "-f", str(key)]
    return subprocess.run([program, *words], check=False).returncode


def pip(words: Words) -> int:
    """Install into ``.venv`` of this folder, from the packages that are there.

    The first who installs the checkout leaves its wheel there for all others.
    """
    venv, packages = Path(".venv"), Path(os.environ["PIP_FIND_LINKS"])
    if not venv.is_dir():
        python3(["-m", "venv", str(venv)])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    command = [sys.executable, "-m", "pip", "--python", str(venv)]
    if any(map(_CHECKOUT.match, words)) and not any(packages.glob("benchdb-*.whl")):
        build = [*command, "wheel", "--quiet", "--no-deps", "-w", str(packages), "."]
        if subprocess.run(build, env=environment, check=False).returncode:
            return 1
    words = [_CHECKOUT.sub("benchdb", word) for word in words]
    return subprocess.run([*command, *words], env=environment, check=False).returncode


def python3(words: Words) -> int:
    """Run Python; an environment is made without pip, which takes seconds."""
    words = [*words[:2], "--without-pip", *words[2:]] if "venv" in words[:2] else words
    return subprocess.run([sys.executable, *words], check=False).returncode


PROGRAMS: Mapping[str, Callable[[Words], int]] = {
    **{it.__name__: it for it in (ssh, rsync, parallel, sbatch, curl, jq, sudo, pip)},
    "ssh-keygen": ssh_keygen,
    "python3": python3,
}

if __name__ == "__main__":
    sys.exit(PROGRAMS[sys.argv[1]](sys.argv[2:]))
