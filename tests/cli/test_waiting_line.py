"""Nothing on a terminal stays silent: a line says what is waited for, and how long."""

import io
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchdb.cli import progress, waiting_line
from benchdb.cli.console import tell
from benchdb.cli.progress import Course
from benchdb.cli.waiting_line import Line, awaited
from benchdb.collecting.plan import Memory

SHIPPED = Path(__file__).parents[2] / "results.sqlite"
WIPED = "\r\x1b[2K"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_for(monkeypatch):
    """Return a terminal as standard error, with a line a hundred times a second."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(waiting_line, "_FIRST", 0.01)
    monkeypatch.setattr(waiting_line, "_PERIOD", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def slow(items):
    for item in items:
        time.sleep(0.1)
        yield item


def test_what_is_waited_for_is_shown_between_items_and_leaves_no_trace(monkeypatch):
    shown = terminal_for(monkeypatch)
    for item in awaited(slow("ab"), "reading file {}".format):
        assert shown.getvalue().endswith(WIPED)
        tell(f"got {item}")

    text = shown.getvalue()
    assert [f"reading file {n} … 0:00" in text for n in (0, 1, 2)] == [
        True,
        True,
        False,
    ]
    assert text.endswith("got b\n")


def test_a_message_takes_the_place_of_the_line(monkeypatch):
    shown = terminal_for(monkeypatch)
    with waiting_line.waiting("measuring"):
        time.sleep(0.1)
        tell("a warning")
        time.sleep(0.1)

    before, _, after = shown.getvalue().partition("a warning\n")
    assert before.endswith(WIPED)
    assert "measuring" in after
    assert after.endswith(WIPED)


def test_the_line_tells_the_time_and_never_wraps(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    times = iter([0.0, 1.0, 62.0, 62.0, 63.0])
    stream = Terminal()
    line = Line(stream, lambda: next(times))

    line.begin("reading")
    line.show()
    line.show()
    line.begin("a name that is longer than the terminal")
    line.show()
    line.end()
    line.end()
    line.show()

    lines = ["reading … 0:01", "reading … 1:02", "a name that is long", ""]
    assert stream.getvalue().split(WIPED)[1:] == lines


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_a_dumb_terminal_has_plain_lines(term, monkeypatch):
    monkeypatch.setenv("TERM", term)

    with progress.display(1, Memory()) as display:
        live = display._progress is not None
    assert live is False  # standard error is no terminal here

    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.display(1, Memory()) as display:
        assert (display._progress is not None) == (term == "xterm")


def test_a_bar_moves_inside_a_process_and_the_time_left_falls():
    course = Course(begun=100.0, each=20.0, left=60.0)

    seen = [(course.share(now), course.left_text(now)) for now in (100, 105, 119, 200)]

    assert seen == [
        (0.0, "about 1:00 left"),
        (0.25, "about 0:55 left"),
        (0.95, "about 0:41 left"),
        (0.95, "about 0:40 left"),
    ]
    last = Course(begun=0.0, each=20.0, left=20.0)
    assert last.left_text(30) == "longer than expected"
    assert Course(begun=0.0).left_text(10) == ""


# Each command with what takes long in it, which goes on when the line was seen.
SLOW = [
    (("list", "--limit", "1"), "benchdb.cli:loaded", "working"),
    (("doctor",), "benchdb.cli.doctor:health", "asking each framework and meter"),
    (("db", "check", "--sample", "1"), "benchdb.cli.db:opened", "working"),
    (
        ("db", "check", "--sample", "1"),
        "benchdb.store.checks:wrong_digests",
        "checking the database",
    ),
    (
        ("report", "--site", "site", "--lang", "en", "--chip", "M1 Ultra"),
        "benchdb.cli.report_making:selected",
        "working",
    ),
    (
        ("report", "--site", "site", "--lang", "en", "--chip", "M1 Ultra"),
        "benchdb.site.whole:renew",
        "writing the site into site",
    ),
]
# What is slow is entered, and goes no further until the file is there.
PROGRAM = """
import importlib, os, sys, time
module, _, name = sys.argv.pop(1).partition(":")
seen = sys.argv.pop(1)
import benchdb.cli
slow = importlib.import_module(module)
usual = getattr(slow, name)
def held(*given, **more):
    while not os.path.exists(seen):
        time.sleep(0.02)
    os._exit(0)
setattr(slow, name, held)
benchdb.cli.main()
"""


@pytest.mark.parametrize(("command", "slow", "line"), SLOW)
def test_what_takes_long_begins_with_a_line_that_says_so(
    command, slow, line, tmp_path, monkeypatch
):
    shutil.copy(SHIPPED, tmp_path / "r.sqlite")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("BENCHDB_DB", str(tmp_path / "r.sqlite"))
    seen = tmp_path / "seen"
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", PROGRAM, slow, str(seen), *command]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown, end = "", time.monotonic() + 60
        while f"{line} … 0:0" not in shown and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 65536).decode()
        seen.touch()
        process.wait()
    os.close(ours)

    assert f"{line} … 0:0" in shown


def test_the_line_is_gone_before_anything_is_printed(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown = terminal_for(monkeypatch)
    waiting_line.begin()
    time.sleep(0.1)
    shown.write("a figure\n")
    time.sleep(0.1)

    before, _, after = shown.getvalue().partition("a figure\n")
    assert "working … 0:00" in before
    assert before.endswith(WIPED)
    assert after == ""


def test_a_shell_that_completes_a_name_sees_no_line(monkeypatch):
    shown = terminal_for(monkeypatch)
    monkeypatch.setenv("_BENCHDB_COMPLETE", "complete_zsh")
    waiting_line.begin()
    time.sleep(0.1)

    assert shown.getvalue() == ""
