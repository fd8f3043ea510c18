"""SECURITY.md names a test for each defence: each of them is there."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {stmt.name for stmt in tree.body if isinstance(stmt, ast.FunctionDef)}
    return {name for name in texts if name.startswith("test_")}


def test_every_test_that_a_defence_rests_on_exists():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    gone = [f"{path}::{name}" for path, name in named if name not in _of(path)]

    assert len(named) > 40
    assert gone == []


def _of(path: str) -> set[str]:
    return names_in(ROOT / path) if (ROOT / path).is_file() else set()


def test_every_threat_has_a_test():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    _, _, threats = text.partition("## Threats")
    rows = [
        line
        for line in threats.splitlines()
        if line.startswith("| ") and not line.startswith("| threat")
    ]

    assert [row for row in rows if "::" not in row] == []
