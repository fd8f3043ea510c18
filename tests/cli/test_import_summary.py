"""After an import of others' documents: what came, beside what was known of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.in_process import benchdb

MAP = """\
[set]
framework = "mlx"
device = "metal"
[[table]]
[table.columns]
Chip = { field = "chip" }
Model = { field = "workload" }
Batch = { field = "parameters.batch_size" }
"Time (s)" = { is = "value", metric = "reported_step_seconds" }
"""
HEAD = "| Chip | Model | Batch | Time (s) |\n|---|---|---|---|\n"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def imported(db: Path, rows: Sequence[tuple[object, ...]], *options: str) -> list[str]:
    """Return the lines that an import of a table with these *rows* prints."""
    map_, table = db.with_name("map.toml"), db.with_name("table.md")
    map_.write_text(MAP)
    lines = (f"| {' | '.join(map(str, row))} |\n" for row in rows)
    table.write_text(HEAD + "".join(lines))
    done = benchdb("import", table, "--map", map_, "--db", db, *options)
    assert done.status in (0, 1), done.err
    return [" ".join(line.split()) for line in done.out.splitlines()[1:]]


WHAT = "what came, beside what was known of the same work:"


def test_of_new_work_nothing_is_known(db):
    texts = imported(db, [("M1", "resnet50", 16, 0.2), ("M1", "resnet50", 32, 0.35)])

    assert texts == [
        WHAT,
        "M1 resnet50 reported_step_seconds 200 ms to 350 ms 2 figures in 2 settings "
        "nothing known",
    ]


def test_extremes_stand_beside_what_the_database_knew_before(db):
    for time in (0.2, 0.3, 0.25):
        imported(db, [("M1", "resnet50", 16, time)])

    high = imported(db, [("M1", "resnet50", 16, 0.93)])
    low = imported(db, [("M1", "resnet50", 16, 0.02)])
    other = imported(db, [("M2", "resnet50", 16, 0.4)])

    known = "known 200 ms, median 250 ms, 300 ms (3)"
    assert high[1].endswith(f"930 ms 3.1x the highest: {known}")
    assert "20.0 ms 0.1x the lowest: known 200 ms, median 275 ms, 930 ms (4)" in low[1]
    assert (
        "400 ms within: on other chips 20.0 ms, median 250 ms, 930 ms (5)" in other[1]
    )


def test_runs_that_are_there_already_are_not_compared_with_themselves(db):
    rows = [("M1", "resnet50", 16, 0.2), ("M1", "resnet50", 32, "OOM, I think")]

    first, again = (imported(db, rows) for _ in range(2))

    assert first[0] == WHAT
    assert WHAT not in again


def test_the_strangest_come_first_and_a_long_table_is_cut(db):
    imported(db, [(f"M{n} Max", "resnet50", 16, 0.2) for n in range(1, 4)])
    rows = [("M2 Max", "resnet50", 16, 5.0)]
    rows += [(f"M{n % 5 + 1} Pro", f"net{n}", 16, 0.2) for n in range(25)]

    texts = imported(db, rows)

    assert texts[1].startswith("M2 Max resnet50 reported_step_seconds 5.00 s 25x the")
    assert texts[-1] == "and 6 more lines, none of them stranger"
    assert len(texts) == 22


def test_what_was_left_out_is_counted_by_reason_with_the_first_lines(db):
    rows = [("M1", f"net{n}", 16, "1,234") for n in range(8)]
    rows.append(("M1", "resnet50", 16, "0.2 | 7"))

    texts = imported(db, rows)

    at = texts.index("left out:")
    assert texts[at + 1].startswith("8 × ")
    assert texts[at + 1].endswith(
        "(table.md:3, table.md:4, table.md:5, table.md:6, table.md:7, …)"
    )
    assert texts[at + 2] == "1 × 5 cells under 4 columns (table.md:11)"


def test_a_rehearsal_tells_the_same(db):
    rows = [("M1", "resnet50", 16, 0.2)]

    rehearsed = imported(db, rows, "--dry-run")

    assert rehearsed == [*imported(db, rows), "nothing was kept (--dry-run)"]


def test_of_exchange_files_there_is_no_table(db, two_runs):
    done = benchdb("import", two_runs, "--db", db)

    assert done.out == f"{two_runs}: 2 runs, 2 new\n"
