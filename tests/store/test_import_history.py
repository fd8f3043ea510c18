"""``import --undo``: the last import is taken back whole, and nothing else."""

import random
from pathlib import Path
from typing import Any

import pytest

from benchdb.importing.intake import files
from benchdb.importing.mapping import maps
from benchdb.importing.provenance import About
from benchdb.merge import How, import_files
from benchdb.resources import folder
from benchdb.store import import_history
from benchdb.store.database import open_database, writing
from tests.contents import contents
from tests.in_process import benchdb
from tests.proposed_sources import lone_source

FIXTURES = Path(__file__).parents[1] / "fixtures"
PUBLISHED = folder("published")
BENCH, NEEDLE = PUBLISHED / "m1tensorbench.jsonl", PUBLISHED / "needle-metal.jsonl"
NOTED = "import_part"


def import_(db: object, *arguments: object) -> str:
    done = benchdb("import", *arguments, "--db", db)
    assert done.status in (0, 1), done.err
    return done.out


def undo(db: object) -> str:
    done = benchdb("import", "--undo", "--db", db)
    assert done.status == 0, done.err
    return done.out


def tables(db: object) -> dict[str, list[Any]]:
    return contents(open_database(str(db)))


def sound(db: object) -> bool:
    done = benchdb("db", "check", "--db", db)
    return done.status == 0 or pytest.fail(done.out)


def part_of(file: Path, target: Path, *, keep: int) -> Path:
    """Write the first *keep* lines of a file, up to the end of a run."""
    lines = file.read_text().splitlines(keepends=True)
    while '"type":"end"' not in lines[keep - 1]:
        keep -= 1
    target.write_text("".join(lines[:keep]))
    return target


@pytest.fixture
def documents(tmp_path) -> list[Path]:
    """Files of several kinds that overlap: their runs, sources, machines, documents."""
    (tmp_path / "files").mkdir()
    room = tmp_path / "files"
    half = part_of(BENCH, room / "half.jsonl", keep=60)
    broken = room / "broken.jsonl"
    broken.write_text(NEEDLE.read_text() + '{"type":"mystery"}\n')
    lone = room / "friend.jsonl"
    lone.write_text(lone_source("friend"))
    samples = [
        FIXTURES / "tools" / name for name in ("llama-bench.json", "hyperfine_two.json")
    ]
    return [BENCH, half, NEEDLE, broken, lone, *samples, FIXTURES / "two_runs.jsonl"]


def test_after_an_import_and_its_undoing_the_database_is_what_it_was(
    backend, documents, two_runs
):
    db = backend.holding(NEEDLE, two_runs)
    before = tables(db)

    import_(db, *documents)
    text = undo(db)

    assert text.startswith(
        "took back the import of m1tensorbench.jsonl and 7 more files"
    )
    assert tables(db) == before
    assert sound(db)


@pytest.mark.parametrize("seed", range(3))
def test_imports_are_undone_one_after_the_other_down_to_the_first(
    tmp_path, documents, seed
):
    db, draw = tmp_path / "results.sqlite", random.Random(seed)  # noqa: S311 - no secret
    import_(db, FIXTURES / "two_runs.jsonl")
    states = [tables(db)]
    for _ in range(4):
        import_(db, *draw.sample(documents, draw.randint(1, 4)))
        states.append(tables(db))

    for state in reversed(states[:-1]):
        undo(db)
        assert tables(db) == state
    assert sound(db)


def test_runs_that_another_import_gave_as_well_stay(backend, tmp_path):
    db = backend.database()
    half = part_of(BENCH, tmp_path / "half.jsonl", keep=60)
    import_(db, half)
    before = tables(db)
    import_(db, BENCH)

    text = undo(db)

    given = len(before["run"])
    assert f": {45 - given} runs, " in text
    assert text.endswith(f"; {given} runs that came another way stay\n")
    assert tables(db) == before


def test_a_file_imported_twice_stays_when_the_second_time_is_undone(backend):
    db = backend.database()
    import_(db, BENCH)
    before = tables(db)
    import_(db, BENCH)

    text = undo(db)

    assert text.endswith(": 0 runs; 45 runs that came another way stay\n")
    assert tables(db) == before


def test_what_was_refused_before_is_refused_again(tmp_path):
    db, file = tmp_path / "results.sqlite", tmp_path / "broken.jsonl"
    file.write_text(NEEDLE.read_text() + '{"type":"mystery"}\n')
    import_(db, file)
    before = tables(db)

    import_(db, file)
    again = undo(db)
    whole = undo(db)

    assert "0 runs; 10 runs that came another way stay" in again
    assert "10 runs, 4 claims, 1 source, " in whole
    assert ", 1 refused record\n" in whole
    assert len(before["quarantine"]) == 1
    assert not any(rows for name, rows in tables(db).items() if name != "made_by")


