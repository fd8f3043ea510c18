"""Importing merges: twice, in any order, from many processes."""

import json
import os
import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine

from benchdb.errors import UsageError
from benchdb.importing.intake import files
from benchdb.merge import Outcome, import_files
from benchdb.store.database import open_database
from tests import command_line
from tests.backends import Backend
from tests.contents import contents
from tests.in_process import benchdb


@pytest.fixture
def engine(backend: Backend) -> Engine:
    return open_database(backend.database(), create=True)


def take(engine: Engine, *paths: Path) -> list[Outcome]:
    return list(import_files(engine, files(paths)))


def edited(source: Path, target: Path, number: int, text: str) -> Path:
    lines = source.read_text().splitlines(keepends=True)
    lines[number - 1] = text
    target.write_text("".join(lines))
    return target


def test_a_file_brings_its_runs_values_and_samples(engine, two_runs):
    (outcome,) = take(engine, two_runs)

    groups = contents(engine)
    assert (outcome.runs, outcome.added, outcome.clean) == (2, 2, True)
    assert len(groups["run"]) == 2
    assert len(groups["value"]) == 3
    assert len(groups["machine"]) == len(groups["environment"]) == 1


def test_importing_twice_changes_nothing(engine, two_runs):
    take(engine, two_runs)
    before = contents(engine)

    (again,) = take(engine, two_runs)

    assert (again.runs, again.added, again.known) == (2, 0, True)
    assert contents(engine) == before


def test_the_order_of_files_does_not_matter(tmp_path):
    published = sorted((Path(__file__).parents[2] / "published").glob("*.jsonl"))
    orders = [published, published[::-1], published[2:] + published[:2]]

    tables = []
    for number, order in enumerate(orders):
        engine = open_database(str(tmp_path / f"{number}.sqlite"), create=True)
        assert all(outcome.clean for outcome in take(engine, *order))
        tables.append(contents(engine))

    assert tables[0] == tables[1] == tables[2]


def test_files_that_share_a_transaction_bring_what_each_brings_alone(tmp_path):
    room = tmp_path / "documents"
    room.mkdir()
    sample = Path(__file__).parents[1] / "fixtures" / "tools" / "llama-bench-2025.json"
    for number in range(60):
        entries = json.loads(sample.read_text())
        for entry in entries:
            entry["build_number"] += number
        (room / f"{number:02}.json").write_text(json.dumps(entries))
    together, alone = (
        open_database(str(tmp_path / f"{name}.sqlite"), create=True) for name in "ab"
    )

    assert {outcome.added for outcome in take(together, room)} == {2}
    for path in sorted(room.iterdir()):
        take(alone, path)

    assert contents(together) == contents(alone)


def test_reordering_keys_and_spelling_out_defaults_is_the_same_run(
    engine, two_runs, tmp_path
):
    take(engine, two_runs)
    lines = [json.loads(line) for line in two_runs.read_text().splitlines()]
    for line in lines:
        if line["type"] == "run":
            line |= {"setting": "standard", "workload_version": 1, "basis": {}}
    other = tmp_path / "other.jsonl"
    other.write_text(
        "".join(json.dumps(dict(reversed(line.items()))) + "\n" for line in lines)
    )

    (outcome,) = take(engine, other)

    assert (outcome.runs, outcome.added, outcome.bad) == (2, 0, ())


def test_how_samples_were_flushed_is_not_part_of_a_run(engine, two_runs, tmp_path):
    take(engine, two_runs)
    joined = tmp_path / "joined.jsonl"
    lines = two_runs.read_text().splitlines(keepends=True)
    lines[5:7] = [
        '{"type":"samples","run":"r1","phase":"measure","per":4,'
        '"values":[0.5,0.5625,0.53125]}\n'
    ]
    joined.write_text("".join(lines))

    (outcome,) = take(engine, joined)

    assert outcome.added == 0


