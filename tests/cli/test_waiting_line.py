"""Nothing on a terminal stays silent: a line says what is waited for, and how long."""

import io
import sys
import time

import pytest

from benchdb.cli import progress, waiting_line
from benchdb.cli.console import tell
from benchdb.cli.progress import Course
from benchdb.cli.waiting_line import Line, awaited
from benchdb.collecting.plan import Memory
from tests import terminal

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
    line.hide()
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


def test_a_command_that_takes_long_is_never_silent(tmp_path, monkeypatch):
    """Its largest gap is what it takes to start: after that there is the line."""
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("BENCHDB_DB", raising=False)

    out = terminal.talk([], "doctor").out

    assert "asking each framework and meter … 0:0" in out
    assert WIPED in out
