"""The data beside a page: CSV, JSON and SQLite of what it shows."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from benchdb.cli import app
from benchdb.report import data_files
from benchdb.report.view.report_view import Report
from tests.in_process import benchdb
from tests.page import parse
from tests.view_fixture import HOSTILE, hostile
from tests.view_fixture import report as page_report
from tests.written_reports import EVIL, mixed, report, shown, store


@pytest.fixture(scope="module", name="database")
def mixed_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("store"), mixed())


@pytest.fixture(scope="module", name="folder")
def written(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    assert report(database, "-o", folder, "--lang", "en,de").status == 0
    return folder


def rows(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode(), newline="")))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_formats_are_written_and_the_data_once_for_all_languages(folder):
    assert {"report.en.html", "report.de.html", "report.de.md"} <= set(contents(folder))
    data = {path.name for path in folder.iterdir() if path.name.count(".") == 1}
    assert data == {"report.csv", "report.json", "report.sqlite"}


def test_the_pages_link_to_the_data_that_were_written(folder):
    tree = parse((folder / "report.de.html").read_text())
    links = {e.attributes["href"]: e.text for e in tree.all("footer")[0].all("a")}

    names = {"csv": "CSV", "json": "JSON", "sqlite": "SQLite"}
    assert links == {f"report.{name}": label for name, label in names.items()}
    line = "[CSV](<report.csv>) · [JSON](<report.json>) · [SQLite](<report.sqlite>)"
    assert line in (folder / "report.de.md").read_text()


def test_a_page_alone_links_to_no_data(database, tmp_path):
    report(database, "-o", tmp_path, "--format", "html")

    assert list(contents(tmp_path)) == ["report.en.html"]
    tree = parse((tmp_path / "report.en.html").read_text())
    assert tree.all("footer")[0].all("a") == []


def test_formats_may_be_repeated_or_parted_by_commas(database, tmp_path):
    report(database, "-o", tmp_path / "a", "--format", "csv", "--format", "json")
    report(database, "-o", tmp_path / "b", "--format", "json,csv")

    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert set(contents(tmp_path / "a")) == {"report.csv", "report.json"}


def test_the_same_database_gives_the_same_bytes(database, folder, tmp_path):
    report(database, "-o", tmp_path, "--lang", "en,de")

    assert contents(tmp_path) == contents(folder)


def test_the_csv_has_a_row_for_each_row_of_the_page(folder):
    table = rows((folder / "report.csv").read_bytes())
    view = json.loads((folder / "report.json").read_bytes())

    assert [values["workload"] for values in table] == [
        item["workload"]["name"] for item in view["values"]
    ]
    assert {values["metric"] for values in table} == {
        "script_wall_seconds",
        "fit_samples_per_second",
        "samples_per_second",
    }


def test_a_published_value_keeps_its_digits_source_and_notes(folder):
    (odd,) = (
        row
        for row in rows((folder / "report.csv").read_bytes())
        if row["source"] == "odd"
    )

    assert (odd["value"], odd["unit"], odd["n"]) == ("91.80", "s", "1")
    assert odd["notes"] == "order-inverted"
    assert (odd["low"], odd["high"]) == ("", "")
    assert (odd["chip"], odd["device"], odd["precision"]) == ("M2", "cpu", "fp32")


def test_a_repeated_value_has_all_its_runs_and_an_interval(folder):
    (own,) = (
        row
        for row in rows((folder / "report.csv").read_bytes())
        if row["kind"] == "measured"
    )

    assert own["n"] == "3"
    assert float(own["low"]) < float(own["value"]) < float(own["high"])
    assert len(own["runs"].split()) == 3
    assert own["source"] == ""


def test_a_cell_that_starts_like_a_formula_is_text(folder):
    text = (folder / "report.csv").read_text(encoding="utf-8")

    assert f",'{EVIL}," in text
    assert f",{EVIL}" not in text


@pytest.mark.parametrize("text", ["=1+1", "+1a", "-1-1", "@A1", "\uff1d1", "\t=1"])
def test_no_text_of_strangers_is_calculated(text):
    table = rows(data_files.csv_table(hostile(text)))

    cells = [cell for row in table for cell in row.values()]
    assert any(cell.startswith("'") for cell in cells)
    signs = tuple("=+-@\t\r\uff1d")
    assert [cell for cell in cells if cell.startswith(signs)] == []


def test_a_negative_number_stays_a_number():
    plain = page_report()
    quantity = plain.values[0].quantity
    assert quantity is not None
    cold = replace(quantity, value=-3.5, printed=None)
    first = replace(plain.values[0], quantity=cold)
    table = rows(data_files.csv_table(replace(plain, values=(first,))))

    assert table[0]["value"] == "-3.5"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_breaks_neither_csv_nor_json(text):
    view = hostile(text)

    table = data_files.csv_table(view)
    assert len(rows(table)) == len(view.values)
    assert table.count(b"\r\n") == len(view.values) + 1
    assert len(json.loads(data_files.json_document(view))["values"]) == len(view.values)


def test_the_json_is_strict_even_where_a_number_is_none():
    plain = page_report()
    quantity = plain.values[0].quantity
    assert quantity is not None
    lost = replace(quantity, value=float("nan"), high=float("inf"))
    first = replace(plain.values[0], quantity=lost)
    view = json.loads(
        data_files.json_document(replace(plain, values=(first,))),
        parse_constant=pytest.fail,
    )

    assert view["values"][0]["quantity"]["value"] is None


def test_the_json_has_every_member_of_the_view_in_its_order(folder):
    view = json.loads((folder / "report.json").read_bytes())

    assert list(view)[:2] == ["format", "producer"]
    assert list(view)[2:] == [*Report.__struct_fields__]
    assert view["format"] == data_files.JSON_FORMAT


def test_the_counts_of_the_json_are_those_of_its_values(folder):
    view = json.loads((folder / "report.json").read_bytes())

    figures = [item for item in view["values"] if item["quantity"]]
    assert view["values_count"] == len(figures)


def test_benchdb_reads_the_database_and_leaves_it_as_it_is(database, folder):
    copy = folder / "report.sqlite"
    before = copy.read_bytes()
    ours = json.loads(benchdb("list", "--runs", "--json", "--db", database).out)
    theirs = json.loads(benchdb("list", "--runs", "--json", "--db", copy).out)

    assert theirs == ours
    assert benchdb("show", ours[0]["digest"], "--db", copy).status == 0
    assert copy.read_bytes() == before


def test_a_report_of_the_copy_shows_the_same(database, folder):
    assert shown(folder / "report.sqlite") == shown(database)


def test_the_database_is_sound_and_holds_only_the_runs_shown(database, tmp_path):
    report(database, "-o", tmp_path, "--format", "sqlite", "--chip", "M2")

    with closing(sqlite3.connect(tmp_path / "report.sqlite")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
        counts = copy.execute(
            "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM value),"
            " (SELECT count(*) FROM machine), (SELECT count(*) FROM chip),"
            " (SELECT count(*) FROM source), (SELECT count(*) FROM flag)"
        )
        assert set(counts.fetchone()) == {1}


def test_a_database_of_somebody_is_never_replaced(database, tmp_path):
    victim = tmp_path / "report.sqlite"
    victim.write_bytes(database.read_bytes())
    done = report(database, "-o", tmp_path, "--format", "sqlite")

    assert done.status == 1
    assert "is a database of its own" in done.err
    assert victim.read_bytes() == database.read_bytes()


def test_a_copy_into_which_somebody_wrote_is_kept(database, tmp_path):
    report(database, "-o", tmp_path, "--format", "sqlite")
    path = tmp_path / "report.sqlite"
    with closing(sqlite3.connect(path)) as copy, copy:
        copy.execute("UPDATE run SET reason = 'mine'")
    done = report(database, "-o", tmp_path, "--format", "sqlite")

    assert done.status == 1
    with closing(sqlite3.connect(path)) as copy:
        assert copy.execute("SELECT DISTINCT reason FROM run").fetchone() == ("mine",)


def test_an_untouched_copy_is_replaced(database, tmp_path):
    report(database, "-o", tmp_path, "--format", "sqlite", "--chip", "M2")
    before = (tmp_path / "report.sqlite").read_bytes()
    done = report(database, "-o", tmp_path, "--format", "sqlite")

    assert done.status == 0, done.err
    assert (tmp_path / "report.sqlite").read_bytes() != before
    assert list(contents(tmp_path)) == ["report.sqlite"]


@pytest.mark.parametrize("name", ["csv", "json", "sqlite"])
def test_data_go_to_standard_output_as_they_are(database, folder, name):
    words = ["report", "--db", str(database), "--format", name, "-o", "-"]
    done = CliRunner().invoke(app, words)

    assert done.stdout_bytes == (folder / f"report.{name}").read_bytes()


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_a_page_on_standard_output_names_no_files_beside_it(database, name):
    done = report(database, "-o", "-", "--format", name)

    assert done.status == 0
    assert "How fast is a Mac at machine learning?" in done.out
    assert "report.csv" not in done.out
    assert ".svg" not in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "-"], "standard output takes one format"),
        (["-o", "-", "--format", "html,csv"], "standard output takes one format"),
        (["-o", "-", "--format", "html", "--lang", "all"], "takes one language"),
        (["-o", "-", "--format", "csv", "--check"], "nothing to check"),
        (["--run", "abc", "--chip", "M1"], "--run is of one run; leave --chip out"),
        (["--run", "abc", "--format", "csv"], "the page of a run is HTML"),
        (["--run", "ffffff"], "no run 'ffffff'"),
        (["-o", "x", "--site", "y"], "a site has no use for -o; leave it out"),
        (["--site", "y", "--format", "csv"], "a site has no use for --format"),
        (["--base-url", "https://example.org"], "name its folder with --site"),
        (["--site", "y", "--base-url", "javascript:1"], "is no address for a site"),
        (["--format", "pdf"], "there are: all, csv, html, json, markdown, snippet"),
        (["--format", ""], "no format ''"),
        (["--lang", "tlh"], "no report language 'tlh'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    database, tmp_path, monkeypatch, options, message
):
    monkeypatch.chdir(tmp_path)
    done = report(database, *options)

    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said_in_one_line(database, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for name in ("csv", "sqlite"):
        done = report(database, "-o", tmp_path / "file", "--format", name)
        assert done.status == 1
        assert done.err.startswith("benchdb: cannot write ")
        assert done.err.count("\n") == 1
