"""A site follows its database through whatever is done to it, by the command line.

After each step it is, byte for byte, what a build into an empty folder gives; what
others have in its folder stays.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from sqlalchemy import update

from benchdb.files import alone
from benchdb.resources import folder
from benchdb.site import compare
from benchdb.store.database import open_database, writing
from benchdb.store.derived import renew
from benchdb.store.tables import run
from tests import command_line, forks
from tests.campaign_history import campaign, shared
from tests.in_process import benchdb
from tests.proposed_sources import TENSORBENCH, lone_source, proposals

PUBLISHED = folder("published")
OTHERS = {"thesis.tex": "years", "chip/notes.html": "mine", "run/a/b.json": "{}"}


def done(*words: object) -> str:
    outcome = benchdb(*words)
    assert outcome.status == 0, outcome.err
    return outcome.out


class Followed:
    """A database, and a site of it that is built after each step."""

    def __init__(self, room: Path) -> None:
        self.room = room
        self.database = room / "results.sqlite"
        self.site = room / "site"
        self.languages = ["en"]

    def output_of(self, *words: object) -> str:
        """Run a command on the database."""
        return done(*words, "--db", self.database)

    def built(self, site: Path) -> None:
        self.output_of("report", "--site", site, "--lang", ",".join(self.languages))

    def takes(self, *files: Path) -> None:
        self.output_of("import", *files)

    def measures(self, number: int) -> None:
        """Add a campaign as ``collect`` does: with runs that are mine."""
        self.takes(shared(self.room / "own.jsonl", [campaign(number, 480.0)]))
        engine = open_database(str(self.database))
        with writing(engine) as connection:
            own = run.c.campaign.like("%-test")
            connection.execute(update(run).where(own).values(mine=True))
            renew(connection)
        engine.dispose()

    def runs(self, *options: object) -> list[str]:
        listed = json.loads(self.output_of("list", "--runs", "--json", *options))
        return [str(item["digest"]) for item in listed]

    def is_as_built_from_nothing(self) -> bool:
        """Build it, and hold it against one that is built into an empty folder."""
        self.built(self.site)
        cold = self.room / "cold"
        self.built(cold)
        data = contents_of(self.site)
        others = {name: data.pop(name, b"").decode() for name in OTHERS}
        assert others == OTHERS
        whole = contents_of(cold)
        shutil.rmtree(cold)
        assert {*data} == {*whole}
        return data == whole


def contents_of(place: Path) -> dict[str, bytes]:
    every = (path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): path.read_bytes() for path in every}


@pytest.fixture(name="followed")
def a_site_with_files_of_others_in_it(tmp_path: Path) -> Followed:
    followed = Followed(tmp_path)
    followed.takes(PUBLISHED / "m1tensorbench.jsonl")
    followed.built(followed.site)
    for name, text in OTHERS.items():
        place = followed.site / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return followed


def test_a_site_follows_whatever_is_done_to_its_database(followed, tmp_path):
    friend = tmp_path / "friend.jsonl"
    friend.write_text(lone_source("friend", supersedes=[TENSORBENCH]))

    def withdraws() -> None:
        followed.output_of(
            "retract", followed.runs("--mine")[0], "--reason", "warm", "--unsigned"
        )

    def unites() -> None:
        other, lines = tmp_path / "other.sqlite", tmp_path / "other.jsonl"
        done("import", PUBLISHED / "tf-metal-experiments.jsonl", "--db", other)
        done("export", "-o", lines, "--yes", "--db", other)
        followed.takes(lines)

    def supersedes() -> None:
        followed.takes(friend)
        (proposal,) = proposals(followed.database)
        followed.output_of("sources", "accept", proposal["id"])

    def forgets() -> None:
        followed.output_of("forget", "source:tf-metal-experiments", "--yes")

    steps = {
        "measured": lambda: followed.measures(0),
        "withdrawn": withdraws,
        "united": unites,
        "imported": lambda: followed.takes(PUBLISHED / "m1-vs-v100.jsonl"),
        "taken back": lambda: followed.output_of("import", "--undo"),
        "superseded": supersedes,
        "forgotten": forgets,
        "in more languages": lambda: followed.languages.append("ar"),
        "in others": lambda: followed.languages.remove("en"),
    }
    for name, step in steps.items():
        step()
        assert followed.is_as_built_from_nothing(), name


def started(followed: Followed, log: Path) -> forks.Forked:
    """Begin to build the site in a process of its own; *log* has what it says."""
    words = ("report", "--site", followed.site, "--lang", "en,de,fr")
    with log.open("wb") as out:
        streams = (os.open(os.devnull, os.O_RDONLY), out.fileno(), out.fileno())
        return forks.start((*words, "--db", followed.database), streams)


def test_of_two_builds_at_once_the_folder_has_the_whole_of_the_later(
    followed, tmp_path
):
    followed.languages += ["de", "fr"]
    logs = [tmp_path / "first.log", tmp_path / "second.log"]
    processes = [started(followed, log) for log in logs]
    ends = [
        (process.wait(), log.read_text())
        for process, log in zip(processes, logs, strict=True)
    ]

    refused = f"benchdb: another build writes into {followed.site}; build again when "
    assert 0 in [status for status, _ in ends]
    for status, result in ends:
        assert result.startswith(refused if status else str(followed.site)), result
        assert result.count("\n") == 1
    assert followed.is_as_built_from_nothing()


def test_while_a_build_is_at_work_another_one_is_refused(followed):
    followed.measures(0)
    with alone(followed.site):
        refused = benchdb(
            *("report", "--site", followed.site, "--lang", "en"),
            *("--db", followed.database),
        )

    assert refused.status == 1
    assert refused.err.count("\n") == 1
    assert "another build writes into" in refused.err
    assert followed.is_as_built_from_nothing()


def test_a_database_that_changes_meanwhile_is_shown_as_it_was(followed, monkeypatch):
    cold, pairs = followed.room / "before", compare.pages
    followed.built(cold)
    before = contents_of(cold)

    def meanwhile(*given):
        monkeypatch.undo()
        more = PUBLISHED / "m1-vs-v100.jsonl", PUBLISHED / "tf-metal-experiments.jsonl"
        imported = command_line.benchdb("import", *more, "--db", followed.database)
        assert imported.status == 0, imported.err
        return pairs(*given)

    monkeypatch.setattr(compare, "pages", meanwhile)
    shutil.rmtree(cold)
    followed.built(cold)

    assert contents_of(cold) == before
    assert followed.is_as_built_from_nothing()
    added = contents_of(followed.site).keys() - before.keys()
    assert "source/m1-vs-v100.html" in added


@pytest.mark.skipif(sys.platform != "linux", reason="one process does all of it")
def test_what_a_build_has_started_ends_with_it_even_if_it_is_killed():
    program = """
import os, signal, time
from benchdb.site import build
os.sched_getaffinity = lambda _: {0, 1}
with build.aside(lambda: time.sleep(600) or b""):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    started = Popen([sys.executable, "-c", program], stdout=PIPE)

    # Who is left holds this pipe open.
    assert started.communicate(timeout=60)[0] == b""
    assert started.returncode == -signal.SIGKILL
