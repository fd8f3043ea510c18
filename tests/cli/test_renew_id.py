"""Another id for this machine: asked, told, and linked with what it measured before."""

import json

import pytest

from benchdb.collecting.programs import fingerprint
from tests import troubled_checkout
from tests.in_process import benchdb
from tests.terminal import talk


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    return tmp_path


def identity():
    return fingerprint()["machine"]["anonymous_id"]


def test_what_was_measured_before_and_after_is_of_one_machine_here_and_two_elsewhere(
    home,
):
    checkout = troubled_checkout.make_collectors(home / "checkout")
    database, shared = home / "r.sqlite", home / "shared.jsonl"

    def collected():
        where = ("--db", database)
        troubled_checkout.in_process(
            checkout, home, "collect", *troubled_checkout.WORK, *where
        )

    collected()
    before = identity()
    done = benchdb("machines", "here", "--renew-id", "--yes", "--db", database)
    collected()

    after = identity()
    assert done.out == (
        f"this machine is {after} from now on\n"
        "linked in this database: 1 former machine\n"
    )
    listed = json.loads(benchdb("machines", "list", "--json", "--db", database).out)
    assert {item["anonymous_id"] for item in listed} == {before, after}
    assert len({item["same_as"] for item in listed}) == 1
    assert all(item["mine"] for item in listed)
    assert benchdb("db", "check", "--db", database).status == 0
    benchdb("export", "--yes", "-o", shared, "--db", database)
    benchdb("import", shared, "--db", home / "theirs.sqlite")
    theirs = benchdb("machines", "list", "--json", "--db", home / "theirs.sqlite").out
    assert len({load["same_as"] for load in json.loads(theirs)}) == 2


@pytest.mark.parametrize(("answer", "renewed"), [("n", False), ("y", True)])
def test_on_a_terminal_it_says_what_that_means_and_asks(home, answer, renewed):
    before = identity()

    done = talk([answer], "machines", "here", "--renew-id", prompt=r"\[y/N\]: $")

    assert "no export has" in " ".join(done.out.split())
    assert before in done.out
    assert (done.status, identity() != before) == (int(not renewed), renewed)


def test_where_nobody_can_be_asked_nothing_is_renewed(home):
    before = identity()

    done = benchdb("machines", "here", "--renew-id")

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "add --yes" in done.err
    assert identity() == before


def test_a_folder_that_takes_no_file_is_told_in_one_line(home, monkeypatch):
    blocked = home / "file"
    blocked.touch()
    monkeypatch.setenv("BENCHDB_HOME", str(blocked))

    done = benchdb("machines", "here", "--renew-id", "--yes")

    assert done.status != 0
    assert done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err
