"""Data frames have what the views have: tidy, typed, with units, as asked."""

import re
import shutil
import sqlite3
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import text

import benchdb
from benchdb.store import results as derived
from benchdb.store.database import open_database, reading, writing
from benchdb.store.views import TABLES
from tests import published_runs
from tests.backends import Backend
from tests.in_process import benchdb as command
from tests.parquet.parquet_files import stored_samples
from tests.store_factory import Run, add

SELECTED = "SELECT * FROM {} ORDER BY run"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> str:
    return str(published_runs.imported(tmp_path_factory.mktemp("shipped")))


@pytest.fixture(scope="module")
def db(shipped) -> benchdb.Database:
    return benchdb.open(shipped)


def stored(location: str, query: str) -> list[dict[str, Any]]:
    with reading(open_database(location)) as connection:
        return [dict(row._mapping) for row in connection.execute(text(query))]


def plain(cell: Any) -> Any:
    """Return what a cell of a frame is in the database; None where it is missing."""
    if cell is pd.NA or cell is pd.NaT or cell != cell:  # noqa: PLR0124 - a NaN
        return None
    return cell


def test_each_cell_of_results_is_that_of_the_view(db, shipped):
    result = db.results()
    rows = stored(shipped, SELECTED.format("results"))

    assert len(result) == len(rows) > 300
    for name in result.columns.drop("started"):
        assert [plain(item) for item in result[name]] == [row[name] for row in rows], (
            name
        )
    times = [row["started"] and pd.Timestamp(row["started"]) for row in rows]
    assert [plain(item) for item in result["started"]] == times


def test_figures_are_all_that_runs_have_or_the_reason_why_not(db, shipped):
    result = db.figures()

    assert len(result) == stored(shipped, "SELECT count(*) AS n FROM value")[0]["n"]
    missing = result[result["value"].isna()]
    assert not missing.empty
    assert missing["reason"].notna().all()


@pytest.mark.parametrize("table", ["results", "figures", "machine_details", "samples"])
def test_columns_units_and_types_are_those_that_are_told(db, table):
    frame = {
        "results": db.results,
        "figures": db.figures,
        "machine_details": db.machines,
        "samples": lambda: db.samples([]),
    }[table]()
    columns = benchdb.columns(table)

    assert list(frame.columns) == list(columns)
    units = {name: column.unit for name, column in columns.items() if column.unit}
    assert frame.attrs["units"] == units
    kinds = {"integer": "Int64", "real": "Float64", "boolean": "boolean"}
    for name, column in columns.items():
        if column.kind in kinds:
            assert frame[name].dtype == kinds[column.kind]
        elif name.endswith("started"):
            assert str(frame[name].dtype) == "datetime64[us, UTC]"
        elif isinstance(frame[name].dtype, pd.CategoricalDtype):
            assert frame[name].cat.ordered
        else:
            assert frame[name].dtype == "string"


def test_every_column_says_what_it_means():
    for table in TABLES:
        assert all(column.about for column in benchdb.columns(table).values())
    with pytest.raises(benchdb.UsageError, match="no table 'runs'; there are: results"):
        benchdb.columns("runs")


def test_categories_are_in_the_order_of_things(db):
    result = db.results()

    assert list(result["grade"].cat.categories) == ["A", "B", "C", "I", "X"]
    assert list(result["tier"].cat.categories)[:2] == ["smoke", "quick"]
    assert list(result["precision"].cat.categories)[:3] == ["fp64", "fp32", "tf32"]
    assert (result["grade"] <= "B").sum() > 50
    best = result.sort_values("grade")["grade"].iloc[0]
    assert best == "A"


def test_what_is_not_known_is_missing_and_never_zero(db):
    result = db.results(label="transcribed")

    assert result["low"].isna().all()
    assert result["low"].iloc[0] is pd.NA
    assert result["campaign"].iloc[0] is pd.NA
    assert result["memory_gib"].min() >= 8


