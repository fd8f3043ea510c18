"""Every block of code of every document runs.

What a line needs of other machines and services is there as stand-ins, or tests run it
elsewhere: ``RUN_BY``.
"""

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, closing
from functools import cache
from importlib import import_module
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_sqlite_scanner
import pytest
import typer
import yaml

from benchdb.cli import COMMANDS, app, module_of
from benchdb.report.language import available
from tests import stand_ins
from tests.code_sandbox import Sandbox, prepare
from tests.command_line import Outcome
from tests.database_hosts import CITUS, Hosts, hosts
from tests.manual import CHECKOUT, DOCUMENTS, Block, blocks, commands
from tests.postgres import Server
from tests.recorded_conversations import ANSWERS
from tests.terminal import talk

FILE_NAME = re.compile(r'title="([\w.-]+)"$')
NO_CODE = {"text", "mermaid"}  # output, forms, a drawing that test_architecture holds
# What a whole command costs minutes for, or ends with Ctrl-C: where it is run instead.
RUN_BY = {
    "$ benchdb reproduce ": "tests/cli/test_reproduce.py",
    "benchdb reproduce ": "tests/cli/test_reproduce.py",
    "name: speed": "tests/cli/test_comparing_page.py",
    "benchdb serve": "tests/cli/test_serve.py",
    "benchdb doctor --try": "tests/cli/test_doctor_trial.py",
    "benchdb doctor --read": "tests/cli/test_doctor_trial.py",
    "make demo": ".github/workflows/test.yml",
    "make test": ".github/workflows/test.yml",
    "python -m benchmarks": "tests/test_benchmarks.py",
    "benchdb import README.md": "tests/cli/test_conversation.py",
    "benchdb verify --corpus": "tests/cli/test_verify_corpus.py",
}
# What a line answers in the sandbox with another status than 0, and the reason.
ANSWERED: Mapping[str, tuple[int, str]] = {
    "benchdb collect --resume": (2, "no campaign is unfinished"),
    "benchdb import llama-bench.json lab/ run.csv": (1, "two lines are refused"),
    "benchdb db gather  ": (2, "a file knows no other sites"),
    "python collectors/with_torch.py resnet50 --device cuda": (2, "it is a Mac"),
    "python collectors/with_torch.py --suite tf-metal-exp": (2, "it is a Mac"),
}
LEFT_OUT = r"(?:.*\n)*?"
# A shorter collection than the README's, and on a CPU, which every machine has.
SHORTER = {"quick": ("smoke", "--no-metal", "--no-cuda")}
LANGUAGE = re.compile(r" --lang ([\w-]+)")
TRANSLATED = re.compile(r"\.(\w\w)\.md$")
BY_DOCUMENT = [
    pytest.param(path, id=str(path.relative_to(CHECKOUT)))
    for path in DOCUMENTS
    if blocks(path) and not TRANSLATED.search(path.name)
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="module")
def servers(postgres: Server) -> Iterator[Hosts]:
    with hosts(postgres) as result:
        yield result


@pytest.fixture
def sandbox(prepared: Path, tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path, prepared)


@pytest.mark.parametrize("document", BY_DOCUMENT)
def test_every_block_of_a_document_runs(
    document: Path, sandbox: Sandbox, request: pytest.FixtureRequest
):
    result = blocks(document)

    if any("psql -h " in block.text for block in result):
        sandbox.hosts = request.getfixturevalue("servers")
    for block in result:
        if name := FILE_NAME.match(block.about):
            (sandbox.folder / name[1]).write_text(block.text)
    code = [block for block in result if block.language not in NO_CODE]
    for language, some in groupby(code, key=attrgetter("language")):
        RUN[language](sandbox, [*some], _outputs(result))
    assert not sandbox.failures, "\n".join(sandbox.failures)


def _outputs(result: list[Block]) -> dict[Block, str]:
    """Return the text that stands directly below a block: what it prints."""
    return {
        above: below.text
        for above, below in pairwise(result)
        if below.language == "text"
        and below.line - above.line - above.text.count("\n") <= 3
    }


