"""Where the code of the documentation runs: a folder with all that it names.

Commands believe that they run on an M1 Max with PyTorch (``tests/fakes``): so a page
for owners of Macs runs everywhere. A collection is planned, not made, but where its
line asks for tier smoke. Programs that a machine may lack are those of
``stand_ins``, and pip installs from an index of what the tests have.
"""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests import package_index, published_runs
from tests.collectors.fake_macs import BOTH, Mac
from tests.command_line import Outcome
from tests.command_line import benchdb as run_command
from tests.database_hosts import Hosts
from tests.manual import CHECKOUT
from tests.stand_ins import PROGRAMS

KEPT = Path(__file__).with_name("kept_answers")
FIXTURES = Path(__file__).parent / "fixtures"
# What the lines of the documents name, and what stands there for it.
DATABASE = "data.sqlite"
_FILES = {
    "friend.jsonl": FIXTURES / "two_runs.jsonl",
    "llama-bench.json": FIXTURES / "tools" / "llama-bench.json",
    "run.csv": FIXTURES / "tools" / "llama-bench.csv",
    "items/1.jsonl": FIXTURES / "two_runs.jsonl",
    "lab/hyperfine.json": FIXTURES / "tools" / "hyperfine_two.json",
}
# What a checkout is made of: folders are links, files copies, for documents write some.
_OF_A_CHECKOUT = (
    *("benchdb", "collectors", "examples", "packaging", "reports", "schema", "tests"),
    *("tools", "pyproject.toml", "README.md", "LICENSE"),
)
# A run that others can look up but not withdraw is not ours: it is replaced.
OWN_RUN = "3f2a9c"
# pip asks nobody, and reads nothing of the user's.
PIP = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_NO_COMPILE": "1"}
# What changes nothing and takes seconds is asked once: every page begins with it.
_PLANNED: dict[str, Outcome] = {}
# What several pages install, each into a folder of its own, is installed once.
_INSTALLED: dict[str, Outcome] = {}
# A plan for a node with NVIDIA's GPU is that of the Mac, for its items are run.
_PLAN = {"--cuda": "--metal", "standard": "smoke"}
_SYNTAX = re.compile(r"[|<>&;`]|\$[({A-Z]|\bfor ")
_WORK = ("matmul", "--size", "64", "--framework", "numpy", "--tier", "smoke")


class Sandbox:
    """A folder of one document, with copies of a prepared database."""

    def __init__(self, folder: Path, prepared: Path) -> None:
        """Lay out the files in *folder*; *prepared* is what ``prepare`` returned."""
        self.folder = folder
        self.failures: list[str] = []
        self.hosts: Hosts | None = None  # of a document that has servers
        for name, source in _FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(source, folder / name)
        shutil.copytree(prepared.parent / "home", folder / "home")
        for name in (DATABASE, "results.sqlite"):
            shutil.copyfile(prepared.with_name(name), folder / name)
        shutil.copyfile(folder / "home/.ssh/id_ed25519.pub", folder / "alice.pub")
        for name in _OF_A_CHECKOUT:
            if (source := CHECKOUT / name).is_dir():
                (folder / name).symlink_to(source)
            else:
                shutil.copyfile(source, folder / name)
        (folder / "published").mkdir()  # without the corpus, which pip would pack
        for path in published_runs.FILES:
            (folder / "published" / path.name).symlink_to(path)
        (folder / "hosts" / "node7" / "benchdb").mkdir(parents=True)
        self.own_run = prepared.with_name("own_run").read_text()
        self.environment = _environment(folder)
        self.environment["PIP_FIND_LINKS"] = str(prepared.with_name("packages"))
        self.environment["KEPT_ANSWERS"] = str(prepared.with_name("answers"))

    def command(self, line: str) -> Outcome:
        """Run one *line* of shell; ``benchdb`` alone in a fork of a warm process."""
        line = self._reached(line.replace(OWN_RUN, self.own_run[:12]))
        words = shlex.split(line, comments=True)
        if words[0] == "pip":
            key = " ".join(words)
            return _INSTALLED.get(key) or _INSTALLED.setdefault(key, self.shell(line))
        if words[0] != "benchdb" or _SYNTAX.search(_unquoted(line)):
            return self.shell(line)
        arguments = _within_seconds(words[1:])
        key = " ".join(arguments)
        if key in _PLANNED:
            return _PLANNED[key]
        done = run_command(*arguments, cwd=self.folder, environment=self.environment)
        if "--dry-run" in arguments or arguments[0] == "doctor":
            _PLANNED[key] = done
        return done

    def measure(self, arguments: list[str]) -> Outcome:
        """Run a command on the machine that this is, with the frameworks it has."""
        own = {name: self.environment[name] for name in ("HOME", "BENCHDB_HOME")}
        return run_command(
            *arguments, cwd=self.folder, environment={**os.environ, **own}
        )

    def shell(self, text: str) -> Outcome:
        """Run *text* in bash, to its first failure."""
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", self._reached(text)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def _reached(self, text: str) -> str:
        return self.hosts.reached(text) if self.hosts else text


