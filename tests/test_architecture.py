"""Imports point one way: a module imports only from those below it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.import_order import ORDER

CHECKOUT = Path(__file__).parents[1]
PACKAGE = CHECKOUT / "benchdb"

LEVELS = {
    name: level for level, line in enumerate(ORDER.split("\n")) for name in line.split()
}


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if "_data" not in path.parts:
            found[name.removesuffix(".__init__")] = path
    return found


def imported(path: Path) -> set[str]:
    """Return the modules of ours that the file at *path* imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    ours = {name.removeprefix("benchdb.") for name in names if "benchdb" in name}
    return ours & modules().keys()


def test_every_module_has_its_place():
    assert sorted(LEVELS) == sorted(modules())


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_module_imports_only_from_below(name):
    above = {
        other
        for other in imported(modules()[name])
        if other != name and LEVELS[other] <= LEVELS[name]
    }

    assert above == set()


def test_the_collectors_know_nothing_of_the_package_nor_it_of_them():
    collectors = {path.stem for path in (CHECKOUT / "collectors").glob("*.py")}
    for path in (CHECKOUT / "collectors").glob("*.py"):
        assert not re.search(r"^\s*(from|import) benchdb", path.read_text(), re.M), path
    for path in modules().values():
        names = set(re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.M))
        assert not names & collectors, path


@pytest.mark.parametrize("name", sorted(modules()))
def test_only_the_command_line_prints(name):
    calls = re.findall(
        r"\b(print|typer\.echo|sys\.stdout\.write)\(", modules()[name].read_text()
    )

    assert not calls or name.startswith("cli") or name == "exchange.schema"


@pytest.mark.parametrize("folder", ["benchdb", "collectors", "tests"])
def test_files_stay_small(folder):
    long = {
        str(path.relative_to(CHECKOUT)): lines
        for path in (CHECKOUT / folder).rglob("*.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 500
    }

    assert long == {}


def test_data_folders_hold_no_code_but_migrations():
    python = [
        path.relative_to(CHECKOUT).parts[:2]
        for folder in ("reports", "schema", "published")
        for path in (CHECKOUT / folder).rglob("*.py")
    ]

    assert set(python) <= {("schema", "migrations")}


def test_no_group_is_possessive():
    """Python 3.11.2, the one of Debian 12, forgets where such a group began."""
    patterns = {
        str(path.relative_to(CHECKOUT)): found
        for folder in ("benchdb", "collectors")
        for path in (CHECKOUT / folder).rglob("*.py")
        if (found := re.findall(r"[^\[(]\)(?:[*+?]|\{\d*,?\d*\})\+", path.read_text()))
    }

    assert patterns == {}
