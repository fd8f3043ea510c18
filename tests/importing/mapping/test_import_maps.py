"""Maps on the command line: proposed, saved, used, and told what is wrong with them."""

from pathlib import Path

import pytest

from tests.importing.readme_import import database  # noqa: F401 - a fixture
from tests.in_process import benchdb

README = """\
| Model | Batch | Throughput |
|-------|-------|------------|
| ResNet50 | 128 | 140 img/s |
| MobileNetV2 | 128 | 352 img/s |
"""
LOG = """\
Time result with device=cpu
resnet50: 188.2 s
alexnet: 35.9 s
"""


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_a_guess_is_saved_as_it_is_printed(db, readme, tmp_path):
    saved = tmp_path / "guess.toml"

    printed = benchdb("import", "--guess", readme, "--db", db)
    kept = benchdb("import", "--guess", "--save", saved, readme, "--db", db)

    assert (printed.status, kept.status, db.exists()) == (0, 0, False)
    assert printed.out.startswith(saved.read_text())


def test_two_documents_want_two_guesses(db, readme):
    done = benchdb("import", "--guess", readme, readme, "--db", db)

    assert done.status == 2
    assert "one file at a time" in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[table]]\ncolour = 3\n", "colour"),
        ("not toml", "no TOML"),
        ('[[table]]\n[table.columns.A]\nis = "value"\n', "metric"),
    ],
)
def test_a_map_with_a_fault_is_told_in_one_line(db, readme, tmp_path, text, message):
    bad = tmp_path / "bad.toml"
    bad.write_text(text)

    done = benchdb("import", readme, "--map", bad, "--db", db)

    assert (done.status, done.err.count("\n"), db.exists()) == (2, 1, False)
    assert done.err.startswith("benchdb: bad.toml: ")
    assert message in done.err


def test_a_log_is_guessed_by_the_reader_of_its_habit(db, tmp_path):
    log = tmp_path / "run.log"
    log.write_text(LOG)

    done = benchdb("import", "--guess", log, "--db", db)

    assert done.status == 0
    assert "(188.2 s, 35.9 s)" in done.out


def test_prose_cannot_be_guessed(db, tmp_path):
    prose = tmp_path / "notes.txt"
    prose.write_text("It felt quick, and the fan stayed off.\n")

    done = benchdb("import", "--guess", prose, "--db", db)

    assert (done.status, done.err.count("\n"), db.exists()) == (1, 1, False)
    assert "neither a table nor a log" in done.err


def test_where_nothing_is_inferred_and_nothing_open_yes_imports(db, tmp_path):
    exact = tmp_path / "runs.csv"
    exact.write_text(
        "workload,chip,device,framework,precision,size,TFLOPS\n"
        "matmul,M1 Max,mps,pytorch,fp16,512,7.5\n"
        "matmul,RTX 3090,cuda,torch,fp32,512,20.5\n"
    )

    done = benchdb("import", "--yes", exact, "--db", db)

    assert done.status == 0, done.err
    assert "2 runs, 2 new [map runs]" in done.out


def test_what_is_inferred_stops_yes_until_it_is_agreed_to(db, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("# ResNet50 training with PyTorch on an M1 Max, MPS\n\n" + README)

    first = benchdb("import", "--yes", readme, "--db", db)
    done = benchdb("import", "--yes", "--answer", "readings=yes", readme, "--db", db)
    again = benchdb("import", readme, "--db", db)

    assert (first.status, first.out) == (1, "")
    assert "--answer 'readings=yes'" in first.err
    assert done.status == 0, done.err
    assert "2 runs, 2 new [map readme]" in done.out
    assert "2 runs, 0 new" in again.out
