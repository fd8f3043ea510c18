"""People with keys, clones and runs, and a host that runs the steps of workflows."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tests.exchange_lines import ENVIRONMENT, HEADER, MACHINE, end, line, run, samples
from tests.in_process import benchdb

_CHIP = {"vendor": "Apple", "name": "M1 Max", "gpu_cores": 32, "ram_bytes": 64 * 2**30}
_GIT = {
    "GIT_AUTHOR_DATE": "2026-11-27T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-27T12:00:00Z",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *arguments: object) -> str:
    command = ["git", "-C", str(folder), *map(str, arguments)]
    done = subprocess.run(
        command, env=os.environ | _GIT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.strip()


def key(place: Path) -> Path:
    """Make an SSH key without a passphrase; return its file."""
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me@host", "-f", place]
    subprocess.run(list(map(str, made)), check=True)
    return place


def lines(machine: str, rates: list[float], campaign: str = "one") -> bytes:
    """Return the exchange file of a campaign on an M1 Max: a process for each rate."""
    data = [HEADER, line(MACHINE, anonymous_id=machine, chip=_CHIP), ENVIRONMENT]
    for turn, rate in enumerate(rates):
        name, seconds = f"r{turn}", 64 / rate
        data += [
            run(
                name,
                workload="resnet50",
                campaign=f"20260101T000000Z-{campaign}",
                replicate=turn,
                started=f"2026-01-01T00:0{turn}:00Z",
                device_name="M1 Max",
            ),
            samples(name, *[seconds] * 8),
            end(
                name,
                ended=f"2026-01-01T00:0{turn}:30Z",
                values=[
                    {"metric": "samples_per_second", "value": rate},
                    {"metric": "step_seconds", "value": seconds},
                ],
            ),
        ]
    return b"".join(data)


class Person:
    """Somebody with a *key* and a *clone* of the collection."""

    def __init__(self, name: str, folder: Path, origin: Path) -> None:
        self.name, self.folder = name, folder / name
        self.folder.mkdir()
        self.key = key(self.folder / "key")
        self.clone = self.folder / "clone"
        git(folder, "clone", "--quiet", origin, self.clone)
        git(self.clone, "config", "user.name", name)
        git(self.clone, "config", "user.email", f"{name}@example.org")

    @property
    def own(self) -> Path:
        return self.clone / "contributors" / self.name

    def start(self, branch: str) -> None:
        """Begin a branch at what is published now."""
        git(self.clone, "fetch", "--quiet", "origin")
        git(self.clone, "checkout", "--quiet", "--force", "-B", branch, "origin/main")
        git(self.clone, "clean", "--quiet", "-xdf")

    def join(self, *more: object) -> None:
        asked = ("init-repo", self.clone, "--contributor", self.name, *more)
        done = benchdb(*asked, *(() if "--key" in more else ("--key", self.key)))
        assert done.status == 0, done.err

    def bundle(self, target: Path, content: bytes, **more: Path | None) -> Path:
        """Export a bundle of the runs in *content*, as people do, each once.

        Another *signer* than the own key may be None.
        """
        signer = more.get("signer", self.key)
        about = repr((signer, content)).encode()
        room = self.folder / hashlib.sha256(about).hexdigest()
        file, database, made = (
            room / it for it in ("runs.jsonl", "db", "made.benchdb")
        )
        if not room.exists():
            room.mkdir()
            file.write_bytes(content)
            assert benchdb("import", file, "--db", database).status == 0
            options = ["--key", signer] if signer else ["--unsigned"]
            done = benchdb("export", "--bundle", made, *options, "--db", database)
            assert done.status == 0, done.err
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)
        return target

    def withdraw(self, reason: str) -> str:
        """Withdraw a run in a bundle of its own; return the run."""
        mine = ("--db", self.folder / "mine.sqlite")
        public = self.key.with_suffix(".pub")
        outcomes = [
            benchdb("import", self.own / "first.benchdb", *mine),
            benchdb("trust", public, self.name, "--mine", *mine),
            benchdb("list", "--runs", "--json", *mine),
        ]
        run = str(json.loads(outcomes[-1].out)[0]["digest"])
        key, target = ("--key", self.key), self.own / "withdrawn.benchdb"
        outcomes += [
            benchdb("retract", run, "--reason", reason, *key, *mine),
            benchdb("export", "--mine", "--bundle", target, *key, *mine),
        ]
        assert [done.status for done in outcomes] == [0] * 5, outcomes
        return run

    def commit(self, what: str = "Results") -> None:
        git(self.clone, "add", "--all")
        git(self.clone, "commit", "--quiet", "--message", what)

    def push(self) -> str:
        """Push the branch, and return its name."""
        branch = git(self.clone, "branch", "--show-current")
        git(self.clone, "push", "--quiet", "--force", "origin", branch)
        return branch

    def check(self) -> Any:
        return benchdb("check-repo", self.clone, "--base", "origin/main")


class Step(msgspec.Struct, frozen=True):
    """What a step of a workflow printed, wrote as its summary, and ended with."""

    name: str
    status: int
    printed: str
    summary: str


def workflow(folder: Path, name: str) -> dict[Any, Any]:
    text = (folder / ".github" / "workflows" / name).read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def steps(folder: Path, name: str, facts: dict[str, str]) -> list[Step]:
    """Run every step of a workflow in *folder*, in order, until a step fails.

    *facts* are what the host puts in place of its expressions.
    """

    def filled_in(text: str) -> str:
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: facts[match[1]], text)

    done: list[Step] = []
    every = [
        it for job in workflow(folder, name)["jobs"].values() for it in job["steps"]
    ]
    for step in every:
        if "run" not in step:
            continue
        summary = folder.parent / f"{folder.name}.summary"
        summary.write_text("")
        env = {name: filled_in(value) for name, value in step.get("env", {}).items()}
        paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        ran = subprocess.run(
            [
                "bash",
                "--noprofile",
                "--norc",
                "-e",
                "-o",
                "pipefail",
                "-c",
                step["run"],
            ],
            cwd=folder,
            env=os.environ
            | env
            | {"PATH": paths, "GITHUB_STEP_SUMMARY": str(summary), "PIP_NO_INDEX": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        done.append(Step(step["name"], ran.returncode, ran.stdout, summary.read_text()))
        if ran.returncode:
            break
    return done


def as_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(it) for it in path.read_text(encoding="utf-8").splitlines()]
