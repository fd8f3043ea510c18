"""``db.compare`` says what ``benchdb compare`` says, as a frame and a summary."""

import json
import re

import pandas as pd
import pytest

import benchdb
from tests import published_runs
from tests.backends import Backend
from tests.in_process import benchdb as command

A, C = "20261121-h200-a", "20261121-h200-c"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> str:
    return str(published_runs.imported(tmp_path_factory.mktemp("shipped")))


@pytest.fixture(scope="module")
def db(shipped) -> benchdb.Database:
    return benchdb.open(shipped)


def test_cells_and_summary_are_those_of_the_command_line(db, shipped):
    done = command("compare", A, C, "--format", "json", "--db", shipped)
    (known,) = json.loads(done.out)

    compared = db.compare(A, C)

    assert len(compared.cells) == len(known["cells"]) > 1
    assert list(compared.cells.columns) == list(known["cells"][0])
    for row, cell in zip(compared.cells.itertuples(), known["cells"], strict=True):
        for name, value in cell.items():
            result = getattr(row, name)
            assert (None if pd.isna(result) else result) == value, name
    summary = compared.summary
    assert (summary.base, summary.other) == (known["base"], known["other"])
    assert (summary.ratio, summary.verdict) == (
        known["mean"]["value"],
        known["mean"]["verdict"],
    )
    assert [summary.least, summary.greatest] == known["spread"]
    assert summary.reason is None


def test_a_frame_of_cells_is_typed_and_has_units(db):
    cells = db.compare("chip:M1", "chip:M1 Max").cells

    assert cells["ratio"].dtype == "Float64"
    assert cells["low"].isna().all()
    assert cells["base_grade"].cat.ordered
    assert cells["batch_size"].dtype == "Int64"
    assert cells.attrs["units"]["base_value"] == "column base_unit"


def test_options_narrow_widen_and_accept(db):
    whole = db.compare("chip:M1", "chip:M1 Max")
    narrow = db.compare("chip:M1", "chip:M1 Max", workload="lstm")

    assert {*narrow.cells["workload"]} == {"lstm"}
    assert len(narrow.cells) < len(whole.cells)
    assert {*db.compare(A, C, threshold=0.5).cells["verdict"]} == {"even"}
    unlike = ["batch", "framework", "protocol", "compiler", "precision"]
    loose = db.compare("chip:M1", "chip:H200", accept=unlike).summary
    assert loose.cells > db.compare("chip:M1", "chip:H200").summary.cells


def test_where_nothing_meets_a_reason_is_said_and_there_are_no_cells(db):
    compared = db.compare("source:needle-metal", "source:m1tensorbench")

    assert compared.cells.empty
    assert "ratio" in compared.cells
    assert compared.summary.verdict is None
    assert compared.summary.reason.startswith("no work in common: ")
    assert compared.summary.differs["accelerator"][0].startswith("M1 Pro")


def test_a_file_is_a_side_and_leaves_the_database_as_it_is(db):
    before = len(db.results())
    file = published_runs.FOLDER / "m1tensorbench.jsonl"

    compared = db.compare("chip:M1", str(file))

    assert compared.summary.other == f"file {file}"
    assert compared.summary.cells == 0
    assert compared.summary.reason == "both sides are the same runs"
    assert len(db.results()) == before


@pytest.mark.parametrize(
    ("sides", "options", "result"),
    [
        (("chip:M1", "nonsense"), {}, "nothing is called 'nonsense'"),
        (("chip:M1", "chip:H300"), {}, "no chip 'H300'; did you mean 'H200'?"),
        ((A, C), {"workload": "resnet5"}, "no workload 'resnet5'; did you mean"),
        ((A, C), {"accept": "precisoin"}, "no condition 'precisoin' to accept; did"),
    ],
)
def test_what_is_no_side_is_an_error_with_what_is_near(db, sides, options, result):
    with pytest.raises(benchdb.UsageError, match=f"^{re.escape(result)}"):
        db.compare(*sides, **options)


def test_a_server_compares_as_a_file_does(backend: Backend, db, shipped):
    location = backend.nothing()
    assert command("db", "copy", shipped, location).status == 0

    with benchdb.open(location) as other:
        here, there = db.compare(A, C), other.compare(A, C)

    pd.testing.assert_frame_equal(here.cells, there.cells)
    assert here.summary == there.summary