def bash(sandbox: Sandbox, together: list[Block], outputs: Mapping[Block, str]) -> None:
    for block in together:
        printed = ""
        if re.search(r"^(?:for|cd|git) ", block.text, re.MULTILINE):
            expect(sandbox, block.text, sandbox.shell(block.text))
            continue
        for line in block.text.replace("\\\n", "").splitlines():
            if line.strip() and not line.startswith("#") and not run_elsewhere(line):
                printed = expect(sandbox, line, sandbox.command(line))
        if outputs.get(block, "") not in printed:
            sandbox.failures.append(f"{block}\n{printed}")


def run_elsewhere(text: str) -> bool:
    """Tell whether another test runs *text*: it is there, and reads the documents."""
    return any(text.startswith(line) for line in RUN_BY)


def expect(sandbox: Sandbox, line: str, done: Outcome) -> str:
    """Return what is printed, and keep what went wrong: a page is mended as a whole."""
    statuses = (status for it, (status, _) in ANSWERED.items() if line.startswith(it))
    if done.status != next(statuses, 0):
        sandbox.failures.append(f"{done.status}: {line}\n{done.out[-500:]}{done.err}")
    return done.out + done.err


def console(sandbox: Sandbox, together: list[Block], _: Mapping[Block, str]) -> None:
    for block in together:
        if run_elsewhere(block.text):
            continue
        for command, shown in re.findall(
            r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE
        ):
            words = shlex.split(command)
            if words[0] == "cat":
                (sandbox.folder / words[1]).write_text(shown)
            else:
                assert_prints(sandbox, command, shown)


def assert_prints(sandbox: Sandbox, command: str, shown: str) -> None:
    words = shlex.split(command)
    is_measured = words[1] == "collect"
    if words[-1] in ANSWERS:  # by somebody at a terminal
        with pytest.MonkeyPatch.context() as patch:
            for name in ("BENCHDB_DB", "BENCHDB_HOME"):
                patch.setenv(name, f"{sandbox.folder}/{words[-1]}.{name}")
            (sandbox.folder / f"{words[-1]}.BENCHDB_HOME").mkdir()
            done = talk(ANSWERS[words[-1]], *words[1:], cwd=sandbox.folder)
        printed = done.out
    else:
        if is_measured:
            words = [it for word in words for it in SHORTER.get(word, (word,))]
        done = sandbox.measure(words[1:]) if is_measured else sandbox.command(command)
        printed = done.out + done.err if not is_measured else done.err + done.out
    lines = [line.rstrip() for line in printed.replace("\u00a0", " ").splitlines()]
    pattern = "".join(
        expected(line.rstrip(), is_measured=is_measured)
        for line in shown.replace("\u00a0", " ").splitlines()
    )
    assert re.fullmatch(pattern, "\n".join([*lines, ""])), f"{command}\n{printed}"


def expected(line: str, *, is_measured: bool) -> str:
    """Return a regular expression for a *line*; another machine has other figures."""
    if line == "…":
        return LEFT_OUT
    whole, last = line.removesuffix("…"), ".*" if line.endswith("…") else ""
    if not is_measured:
        return re.escape(whole) + last + r"\n"
    if " of tier " in line:  # another tier has other processes
        return r"\S+ cells?, \S+ process(?:es)? of tier .+\n"
    words = (
        r"\S+" if re.search(r"\d", it) else re.escape(it) for it in whole.split()
    )  # columns are as wide as what stands in them
    return " *" + " +".join(words).replace("Xeon", ".+") + last + r"\n"


def python(
    sandbox: Sandbox, together: list[Block], outputs: Mapping[Block, str]
) -> None:
    """Run all of a page in one process: later blocks use names of earlier ones."""
    mark = "\n##\n"
    program = f"print({mark!r})\n".join(block.text for block in together)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=sandbox.folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for block, printed in zip(together, done.stdout.split(f"{mark}\n"), strict=True):
        assert printed == outputs.get(block, printed), block


def sql(sandbox: Sandbox, together: list[Block], outputs: Mapping[Block, str]) -> None:
    if any("read_parquet" in block.text for block in together):
        duck(sandbox, together)
        return
    if sandbox.hosts and "create_distributed_table" in together[0].text:
        with sandbox.hosts.first.connect("host") as server:
            server.execute(CITUS.encode())
            server.execute("".join(block.text for block in together).encode())
        return
    with closing(sqlite3.connect(sandbox.folder / "results.sqlite")) as opened:
        for block in together:
            cursor = opened.execute(block.text)
            rows = [[column[0] for column in cursor.description], *cursor]
            lines = ["|".join("" if x is None else str(x) for x in row) for row in rows]
            assert lines == outputs[block].splitlines()