def test_an_h200_is_found_by_its_name_and_never_by_that_of_its_processor(db):
    result = db.results(chip="nvidia h200", label="measured")

    assert {*result["accelerator"]} == {"H200"}
    assert {*result["system"]} == {"H200 · CUDA · MLX", "H200 · CUDA · PyTorch"}
    assert len(result) > 50
    assert db.results(chip="Xeon", device="cuda").empty


@pytest.mark.parametrize(
    ("filters", "column", "names"),
    [
        ({"workload": "ResNet50"}, "workload", {"resnet50"}),
        ({"workload": ["lstm", "mnist"]}, "workload", {"lstm", "mnist"}),
        ({"device": "metal"}, "device", {"metal"}),
        ({"framework": {"torch"}}, "framework", {"torch"}),
        ({"precision": "bf16"}, "precision", {"bf16"}),
        ({"source": "needle-metal"}, "source", {"needle-metal"}),
        ({"grade": ["a", "b"]}, "grade", {"A", "B"}),
        ({"label": "transcribed"}, "label", {"transcribed"}),
        ({"mine": False, "grade": "X"}, "mine", {False}),
    ],
)
def test_each_filter_leaves_what_it_names_and_all_of_it(db, filters, column, names):
    everything = db.results()

    result = db.results(**filters)

    assert {*result[column]} == names
    if len(filters) == 1:
        assert len(result) == everything[column].isin(names).sum()
    figures = db.figures(**filters)
    assert {*figures[column]} == names
    assert {*result["run"]} <= {*figures["first"]}


def test_a_campaign_and_a_machine_are_found_by_their_ids(db):
    campaign = db.results(label="measured")["campaign"].iloc[0]
    known = db.machines().dropna(subset="anonymous_id").iloc[0]
    machine = known["machine"]

    assert {*db.results(campaign=campaign)["campaign"]} == {campaign}
    assert {*db.results(machine=machine[:6])["machine"]} == {machine}
    assert {*db.results(machine=known["anonymous_id"])["machine"]} == {machine}


def test_names_that_are_known_but_not_there_leave_nothing(db):
    for filters in ({"device": "tpu"}, {"chip": "M4 Max"}, {"label": "claimed"}):
        assert db.results(**filters).empty
        assert list(db.results(**filters).columns) == list(benchdb.columns())
    assert db.results(mine=True).empty
    assert db.results(workload=[]).empty


@pytest.mark.parametrize(
    ("filters", "result"),
    [
        ({"workload": "resnet5"}, "no workload 'resnet5'; did you mean 'resnet50'?"),
        ({"chip": ["M1", "H300"]}, "no chip 'H300'; did you mean 'H200'?"),
        ({"grade": "Q"}, "no grade 'Q'; there are: "),
        ({"campaign": "2020"}, "no campaign '2020'"),
        ({"machine": "zzzzzz"}, "no machine 'zzzzzz'; there are: "),
        ({"machine": "a"}, "no machine 'a'"),
        ({"chips": "M1"}, "no filter 'chips'; did you mean 'chip'?"),
        ({"chip": 1}, "chip=1 is neither a name nor a list of names"),
        ({"since": "yesterday"}, "since='yesterday' is no date"),
        ({"since": 2026}, "since=2026 is no date"),
    ],
)
def test_a_name_that_nothing_has_is_an_error_with_what_is_near(db, filters, result):
    with pytest.raises(benchdb.UsageError, match=f"^{re.escape(result)}"):
        db.results(**filters)


def dated(location: str, *started: str | None) -> None:
    with writing(open_database(location, create=True)) as connection:
        for number, moment in enumerate(started):
            values = {"started": moment, "seed": number, "label": "measured"}
            add(
                connection,
                Run(values={"epoch_seconds": 1.0}, columns=values, source=None),
            )
        derived.renew(connection)


