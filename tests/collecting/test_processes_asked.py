"""Programs that are asked something: answered in time, or ended with all they began."""

import signal
import subprocess
import sys
import time

import pytest

from benchdb.collecting import processes
from benchdb.collecting.processes import asking
from benchdb.errors import BenchdbError
from tests.processes import alive, eventually

ANSWERS = (
    "import sys; print(sys.stdin.read().upper()); print('e' * 300_000, file=sys.stderr)"
)
HANGS = """
import pathlib, subprocess, sys, time
child = subprocess.Popen(["sleep", "600"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(600)
"""
SLEEPS = "import time; time.sleep(600)"
ASKS = """
import sys
from benchdb.collecting.processes import asking
with asking(sys.argv[1:]) as question:
    question.reply()
"""
TELLS = "import os; print(os.environ.get('PYTHONPATH'), os.environ.get('PYTHONHOME'))"


@pytest.fixture
def program(tmp_path):
    def written(text: str) -> list[str]:
        path = tmp_path / f"with_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return [sys.executable, str(path)]

    return written


def test_an_answer_is_whole_however_much_is_printed_beside_it(program):
    with asking(program(ANSWERS), "what?") as question:
        reply = question.reply()

    assert (reply.out, reply.status) == ("WHAT?\n", 0)
    assert len(reply.err) == 300_001


def test_one_that_hangs_is_ended_in_time_with_what_it_started(
    program, tmp_path, monkeypatch
):
    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 1.0)
    result = tmp_path / "child"

    with asking([*program(HANGS), str(result)]) as question:
        child = int(eventually(lambda: result.exists() and result.read_text()))
        with pytest.raises(BenchdbError, match="gave no answer in 1 s"):
            question.reply()
        eventually(lambda: not alive(child))


def test_those_that_are_asked_together_have_their_time_together(program, monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 3.0)
    ended = []

    with asking(program(SLEEPS)) as result, asking(program(SLEEPS)) as other:
        for question in (result, other):
            with pytest.raises(BenchdbError, match="gave no answer in 3 s"):
                question.reply()
            ended.append(time.monotonic())

    assert ended[1] - ended[0] < 3.0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_one_who_asks_ends_what_was_asked(program, tmp_path, number):
    result = tmp_path / "child"
    asks = program(ASKS)

    with subprocess.Popen(
        [*asks, *program(HANGS), str(result)], stderr=subprocess.DEVNULL
    ) as process:
        child = int(eventually(lambda: result.exists() and result.read_text()))
        process.send_signal(number)

    assert process.returncode != 0
    eventually(lambda: not alive(child))


def test_nobody_waits_for_one_after_ctrl_c(program, tmp_path):
    result = tmp_path / "child"
    children = []

    def interrupted():
        with asking([*program(HANGS), str(result)]):
            children.append(eventually(lambda: result.exists() and result.read_text()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    eventually(lambda: not alive(int(children[0])))


def test_packages_of_others_are_in_no_environment_of_its_own(program, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    replies = []

    for isolated in (False, True):
        with asking(program(TELLS), isolated=isolated) as question:
            replies.append(question.reply().out.split())

    assert replies == [["/somewhere", "None"], ["None", "None"]]


def test_a_program_that_cannot_be_started_is_told_by_name(tmp_path):
    nothing = str(tmp_path / "with_nothing.py")

    with (
        pytest.raises(
            BenchdbError, match=r"^with_nothing cannot be asked: No such file"
        ),
        asking([nothing]),
    ):
        pass
