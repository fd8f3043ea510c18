"""Rules and sections of other packages: used, or named in one line; nothing breaks."""

import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchdb import extensions
from benchdb.report.language import load
from benchdb.report.wording.notes import reason_text
from tests.command_line import benchdb
from tests.importing.plugin_projects import installed

RULES = {
    "slow": """
METRICS = {"samples_per_second"}

def doubts(run):
    if run.values.get("samples_per_second", 999) < 500:
        yield "samples_per_second", {"says": "Slower than <last> year."}
""",
    "failing": "def doubts(run):\n    return {}[run.run]",
    "odd": "def doubts(run):\n    yield 7, {}",
    "absent": "import no_such_module",
    "bare": "",
}
SECTIONS = {
    "fine": "def page(rows):\n    return 'Mine', f'<p>{len(rows)} rows</p>'",
    "broken": "def page(rows):\n    return rows[10**9]",
    "empty": "def page(rows):\n    return None",
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("packages")
    some = [
        installed(
            *(folder, f"acme-{kind}", {name: name for name in modules}, modules),
            kind=kind,
        )
        for kind, modules in (("rules", RULES), ("sections", SECTIONS))
    ]
    return os.pathsep.join(map(str, some))


@pytest.fixture
def db(packages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", packages)
    monkeypatch.setenv("BENCHDB_DB", str(tmp_path / "results.sqlite"))
    return tmp_path / "results.sqlite"


def test_a_rule_doubts_in_its_own_words_and_those_that_fail_are_named_once(
    db, two_runs
):
    done = benchdb("import", two_runs)
    with sqlite3.connect(db) as connection:
        result = connection.execute(
            "SELECT code, metric, detail FROM finding WHERE code = 'slow'"
        ).fetchall()
    text = reason_text(load("en"), "slow", json.loads(result[0][2]))

    assert done.status == 0
    assert [(code, metric) for code, metric, _ in result] == [
        ("slow", "samples_per_second")
    ]
    assert json.loads(result[0][2]) == {"says": "Slower than <last> year."}
    start = "benchdb: warning: rule"
    package = "of the package acme-rules 1.2"
    end = "; update or uninstall acme-rules"
    assert sorted(done.err.splitlines()) == [
        f"{start} 'absent' {package} cannot be used: ModuleNotFoundError: No module "
        f"named 'no_such_module'{end}",
        f"{start} 'bare' {package} cannot be used: bare has no function 'doubts'{end}",
        f"{start} 'failing' {package} failed, and finds nothing: KeyError: "
        f"{found_run(db)!r}{end}",
        f"{start} 'odd' {package} failed, and finds nothing: ValidationError: Expected "
        f"`str | null`, got `int` - at `$[0]`{end}",
    ]
    assert text == "Flagged as “slow”. Slower than <last> year."


def found_run(db: Path) -> str:
    with sqlite3.connect(db) as connection:
        return str(
            connection.execute("SELECT digest FROM run WHERE status = 'ok'").fetchone()[
                0
            ]
        )


def test_a_section_that_fails_leaves_the_rest_of_the_site_as_it_is(
    db, two_runs, tmp_path
):
    benchdb("import", two_runs)

    done = benchdb("report", "--site", tmp_path / "site", "--lang", "en")
    front = (tmp_path / "site" / "index.html").read_text()

    assert done.status == 0
    assert {path.stem for path in (tmp_path / "site").glob("section-*.html")} == {
        "section-fine"
    }
    assert "section-fine.html" in front
    assert "section-broken" not in front
    named = [line for line in done.err.splitlines() if "section" in line]
    assert [line.split(" of the package ")[0] for line in named] == [
        "benchdb: warning: section 'broken'",
        "benchdb: warning: section 'empty'",
    ]


def test_folders_of_the_path_are_looked_through_once_for_all_kinds(
    packages, monkeypatch
):
    monkeypatch.setattr(sys, "path", [*sys.path, *packages.split(os.pathsep)])
    looked: list[Path] = []
    usual = Path.glob

    def glob(self: Path, pattern: str) -> Iterator[Path]:
        looked.append(self)
        return usual(self, pattern)

    monkeypatch.setattr(Path, "glob", glob)
    extensions.installed.cache_clear()
    groups = {kind: extensions.installed(kind) for kind in extensions.GROUPS}

    assert {kind for kind, some in groups.items() if some} >= {"rule", "section"}
    assert sorted(map(str, looked)) == sorted(map(str, map(Path, sys.path)))
    extensions.installed.cache_clear()