@pytest.mark.parametrize(
    "since",
    [
        "2026-01-02",
        date(2026, 1, 2),
        datetime(2026, 1, 2, tzinfo=UTC),
        datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=1))),
        "2026-01-01T23:00:00-01:00",
    ],
)
def test_since_counts_zones_of_either_side(backend: Backend, since):
    location = backend.database()
    late = ("2026-01-02T00:00:00Z", "2026-01-01T20:00:00-05:00", "2026-01-03")
    early = ("2026-01-01T23:59:59Z", "2026-01-02T01:00:00+02:00", None, "no date")
    dated(location, *late, *early)

    result = benchdb.open(location).results(since=since)

    assert {*result["started"]} == {
        pd.Timestamp(item if "T" in item else f"{item}T00Z") for item in late
    }
    assert list(result.index) == list(range(len(late)))


def test_a_start_that_is_no_date_is_missing(backend: Backend):
    location = backend.database()
    dated(location, "no date", "2026")

    result = benchdb.open(location).results()

    assert {plain(item) for item in result["started"]} == {
        None,
        pd.Timestamp("2026-01-01", tz="UTC"),
    }


def test_samples_are_those_of_the_runs_that_are_asked_for_bit_by_bit(db, shipped):
    known = list(stored_samples(shipped))
    runs = list(dict.fromkeys(run for run, *_ in known))[:3]

    result = db.samples([runs[2], runs[0][:12]])

    assert list(dict.fromkeys(result["run"])) == [runs[2], runs[0]]
    rows = {
        tuple(row)
        for row in result[["run", "index", "phase", "steps", "seconds"]].itertuples(
            index=False
        )
    }
    assert rows == {row for row in known if row[0] in (runs[0], runs[2])}
    with pytest.raises(benchdb.UsageError, match="no run 'ffffffffffff'"):
        db.samples("ffffffffffff")


def test_samples_in_sql_are_the_same_numbers_on_a_file(db, shipped):
    result = db.query('SELECT run, "index", phase, steps, seconds FROM samples')

    assert sorted(map(tuple, result.itertuples(index=False))) == sorted(
        stored_samples(shipped)
    )


def test_either_kind_of_database_gives_the_same_frames(backend: Backend, db, shipped):
    location = backend.nothing()
    assert command("db", "copy", shipped, location).status == 0

    with benchdb.open(location) as other:
        pd.testing.assert_frame_equal(other.results(), db.results())
        pd.testing.assert_frame_equal(
            other.figures(source="needle-metal"), db.figures(source="needle-metal")
        )
        pd.testing.assert_frame_equal(other.machines(), db.machines())
        run = db.results(label="measured")["run"].iloc[0]
        pd.testing.assert_frame_equal(other.samples(run), db.samples(run))


def test_a_damaged_column_is_one_line(shipped, tmp_path):
    path = shutil.copyfile(shipped, tmp_path / "damaged.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET batch_size = 'many'")
    connection.close()

    with pytest.raises(
        benchdb.DatabaseError, match=r"batch_size is no integer everywhere: .*db check"
    ):
        benchdb.open(path).results()


def test_a_report_is_a_page_in_one_language_of_what_is_asked(db, tmp_path):
    path = db.report(tmp_path / "page.html", lang="de", chip="H200", grade=["A", "B"])

    page = path.read_text(encoding="utf-8")
    assert "<html lang=de" in page
    assert "H200" in page
    assert "M1 Ultra" not in page
    assert "M1 Ultra" in db.report(tmp_path / "all.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "result"),
    [
        ({"lang": "xx"}, "no report language 'xx'"),
        ({"lang": "de,fr"}, "a page is in one language, not in 'de,fr'"),
        ({"chip": "H300"}, "no chip 'H300'"),
        ({"campaign": "x"}, "no campaign 'x'; there are: 20261121-h200-a"),
        ({"machine": "x"}, "no filter 'machine'; "),
    ],
)
def test_a_report_of_what_is_not_there_is_refused(db, tmp_path, options, result):
    with pytest.raises(benchdb.UsageError, match=result):
        db.report(tmp_path / "page.html", **options)
    assert list(tmp_path.iterdir()) == []
