"""``benchdb.toml``: found above the working folder, checked, shown and changed."""

import json
import os
from pathlib import Path

import pytest

from benchdb import settings
from tests.in_process import benchdb
from tests.published_runs import imported

CHECKOUT = Path(__file__).parents[2]
UNFIT = {
    "lang = ": ":1: no TOML: Invalid value",
    "lang = 3": ":1: lang is text, or a list of it, not 3",
    "lnag = 'de'": ":1: no setting 'lnag'; did you mean 'lang'?",
    "tier = 'smoke'": ":1: no setting 'tier' on top; it belongs below [collect]",
    "[colect]\ntier = 'smoke'": ":2: no command 'colect'; did you mean 'collect'?",
    "[list]\n\nlimt = 4": ":3: list has no setting 'limt'; did you mean 'limit'?",
    "[list]\nlimit = true": ":2: limit is a whole number, not true",
    "[list]\nlimit = 0": ":2: limit: 0 is not in the range x>=1",
    "[list]\nsort = 'sped'": ":2: sort: 'sped' is not one of 'started', 'value'",
    "db = ['a', 'b']": ':1: db is text, not ["a", "b"]',
    "collectors = 1": ":1: collectors is a list of paths",
    "#" * 70_000: " is larger than 64 kB",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project in which we work two folders below its settings."""
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BENCHDB_DB", raising=False)
    below = tmp_path / "project" / "src" / "deep"
    below.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.chdir(below)
    return tmp_path / "project"


def settle(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchdb.toml").write_text(text)


def listed():
    rows = json.loads(benchdb("config", "--json").out)
    return {row["key"]: (row["value"], row["file"], row["line"]) for row in rows}


def test_the_command_line_wins_over_the_project_and_that_over_the_users_own(
    project, monkeypatch
):
    home = project.parent / "home"
    monkeypatch.setenv("BENCHDB_DB", str(imported(project.parent)))
    settle(
        home / "config", "[workloads]\njson = true\n[list]\nlimit = 1\nruns = true\n"
    )
    settle(project, "# ours\n[list]\nlimit = 2\n")

    runs = benchdb("list", "--json").out
    own, more = (
        json.loads(it) for it in (runs, benchdb("list", "--json", "--limit", 3).out)
    )

    assert (len(own), len(more)) == (2, 3)
    assert json.loads(benchdb("workloads").out)
    assert listed() == {
        "list.limit": (2, str(project / "benchdb.toml"), 3),
        "list.runs": (True, str(home / "config" / "benchdb.toml"), 5),
        "workloads.json": (True, str(home / "config" / "benchdb.toml"), 2),
    }


def test_a_project_ends_at_its_repository_and_paths_are_below_its_file(project):
    settle(project.parent, "[list]\nlimit = 1\n")
    assert listed() == {}

    settle(project, "db = 'results/all.sqlite'\ncollectors = ['ours', '/opt/theirs']\n")
    paths = list(map(str, settings.collector_folders()))
    assert paths == [str(project / "ours"), "/opt/theirs"]
    refused = benchdb("show", "abc")
    assert str(project / "results" / "all.sqlite") in refused.err


@pytest.mark.parametrize("text", UNFIT)
def test_what_no_command_takes_is_a_line_with_its_place(project, text):
    settle(project, text)

    outcome = benchdb("config")

    assert outcome.status == 2
    assert outcome.err.startswith(f"benchdb: {project / 'benchdb.toml'}{UNFIT[text]}")
    assert outcome.err.count("\n") == 1
    assert benchdb("list", "--help").status == 0


def test_a_folder_in_the_place_of_the_file_is_named(project):
    (project / "benchdb.toml").mkdir()

    outcome = benchdb("workloads")

    path = project / "benchdb.toml"
    assert (outcome.status, outcome.err) == (
        2,
        f"benchdb: cannot read {path}: Is a directory\n",
    )


def test_what_is_set_is_in_ones_own_file_beside_what_else_is_written_there(project):
    path = project.parent / "home" / "config" / "benchdb.toml"
    settle(path.parent, "# mine\nlang = 'fr'  # mostly\n")

    for words in (["lang", "de", "fr"], ["list.limit", 7], ["list.mine", "true"]):
        assert benchdb("config", *words).status == 0
    assert benchdb("config", "--unset", "list.mine").status == 0

    assert path.read_text() == (
        '# mine\nlang = ["de", "fr"]  # mostly\n\n[list]\nlimit = 7\n'
    )
    for words, why in (
        (["list.limit", "x"], 'limit is a whole number, not "x"'),
        (["list.limit", "1", "2"], "list.limit takes one value, not 2"),
        (["import.undo", "true"], "import has no setting 'undo'"),
        (["--unset", "list.chip"], f"list.chip is not set in {path}"),
        (["list.chip"], "list.chip is not set; set it with: benchdb config"),
    ):
        outcome = benchdb("config", *words)
        assert (outcome.status, why in outcome.err) == (2, True), outcome.err


@pytest.mark.parametrize("key", ['python = "bin/python"', 'collectors = ["mine"]'])
def test_the_file_of_another_user_names_no_programs(project, monkeypatch, key):
    settle(project, f"lang = 'de'\n{key}\n")
    if os.getuid() == 0:
        os.chown(project / "benchdb.toml", 12345, -1)
    monkeypatch.setattr("os.getuid", lambda: 54321)

    done = benchdb("list")

    assert done.status == 2
    named = key.split(" ", maxsplit=1)[0]
    assert f"{project}/benchdb.toml:2: {named} names programs, and the file" in done.err
    settle(project, "lang = 'de'\n")
    assert benchdb("config", "--json").status == 0
