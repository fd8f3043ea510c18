"""No export names its owner: each file that can be shared is searched for her.

That of ``doctor --try`` is looked through in ``test_doctor_trial.py``.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests import troubled_checkout
from tests.collectors.fake_macs import FAKES, Mac
from tests.command_line import benchdb
from tests.private_words import JANE, LEAK, given_away

LLAMA_BENCH = FAKES.parent / "fixtures" / "tools" / "llama-bench.json"
WORK = ("matmul", "--size", 4, "--size", 8, "--no-metal", "--no-cuda")


# She typed where her data are.
TYPED = (
    "ssh janedoe@Janes-Mac.local make",
    "ssh -p 22 janes-nas ls",
    "scp x.tar janes-nas:/tmp/x.tar",
    "curl http://janes-nas:8080/x http://192.168.1.17/y",
    "/Users/janedoe/bench --on Janes-Mac a4:83:4e:5f:6a:7b",
)


@pytest.fixture(scope="module", autouse=True)
def _as_jane() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in JANE.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def home(_as_jane, tmp_path_factory) -> Path:
    """Return Jane's home: what her Mac measured, what failed, and what she imported."""
    home: Path = tmp_path_factory.mktemp("users") / "janedoe"
    home.mkdir()
    checkout = troubled_checkout.make_collectors(home / "checkout")
    mac = {**Mac("m4_low_power", zeus=True).environment, **JANE}
    mac["PYTHONPATH"] = os.pathsep.join((str(FAKES / "zeus"), str(FAKES.parents[1])))
    mac["OMP_NUM_THREADS"], mac["XLA_FLAGS"] = "4", "--xla_dump_to=/Users/janedoe/x"

    def collect(**trouble: str) -> None:
        line = ("collect", *WORK, "--tier", "smoke", "--db", home / "r.sqlite")
        troubled_checkout.in_process(checkout, home, *line, **mac, **trouble)

    collect()
    collect(TROUBLE="build", TROUBLE_KIND="raise", TROUBLE_SAYS=LEAK)
    document = LLAMA_BENCH.read_text("utf-8").replace("models/3B", "/Users/janedoe/llm")
    (home / "her benchmark.json").write_text(document)
    times = [{"command": typed, "times": [1.5, 1.25, 2.0]} for typed in TYPED]
    (home / "hers.json").write_text(json.dumps({"results": times}))
    files = (home / "her benchmark.json", home / "hers.json")
    taken = benchdb("import", *files, "--db", home / "r.sqlite")
    assert taken.status == 0, taken
    return home


_BINARY = (".png", ".sqlite")


def _lines(home: Path) -> str:
    return benchdb("export", "--db", home / "r.sqlite").out


def _preview(home: Path) -> str:
    return benchdb("export", "--preview", "--db", home / "r.sqlite").out


def _parquet(home: Path) -> str:
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    benchdb(
        "export", "--format", "parquet", "-o", home / "t", "--db", home / "r.sqlite"
    )
    tables = [pq.read_table(path) for path in sorted((home / "t").rglob("*.parquet"))]
    return json.dumps([table.to_pylist() for table in tables], default=str)


def _site(home: Path) -> str:
    done = benchdb(
        "report", "--site", home / "s", "--lang", "en", "--db", home / "r.sqlite"
    )
    assert done.status == 0
    pages = [
        path for path in (home / "s").rglob("*") if path.suffix in (".html", ".json")
    ]
    return "\n".join(page.read_text("utf-8") for page in pages)


def _metadata(home: Path) -> str:
    return benchdb("db", "datasette", "--db", home / "r.sqlite").out


def _database(home: Path) -> str:
    _report("sqlite")(home)
    with closing(sqlite3.connect(home / "sqlite" / "report.sqlite")) as connection:
        return "\n".join(connection.iterdump())


def _report(kind: str) -> Callable[[Path], str]:
    def written(home: Path) -> str:
        folder = home / kind
        options = ("--format", kind, "--lang", "en", "-o", folder, "--all")
        done = benchdb("report", *options, "--db", home / "r.sqlite")
        assert done.status == 0, done
        texts = (path for path in folder.rglob("*") if path.suffix not in _BINARY)
        return "\n".join(text.read_text("utf-8") for text in texts)

    return written


EXPORTS = {
    "jsonl": (_lines, "M4"),
    "preview": (_preview, "M4"),
    "parquet": (_parquet, "M4"),
    "csv": (_report("csv"), "M4"),
    "json": (_report("json"), "M4"),
    "html": (_report("html"), "M4"),
    "markdown": (_report("markdown"), "M4"),
    "snippet": (_report("snippet"), "M4"),
    "sqlite": (_database, "M4"),
    "site": (_site, "hyperfine"),
    "datasette": (_metadata, "workload"),
}


@pytest.mark.parametrize("export", EXPORTS)
def test_an_export_has_the_machine_in_it_and_not_its_owner(export, home):
    written, there = EXPORTS[export]

    text = written(home)

    assert there in text
    assert given_away(text.replace(str(home), "HOME")) == []
    assert str(home) not in text


def test_a_preview_shows_each_field_with_its_values_and_writes_nothing(home):
    before = sorted(home.iterdir())

    shown = _preview(home)

    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in shown.splitlines()}
    fields = {
        place
        for line in _lines(home).splitlines()
        for place in _places(json.loads(line))
    }
    assert rows.keys() - {"field"} == fields
    assert rows["machine.model"] == ["1", "Mac16,1"]
    assert rows["run.replicate"][1] == "0"
    assert "cannot open" in rows["end.reason"][1]
    assert sorted(home.iterdir()) == before


def _places(message: dict[str, object]) -> set[str]:
    def leaves(place: str, value: object) -> set[str]:
        if isinstance(value, dict):
            return {x for k, v in value.items() for x in leaves(f"{place}.{k}", v)}
        if isinstance(value, list):
            return {x for entry in value for x in leaves(place, entry)}
        return {place}

    kind = str(message.pop("type"))
    return leaves(kind, message)


def test_what_is_searched_for_would_be_found():
    texts = {text.lower() for text in given_away(f"{LEAK} C02SERIAL77 /home/jane")}

    assert {"jane", "/users", "/home/", "c02serial"} <= texts
    assert {"192.168.1.17", "a4:83:4e:5f:6a:7b", "9f1b7c3e-1111-"} <= texts
