"""Starting up: a command imports what it uses, and nothing heavy beside it.

Nothing here is timed: ``python -m benchmarks help list`` shows what it costs.
"""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer

from benchdb.cli import COMMANDS, module_of

CHECKOUT = Path(__file__).parents[2]

_REPORTS = ("babel", "jinja2", "matplotlib", "benchdb.report")
_IMPORTERS = ("benchdb.importing", "benchdb.merge")
_RECORDS = ("benchdb.exchange", "benchdb.plausibility")
_SERVERS = ("psycopg", "sqlalchemy.dialects.postgresql")
_DATABASES = ("sqlalchemy", "alembic", "benchdb.store")
_NEVER = ("pandas", "numpy", "torch", "tensorflow", "pydantic", "alembic", "mako")
_LIGHT = (*_NEVER, *_REPORTS, *_IMPORTERS, *_RECORDS, *_SERVERS)


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    database = tmp_path_factory.mktemp("start-up") / "results.sqlite"
    return Path(shutil.copyfile(CHECKOUT / "results.sqlite", database))


def loaded(*arguments: object) -> set[str]:
    """Return the modules that a command has imported when it ends."""
    # At exit, so that what a command imports in the end counts as well.
    text = (
        "import atexit, sys; "
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        f"sys.argv[:] = {['benchdb', *map(str, arguments)]!r}; "
        "from benchdb.cli import main; main()"
    )
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def some_of(names: tuple[str, ...], texts: set[str]) -> set[str]:
    return {
        name for name in names if any(f"{it}.".startswith(f"{name}.") for it in texts)
    }


def test_help_and_version_load_neither_a_command_nor_a_database():
    heavy = (*_LIGHT, *_DATABASES, "msgspec", "wcwidth")
    for asked in ("--help", "--version"):
        texts = loaded(asked)

        assert some_of(heavy, texts) == set(), asked
        assert {module_of(name) for name in COMMANDS} & texts == set(), asked


def test_the_list_loads_what_it_reads_with_and_nothing_that_writes_or_judges(published):
    texts = loaded("list", "--limit", 5, "--chip", "M1 Max", "--db", published)

    judges = ("benchdb.grading", "benchdb.store.run_grades", "benchdb.store.results")
    writes = ("rich", "benchdb.store.write", "benchdb.store.read")
    assert some_of((*_LIGHT, *judges, *writes), texts) == set()
    assert "sqlalchemy.dialects.sqlite" in texts


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["workloads"], (*_LIGHT, *_DATABASES)),
        (["machines", "list"], (*_NEVER, *_REPORTS, *_IMPORTERS, *_SERVERS)),
        (["quarantine", "list"], (*_NEVER, *_REPORTS, *_IMPORTERS, *_SERVERS)),
        (["query", "SELECT 1"], (*_NEVER, *_REPORTS, *_IMPORTERS, *_SERVERS)),
        (["db", "version"], (*_NEVER, *_REPORTS, *_IMPORTERS, *_SERVERS)),
        (["import", "--help"], (*_NEVER, *_REPORTS, "benchdb.importing.guess")),
    ],
)
def test_other_commands_load_no_part_that_is_not_theirs(
    arguments, heavy, published, monkeypatch
):
    monkeypatch.setenv("BENCHDB_DB", str(published))

    assert some_of(heavy, loaded(*arguments)) == set()


def test_a_page_loads_no_other_format_and_nothing_that_writes(
    published, tmp_path, monkeypatch
):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))
    # Facts of all of the shipped results ship as well; not those of a part.
    page = ("--chip", "M1 Max", "--format", "html", "-o", tmp_path, "--db", published)
    texts = loaded("report", *page, "--lang", "en")

    formats = ("charts.mpl", "markdown", "data_files", "database_file")
    others = tuple(f"benchdb.report.{name}" for name in formats)
    writes = ("benchdb.store.write", "benchdb.store.derived", "benchdb.store.rows")
    judges = ("benchdb.plausibility", "benchdb.collecting")
    heavy = (*_NEVER, "matplotlib", *_IMPORTERS, *_SERVERS, *others, *writes, *judges)
    assert some_of(heavy, texts) == set()

    german = loaded("report", *page, "--lang", "de")
    readers = (*_DATABASES, "benchdb.report.scope", "benchdb.site.content")
    assert some_of((*heavy, *readers), german) == set()

    again = loaded("report", *page, "--lang", "en")
    assert some_of((*_LIGHT, *_DATABASES), again) == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_that_is_shown_without_a_command_is_its_own(name):
    command = typer.main.get_command(import_module(module_of(name)).app)

    assert COMMANDS[name] == (command.help or "").split("\n\n")[0].replace("\n", " ")
