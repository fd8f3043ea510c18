"""Commands in the documents: they are there, and print what the README shows."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from benchdb.cli import COMMANDS, app, module_of
from tests.manual import (
    CHECKOUT,
    DOCUMENTS,
    README,
    code_blocks,
    commands,
)

DOCUMENTED = [
    pytest.param(words, id=f"{path.relative_to(CHECKOUT)}: {' '.join(words)}")
    for path in DOCUMENTS
    for words in commands(path)
]
# A shorter collection than the README's, and on a CPU, which every machine has.
HERE = {"quick": ("smoke", "--no-metal", "--no-cuda")}
CHIP_OF_THE_README = "Xeon"
LEFT_OUT = r"(?:.*\n)*?"


def group(command: Any) -> dict[str, Any]:
    """Return the commands below *command*, none if it is one itself."""
    return getattr(command, "commands", {})


def found(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that *words* name, and the rest of them."""
    if words[0].startswith("-"):
        return typer.main.get_command(app), words
    assert words[0] in COMMANDS
    command = typer.main.get_command(import_module(module_of(words[0])).app)
    rest = words[1:]
    while group(command):
        rest = rest or ["list"]  # of a group that lists where nothing else is asked
        command, rest = group(command)[rest[0]], rest[1:]
    return command, rest


@pytest.mark.parametrize("words", DOCUMENTED)
def test_every_command_in_a_document_exists_with_its_options(words):
    command, rest = found(words)
    context = command.context_class(command)

    command.make_parser(context).parse_args(rest)  # raises of an unknown option


def shown() -> list[tuple[list[str], str]]:
    """Return the README's commands as arguments, each with the output shown."""
    blocks = [block for block in code_blocks(README) if block.startswith("$ ")]
    outputs = [block.partition("\n")[2] for block in blocks]
    return list(zip(commands(README), outputs, strict=True))


def pattern(line: str, *, measured: bool) -> str:
    """Return a regular expression for a *line* as another machine may print it."""
    if line == "…":
        return LEFT_OUT
    if line.startswith("benchdb: warning"):
        return ""  # not there where nothing disturbs
    if measured and " of tier " in line:  # another tier has other processes
        return r"\S+ cells?, \S+ process(?:es)? of tier .+\n"
    words = line.removesuffix("…").split(" ")
    if measured:  # columns are as wide as what stands in them
        words = [words[0], *filter(None, words[1:])]
    told = (
        (" +" if measured else " ")
        .join(
            r"\S+" if measured and re.search(r"\d", word) else re.escape(word)
            for word in words
        )
        .replace(CHIP_OF_THE_README, ".+")
    )
    return told + (".*" if line.endswith("…") else "") + r"\n"


def printed(words: list[str], folder: Path) -> str:
    """Return what a command prints in *folder*, spaces that do not break as others."""
    here = [option for word in words for option in HERE.get(word, (word,))]
    done = subprocess.run(
        [sys.executable, "-m", "benchdb", *here],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        text=True,
        check=True,
    )
    return done.stdout.replace("\u00a0", " ")


def test_the_readme_s_commands_print_what_it_shows(tmp_path):
    (tmp_path / "published").symlink_to(CHECKOUT / "published")

    for words, output in shown():
        lines = [
            pattern(line, measured=words[0] == "collect" or "this machine" in line)
            for line in output.splitlines()
        ]
        assert re.fullmatch("".join(lines), printed(words, tmp_path)), words
