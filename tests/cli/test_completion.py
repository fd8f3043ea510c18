"""What a shell completes: commands, options and the names that options take.

By the protocol that the installed scripts of bash, zsh and fish use; none of these
shells is needed for it.
"""

import os
import subprocess
import sys

import pytest

from benchdb.catalogue import chips, collected

# What takes a second or more to import, of which no name needs anything.
HEAVY = {
    *("pandas", "numpy", "torch", "tensorflow", "matplotlib", "pydantic", "alembic"),
    *("psycopg", "benchdb.merge", "benchdb.importing"),
}
PROGRAM = (
    "import atexit, sys; "
    "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
    "from benchdb.cli import main; main()"
)


def completed(line: str, shell: str = "bash") -> tuple[list[str], set[str]]:
    """Return what the last word of *line* may be, and the modules that it took."""
    words = line.split(" ")
    given = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_BENCHDB_COMPLETE": f"complete_{shell}",
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROGRAM.replace("main()", "sys.argv[:] = ['benchdb']; main()"),
        ],
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.splitlines(), set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("benchdb co", ["collect", "compare", "config"]),
        ("benchdb collect --tier q", ["quick"]),
        ("benchdb collect res", ["resnet50", "resnet18", "resnet9"]),
        ("benchdb collect --suite pytorch", ["pytorch-in-m1"]),
        ("benchdb list --framework t", ["tensorflow", "torch"]),
        ("benchdb list --sort v", ["value"]),
        ("benchdb report --lang de,f", ["de,fr"]),
        ("benchdb report --precision bf", ["bf16"]),
        ("benchdb compare --form", ["--format"]),
        ("benchdb db ch", ["check"]),
    ],
)
def test_names_are_completed_without_what_is_heavy(line, words):
    texts, modules = completed(line)

    assert texts == words
    assert HEAVY & modules == set()


def test_every_workload_of_ours_and_every_chip_is_there():
    assert {*collected()} <= {*completed("benchdb list --workload ")[0]}
    names = completed("benchdb report --chip H")[0]
    ours = dict.fromkeys(chip.name for chip in chips() if chip.name.startswith("H"))
    assert names == [name.replace(" ", "\\ ") for name in ours]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_same(shell):
    texts, _ = completed("benchdb collect --tier q", shell)

    assert any("quick" in word for word in texts)
