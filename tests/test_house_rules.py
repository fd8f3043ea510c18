"""Rules of the house that a test can hold."""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
MODULES = [
    path for path in (CHECKOUT / "benchdb").rglob("*.py") if "_data" not in path.parts
]


def test_the_collectors_know_nothing_of_the_package_nor_it_of_them():
    collectors = {path.stem for path in (CHECKOUT / "collectors").iterdir()}
    for path in (CHECKOUT / "collectors").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) benchdb", path.read_text(), re.M), path
    for path in MODULES:
        names = set(re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.M))
        assert not names & collectors, path


def test_no_module_of_the_collectors_hides_a_package_from_a_framework():
    names = {path.stem for path in (CHECKOUT / "collectors").iterdir()}

    # Transformers looks for the last: Hugging Face's data sets.
    assert names.isdisjoint({*packages_distributions(), "datasets"})


def test_only_the_command_line_prints():
    printing = re.compile(r"\b(print|typer\.echo|sys\.stdout\.write)\(")
    printers = {
        path.relative_to(CHECKOUT / "benchdb").parts[:2]
        for path in MODULES
        if printing.search(path.read_text(encoding="utf-8"))
    }

    assert {parts for parts in printers if parts[0] != "cli"} == {
        ("exchange", "schema.py")
    }


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
        str(path.relative_to(CHECKOUT)): result
        for folder in ("benchdb", "collectors")
        for path in (CHECKOUT / folder).rglob("*.py")
        if (result := re.findall(r"[^\[(]\)(?:[*+?]|\{\d*,?\d*\})\+", path.read_text()))
    }

    assert patterns == {}


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield what a module calls its imports, classes, functions and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield node.name or ""
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def test_pronouns_and_participles_name_nothing():
    tests, fakes = CHECKOUT / "tests", CHECKOUT / "tests" / "fakes"
    own = [path for path in tests.rglob("*.py") if fakes not in path.parents]
    folders = [CHECKOUT / it for it in ("benchmarks", "collectors", "tools")]
    others = [path for folder in folders for path in folder.rglob("*.py")]
    paths = [*MODULES, *others, *own]
    named = {path: set(names_in(ast.parse(path.read_text()))) for path in paths}

    pronouns = {"one", "told", "found", "said", "apart"}
    wrong = {str(path): names & pronouns for path, names in named.items()}
    assert len(named) > 900
    assert {path: names for path, names in wrong.items() if names} == {}
