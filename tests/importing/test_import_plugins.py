"""Formats of other packages: installed for real, and what may be wrong with them."""

import os
import sqlite3
from pathlib import Path

import pytest

from benchdb import __version__
from tests.command_line import Outcome, benchdb
from tests.importing.plugin_projects import installed

ACME = '''
"""Results of acme-bench: a first line, then a name and seconds in each."""

from functools import partial

from benchdb.exchange.messages import Environment, Value
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import DocumentError


def recognises(document):
    return document.content.startswith(b"acme-bench")


def read(document, about):
    if document.lines[0] != "acme-bench 1":
        raise DocumentError(f"{document.lines[0]!r} is read by nobody")
    source = building.source(document, about, "acme")
    for number, line in enumerate(document.lines[1:], start=2):
        make = partial(_record, source, number, *line.split())
        yield building.attempt(make, line=number, raw=line)


def _record(source, number, name, seconds, size="1"):
    if not seconds.replace(".", "").isdigit():
        raise RefusedError(f"{seconds!r} is no number")
    return building.record(
        run=building.run(
            workload=f"acme/{name}",
            framework="acme",
            device="cpu",
            label="aggregate",
            locator=f"line {number}",
            parameters={"size": int(size)},
        ),
        machine=building.unknown_machine(),
        environment=Environment(key="-"),
        source=source,
        values=[
            Value(
                metric="operation_seconds",
                value=float(seconds),
                printed=seconds,
                locator=f"line {number}",
            )
        ],
    )
'''
RESULTS = "acme-bench 1\nsort 0.25\nsum 0.5"
BROKEN = {
    "needy": "import no_such_module",
    "script": "raise SystemExit('usage: script FILE')",
    "halfway": "def recognises(document):\n    return True",
    "brittle": "def recognises(document):\n    return {}['x']\nread = recognises",
    "careless": """
def recognises(document):
    return document.text.startswith("careless")

def read(document, about):
    yield from []
    raise KeyError("two\\nlines")
""",
    "leaving": """
def recognises(document):
    return document.text.startswith("leaving")

def read(document, about):
    raise SystemExit("usage: script FILE")
""",
}
FAULTS = {
    "needy": "cannot be used: ModuleNotFoundError: No module named 'no_such_module'",
    "script": "cannot be used: SystemExit: usage: script FILE",
    "halfway": "cannot be used: halfway has no function 'read'",
    "brittle": "failed to recognise the document: KeyError: 'x'",
    "hyperfine": "cannot be used: benchdb has a format of this name itself",
    "benchdb": "cannot be used: benchdb has a format of this name itself",
}


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("acme")
    return installed(folder, "acme-formats", {"acme": "acme"}, {"acme": ACME})


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("broken")
    entry_points = {name: name for name in BROKEN}
    entry_points |= {"hyperfine": "brittle", "benchdb": "brittle", "acme": "brittle"}
    return installed(folder, "broken-formats", entry_points, BROKEN, version="0.3")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.txt"
    path.write_text(RESULTS)
    return path


def use(monkeypatch, *folders):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, folders)))


def stored(db):
    """Return what the database holds: workload, metric, figure, and who read it."""
    query = """
        SELECT run.workload, value.metric, value.value, value.printed,
               source.importer, source.importer_version
        FROM run JOIN value ON value.run = run.digest
        JOIN source ON source.digest = run.source
        ORDER BY run.workload
    """
    with sqlite3.connect(db) as connection:
        return connection.execute(query).fetchall()


def test_a_format_of_an_installed_package_is_rehearsed_and_imported_once(
    monkeypatch, acme, results, db
):
    use(monkeypatch, acme)

    rehearsed = benchdb("import", "--dry-run", results, "--db", db)
    made = db.exists()
    done, again = (benchdb("import", results, "--db", db) for _ in range(2))

    reader = ("acme", f"1.2 (benchdb {__version__})")
    assert ("2 runs, 2 new [acme]" in rehearsed.out, made) == (True, False)
    assert done.out.startswith(f"{results}: 2 runs, 2 new [acme]\n")
    assert again.out == f"{results}: 2 runs, 0 new (file imported before) [acme]\n"
    assert stored(db) == [
        ("acme/sort", "operation_seconds", 0.25, "0.25", *reader),
        ("acme/sum", "operation_seconds", 0.5, "0.5", *reader),
    ]


def test_a_record_that_cannot_be_taken_is_refused_alone(monkeypatch, acme, results, db):
    use(monkeypatch, acme)
    results.write_text(f"{RESULTS}\nhuge 1 {2**70}\nodd soon")

    done = benchdb("import", results, "--db", db)

    assert done.err.splitlines() == [
        f"benchdb: {results}:4: an integer is beyond 64 bits",
        f"benchdb: {results}:5: 'soon' is no number",
    ]
    assert len(stored(db)) == 2


def test_what_a_format_itself_says_of_a_document_is_told_as_it_is(
    monkeypatch, acme, results, db
):
    use(monkeypatch, acme)
    results.write_text("acme-bench 2")

    done = benchdb("import", results, "--db", db)

    assert done.err == f"benchdb: {results}: 'acme-bench 2' is read by nobody\n"


def test_without_the_package_its_documents_are_of_no_format(results, db):
    done = benchdb("import", results, "--db", db)

    assert done.status == 1
    assert "no format that benchdb knows" in done.err


@pytest.fixture(scope="module")
def refusal(broken: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Import a document that no format knows, and one of ours beside it."""
    folder = tmp_path_factory.mktemp("refusal")
    (path := folder / "theirs.txt").write_text(RESULTS)
    ours = Path(__file__).parents[1] / "fixtures" / "two_runs.jsonl"
    with pytest.MonkeyPatch.context() as monkeypatch:
        use(monkeypatch, broken)
        return benchdb("import", path, ours, "--db", folder / "results.sqlite")


@pytest.mark.parametrize("name", FAULTS)
def test_a_format_that_cannot_be_used_is_told_where_no_other_knows_a_document(
    refusal, name
):
    title = f"format {name!r} of the package broken-formats 0.3"
    assert f"{title} {FAULTS[name]}; update or uninstall broken-formats" in refusal.err


def test_all_of_it_is_one_line_and_the_other_documents_are_imported(refusal):
    assert refusal.err.count("\n") == 1
    assert "no format that benchdb knows" in refusal.err
    assert "2 runs, 2 new" in refusal.out
    assert refusal.status == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("careless", "KeyError: 'two\\nlines'"),
        ("leaving", "SystemExit: usage: script FILE"),
    ],
)
def test_a_format_that_fails_while_it_reads_is_named_and_keeps_nothing(
    monkeypatch, broken, two_runs, tmp_path, db, name, why
):
    use(monkeypatch, broken)
    (path := tmp_path / f"{name}.txt").write_text(name)

    done = benchdb("import", path, two_runs, "--db", db)

    assert done.err == (
        f"benchdb: {path}: format {name!r} of the package broken-formats 0.3 "
        f"failed to read the document: {why}; "
        "update or uninstall broken-formats\n"
    )
    assert "2 runs, 2 new" in done.out
    assert stored(db) == []


def test_a_broken_package_is_in_nobodys_way(monkeypatch, acme, broken, results, db):
    use(monkeypatch, acme, broken)
    ours = results.with_name("hyperfine.json")
    ours.write_text('{"results": [{"command": "ls", "times": [0.5]}]}')

    done = benchdb("import", results, ours, "--db", db)

    assert (done.status, done.err) == (0, "")
    assert [row[0] for row in stored(db)] == [
        *("acme/sort", "acme/sum", "hyperfine/ls")
    ]
