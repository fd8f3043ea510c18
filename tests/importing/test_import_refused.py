"""Files that cannot be read: one line says which, where and why; nothing changes."""

import bz2
import gzip
import io
import json
import lzma
import shutil
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.in_process import benchdb


def runs_in(db: Path) -> list[dict[str, object]]:
    groups: list[dict[str, object]] = json.loads(
        benchdb("list", "--json", "--db", db).out
    )
    return groups


TABLE = b"| Model | img/s |\n|---|---|\n| ResNet50 | 140 |\n"


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b"\0" * 2**22)  # expands a thousandfold
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        link = tarfile.TarInfo("results.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return buffer.getvalue()


def pytest_benchmark(chip: str = "Apple M1", **benchmark: object) -> bytes:
    items = {"name": "a", "stats": {"data": [1.0], "mean": 1.0}} | benchmark
    machine = {"cpu": {"brand_raw": chip}}
    return json.dumps({"machine_info": machine, "benchmarks": [items]}).encode()


REFUSED = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n \n", "the file is empty"),
    "binary": (bytes(range(256)) * 8, "line 2: byte 129 is not UTF-8|binary"),
    "nul": (b"| a | b |\0\n", "a binary file"),
    "utf-16": (TABLE.decode().encode("utf-16"), "UTF-16; convert it: iconv"),
    "latin-1": ("| Gerät | s |\n".encode("latin-1"), "line 1: byte 6 is not UTF-8"),
    "zip": (zipped("results.csv"), "a zip archive"),
    "zip that climbs": (zipped("../../results.csv"), "a zip archive"),
    "zip with an absolute name": (zipped("/etc/cron.d/x"), "a zip archive"),
    "tar with a link": (tarred(), "a tar archive"),
    "gzip": (gzip.compress(b"0" * 2**24), "compressed with gzip"),
    "bzip2": (bz2.compress(b"0" * 2**20), "compressed with bzip2"),
    "xz": (lzma.compress(b"0" * 2**20), "compressed with xz"),
    "pdf": (b"%PDF-1.7\n", "a PDF"),
    "prose": (b"It was fast, I think.\n", "no format that benchdb knows"),
    "table without map": (TABLE, "no map says what the columns mean"),
    "deep": (b"[" * 10_000 + b"]" * 10_000, "nested too deeply|no format"),
    "deep objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested|no format"),
    "truncated": (b'{"machine_info": {}, "benchmarks": [{"name"', "no JSON|no format"),
    "one long line": (b"| a | b |\n" + b"x" * 2**21, "line 2 is longer than"),
    "entities": (
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        b"<r><result>&b;</result></r>",
        "no format that benchdb knows",  # XML is not parsed, so nothing expands
    ),
    "cut exchange file": (b'{"type":"header","format":1,"produ', "header|JSON"),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("refused") / "results.sqlite"
    fixture = Path(__file__).parents[1] / "fixtures" / "two_runs.jsonl"
    assert benchdb("import", fixture, "--db", path).status == 0
    # All into the one file, so that its bytes are the whole database.
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_read_is_told_in_one_line_and_changes_nothing(
    tmp_path, database, name
):
    content, reason = REFUSED[name]
    path, db = tmp_path / "theirs.txt", tmp_path / "results.sqlite"
    path.write_bytes(content)
    shutil.copyfile(database, db)
    before = db.read_bytes()

    done = benchdb("import", path, "--db", db)

    assert done.status == 1
    assert done.err.count("\n") == 1
    assert done.err.startswith(f"benchdb: {path}: ")
    assert any(part in done.err for part in reason.split("|")), done.err
    assert db.read_bytes() == before


def in_pytest_benchmark(value: str) -> Callable[[], bytes]:
    return lambda: pytest_benchmark(name="PLACE").replace(b'"PLACE"', value.encode())


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (
            b'{"machine_info": {}, "machine_info": {}, "benchmarks": '
            b'[{"name": "a", "stats": {"mean": 1}}]}',
            "the key 'machine_info' appears twice",
        ),
        (
            pytest_benchmark(stats={"mean": 1.0}).replace(b"1.0", b"9" * 10_000),
            "thousands of digits",
        ),
        (pytest_benchmark().replace(b"1.0", b"NaN"), "is nan, no number"),
        (pytest_benchmark().replace(b"1.0", b"1e999"), "is inf, no number"),
        (pytest_benchmark(chip="x" * 10_000), "10000 characters; 4000 are read"),
        (pytest_benchmark(name="fast\u202egnp"), "U+202E"),
        (pytest_benchmark(name="a\u0007b"), "U+0007"),
        (pytest_benchmark(stats={"mean": "quick"}), ""),
        (pytest_benchmark(stats=[]), ""),
        (pytest_benchmark(stats={"data": [-1.0], "mean": -1.0}), ""),
    ],
    ids=[
        "a key twice",
        "10,000 digits",
        "NaN",
        "infinite",
        "a machine name of 10 kB",
        "text that runs backwards",
        "a bell",
        "a word for a number",
        "a list for an object",
        "a negative time",
    ],
)
def test_a_record_that_cannot_be_true_is_refused_with_its_reason(
    tmp_path, database, document, reason
):
    path, db = tmp_path / "theirs.json", tmp_path / "results.sqlite"
    path.write_bytes(document)
    shutil.copyfile(database, db)

    done = benchdb("import", path, "--db", db)

    assert (done.status, done.err.count("\n")) == (1, 1), done.err
    assert str(path) in done.err
    assert any(part in done.err for part in reason.split("|")), done.err
    assert "2 runs" not in done.out
    assert len(runs_in(db)) == 2


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '=cmd("calc")', "$x$"])
def test_text_that_is_dangerous_elsewhere_is_taken_as_the_text_it_is(
    tmp_path, database, name
):
    path, db = tmp_path / "theirs.json", tmp_path / "results.sqlite"
    path.write_bytes(pytest_benchmark(name=name))
    shutil.copyfile(database, db)

    done = benchdb("import", path, "--db", db)

    assert done.status == 0, done.err
    workloads = {run["workload"] for run in runs_in(db)}
    assert f"pytest-benchmark/{name}" in workloads


def test_a_folder_without_results_says_so_and_makes_no_database(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / ".hidden.jsonl").write_text("not this\n")
    (folder / "photo.jpg").write_bytes(b"nor this")

    done = benchdb("import", folder, "--db", tmp_path / "results.sqlite")

    assert done.status == 2
    assert done.err.startswith(f"benchdb: no results in {folder}")
    assert not (tmp_path / "results.sqlite").exists()
