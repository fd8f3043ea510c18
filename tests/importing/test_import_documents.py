"""Documents of others from the command line: taken, refused, retried, linked."""

import hashlib
import json
import os
import shutil
import sqlite3
import zlib
from pathlib import Path

from tests.importing.readme_import import (  # noqa: F401 - fixtures
    MAP,
    README,
    database,
    map_file,
    quarantined,
    readme_file,
    rows,
    runs,
)
from tests.in_process import benchdb


def test_a_table_is_taken_by_its_map_and_a_row_too_long_goes_to_the_quarantine(
    db, readme, map_
):
    done = benchdb("import", readme, "--map", map_, "--db", db)

    assert done.status == 1
    assert done.err.startswith(f"benchdb: {readme}:10: ")
    assert "3 runs, 3 new [map speed]" in done.out
    assert {name: run["status"] for name, run in runs(db).items()} == {
        "resnet50": "ok",
        "mobilenetv2": "ok",
        "vgg16": "oom",
    }
    (refused,) = quarantined(db)
    assert (refused["line"], refused["raw"]) == (10, "| AlexNet | 64 | 1 | 2 |")


def test_a_number_leads_to_its_place_in_the_source(db, readme, map_):
    benchdb(
        "import", readme, "--map", map_, "--url", "https://example.org/r", "--db", db
    )

    digest = runs(db)["resnet50"]["digest"]
    shown = benchdb("show", digest, "--db", db).out
    result = json.loads(benchdb("show", digest, "--json", "--db", db).out)

    assert "140 img/s, printed as “140 img/s”, line 7, column Throughput" in shown
    assert "line 7, column Throughput: | ResNet50 | 128 | 140 img/s |" in shown
    assert "https://example.org/r" in shown
    assert result["source"]["document_sha256"] in shown
    assert result["source"]["importer"] == "map speed"
    assert result["run"]["label"] == "transcribed"


def test_importing_a_document_twice_tells_its_faults_again_and_adds_nothing(
    db, readme, map_
):
    benchdb("import", readme, "--map", map_, "--db", db)
    before = rows(db)

    again = benchdb("import", readme, "--map", map_, "--db", db)

    assert "3 runs, 0 new" in again.out
    assert (again.status, again.err.count("\n")) == (1, 1)
    assert rows(db) == before


def test_a_clean_document_is_known_the_second_time(db, readme, map_):
    readme.write_text(README.replace("| AlexNet | 64 | 1 | 2 |\n", ""))
    benchdb("import", readme, "--map", map_, "--db", db)
    renamed = readme.with_name("copy.txt")
    shutil.copyfile(readme, renamed)

    again = benchdb("import", renamed, "--map", map_, "--db", db)

    assert again.status == 0
    assert "3 runs, 0 new (file imported before)" in again.out


def test_a_corrected_document_is_retried_by_importing_it_and_leaves_the_quarantine(
    db, readme, map_
):
    benchdb("import", readme, "--map", map_, "--db", db)
    (refused,) = quarantined(db)
    shown = benchdb("quarantine", "show", refused["digest"][:12], "--db", db)

    retried = benchdb("quarantine", "retry", refused["digest"][:12], "--db", db)

    assert "| AlexNet | 64 | 1 | 2 |" in shown.out
    assert (retried.status, retried.out) == (1, "README.md: 3 runs, 0 new, 1 refused\n")
    assert quarantined(db) == [refused]


def test_retrying_takes_what_a_newer_reader_understands(db, two_runs, tmp_path):
    bad = tmp_path / "bad.jsonl"
    lines = two_runs.read_text().splitlines(keepends=True)
    bad.write_text("".join(line.replace('"ok"', '"great"') for line in lines))
    benchdb("import", bad, "--db", db)
    assert len(quarantined(db)) == 2
    with sqlite3.connect(db) as connection:
        # As if that status had become one that is read: the kept file says "ok".
        good = two_runs.read_bytes()
        sha256 = hashlib.sha256(good).hexdigest()
        connection.execute("UPDATE quarantine SET file = ?", [sha256])
        connection.execute(
            "UPDATE document SET sha256 = ?, packed = ?", [sha256, zlib.compress(good)]
        )
    connection.close()

    retried = benchdb("quarantine", "retry", "--db", db)

    assert (retried.status, retried.out) == (0, "bad.jsonl: 2 runs, 1 new, 0 refused\n")
    assert quarantined(db) == []


def test_the_same_figures_in_another_document_are_linked_both_ways(
    db, readme, map_, tmp_path
):
    readme.write_text(README.replace("| AlexNet | 64 | 1 | 2 |\n", ""))
    fork = tmp_path / "results.csv"
    fork.write_text(
        "Model,Batch,Throughput\nResNet50,128,140 img/s\nMobileNetV2,128,352 img/s\n"
        "ResNet18,128,512.5 img/s\n"
    )
    readme.write_text(readme.read_text() + "| ResNet18 | 128 | 512.5 img/s |\n")
    other = tmp_path / "fork.toml"
    other.write_text(MAP.replace('slug = "speed"', 'slug = "fork"'))
    benchdb("import", readme, "--map", map_, "--published", "2024-01-01", "--db", db)
    benchdb("import", fork, "--map", other, "--published", "2025-01-01", "--db", db)

    listed = json.loads(benchdb("list", "--json", "--db", db).out)
    values = {
        run["source"]: benchdb("show", run["digest"], "--db", db).out
        for run in listed
        if run["workload"] == "resnet50"
    }

    assert "same figures in results.csv (fork), a copy:" in values["speed"]
    assert "same figures in README.md (speed), the original:" in values["fork"]


def test_a_corrected_version_supersedes_the_older_one_which_stays(
    db, readme, map_, tmp_path
):
    where = ("--url", "https://example.org/readme", "--map", map_, "--db", db)
    benchdb("import", readme, "--published", "2024-01-01", *where)
    readme.write_text(README.replace("140 img/s", "141 img/s"))
    done = benchdb("import", readme, "--published", "2024-02-01", *where)
    (proposal,) = (
        item
        for source in json.loads(benchdb("sources", "--json", "--db", db).out)
        for item in source["proposals"]
    )
    benchdb("sources", "accept", proposal["id"][:8], "--db", db)

    listed = json.loads(benchdb("list", "--json", "--db", db).out)
    both = [run["digest"] for run in listed if run["workload"] == "resnet50"]
    shown = [benchdb("show", digest, "--db", db).out for digest in both]

    assert " proposes to mark 3 runs of speed as outdated; " in done.err
    assert len(shown) == 2
    assert sum("superseded by README.md (speed)" in text for text in shown) == 1


def test_what_was_told_about_a_document_holds_when_it_is_retried(db, readme, map_):
    row = ("--url", "https://example.org/r", "--author", "A", "--published", "2024")
    benchdb("import", readme, "--map", map_, *row, "--db", db)
    before = rows(db)

    retried = benchdb("quarantine", "retry", "--db", db)

    assert "3 runs, 0 new, 1 refused" in retried.out
    assert rows(db) == before


def test_a_file_whose_name_is_no_text_is_taken(db, two_runs, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xff.jsonl"))
    shutil.copyfile(two_runs, path)

    assert benchdb("import", path, "--db", db).status == 0
