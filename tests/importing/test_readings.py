"""One document read twice: alike, otherwise by a newer reader, by a corrected map."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from benchdb.store.database import open_database
from tests.contents import contents
from tests.in_process import benchdb

README = """\
| Model | Speed |
|-------|-------|
| ResNet50 | 140 |
| VGG16 | 52 |
"""
MAP = """\
{version}
[set]
framework = "torch"
device = "metal"
machine = "M1 Max"

[[table]]
header = ["Model", "Speed"]

[table.columns.Model]
field = "workload"

[table.columns.Speed]
is = "value"
metric = "{metric}"
unit = "{unit}"
"""
UNITS = {"reported_step_seconds": "s", "reported_samples_per_second": "img/s"}
WRONG, RIGHT = "reported_step_seconds", "reported_samples_per_second"


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def mapped(room: Path, metric: str, version: int | None = None) -> Path:
    folder = room / f"{metric}{version}"
    folder.mkdir()
    line = "" if version is None else f"version = {version}"
    path = folder / "speed.toml"
    path.write_text(MAP.format(metric=metric, unit=UNITS[metric], version=line))
    return path


def shown(db: Path, workload: str) -> dict[str, dict[str, Any]]:
    """Return what is shown of each run of *workload*, by its metric."""
    listed = json.loads(benchdb("list", "--json", "--db", db).out)
    result = [run["digest"] for run in listed if run["workload"] == workload]
    outcome = (
        json.loads(benchdb("show", item, "--json", "--db", db).out) for item in result
    )
    return {item["end"]["values"][0]["metric"]: item for item in outcome}


def what_is_in(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    return contents(open_database(str(db)))


def exported(db: Path, *replaced: tuple[str, str]) -> Path:
    """Return an exchange file of *db* in which texts are replaced."""
    path = db.with_name(f"{db.stem}{len(replaced)}.jsonl")
    assert benchdb("export", "--db", db, "-o", path).status == 0
    text = path.read_text()
    for result, other in replaced:
        assert result in text
        text = text.replace(result, other)
    path.write_text(text)
    return path


def test_what_a_corrected_map_reads_takes_the_place_of_what_it_read_before(
    tmp_path, readme
):
    first, second = mapped(tmp_path, WRONG), mapped(tmp_path, RIGHT, version=2)
    groups: list[dict[str, list[tuple[Any, ...]]]] = []
    for order in permutations((first, second)):
        db = tmp_path / f"{len(groups)}.sqlite"
        done = [benchdb("import", readme, "--map", path, "--db", db) for path in order]
        assert [(outcome.status, outcome.err) for outcome in done] == [(0, ""), (0, "")]
        groups.append(what_is_in(db))

    runs = shown(db, "resnet50")

    assert groups[0] == groups[1]
    assert runs[WRONG]["superseded_by"] == "README.md (readme)"
    assert runs[RIGHT]["superseded_by"] is None
    assert runs[RIGHT]["source"]["importer_version"].startswith("2 (benchdb ")


def test_of_two_maps_that_do_not_say_which_is_newer_both_stay_and_that_is_told(
    tmp_path, readme
):
    db = tmp_path / "results.sqlite"
    benchdb("import", readme, "--map", mapped(tmp_path, WRONG), "--db", db)

    done = benchdb("import", readme, "--map", mapped(tmp_path, RIGHT), "--db", db)

    assert (done.status, done.err.count("\n")) == (0, 1)
    assert done.err.startswith(f"benchdb: {readme}: read otherwise before")
    runs = shown(db, "vgg16")
    assert {run["superseded_by"] for run in runs.values()} == {None}


def test_a_map_written_anew_that_reads_the_same_brings_nothing_new(tmp_path, readme):
    db = tmp_path / "results.sqlite"
    map_ = mapped(tmp_path, RIGHT)
    benchdb("import", readme, "--map", map_, "--db", db)
    map_.write_text("# by me\n" + map_.read_text())

    done = benchdb("import", readme, "--map", map_, "--db", db)

    assert (done.status, done.err) == (0, "")
    assert "2 runs, 0 new [map speed]" in done.out


def test_a_newer_version_that_reads_the_same_is_named_whichever_came_first(
    tmp_path, readme
):
    db = tmp_path / "own.sqlite"
    benchdb("import", readme, "--map", mapped(tmp_path, RIGHT), "--db", db)
    (this,) = {
        item["source"]["importer_version"] for item in shown(db, "vgg16").values()
    }
    files = [exported(db), exported(db, (this, "1 (benchdb 77.10.0)"))]
    groups: list[dict[str, list[tuple[Any, ...]]]] = []
    for order in permutations(files):
        other = tmp_path / f"{len(groups)}.sqlite"
        done = [benchdb("import", path, "--db", other) for path in order]
        assert "2 runs, 0 new" in done[1].out
        groups.append(what_is_in(other))

    assert groups[0] == groups[1]
    (source,) = groups[0]["source"]
    assert "1 (benchdb 77.10.0)" in source


def test_what_a_newer_version_reads_otherwise_elsewhere_is_proposed(tmp_path, readme):
    db = tmp_path / "own.sqlite"
    benchdb("import", readme, "--map", mapped(tmp_path, RIGHT), "--db", db)
    (old,) = shown(db, "resnet50").values()
    newer = exported(
        db,
        (old["source"]["importer_version"], "1 (benchdb 77.10.0)"),
        (old["source"]["reading"], "7" * 64),
        (RIGHT, "reported_value"),
    )
    for order in permutations((readme, newer)):
        other = tmp_path / f"{order[0].stem}.sqlite"
        for item in order:
            how = ["--map", tmp_path / f"{RIGHT}None" / "speed.toml"]
            benchdb("import", item, *(how if item is readme else []), "--db", other)
        before = shown(other, "resnet50")
        (proposal,) = (
            entry
            for source in json.loads(benchdb("sources", "--json", "--db", other).out)
            for entry in source["proposals"]
        )
        accepted = benchdb("sources", "accept", proposal["id"], "--db", other)

        runs = shown(other, "resnet50")

        assert (proposal["why"], accepted.status) == ("read-again", 0)
        assert {entry["superseded_by"] for entry in before.values()} == {None}
        assert runs[RIGHT]["superseded_by"] == "README.md (readme)"
        assert runs["reported_value"]["superseded_by"] is None


def test_an_exchange_file_cannot_pass_for_a_newer_reading_made_here(tmp_path, readme):
    db = tmp_path / "own.sqlite"
    benchdb("import", readme, "--map", mapped(tmp_path, RIGHT), "--db", db)
    (old,) = shown(db, "resnet50").values()
    version = old["source"]["importer_version"]
    forged = exported(
        db,
        (version, "99"),
        (old["source"]["reading"], "7" * 64),
        (RIGHT, "reported_value"),
    )
    bumped = exported(db, (version, "99"))

    done = benchdb("import", forged, bumped, "--db", db)
    later = tmp_path / "later"
    later.mkdir()
    benchdb("import", readme, "--map", mapped(later, WRONG, 2), "--db", db)

    runs = shown(db, "resnet50")
    assert (done.status, done.err.count(" proposes to mark 2 runs of readme as")) == (
        0,
        1,
    )
    # What our own newer map read takes the place of what our own older one did.
    assert runs[RIGHT]["superseded_by"] == "README.md (readme)"
    assert runs[WRONG]["superseded_by"] is None
    assert runs["reported_value"]["superseded_by"] is None


def test_what_is_told_about_a_document_later_is_not_lost(tmp_path, readme):
    db, map_ = tmp_path / "results.sqlite", mapped(tmp_path, RIGHT)
    benchdb("import", readme, "--map", map_, "--db", db)

    benchdb("import", readme, "--map", map_, "--url", "https://example.org", "--db", db)

    listed = json.loads(benchdb("list", "--json", "--db", db).out)
    texts = [benchdb("show", run["digest"], "--db", db).out for run in listed]
    assert sum("https://example.org" in text for text in texts) == 2
