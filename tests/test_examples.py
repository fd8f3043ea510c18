"""What others add to benchdb, for real: the examples, from nothing to a page."""

import ast
import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Outcome, benchdb
from tests.importing.plugin_projects import install

CHECKOUT = Path(__file__).parents[1]
EXAMPLES = CHECKOUT / "examples"
METRIC = "compressed_megabytes_per_second"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a user who put both collectors, a catalogue and a package in place."""
    home = tmp_path_factory.mktemp("user")
    (folder := home / "config" / "collectors").mkdir(parents=True)
    shutil.copy(EXAMPLES / "gzip-collector", folder)
    shutil.copy(EXAMPLES / "catalogue.toml", home / "config")
    source, program = EXAMPLES / "matmul.cpp", folder / "cpp-matmul"
    warnings = ("-Wall", "-Wextra", "-Werror")
    subprocess.run(["g++", "-O2", *warnings, "-o", program, source], check=True)
    (project := home / "project").mkdir()
    shutil.copytree(EXAMPLES / "widest-intervals", project, dirs_exist_ok=True)
    package = install(project, home / "packages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHDB_HOME", str(home))
        patch.setenv("BENCHDB_DB", str(home / "results.sqlite"))
        patch.setenv("PYTHONPATH", str(package))
        yield home


@pytest.fixture(scope="module")
def measured(home: Path) -> Outcome:
    """Measure with both collectors."""
    work = (
        ("gzip-compress", "--set", "level=1"),
        ("matmul", "--size", 64, "--framework", "cpp-loops", "--tier", "smoke"),
    )
    for words in work:
        done = benchdb("collect", *words, "--replicates", 2)
        assert done.status == 0, done.err
    return done


def figures() -> dict[str, dict[str, object]]:
    rows = json.loads(benchdb("list", "--mine", "--json").out)
    return {row["framework"]: row for row in rows}


def test_the_examples_are_as_short_as_they_are_said_to_be():
    limits = {"matmul.cpp": 100, "gzip-collector": 60}
    for name, limit in limits.items():
        assert len((EXAMPLES / name).read_text().splitlines()) <= limit


@pytest.mark.parametrize(("name", "fewest"), [("gzip-collector", 9), ("cpp-matmul", 9)])
def test_a_collector_in_another_language_keeps_to_the_protocol(home, name, fewest):
    done = benchdb("check-collector", home / "config" / "collectors" / name)

    assert done.status == 0, done.out
    assert done.out.count("[ok]") == fewest
    assert "ends by SIGTERM: interrupted, status 130" in done.out


@pytest.mark.usefixtures("measured")
def test_its_figures_are_listed_with_the_unit_and_the_grade_of_any_other():
    groups = figures()

    assert groups["gzip"]["metric"] == METRIC
    assert (groups["gzip"]["unit"], groups["gzip"]["direction"]) == ("MB/s", "higher")
    assert (groups["gzip"]["parameters"], groups["gzip"]["n"]) == ({"level": 1}, 2)
    assert groups["cpp-loops"]["metric"] == "teraflops"
    assert groups["cpp-loops"]["size"] == 64
    assert {row["grade"] for row in groups.values()} == {"C"}


@pytest.mark.usefixtures("measured")
def test_benchdb_adds_what_it_knows_better_than_the_collector():
    run = json.loads(benchdb("show", figures()["gzip"]["digest"], "--json").out)

    assert run["machine"]["anonymous_id"]
    assert run["run"]["collector"]["name"] == "gzip-collector"
    assert len(run["run"]["collector"]["sha256"]) == 64
    assert "load_1m" in run["run"]["conditions"]
    metrics = {value["metric"] for value in run["end"]["values"]}
    assert metrics == {METRIC, "process_wall_seconds", "step_seconds"}


@pytest.mark.usefixtures("measured")
def test_a_run_of_it_can_be_planned_and_reproduced():
    run = figures()["gzip"]["digest"]

    asked = benchdb("reproduce", run, "--dry-run").out.splitlines()[0]
    planned = benchdb("plan", *asked.split()[2:]).out.splitlines()

    assert asked.startswith("benchdb collect gzip-compress --framework gzip ")
    assert asked.endswith("--set level=1 --replicates 2")
    items = [json.loads(line) for line in planned]
    assert [item["parameters"] for item in items] == [{"level": 1}] * 2
    assert {Path(item["argv"][0]).name for item in items} == {"gzip-collector"}


def test_workloads_and_doctor_name_what_was_added_and_where_it_is(home):
    # As doctor tells it, without its minute of asking frameworks.
    program = "from benchdb.cli.doctor import extensions; print([*extensions()])"
    listed = subprocess.check_output([sys.executable, "-c", program], cwd=CHECKOUT)
    added = {it["name"]: it["origin"] for it in ast.literal_eval(listed.decode())}

    assert set(added) == {
        *("gzip", "cpp-loops", "widest-intervals", "gzip-compress", METRIC)
    }
    assert added["gzip-compress"] == str(home / "config" / "catalogue.toml")
    assert added["widest-intervals"] == "the package benchdb-widest-intervals 1.0"
    assert "gzip-compress: gzip compression\n" in benchdb("workloads").out


@pytest.mark.usefixtures("measured")
def test_a_report_and_a_site_have_its_title_its_unit_and_the_page_of_the_package(
    tmp_path,
):
    for form in ("csv", "html"):
        done = benchdb("report", "--format", form, "--lang", "en", "-o", tmp_path)
        assert done.status == 0, done.err
    (table,) = tmp_path.glob("*.csv")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    own = next(row for row in rows if row["metric"] == METRIC)
    done = benchdb("report", "--site", tmp_path / "site", "--lang", "en")
    assert done.status == 0, done.err
    page = (tmp_path / "site" / "section-widest-intervals.html").read_text()
    work = (tmp_path / "site" / "workload" / "gzip-compress.html").read_text()

    assert (own["workload"], own["unit"]) == ("gzip-compress", "MB/s")
    assert "<h1><bdi>Widest intervals</bdi></h1>" in page
    assert "gzip-compress" in page
    assert "gzip compression" in work
    assert "MB/s" in work
    front = (tmp_path / "site" / "index.html").read_text()
    assert "section-widest-intervals.html" in front


@pytest.mark.usefixtures("measured")
def test_what_is_shared_carries_what_its_metrics_mean(home, tmp_path, monkeypatch):
    benchdb("export", "--mine", "-o", shared := tmp_path / "mine.jsonl")
    assert benchdb("validate", shared).out == f"{shared}: valid, 4 runs\n"

    monkeypatch.setenv("BENCHDB_HOME", str(other := tmp_path / "other"))
    db = ("--db", tmp_path / "other.sqlite")
    without = benchdb("validate", shared)
    (other / "config").mkdir(parents=True)
    entry = without.out.partition("add to catalogue.toml: ")[2].splitlines()[0]
    (other / "config" / "catalogue.toml").write_text(entry)
    taken = benchdb("import", shared, *db)

    assert without.status == 1
    assert f"the metric {METRIC!r} is of whoever wrote the file" in without.out
    assert without.out.endswith("3 problems, 2 runs\n")
    assert (taken.status, "4 runs, 4 new" in taken.out) == (0, True), taken.err

    private = entry.replace("Megabytes of text", "Ask alice@example.org: MB")
    (other / "config" / "catalogue.toml").write_text(private)
    db = ("--db", home / "results.sqlite")
    kept = benchdb("export", "--mine", "-o", tmp_path / "kept.jsonl", *db)
    assert "metric.title" in kept.err
    assert "alice" not in (tmp_path / "kept.jsonl").read_text()


def test_the_page_about_extensions_shows_the_example_that_is_tested():
    page = (CHECKOUT / "docs" / "extending.md").read_text()

    for name in ("gzip-collector", "catalogue.toml"):
        assert f'title="{name}"\n{(EXAMPLES / name).read_text()}```' in page


def test_a_database_with_a_metric_that_nobody_here_knows_can_be_shown(
    home, measured, tmp_path, monkeypatch
):
    assert measured.status == 0
    run = figures()["gzip"]["digest"]
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))

    shown = benchdb("show", run, "--db", home / "results.sqlite")

    assert (shown.status, shown.err) == (0, "")
    assert METRIC in shown.out
    assert os.environ["BENCHDB_HOME"] != str(home)
