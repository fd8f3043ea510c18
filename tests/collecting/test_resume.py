"""A campaign that was cut off goes on: nothing twice, nothing left out."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import create_engine

from benchdb.cli.user_database import address
from benchdb.collecting.plan_files import Unfinished, held, read
from benchdb.errors import UsageError
from tests import troubled_checkout
from tests.command_line import Outcome
from tests.processes import alive, below, eventually, workers


class User:
    """Someone with a home, a database, and a copy of benchdb."""

    def __init__(self, checkout: Path, home: Path) -> None:
        self.checkout = checkout
        self.home = home
        self.database = home / "r.sqlite"

    def collect(self, *arguments: object, **trouble: str) -> Outcome:
        line = ("collect", *arguments, "--db", self.database)
        return troubled_checkout.in_process(self.checkout, self.home, *line, **trouble)

    def begin(self, *arguments: object, **trouble: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            troubled_checkout.command("collect", *arguments, "--db", self.database),
            cwd=self.checkout,
            env=troubled_checkout.environment(self.home, trouble),
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def plans(self) -> list[Path]:
        return sorted((self.home / "campaigns").glob("*.json"))

    def runs(self) -> list[dict[str, Any]]:
        line = ("list", "--runs", "--json", "--db", self.database)
        done = troubled_checkout.in_process(self.checkout, self.home, *line)
        return list(json.loads(done.out))


@pytest.fixture
def user(checkout, tmp_path) -> User:
    return User(checkout, tmp_path)


TWO_SIZES = ("matmul", "--size", "4", "--size", "8", "--no-metal", "--no-cuda")
FOUR = (*TWO_SIZES, "--tier", "smoke", "--replicates", "2")


@pytest.fixture(scope="module")
def killed_in_the_third(checkout, tmp_path_factory) -> User:
    """A campaign of four of which everything was killed while the third one ran."""
    user = User(checkout, tmp_path_factory.mktemp("home"))
    with user.begin(*FOUR, TROUBLE_STEP_SECONDS="0.1") as process:
        wait_for(process, "[3/4]")
        eventually(lambda: workers(process.pid))
        family = [process.pid, *below(process.pid)]
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    eventually(lambda: not any(map(alive, family)))
    return user


@pytest.fixture
def cut_off(killed_in_the_third, tmp_path) -> User:
    """A copy of that campaign with everything that belongs to it."""
    home = tmp_path / "home"
    shutil.copytree(killed_in_the_third.home, home)
    user = User(killed_in_the_third.checkout, home)
    change(user, lambda plan: plan["place"].update(database=str(user.database)))
    return user


def wait_for(process: "subprocess.Popen[str]", what: str) -> None:
    for line in process.stderr or ():
        if what in line:
            return
    raise AssertionError(f"never said {what!r}")


def test_after_kill_9_of_everything_only_the_rest_is_measured(cut_off):
    (plan,) = cut_off.plans
    order = [(item.replicate, item.cell.axes) for item in read(plan).items]

    done = cut_off.collect("--resume")

    assert done.status == 0, done.err
    assert "[2/2]" in done.err
    runs = sorted(cut_off.runs(), key=lambda run: run["started"])
    pairs = [(r["replicate"], (("size", r["parameters"]["size"]),)) for r in runs]
    assert pairs == order
    assert {run["status"] for run in runs} == {"ok"}
    assert f"campaign {plan.stem}" in done.err
    assert cut_off.plans == []
    assert cut_off.collect("--resume").err.startswith("benchdb: nothing to resume in ")


def test_an_interrupted_replicate_is_measured_again(user):
    with user.begin(*FOUR, TROUBLE_STEP_SECONDS="0.1") as process:
        wait_for(process, "[1/4]")
        eventually(lambda: workers(process.pid))
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130

    done = user.collect("--resume", user.plans[0].stem)

    assert done.status == 0, done.err
    statuses = sorted(run["status"] for run in user.runs())
    assert statuses == ["interrupted", "ok", "ok", "ok", "ok"]


def test_a_failed_replicate_is_not_measured_again(user):
    done = user.collect(*FOUR, TROUBLE="program:1", TROUBLE_KIND="SIGSEGV")

    assert done.status == 1
    assert user.plans == []


def test_a_campaign_that_cannot_begin_leaves_no_plan(user):
    done = user.collect(*FOUR, TROUBLE="program", TROUBLE_KIND="refuse")

    assert done.status == 2
    assert done.err.splitlines()[-1] == "benchdb: the device is gone; plug it in"
    assert user.plans == []


def test_nothing_to_resume_is_one_line_and_makes_no_database(user):
    done = user.collect("--resume")

    assert done.status == 2
    assert done.err == f"benchdb: nothing to resume: no database at {user.database}\n"
    assert not user.database.exists()


def test_a_campaign_that_nobody_began_is_named_with_those_that_are_open(cut_off):
    done = cut_off.collect("--resume", "20200101")

    assert done.status == 2
    (plan,) = cut_off.plans
    expected = f"no unfinished campaign '20200101'; unfinished are: {plan.stem}"
    assert done.err == f"benchdb: {expected}\n"


@pytest.mark.parametrize("content", ["", '{"settings":', '{"settings": 3}', "\0\xff"])
def test_a_torn_plan_is_one_clear_line(cut_off, content):
    (plan,) = cut_off.plans
    plan.write_text(content)

    done = cut_off.collect("--resume")

    assert done.status == 2
    assert done.err.startswith(f"benchdb: the plan {plan} cannot be read (")
    assert done.err.count("\n") == 1


def test_a_newer_plan_that_is_torn_is_passed_over_with_a_warning(cut_off):
    torn = cut_off.plans[0].with_stem("99991231T000000Z-torn")
    torn.write_text("{")

    done = cut_off.collect("--resume")

    assert done.status == 0, done.err
    assert (
        f"benchdb: warning: passed over: the plan {torn} cannot be read (" in done.err
    )
    assert [run["status"] for run in cut_off.runs()] == ["ok"] * 4
    assert cut_off.plans == [torn]


def test_another_machine_does_not_go_on(cut_off):
    change(cut_off, lambda plan: plan["place"].update(machine="0123456789abcdef"))

    done = cut_off.collect("--resume")

    assert done.status == 2
    assert "was begun on another machine" in done.err
    assert len(cut_off.runs()) == 2


def test_other_collectors_and_facts_of_the_machine_are_warned_of(cut_off):
    change(cut_off, lambda plan: plan["place"].update(collectors="0", facts="1"))

    done = cut_off.collect("--resume")

    assert done.status == 0, done.err
    assert "warning: the collectors have changed" in done.err
    assert "warning: what this machine says of itself has changed" in done.err


def test_a_campaign_of_another_database_is_left_alone(cut_off, tmp_path):
    elsewhere = tmp_path / "other.sqlite"
    elsewhere.write_bytes(cut_off.database.read_bytes())
    cut_off.database, (plan,) = elsewhere, cut_off.plans

    newest = cut_off.collect("--resume")
    named = cut_off.collect("--resume", plan.stem)

    assert (newest.status, named.status) == (2, 2)
    assert (
        f"nothing to resume in {elsewhere}; unfinished are: {plan.stem}" in newest.err
    )
    assert "is stored in" in named.err
    assert len(cut_off.plans) == 1


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("--tier", "smoke"), "--tier"),
        (("--suite", "standard"), "--suite"),
        (("--no-metal",), "--metal"),
        (("--dry-run",), "--dry-run"),
    ],
)
def test_what_a_campaign_has_settled_cannot_be_chosen_again(user, arguments, option):
    done = user.collect("--resume", *arguments)

    assert done.status == 2
    assert f"{option} does not go with --resume" in done.err


def test_a_campaign_that_is_being_measured_is_left_to_who_does(cut_off):
    (plan,) = cut_off.plans

    with held(plan):
        done = cut_off.collect("--resume")

    assert done.status == 2
    assert "is being measured by another benchdb" in done.err


def test_the_address_of_a_server_is_kept_without_its_password():
    server = "postgresql+psycopg://jane:secret@host/benchdb?password=secret&port=9"

    kept = address(create_engine(server))

    assert kept == "postgresql+psycopg://jane@host/benchdb?port=9"


def test_a_plan_says_what_was_asked_for(cut_off):
    kept = read(cut_off.plans[0])

    assert kept.request.size == [4, 8]
    assert [cell.axes for cell in kept.cells] == [(("size", 4),), (("size", 8),)]


def test_a_plan_that_cannot_be_read_is_wrong_use(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "c.json")


def change(user: User, how: Any) -> None:
    """Change the plan as another machine or version would have written it."""
    (path,) = user.plans
    plan = json.loads(path.read_text())
    how(plan)
    path.write_text(json.dumps(plan))
    msgspec.json.decode(path.read_bytes(), type=Unfinished)


def test_a_run_through_which_the_machine_slept_is_measured_again(user):
    slept = user.collect(*TWO_SIZES, "--tier", "smoke", TROUBLE_SLEPT="312")
    kept = [(run["status"], run["reason"]) for run in user.runs()]
    resumed = user.collect("--resume")

    assert slept.status == 1
    assert "interrupted (the machine slept for 312 s" in slept.err
    assert "2 of 2 did not succeed; go on with: benchdb collect --resume" in slept.err
    assert [status for status, _ in kept] == ["interrupted", "interrupted"]
    assert resumed.status == 0
    assert sorted(run["status"] for run in user.runs()) == [
        *("interrupted", "interrupted"),
        *("ok", "ok"),
    ]
