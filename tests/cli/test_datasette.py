"""``benchdb datasette``: what Datasette shows of a database, and its queries."""

import json
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from benchdb.resources import folder
from benchdb.store.database import open_database, reading
from benchdb.store.tables import metadata as tables
from benchdb.store.views import COLUMNS
from tests import published_runs
from tests.in_process import benchdb
from tests.page import parse

QUERIES = ("fastest", "metal_against_cpu", "doubted_runs", "campaigns", "changed")


@dataclass(frozen=True)
class Shown:
    """A database with the metadata that were written for it."""

    place: Path
    metadata: Any
    command: list[str]  # that the message says

    @property
    def database(self) -> Any:
        (only,) = self.metadata["databases"].values()
        return only

    def answers(self, query: str, **result: str) -> list[dict[str, Any]]:
        """Return the rows of a named *query*; what is not *result* is left empty."""
        stored = self.database["queries"][query]
        values = dict.fromkeys(stored.get("params", []), "") | result
        with closing(sqlite3.connect(f"file:{self.place}?mode=ro", uri=True)) as c:
            c.row_factory = sqlite3.Row
            return [dict(row) for row in c.execute(stored["sql"], values)]

    def page(self, path: str) -> str:
        """Return what Datasette itself answers to a request for *path*."""
        command = [sys.executable, "-W", "ignore", "-m", *self.command, "--get", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    room = tmp_path_factory.mktemp("shown")
    place, written = published_runs.database(room), room / "metadata.json"
    done = benchdb("db", "datasette", "-o", written, "--db", place)
    assert done.status == 0, done.err
    command = shlex.split(done.err.removeprefix("benchdb: start it with: "))
    return Shown(place, json.loads(written.read_text("utf-8")), command)


@pytest.fixture
def columns(shown: Shown) -> dict[str, list[str]]:
    with closing(sqlite3.connect(shown.place)) as connection:
        kinds = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        names = [name for (name,) in connection.execute(kinds)]
        return {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in names
        }


def names_in(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns that the metadata of a *table* name."""
    yield from table.get("facets", [])
    yield from table["columns"]
    yield from (table[key] for key in ("sort_desc", "label_column") if key in table)
    for link in parse(table["description_html"]).all("a"):
        query = link.attributes["href"].partition("?")[2]
        yield from (pair.removeprefix("_col=") for pair in query.split("&"))


def test_standard_output_has_the_metadata_alone_and_the_command_is_said(shown):
    done = benchdb("db", "datasette", "--db", shown.place)

    assert json.loads(done.out) == shown.metadata
    assert list(shown.metadata["databases"]) == ["published"]
    command = (
        f"datasette {shlex.quote(str(shown.place))} -m metadata.json "
        "--setting sql_time_limit_ms 10000"
    )
    assert done.err == f"benchdb: start it with: {command}\n"


def test_every_table_and_view_has_a_title_and_says_what_it_holds(shown, columns):
    described = shown.database["tables"]

    assert described.keys() == columns.keys()
    assert described["machine_details"]["title"] == "Machine details"
    assert "A machine with its chip" in described["machine_details"]["description_html"]
    for view in COLUMNS:
        assert list(described[view]["columns"]) == columns[view]


def test_the_words_are_those_of_the_manual_and_of_the_column_dictionary(shown):
    words = tomllib.loads((folder("schema") / "comments.toml").read_text("utf-8"))
    manual = (folder("schema") / "README.md").read_text("utf-8")
    of_tables = {name: words[name][""] for name in tables.tables}

    unlike = {n for n, text in of_tables.items() if f"| `{n}` | {text} |" not in manual}
    assert unlike == {"result"}  # the manual says more of it
    described = shown.database["tables"]
    assert described["results"]["columns"]["low"] == words["results"]["low"]
    assert described["figures"]["columns"]["unit"] == words["results"]["unit"]
    assert described["chip"]["columns"]["ram_bytes"] == "memory [B]"
    assert "`" not in json.dumps(shown.metadata)


def test_all_columns_that_are_named_are_there(shown, columns):
    wrong = {
        (name, column)
        for name, table in shown.database["tables"].items()
        for column in names_in(table)
        if column not in columns[name]
    }
    stored = tomllib.loads((folder("schema") / "datasette.toml").read_text("utf-8"))

    assert wrong == set()
    assert {*stored["hidden"], *stored["tables"], *stored["first"]} <= columns.keys()


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_shows_something_before_anything_was_chosen(shown, query):
    assert tuple(shown.database["queries"]) == QUERIES
    assert len(shown.answers(query)) > 1


def test_the_fastest_system_of_each_figure_comes_first(shown):
    rows = shown.answers("fastest", workload="resnet50")

    assert {row["workload_title"] for row in rows} == {"ResNet-50"}
    scripts = [row for row in rows if row["metric_title"] == "whole script"]
    assert scripts[0]["system"] == "M1 Ultra · Metal · TensorFlow"
    times = [row["value"] for row in scripts]
    assert times == sorted(times)
    rates = [row["value"] for row in rows if row["metric_title"] == "throughput"]
    assert rates == sorted(rates, reverse=True)


def test_metal_is_held_against_the_cpu_of_the_same_machine(shown):
    rows = shown.answers("metal_against_cpu", machine="M1")

    assert {row["chip"] for row in rows} == {"M1"}
    (bert,) = [row for row in rows if row["workload_title"] == "DistilBERT"]
    assert (bert["metal"], bert["cpu"], bert["times_as_fast"]) == (651.91, 2219.8, 3.41)


def test_doubts_stand_beside_the_figure_that_is_doubted(shown):
    rows = shown.answers("doubted_runs", code="cpu-percent-mismatch")

    assert [(row["system"], row["value"], row["unit"]) for row in rows] == [
        ("M1 Ultra · CPU · TensorFlow", 60.18, "s")
    ]


def test_every_run_of_a_campaign_is_counted(shown):
    rows = {row["campaign"]: row for row in shown.answers("campaigns")}

    assert len(rows) == 11
    last = rows["20261122-h200-g"]
    assert (last["runs"], last["ok"], last["not_ok"]) == (160, 160, 0)
    assert last["accelerators"] == "H200"


def test_two_campaigns_are_compared_in_the_cells_that_both_have(shown):
    names = {"before": "20261121-h200-e", "after": "20261122-h200-f"}
    rows = shown.answers("changed", **names)

    assert {(r["campaign_before"], r["campaign_after"]) for r in rows} == {
        (names["before"], names["after"])
    }
    for row in rows:
        ratio = row["after"] / row["before"]
        assert row["times_as_fast"] == pytest.approx(ratio, abs=1e-3)


def test_datasette_shows_titles_facets_and_what_columns_mean(shown):
    page = parse(shown.page("/published/results"))

    assert "Results (view)" in page.text
    assert "lower end of the 95 % interval" in page.text
    assert "sorted by started descending" in page.text
    facets = {f"facet-{name}" for name in shown.database["tables"]["results"]["facets"]}
    assert facets <= {each.attributes["id"] for each in page.having("id")}


def test_datasette_hides_what_benchdb_keeps_for_itself(shown):
    listed = json.loads(shown.page("/published.json"))

    hidden = {table["name"] for table in listed["tables"] if table["hidden"]}
    assert {"alembic_version", "newest", "part", "samples"} <= hidden
    assert hidden.isdisjoint({"run", "machine", "chip", "value", "source"})


MOST_ROWS = 1000  # that Datasette returns of a query, unless it is told otherwise


@pytest.mark.parametrize("query", QUERIES)
def test_datasette_runs_each_query_by_its_name(shown, query):
    answer = json.loads(shown.page(f"/published/{query}.json?_shape=array"))

    assert answer == shown.answers(query)[:MOST_ROWS]


def test_a_table_of_somebody_else_in_the_file_stays_as_it_is(shown, tmp_path):
    place = published_runs.database(tmp_path)
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE note (text)")
        connection.execute("CREATE VIEW notes AS SELECT * FROM note")

    done = benchdb("db", "datasette", "--db", place)

    assert (done.status, json.loads(done.out)) == (0, shown.metadata)


def test_a_server_has_the_same_words_as_comments(postgres, template):
    words = tomllib.loads((folder("schema") / "comments.toml").read_text("utf-8"))
    with reading(open_database(postgres.address(template))) as connection:
        comments = inspect(connection).get_multi_table_comment()
        values = {name: comment["text"] for (_, name), comment in comments.items()}

    assert values == {name: words[name][""] for name in values}
    assert values.keys() >= tables.tables.keys()


def test_of_a_server_it_says_that_datasette_reads_files():
    done = benchdb("db", "datasette", "--db", "postgresql+psycopg://host/name")

    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "benchdb: Datasette reads files of SQLite, and this is a server; copy it into "
        "one: benchdb db copy postgresql+psycopg://… results.sqlite\n"
    )
