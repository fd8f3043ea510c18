"""Imports point one way, as the picture in ARCHITECTURE.md shows."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = {
    ".".join(path.relative_to(ROOT / "benchdb").with_suffix("").parts): path
    for path in (ROOT / "benchdb").rglob("*.py")
    if "_data" not in path.parts and path.name != "__main__.py"
}


def imported(path: Path) -> set[str]:
    """Return the modules of benchdb that the file at *path* imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{it.name}" for it in node.names)}
    return {name.removeprefix("benchdb.") for name in names} & FILES.keys()


def test_packages_import_each_other_as_the_picture_shows():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    arrows = set(re.findall(r"^ +(\w+) --> (\w+)$", text, re.MULTILINE))
    uses = {
        (a.split(".")[0], b.split(".")[0]) for a in FILES for b in imported(FILES[a])
    }
    below = {a: {b for start, b in arrows if start == a} for pair in uses for a in pair}
    for package in TopologicalSorter(below).static_order():
        below[package] |= {b for direct in below[package] for b in below[direct]}

    assert {(a, b) for a, b in uses if a != b and b not in below[a]} == set()
    assert arrows - uses == set()


def test_no_modules_import_each_other():
    TopologicalSorter({name: imported(FILES[name]) for name in FILES}).prepare()
