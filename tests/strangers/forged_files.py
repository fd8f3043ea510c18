"""What strangers make of a file that I shared, and what a database says of its runs."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.in_process import benchdb
from tests.store.old_databases import FILES
from tests.strangers.forgeries import Line

WORK = ("matmul", "--size", 4, "--framework", "numpy", "--no-metal", "--no-cuda")
TINY = (*WORK, "--tier", "smoke", "--replicates", 1)


def three_times_slower(line: Line) -> None:
    for value in line.get("values", ()) if line["type"] == "end" else ():
        if value["metric"] == "flops_per_second" and value["value"]:
            value["value"] /= 3
        elif value["metric"].endswith("_seconds") and value["value"]:
            value["value"] *= 3


def in_days_to_come(line: Line) -> None:
    if line["type"] == "run":
        line |= {"started": "2099-01-01T00:00:00+00:00", "campaign": "later"}


def another_model(line: Line) -> None:
    if line["type"] == "machine":
        line["model"] = "Evil,1"


def runs(location: object, *options: object) -> list[Line]:
    done = benchdb("list", "--runs", "--json", *options, "--db", location)
    assert done.status == 0, done.err
    groups: list[Line] = json.loads(done.out)
    return groups


def digests(location: object, *options: object) -> set[str]:
    return {run["digest"] for run in runs(location, *options)}


def took(location: object, *paths: Path) -> None:
    done = benchdb("import", *paths, "--db", location)
    assert done.status == 0, done.err


def page(location: object) -> Line:
    done = benchdb(
        *("report", "--lang", "en", "--format", "json", "-o", "-", "--db", location)
    )
    assert done.status == 0, done.err
    result: Line = json.loads(done.out)
    return result


def codes(location: object, digest: str) -> list[str]:
    shown = json.loads(benchdb("show", digest, "--json", "--db", location).out)
    return [item["code"] for item in shown["findings"]]


def exported(location: object) -> str:
    return benchdb("export", "--mine", "--db", location).out


def sound(location: object) -> None:
    done = benchdb("db", "check", "--db", location)
    assert done.status == 0, done.out


def figures(view: Line, run: str) -> list[tuple[Any, ...]]:
    """Return every figure of *run*, with its interval and how many made it."""
    names = ("value", "n", "low", "high", "unit")
    return [
        (
            row["metric"],
            row["system"]["mine"],
            *(row["quantity"][name] for name in names),
        )
        for row in shown(view, run)
    ]


def shown(view: Line, run: str) -> list[Line]:
    """Return the rows of values that *run* alone made."""
    rows = [row for row in view["values"] if row["run"] == run and row["quantity"]]
    assert all(row["runs"] in ([], [run]) for row in rows)
    return rows


def without_record(location: str, *names: str) -> None:
    """Take away what is noted of files that were read: as if their runs were ours."""
    known = {path.name: digest_of(path) for path in FILES}
    with closing(sqlite3.connect(location)) as connection, connection:
        for name in names:
            connection.execute(
                "DELETE FROM imported_file WHERE sha256 = ?", (known[name],)
            )


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
