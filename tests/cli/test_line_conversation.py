"""``import`` reads lines of any layout by one that somebody gives."""

from pathlib import Path

import pytest

from benchdb.store.database import open_database
from tests.contents import contents
from tests.in_process import benchdb
from tests.terminal import talk

PAGE = """<!doctype html>
<html><body>
<h1>Chat on an M2 Max with MLX</h1>
<div><p>Llama 3 8B</p><div style="width: 60%">41.5</div></div>
<div><p>Gemma 2 9B</p><div style="width: 50%">32.25</div></div>
<h2>Loading</h2>
<div><p>all</p><div>2.75</div></div>
</body></html>
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))


def decoded(db: Path) -> list[float]:
    """Return the figures of decoding on the GPU of the M2 Max."""
    query = (
        "SELECT value FROM results WHERE workload = 'llm-decode' "
        "AND accelerator = 'M2 Max' AND device = 'metal'"
    )
    with open_database(str(db)).connect() as connection:
        return [*connection.exec_driver_sql(query).scalars()]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "chat.html"
    path.write_text(PAGE)
    return path


def test_a_line_with_names_reads_those_like_it_where_nothing_else_does(page, db):
    saved = page.with_name("saved.toml")
    lines = ["line: no such {line}", r"line: {model}\n{decode tok/s}"]

    done = talk(
        ["yes", *lines, "yes, but device: gpu; all: leave-out", "yes"],
        *("import", page, "--db", db, "--save", saved),
    )
    again = benchdb("import", page, "--map", saved, "--db", db)

    assert done.status == 0, done.out
    assert f"{page}: neither a table nor a log of a known habit" in done.out
    assert "benchdb: give a line of it with names in braces" in done.out
    assert "benchdb: no line is like 'no such {line}'" in done.out
    assert sorted(decoded(db)) == [32.25, 41.5]
    assert " 0 new" in again.out
    assert again.status == 0


def test_a_script_gives_a_line_and_hears_what_no_line_says(page, db):
    line = r"line={model}\n{decode tok/s}"

    def ran(*answers):
        given = [part for it in answers for part in ("--answer", it)]
        return benchdb("import", page, "--yes", "--db", db, *given)

    refused, wrong = ran(), ran("line=ran {run}")
    assert (refused.status, wrong.status) == (1, 2)
    assert "line 4: '41.5': in no table and no list that can be read" in refused.err
    assert refused.err.endswith("neither a table nor a log of a known habit\n")
    assert "no line is like 'ran {run}'" in wrong.err
    assert not db.exists() or contents(open_database(str(db)))["run"] == []

    done = ran(line, "readings=yes, but device: gpu")
    assert done.status == 0, done.err
    assert sorted(decoded(db)) == [2.75, 32.25, 41.5]
