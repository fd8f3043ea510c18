"""The program that runs the mutants: where it finds a line, and what it counts."""

from pathlib import Path

import pytest

from tools.mutants import TABLE, Mutant, lines_in_scopes, outcome, place, read, summary

SOURCE = """
LIMIT = 3


@cache
def far(a):
    if a > LIMIT:
        return True


class Point:
    x: int = 0

    def far(self):
        def inner():
            return self.x > LIMIT

        return inner()
"""


def mutant(function: str, original: str, module: str = "benchdb/a.py") -> Mutant:
    return Mutant("1", "area", module, function, "AddNot", original, "", "test_a")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("benchdb", "collectors"):
        (tmp_path / folder).mkdir()
    (tmp_path / "benchdb" / "a.py").write_text(SOURCE)
    return tmp_path


def test_each_line_is_named_after_the_function_or_class_around_it():
    scopes = {line: scope for scope, line in lines_in_scopes(SOURCE) if line}

    assert scopes["LIMIT = 3"] == "<module>"
    assert scopes["@cache"] == scopes["if a > LIMIT:"] == "far"
    assert scopes["x: int = 0"] == "Point"
    assert scopes["return inner()"] == "Point.far"
    assert scopes["return self.x > LIMIT"] == "Point.far.inner"


def test_a_line_is_found_where_the_table_has_it_and_where_it_was_moved(tree: Path):
    file = tree / "benchdb" / "a.py"

    assert place(mutant("far", "if a > LIMIT:"), tree) == (file, 6)
    assert place(mutant("far", "if a > LIMIT:", "benchdb/gone.py"), tree) == (file, 6)
    assert place(mutant("Gone.far", "return inner()"), tree) == (file, 17)


def test_a_line_that_changed_or_stands_in_several_places_is_not_found(tree: Path):
    (tree / "benchdb" / "b.py").write_text(SOURCE)

    assert place(mutant("far", "if a >= LIMIT:"), tree) is None
    assert place(mutant("near", "if a > LIMIT:"), tree) is None
    assert place(mutant("far", "if a > LIMIT:", "benchdb/gone.py"), tree) is None
    assert place(mutant("far", "if a > LIMIT:"), tree) is not None


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("pass", ("survived", "")),
        ("raise ValueError", ("killed", "tests/test_a.py::test_a")),
    ],
)
def test_a_mutant_is_killed_where_a_test_fails(tree: Path, statement, expected):
    (tree / "tests").mkdir()
    (tree / "tests" / "test_a.py").write_text(f"def test_a():\n    {statement}\n")

    assert outcome(tree, ["tests/test_a.py"]) == expected
    assert outcome(tree, ["tests/test_gone.py"]) == ("not run", "")


def test_equivalent_mutants_have_no_share():
    results = ("killed", "timeout", "survived", "equivalent")
    row = mutant("far", "x")

    *_, last = summary([row._replace(result=result) for result in results]).splitlines()

    assert last.split() == ["all", "4", "1", "1", "1", "1", "0", "66.7%"]


def test_the_table_names_tests_that_there_are_and_says_why_a_mutant_may_live():
    table = read(TABLE)
    folder = TABLE.parent
    named = {name for row in table for name in row.tests.split()}

    assert [row.number for row in table] == [str(n + 1) for n in range(len(table))]
    assert [name for name in named if not (folder / f"{name}.py").is_file()] == []
    assert all(row.remark for row in table if row.result == "equivalent")
