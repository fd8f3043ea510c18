"""Imports point one way: a package imports only from those below it."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "benchdb"
FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in PACKAGE.rglob("*.py")
    if "_data" not in path.parts
}
# From top to bottom; what stands in no line fails.
ORDER = """
__main__ cli report parquet collecting merge importing store plausibility exchange
conditions sessions grading statistics sorted_json identity
files catalogue resources errors __init__
"""
LEVELS = {name: level for level, name in enumerate(ORDER.split())}


def imported(path: Path) -> set[str]:
    """Return the modules of benchdb that the file at *path* imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return {name.removeprefix("benchdb.") for name in names} & FILES.keys()


def test_a_package_imports_only_from_those_below_it():
    for name, path in FILES.items():
        for other in imported(path):
            package, below = name.split(".")[0], other.split(".")[0]
            assert LEVELS[package] <= LEVELS[below], f"{name} imports {other}"


def test_no_modules_import_each_other():
    TopologicalSorter({name: imported(FILES[name]) for name in FILES}).prepare()