def duck(sandbox: Sandbox, together: list[Block]) -> None:
    (extension,) = Path(duckdb_extension_sqlite_scanner.__path__[0]).rglob(
        "*_extension"
    )  # from its package: tests load nothing from DuckDB's server
    text = "".join(block.text for block in together).replace("INSTALL sqlite;", "")
    text = text.replace("LOAD sqlite;", f"LOAD '{extension}';")
    with chdir(sandbox.folder), duckdb.connect() as connection:
        for statement in filter(str.strip, text.split(";")):
            assert connection.execute(statement).fetchall() is not None


def parsed(
    parse: Callable[[str], Any],
) -> Callable[[Sandbox, list[Block], Mapping[Block, str]], None]:
    """Return what runs blocks that are data: somebody can read them."""

    def run(_: Sandbox, together: list[Block], __: Mapping[Block, str]) -> None:
        for block in together:
            assert parse(block.text)

    return run


RUN = {
    "bash": bash,
    "console": console,
    "python": python,
    "sql": sql,
    "toml": parsed(tomllib.loads),
    "json": parsed(json.loads),
    "yaml": parsed(yaml.safe_load),
}


def test_every_block_says_its_language():
    languages = {block.language for path in DOCUMENTS for block in blocks(path)}

    assert languages <= {*RUN, *NO_CODE}


@pytest.mark.parametrize(
    "path",
    [it for it in DOCUMENTS if TRANSLATED.search(it.name)],
    ids=attrgetter("name"),
)
def test_a_translation_has_the_commands_of_its_original(path: Path):
    original = path.with_name(TRANSLATED.sub(".md", path.name))

    assert [*map(bare, blocks(path))] == [*map(bare, blocks(original))]
    languages = {it for block in blocks(path) for it in LANGUAGE.findall(block.text)}
    assert languages <= {*available()}
    assert len(languages) == 1


def bare(block: Block) -> tuple[str, str, str]:
    """Return what a block does: without remarks, and in whatever language."""
    text = re.sub(r" *(#.*)?$", "", LANGUAGE.sub("", block.text), flags=re.MULTILINE)
    return block.language, block.about, text


def test_what_another_test_runs_is_in_a_document_and_in_that_test():
    texts = [block.text for path in DOCUMENTS for block in blocks(path)]
    for line, test in RUN_BY.items():
        assert any(re.search(f"^{re.escape(line)}", it, re.MULTILINE) for it in texts)
        assert (CHECKOUT / test).is_file()


@pytest.mark.parametrize(
    "line",
    [
        "sbatch --nodlist=node7 node7.sh",
        "rsync -z collectors node7:benchdb/",
        "ssh node8 true",
        "parallel --jbos 1",
        "curl -s --jsno https://example.org/bench/index.json",
        "sudo -n true",
    ],
)
def test_a_stand_in_refuses_what_the_program_would_not_do_here(line: str):
    name, *words = line.split()

    with pytest.raises(SystemExit) as ended:
        stand_ins.PROGRAMS[name](words)

    assert ended.value.code


# --- commands ---


DOCUMENTED = [it for it in DOCUMENTS if commands(it)]


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that *words* name, and the rest of them."""
    if words[0].startswith("-"):
        return typer.main.get_command(app), words
    assert words[0] in COMMANDS
    command = command_called(words[0])
    rest = words[1:]
    while below := getattr(command, "commands", None):
        rest = rest or ["list"]  # of a group that lists where nothing else is asked
        command, rest = below[rest[0]], rest[1:]
    return command, rest


@cache
def command_called(name: str) -> Any:
    return typer.main.get_command(import_module(module_of(name)).app)


@pytest.mark.parametrize("path", DOCUMENTED, ids=attrgetter("name"))
def test_every_command_in_a_document_exists_with_its_options(path: Path):
    for words in commands(path):
        command, rest = command_of(words)
        parser = command.make_parser(command.context_class(command))

        parser.parse_args(rest)  # raises of an unknown option