def _unquoted(line: str) -> str:
    """Return *line* without what stands in quotes or in a comment."""
    return re.sub(r"'[^']*'|\"[^\"]*\"| #.*", "", line)


def _within_seconds(words: list[str]) -> list[str]:
    """Return arguments that take no minutes: plans in place of measurements."""
    if words[0] == "collect" and not {"smoke", "--dry-run", "--resume"} & {*words}:
        return [*words, "--dry-run"]
    if words[0] == "plan" and "--left" not in words:
        words = [_PLAN.get(word, word) for word in words]
        return [*words, "matmul", "--size", "64", "--replicates", "1"]
    if words[:2] == ["collect", "matmul"] and "--framework" not in words:
        return [*words, "--framework", "numpy"]
    if "--site" in words and "--lang" not in words:
        return [*words, "--lang", "en"]
    return words


def _environment(folder: Path) -> dict[str, str]:
    """Return what a command finds: a Mac, a home and a database of its own."""
    mac = Mac("m1_max", BOTH).environment
    home = str(folder / "home")
    bin_ = folder / "bin"
    bin_.mkdir()
    for name in ("benchdb", "datasette"):
        program = f"{shlex.quote(sys.executable)} -W ignore -m {name}"
        (bin_ / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (bin_ / name).chmod(0o755)
    (bin_ / "python").symlink_to(sys.executable)
    for name in PROGRAMS:
        program = f"{shlex.quote(sys.executable)} -W ignore -m tests.stand_ins {name}"
        (bin_ / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (bin_ / name).chmod(0o755)
    return {
        **mac,
        **PIP,
        "PGUSER": "benchdb",
        "PATH": f"{bin_}{os.pathsep}{mac['PATH']}",
        "PYTHONPATH": os.pathsep.join((mac["PYTHONPATH"], str(KEPT), str(CHECKOUT))),
        "HOME": home,
        **{f"GIT_{who}_NAME": "alice" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")},
        "BENCHDB_HOME": home,
        "BENCHDB_DB": str(folder / DATABASE),
    }


def prepare(folder: Path) -> Path:
    """Return a database with a run of the sandbox's own Mac, signed for by its key.

    Beside it lie a copy of the committed database and the home that the Mac has.
    """
    database = folder / DATABASE
    published_runs.imported(folder).rename(database)
    shutil.copyfile(CHECKOUT / "results.sqlite", folder / "results.sqlite")
    package_index.make(folder / "packages")
    (folder / "home" / ".ssh").mkdir(parents=True)
    key = folder / "home" / ".ssh" / "id_ed25519"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "alice", "-f", key],
        check=True,
    )
    environment = _environment(folder) | {"KEPT_ANSWERS": str(folder / "answers")}
    for seed in ("1", "2"):
        line = ("collect", *_WORK, "--no-metal", "--replicates", "1", "--seed", seed)
        done = run_command(*line, cwd=folder, environment=environment)
        assert done.status == 0, done.err
    with closing(sqlite3.connect(database)) as opened:
        ((run,), *_) = opened.execute("SELECT digest FROM run WHERE mine")
    (folder / "own_run").write_text(run)
    return database
