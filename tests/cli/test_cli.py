"""The command line: what it says, what it exits with, what stays undone."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchdb import __version__
from benchdb.cli import COMMANDS, user_database
from tests import command_line, published_runs
from tests.in_process import benchdb

CHECKOUT = Path(__file__).parents[2]
CATALOGUE = CHECKOUT / "collectors" / "catalogue"


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("cli"))


def test_the_version_is_the_package_s():
    assert command_line.benchdb("--version").out == f"benchdb {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    done = benchdb(command, "--help")

    assert done.status == 0
    assert re.search(rf"Usage: .*benchdb {command}\b", done.out)


def test_help_lists_every_command_with_its_own_first_sentence():
    listed = command_line.benchdb("--help").out

    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", listed)] == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lst", "did you mean 'list'?"),
        ("xyz", f"there are: {', '.join(sorted(COMMANDS))}"),
    ],
)
def test_an_unknown_command_is_wrong_use_and_the_nearest_is_told(name, hint):
    done = benchdb(name)

    assert (done.status, done.err) == (2, f"benchdb: no command '{name}'; {hint}\n")


@pytest.mark.parametrize("words", [(), ("list",), ("machines",), ("machines", "merge")])
def test_help_has_a_short_name_everywhere(words):
    short, long = benchdb(*words, "-h"), benchdb(*words, "--help")

    assert short.status == 0
    assert short.out == long.out


@pytest.mark.parametrize(
    "words",
    [("collect", "--metal", "--no-metal"), ("list", "--mine", "--contributed")],
)
def test_an_option_and_its_opposite_are_refused(words):
    done = benchdb(*words)

    text = f"benchdb: {words[1]} and {words[2]} contradict each other; leave out one\n"
    assert (done.status, done.out, done.err) == (2, "", text)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown(shell):
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "benchdb"), "--show-completion", shell],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0
    assert "_BENCHDB_COMPLETE" in done.stdout


def test_a_figure_is_shown_with_its_unit_and_a_plain_number_without(published):
    listed = ("list", "--label", "measured", "--workload", "bert-large", "--json")
    run = json.loads(benchdb(*listed, "--db", published).out)[0]["digest"]

    lines = benchdb("show", run, "--db", published).out.splitlines()

    assert any(re.fullmatch(r"  final_loss: [\d.]+", line) for line in lines)
    assert any(re.fullmatch(r"  mean_power_watts: [\d.]+ W", line) for line in lines)


def test_show_walks_to_the_place_in_the_source(published):
    runs = json.loads(
        benchdb("list", "--source", "m1tensorbench", "--json", "--db", published).out
    )
    run = next(r for r in runs if r["chip"] == "M1 Max" and r["workload"] == "resnet50")

    shown = benchdb("show", run["digest"][:12], "--db", published).out

    assert re.search(
        r"script_wall_seconds: [\d.,]+ s, printed as “[\d:,]+ total”", shown
    )
    assert re.search(r"line \d+, column resnet50", shown)
    assert "m1tensorbench" in shown
    assert "SHA-256" in shown


@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        ("zz", "'zz' is no run id"),
        ("ffffffffffffff", "no run 'ffffffffffffff'"),
        ("", "is no run id"),
    ],
)
def test_a_wrong_run_id_is_said_in_one_line(published, prefix, message):
    done = benchdb("show", prefix, "--db", published)

    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_an_ambiguous_run_id_asks_for_more_digits(published):
    starts = [
        r["digest"][0]
        for r in json.loads(benchdb("list", "--runs", "--json", "--db", published).out)
    ]
    shared = next(digit for digit in starts if starts.count(digit) > 1)

    assert "give more digits" in benchdb("show", shared, "--db", published).err


def test_machine_shows_what_would_be_shared():
    shown = json.loads(benchdb("machines", "here", "--json").out)

    assert shown["machine"]["chip"]["ram_bytes"] > 0
    assert shown["system"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert os.uname().nodename not in json.dumps(shown)


def test_workloads_tells_all_of_the_catalogue_as_json():
    shown = json.loads(benchdb("workloads", "--json").out)

    assert shown["workloads"]["resnet50"]["parameter_count"] == {
        "torch": 23_524_424,
        "tensorflow": 23_604_104,
        "mlx": 23_524_424,
    }
    others = json.loads((CHECKOUT / "schema" / "workloads.json").read_text())
    for kind, more in (("workloads", others), ("suites", {})):
        written = json.loads((CATALOGUE / f"{kind}.json").read_text())
        assert list(shown[kind]) == [*written, *more]
    written = json.loads((CATALOGUE / "workloads.json").read_text())
    for name, facts in written.items():
        assert {fact: shown["workloads"][name][fact] for fact in facts} == facts
    members = [item["workload"] for item in shown["suites"]["m1tensorbench"]["entries"]]
    assert members == ["lstm", "mnist", "resnet50", "mobilenetv2", "distilbert"]


def test_workloads_explains_each_in_lines_of_100_columns():
    shown = benchdb("workloads").out

    assert (
        "weights     23,524,424 (torch), 23,604,104 (tensorflow), 23,524,424 (mlx)"
        in shown
    )
    assert "source did  one epoch of warm-up, then 3 epochs of 30 steps" in shown
    assert "in setting pytorch-in-m1:" in shown
    assert "data        synthetic, or your mnist files with --data" in shown
    assert "326,150,400 (torch), 326,150,400 (tensorflow), 326,150,400 (mlx)" in shown
    assert "runs        resnet50, batch_size 128/64, on cpu and metal only" in shown
    assert max(map(len, shown.splitlines())) <= 100


def written(database: Path, folder: Path, *options: str, **changes: str):
    """Write reports in an environment with *changes*; return the files by name."""
    command = [sys.executable, "-m", "benchdb", "report", *options]
    subprocess.run(
        [*command, "-o", str(folder), "--db", str(database)],
        env={**os.environ, **changes},
        check=True,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_reports_depend_on_neither_the_locale_nor_the_hash_seed(published, tmp_path):
    plain = {"LC_ALL": "C", "PYTHONHASHSEED": "0"}
    turkish = {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1"}
    # Latin letters, and from right to left; the golden reports have the others.
    result = written(published, tmp_path / "one", "--lang", "de,ar", **plain)
    two = written(published, tmp_path / "two", "--lang", "de,ar", **turkish)

    assert result == two
    assert {"report.de.html", "report.ar.md", "report.de.metal.svg"} <= result.keys()


def test_the_contents_not_the_file_decide_what_a_report_says(published, tmp_path):
    other, page = tmp_path / "other.sqlite", "report.de.html"
    files = sorted((CHECKOUT / "published").glob("*.jsonl"), reverse=True)
    benchdb("import", *files, "--db", other)
    asked = ("--lang", "de", "--format", "html")

    for name, database in (("one", published), ("two", other)):
        benchdb("report", *asked, "-o", tmp_path / name, "--db", database)
    elsewhere = {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2"}
    three = written(published, tmp_path / "three", *asked, **elsewhere)

    result, two = ((tmp_path / name / page).read_bytes() for name in ("one", "two"))
    assert result == two == three[page]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--highlight", "nobody"], 2, "no machine 'nobody' to highlight"),
        (["-o", "/proc/nowhere"], 1, "cannot write"),
    ],
)
def test_what_a_report_cannot_do_is_said_in_one_line(
    published, tmp_path, monkeypatch, arguments, status, message
):
    monkeypatch.chdir(tmp_path)

    done = benchdb("report", *arguments, "--db", published)

    assert done.status == status
    assert message in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_makes_a_helpful_page(tmp_path):
    database, empty = tmp_path / "empty.sqlite", tmp_path / "empty.jsonl"
    empty.write_text(
        '{"type":"header","format":1,"producer":"x","producer_version":"1"}\n'
    )
    benchdb("import", empty, "--db", database)

    done = benchdb("report", "--lang", "en", "-o", tmp_path / "out", "--db", database)

    assert done.status == 0, done.err
    page = (tmp_path / "out" / "report.en.html").read_text()
    assert "benchdb collect" in page
    assert "benchdb import" in page


def test_without_a_database_a_new_one_starts_with_the_published_results(
    tmp_path, monkeypatch
):
    """A few of them; tests/test_wheel.py sees that all come."""
    few = [
        published_runs.FOLDER / f"{text}.jsonl"
        for text in ("needle-metal", "m1-vs-v100")
    ]
    (tmp_path / "published").mkdir()
    for path in few:
        shutil.copy(path, tmp_path / "published")
    monkeypatch.setattr(user_database, "folder", lambda name: tmp_path / name)
    monkeypatch.delenv("BENCHDB_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))

    asked = ("list", "--runs", "--json")
    first, second = (benchdb(*asked) for _ in range(2))

    count = published_runs.count(few)
    assert f"with {count} published runs" in first.err
    assert first.out == second.out
    assert len(json.loads(first.out)) == count
    assert "published runs" not in second.err
    if sys.platform != "darwin":
        assert (tmp_path / "data" / "benchdb" / "results.sqlite").exists()


def test_the_user_may_say_where_the_data_are(two_runs, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "mine"))
    benchdb("import", two_runs, "--db", tmp_path / "mine" / "results.sqlite")

    done = command_line.benchdb("list", "--runs", "--json")

    assert (len(json.loads(done.out)), done.err) == (2, "")


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has a folder of its own")
def test_a_folder_for_data_that_is_relative_does_not_count(
    two_runs, tmp_path, monkeypatch
):
    monkeypatch.delenv("BENCHDB_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    own = tmp_path / ".local" / "share" / "benchdb" / "results.sqlite"
    benchdb("import", two_runs, "--db", own)

    done = command_line.benchdb("list", "--runs", "--json", cwd=tmp_path)

    assert (len(json.loads(done.out)), done.err) == (2, "")
    assert not (tmp_path / "relative").exists()
