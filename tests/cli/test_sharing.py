"""What an export says of the machine: shown, asked once, told in a pipe, or kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchdb import leaving
from tests.command_line import benchdb as program
from tests.in_process import benchdb
from tests.terminal import talk

ASK = r"\[y/N\]: $"
HOST = "janes-workbench"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def database(home: Path, two_runs: Path) -> Path:
    assert benchdb("import", two_runs, "--db", home / "r.sqlite").status == 0
    return home / "r.sqlite"


def changed(source: Path, target: Path, kind: str, **facts: Any) -> Path:
    """Write the file *source* anew, with these facts in each line of a kind."""
    lines = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for line in lines:
        if line["type"] == kind:
            for name, value in facts.items():
                new = value if not isinstance(value, dict) else line.get(name, {})
                line[name] = {**new, **value} if isinstance(value, dict) else new
    target.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return target


def test_a_terminal_shows_each_field_once_and_asks_again_for_a_new_one(
    home, database, two_runs
):
    file = home / "out.jsonl"
    export = ("export", "-o", file, "--db", database)

    refused = talk(["n"], *export, prompt=ASK)
    nothing = not file.exists()
    agreed = talk(["y"], *export, prompt=ASK)
    again = talk([], *export, prompt=ASK)
    more = changed(two_runs, home / "more.jsonl", "run", conditions={"load_1m": 0.5})
    more = changed(more, more, "environment", math={"fused_adam": True})
    benchdb("import", more, "--db", database)
    new = talk(["y"], *export, prompt=ASK)

    assert (refused.status, nothing) == (1, True)
    assert "machine.chip.name" in refused.out
    assert (agreed.status, again.status, new.status) == (0, 0, 0)
    assert "machine.chip.name" not in again.out + new.out
    assert "environment.math.fused_adam" in new.out
    assert [line for line in again.out.splitlines() if "[y/N]" in line] == []


def test_a_pipe_is_told_in_one_line_and_goes_on(database):
    for sure in ([], ["--yes"]):
        done = program("export", *sure, "--db", database)

        assert done.status == 0
        assert done.out.count('"type":"run"') == 2
        assert done.err.startswith("benchdb: 2 runs of 1 machine leave: ")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_preview_is_of_the_format_that_was_asked_for(database, kind):
    done = benchdb("export", "--preview", "--format", kind, "--db", database)

    places = {line.split()[0] for line in done.out.splitlines()}
    assert ("machine.chip.name" in places) == (kind == "jsonl")
    assert ("runs.chip" in places) == (kind == "parquet")
    assert "mnist" in done.out


TELLING: dict[str, tuple[str, dict[str, Any]]] = {
    "a host name": ("end", {"reason": f"no route from {HOST}"}),
    "a user's folder": ("run", {"locator": "/Users/jane/x.log line 3"}),
    "a serial number": ("run", {"conditions": {"serial_number": "C02XYZ123"}}),
    "a UUID": ("environment", {"os_build": "9F1B7C3E-1111-4222-8333-ABCDEF012345"}),
    "a MAC address": ("end", {"reason": "eth0 a4:83:4e:5f:6a:7b"}),
    "an IP address": ("run", {"parameters": {"server": "10.20.30.40"}}),
    "a command with a host": ("run", {"parameters": {"command": f"ping {HOST}"}}),
    "a name": ("run", {"conditions": {"a4:83:4e:5f:6a:7b": 1}}),
    "a path that nobody knows": ("run", {"conditions": {"weights_in": "/mnt/deep/x"}}),
    "a mail address": ("environment", {"packages": {"x": "jane@example.org"}}),
}


@pytest.mark.parametrize(
    ("what", "kind"),
    [*((what, "jsonl") for what in TELLING), ("a MAC address", "parquet")],
)
def test_what_gives_somebody_away_stays_here_and_is_told(
    home, two_runs, monkeypatch, what, kind
):
    monkeypatch.setenv("HOSTNAME", HOST)
    leaving._rules.cache_clear()  # they know the names of one user and host
    line, facts = TELLING[what]
    if "reason" in facts:  # of the run that failed
        facts = {"status": "failed", "values": [], **facts}
    evil, database = home / "evil.jsonl", home / "r.sqlite"
    changed(two_runs, evil, line, **facts)
    assert benchdb("import", evil, "--db", database).status == 0

    target = home / "out"
    done = benchdb("export", "--format", kind, "-o", target, "--db", database)

    field = next(iter(facts)) if "reason" not in facts else "reason"
    assert done.status == 1
    assert f"{line}.{field}" in done.err
    if kind == "jsonl":
        assert '"type":"run"' not in target.read_text("utf-8")
    else:
        assert not target.exists()


def test_what_a_stranger_s_collector_adds_leaves_where_it_tells_nothing(home, two_runs):
    facts = {"fan_profile": "quiet, 3 fans", "room_celsius": 21, "mac": "Mac mini"}
    facts |= {"repository": "org/model-3B", "user_seconds": 1.5, "serial_share": 0.1}
    file = changed(two_runs, home / "more.jsonl", "run", conditions=facts)
    benchdb("import", file, "--db", home / "r.sqlite")

    done = benchdb("export", "--db", home / "r.sqlite")

    assert done.status == 0
    assert '"fan_profile":"quiet, 3 fans"' in done.out
    assert '"repository":"org/model-3B"' in done.out


def test_every_run_that_is_shipped_may_leave(home):
    shipped = Path(__file__).parents[2] / "results.sqlite"
    copy = home / "copy.sqlite"
    copy.write_bytes(shipped.read_bytes())

    done = benchdb("export", "-o", home / "all.jsonl", "--db", copy)

    assert (done.status, done.err.count("\n")) == (0, 1), done.err


def test_who_shares_the_name_of_a_published_author_may_share_her_figures(
    home, monkeypatch
):
    monkeypatch.setenv("USER", "needle-author")
    leaving._rules.cache_clear()
    source = Path(__file__).parents[2] / "published" / "needle-metal.jsonl"
    named = changed(source, home / "n.jsonl", "source", authors=["needle-author"])
    benchdb("import", named, "--db", home / "r.sqlite")

    done = benchdb("export", "--db", home / "r.sqlite")

    assert (done.status, done.out.count('"type":"run"')) == (0, 10)