@pytest.mark.parametrize(
    ("number", "text", "reason"),
    [
        (5, "{not json\n", "JSON is malformed"),
        (5, '{"type":"samples","run":"r9","phase":"measure","values":[1]}\n', "no run"),
        (5, '{"type":"mystery"}\n', "no line of type 'mystery'"),
        (5, '{"type":"samples","run":"r1","phase":"measure","values":[NaN]}\n', "JSON"),
        (
            5,
            '{"type":"samples","run":"r1","phase":"measure","values":[1e999]}\n',
            "finite|range",
        ),
        (8, '{"type":"end","run":"r1","status":"great"}\n', "status"),
        (
            8,
            '{"type":"end","run":"r1","status":"ok","values":[{"metric":"speed"}]}\n',
            "unknown metric 'speed'",
        ),
        (
            8,
            '{"type":"end","run":"r1","status":"ok",'
            '"values":[{"metric":"step_seconds"}]}\n',
            "null without a reason",
        ),
        (8, '{"type":"end","run":"r1","status":"ok","surprise":1}\n', "surprise"),
        (
            8,
            '{"type":"end","run":"r1","status":"ok","checks":{"n":1e400}}\n',
            "finite|range|canonical",
        ),
        (
            8,
            '{"type":"end","run":"r1","status":"ok",'
            '"checks":{"n":123456789012345678901234567890}}\n',
            "",
        ),
        (8, '{"type":"end","run":"r1","status":"ok","reason":"a\\u0000b"}\n', "NUL"),
        (8, '{"type":"end","run":"r1","checks":' + "[" * 100_000 + "\n", ""),
    ],
)
def test_a_bad_line_is_named_and_its_run_withheld_while_others_land(
    engine, two_runs, tmp_path, number, text, reason
):
    (outcome,) = take(engine, edited(two_runs, tmp_path / "bad.jsonl", number, text))

    assert outcome.added == 1
    assert number in {bad.number for bad in outcome.bad}
    named = next(bad for bad in outcome.bad if bad.number == number)
    assert any(part in named.reason for part in reason.split("|"))
    assert [row[3] for row in contents(engine)["run"]] == ["mnist"]


def test_a_file_with_bad_lines_is_told_again_next_time(engine, two_runs, tmp_path):
    bad = edited(two_runs, tmp_path / "bad.jsonl", 5, "{\n")

    first, second = take(engine, bad), take(engine, bad)

    assert first[0].bad == second[0].bad != ()
    assert second[0].added == 0


def test_a_run_cut_off_by_the_end_of_the_file_is_kept_as_interrupted(
    engine, two_runs, tmp_path
):
    cut = tmp_path / "cut.jsonl"
    whole = two_runs.read_bytes()
    cut.write_bytes(whole[: whole.index(b'"values":[0.5,0.5625]') + 10])

    (outcome,) = take(engine, cut)

    (run,) = contents(engine)["run"]
    assert outcome.clean
    assert "interrupted" in run


def test_concatenated_files_are_read_as_their_parts(engine, two_runs, tmp_path):
    double = tmp_path / "double.jsonl"
    double.write_bytes(two_runs.read_bytes() * 2)

    (outcome,) = take(engine, double)

    assert (outcome.runs, outcome.added) == (4, 2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"It was quick.\n", "no format that benchdb knows"),
        (b"\x00\xff\x00", "is not UTF-8"),
        (b"[" * 10_000, "nested too deeply"),
        (b'{"type":"header","format":9,"producer":"x"}\n', "format 9"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_whole(engine, tmp_path, content, reason):
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(content)

    (outcome,) = take(engine, path)

    assert reason in (outcome.error or "")
    assert contents(engine)["imported_file"] == []


def test_a_missing_file_stops_before_anything_is_imported(tmp_path, two_runs):
    database = tmp_path / "results.sqlite"

    done = benchdb("import", two_runs, tmp_path / "nowhere.jsonl", "--db", database)

    assert done.status == 2
    assert done.err == f"benchdb: no such file or folder: {tmp_path}/nowhere.jsonl\n"
    assert not database.exists()


def test_a_folder_without_results_is_an_error(engine, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    with pytest.raises(UsageError, match="no results in"):
        take(engine, folder)


def test_standard_input_is_imported(tmp_path, two_runs):
    database = tmp_path / "results.sqlite"

    done = command_line.benchdb(
        "import", "-", "--db", database, stdin=two_runs.read_bytes()
    )

    assert (done.status, done.out) == (0, "-: 2 runs, 2 new\n")


def test_a_bad_file_gives_status_1_and_keeps_the_good_one(tmp_path, two_runs):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("hello\n")

    done = benchdb("import", bad, two_runs, "--db", tmp_path / "results.sqlite")

    assert done.status == 1
    assert f"{two_runs}: 2 runs, 2 new" in done.out
    assert done.err.count("\n") == 1


def test_runs_may_interleave(engine, tmp_path, two_runs):
    lines = two_runs.read_text().splitlines(keepends=True)
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join([*lines[:4], lines[8], *lines[4:8], lines[9]]))

    outcome, _ = take(engine, mixed, two_runs)

    assert outcome.added == 2
    assert len(contents(engine)["run"]) == 2


def test_folders_are_searched_whatever_they_are_called(engine, tmp_path, two_runs):
    folder = tmp_path / "many.jsonl"
    folder.mkdir()
    (folder / "one.jsonl").write_bytes(two_runs.read_bytes())

    (outcome,) = take(engine, folder)

    assert (outcome.path, outcome.added) == (folder / "one.jsonl", 2)


def test_a_pipe_can_be_imported(tmp_path, two_runs):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(two_runs.read_bytes()))
    writer.start()

    done = benchdb("import", pipe, "--db", tmp_path / "r.sqlite")
    writer.join()

    assert (done.status, done.out) == (0, f"{pipe}: 2 runs, 2 new\n")
