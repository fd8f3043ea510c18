"""Help that fits: a screen of 80 × 50, any width down to 40, colours where they go."""

import re
import shlex

import pytest
from wcwidth import wcswidth

from benchdb.cli import COMMANDS, GROUPS, module_of
from benchdb.cli.application import loaded
from tests import command_line, terminal
from tests.in_process import benchdb

ESCAPE = "\x1b["
SCREEN = 50  # lines


def every_command():
    """Return the words of every command, and of every one below a group."""
    groups: list[tuple[str, ...]] = [()]
    for name in COMMANDS:
        groups.append((name,))
        below = getattr(loaded(module_of(name)), "commands", {})
        groups += [(name, item) for item in below]
    return groups


EVERY = every_command()


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_fits_a_screen_and_a_narrow_terminal(words, monkeypatch):
    for width in (80, 40):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = benchdb(*words, "--help").out.splitlines()

        assert max(map(wcswidth, lines)) <= width
        assert width < 80 or len(lines) <= SCREEN


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_option_is_explained_without_ranges_or_types(words):
    shown = benchdb(*words, "--help").out

    assert not re.search(r"<=|2147483647|\bINTEGER\b|\bNone\b|\bTrue\b", shown)
    if words:
        command = loaded(module_of(words[0]))
        for word in words[1:]:
            command = command.commands[word]
        assert [
            param.name for param in command.params if len(param.help or "") < 4
        ] == []


def test_the_seven_that_most_need_come_first_and_all_have_a_group():
    shown = benchdb("--help").out

    first = ["collect", "report", "compare", "list", "import", "export", "doctor"]
    assert list(next(iter(GROUPS.values()))) == first
    titles = [line for line in shown.splitlines() if line in GROUPS]
    assert titles == list(GROUPS)


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_a_terminal_has_colours_unless_it_is_told_otherwise(
    variables, coloured, monkeypatch
):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)

    assert (ESCAPE in terminal.talk([], "--help").out) is coloured


def test_a_pipe_has_colours_only_by_force(monkeypatch):
    assert ESCAPE not in command_line.benchdb("--help").out

    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ESCAPE in command_line.benchdb("--help").out


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("list --limt 3", "no option --limt; did you mean '--limit'?"),
        ("list --sort vaule", "; did you mean 'value'?"),
        ("list --limit 0", "invalid value for '--limit': 0 is not in the range x>=1"),
        ("list a", "got unexpected extra argument(s) (a); see 'benchdb list --help'"),
        ("db chek", "no such command 'chek'. Did you mean 'check'?"),
        ("show", "missing argument 'RUN'"),
        ("campaigns", "'campaigns' is 'benchdb list --campaigns' now"),
        ("machine --json", "'machine' is 'benchdb machines here' now"),
        ("list --campaigns --chip M1", "--chip does not go with --campaigns"),
        ("verify x --corpus y", "FILE does not go with --corpus"),
    ],
)
def test_a_mistake_is_a_line(line, result):
    done = benchdb(*shlex.split(line))

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert result in done.err