def test_an_import_that_is_still_going_on_keeps_what_it_met(tmp_path, documents):
    # Two processes, file by file; the one that ends last is undone first.
    for order in ("aab", "aba", "abab", "abba", "baab"):
        both, alone = (tmp_path / f"{name}{order}.sqlite" for name in ("both", "alone"))
        calls = {name: import_history.begin() for name in "ab"}
        engine = open_database(str(both), create=True)
        given: dict[str, list[Path]] = {"a": [], "b": []}
        for name, file in zip(
            order, [BENCH, documents[1], BENCH, documents[3]], strict=False
        ):
            list(import_files(engine, [file], How(import_=calls[name])))
            given[name].append(file)
        last = order[-1]

        undo(both)

        rest = open_database(str(alone), create=True)
        list(import_files(rest, given["b" if last == "a" else "a"]))
        ours, theirs = contents(engine), contents(rest)
        assert ours | {NOTED: []} == theirs | {NOTED: []}, order
        undo(both)
        assert not any(rows for name, rows in tables(both).items() if name != "made_by")


def test_a_reading_that_took_the_place_of_another_is_taken_back(tmp_path):
    db, table = tmp_path / "results.sqlite", tmp_path / "table.md"
    table.write_text("| Model | Time (s) |\n|---|---|\n| resnet50 | 3.2 |\n")
    engine = open_database(str(db), create=True)
    states = []
    for version, metric in ((1, "step_seconds"), (2, "epoch_seconds")):
        text = (
            f'version = {version}\n[set]\ndevice = "metal"\nframework = "mlx"\n'
            '[[table]]\n[table.columns]\nModel = { field = "workload" }\n'
            f'"Time (s)" = {{ is = "value", metric = "{metric}" }}\n'
        )
        map_ = maps.parse(text.encode(), "table")
        how = How(map_, About(url="https://example.org"), None, import_history.begin())
        states.append(contents(engine))
        assert [file.clean for file in import_files(engine, files([table]), how)] == [
            True
        ]

    for state in reversed(states):
        with writing(engine) as connection:
            import_history.undo(connection)
        assert contents(engine) == state


def test_what_was_decided_about_an_imported_source_goes_with_it(tmp_path):
    db = tmp_path / "results.sqlite"
    import_(db, FIXTURES / "two_runs.jsonl")
    before = tables(db)
    import_(db, BENCH)
    there = {row[0] for row in before["machine"]}
    theirs = [row[0] for row in tables(db)["machine"] if row[0] not in there]
    assert benchdb("machines", "merge", *theirs[:2], "--db", db).status == 0

    undo(db)

    assert tables(db) == before
    assert sound(db)


def test_what_was_forgotten_meanwhile_stays_forgotten(tmp_path):
    db = tmp_path / "results.sqlite"
    import_(db, BENCH, NEEDLE)
    assert benchdb("forget", "m1tensorbench", "--yes", "--db", db).status == 0

    text = undo(db)

    assert ": 10 runs, " in text
    assert "45 runs were forgotten here" in import_(db, BENCH)
    assert tables(db)["run"] == []


def test_a_retry_of_refused_records_is_an_import_of_its_own(tmp_path):
    db, file = tmp_path / "results.sqlite", tmp_path / "broken.jsonl"
    file.write_text(NEEDLE.read_text() + '{"type":"mystery"}\n')
    import_(db, file)
    benchdb("quarantine", "retry", "--db", db)

    assert "0 runs; 10 runs that came another way stay" in undo(db)
    assert "10 runs" in undo(db)


def test_a_rehearsed_undo_says_what_would_go_and_changes_nothing(tmp_path):
    db = tmp_path / "results.sqlite"
    import_(db, BENCH)
    before = tables(db)

    outcome = benchdb("import", "--undo", "--dry-run", "--db", db)

    first, second = outcome.out.splitlines()
    assert first.startswith("would take back the import of m1tensorbench.jsonl (")
    assert first.endswith(": 45 runs, 1 source, 5 machines, 2 environments")
    assert second == "nothing was changed (--dry-run)"
    assert tables(db) == before


def test_where_there_is_no_import_one_line_says_so(tmp_path):
    db = tmp_path / "results.sqlite"
    open_database(str(db), create=True).dispose()

    done = benchdb("import", "--undo", "--db", db)

    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "benchdb: there is no import to take back; 'benchdb forget' deletes a run, a "
        "machine or a source\n"
    )


def test_a_rehearsal_is_nothing_to_undo(tmp_path):
    db = tmp_path / "results.sqlite"
    import_(db, NEEDLE)
    import_(db, BENCH, "--dry-run")

    assert "the import of needle-metal.jsonl" in undo(db)


def test_files_beside_undo_are_wrong_use(tmp_path):
    done = benchdb("import", "--undo", BENCH, "--db", tmp_path / "results.sqlite")

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "leave out the files" in done.err
