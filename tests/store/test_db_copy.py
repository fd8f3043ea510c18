"""``benchdb db copy``: everything, from either kind of database into either."""

import json
from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.resources import folder
from benchdb.store.database import open_database
from tests.backends import POSTGRESQL, SQLITE, Backend
from tests.bundle_files import exported as exported_bundle
from tests.contents import contents
from tests.in_process import benchdb
from tests.keys import new_key
from tests.proposed_sources import NEEDLE, lone_source, proposals
from tests.store.full_disk import full_disk
from tests.store.old_databases import FILES, old_file

OURS = Path(__file__).parents[1] / "fixtures" / "import"
SHIPPED = Path(__file__).parents[2] / "results.sqlite"


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> Path:
    """A database with rows in every table."""
    path: Path = tmp_path_factory.mktemp("source") / "everything.sqlite"
    bad = path.with_name("bad.jsonl")
    bad.write_bytes(FILES[0].read_bytes() + b"{no JSON\n")
    source = folder("published") / "m1tensorbench.jsonl"
    late = path.with_name("late.jsonl")
    late.write_bytes(FILES[0].read_bytes().replace(b'"started":"20', b'"started":"30'))
    benchdb(
        "import", bad, late, FILES[1], source, OURS / "llama_bench.sql", "--db", path
    )
    engine = open_database(str(path))
    listed = benchdb("machines", "list", "--db", path).out.splitlines()
    text, other = (line[:12] for line in (listed[0], listed[-1]))
    assert benchdb("machines", "merge", text, other, "--db", path).status == 0
    newer = path.with_name("newer.jsonl")
    naming = {"supersedes": [NEEDLE], "document_sha256": "1" * 64}
    newer.write_text(lone_source("newer", **naming))
    benchdb("import", newer, folder("published") / "pytorch-in-m1.jsonl", "--db", path)
    (proposal,) = proposals(path)
    benchdb("sources", "reject", proposal["id"], "--db", path)
    benchdb("forget", "source:pytorch-in-m1", "--yes", "--db", path)
    key = new_key(path.with_name("key"))
    bundle = exported_bundle(path.with_name("a.benchdb"), FILES[0].read_bytes(), key)
    benchdb("trust", f"{key}.pub", "alice", "--mine", "--db", path)
    benchdb("import", bundle, "--db", path)
    listed = json.loads(benchdb("list", "--mine", "--runs", "--json", "--db", path).out)
    withdrawn = ("retract", listed[0]["digest"], "--reason", "a fan was blocked")
    assert benchdb(*withdrawn, "--key", key, "--db", path).status == 0
    assert all(contents(engine).values())
    return path


@pytest.fixture
def other(request, tmp_path, backend: Backend) -> Backend:
    """Databases of the other kind."""
    kind = POSTGRESQL if backend.kind == SQLITE else SQLITE
    return Backend(kind, request)


def exported(location: object, path: Path) -> bytes:
    assert benchdb("export", "-o", path, "--db", location).status == 0
    return path.read_bytes()


def test_a_copy_there_and_back_loses_nothing(backend, other, everything, tmp_path):
    there, back = backend.nothing(), other.nothing()

    done = [
        benchdb("db", "copy", *pair) for pair in ((everything, there), (there, back))
    ]

    assert [outcome.status for outcome in done] == [0, 0], done
    first = contents(open_database(str(everything)))
    assert contents(open_database(there)) == first
    assert contents(open_database(back)) == first
    texts = {outcome.out.splitlines()[1] for outcome in done}
    assert len(texts) == 1
    assert texts.pop().startswith("digest of both: ")
    assert len({exported(item, tmp_path / "x") for item in (everything, there)}) == 1


def test_an_import_of_an_export_exports_the_same(backend, other, everything, tmp_path):
    locations = (everything, backend.database(), other.database())
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    whole = exported(everything, files[0])
    for before, location in zip(files, locations[1:], strict=False):
        engine = open_database(location)
        import_or_raise(engine, [before])
        assert exported(location, files[files.index(before) + 1]) == whole


def test_copying_again_changes_nothing(backend, everything):
    target = backend.database()

    first, second = (benchdb("db", "copy", everything, target) for _ in range(2))

    assert first.out.splitlines()[1] == second.out.splitlines()[1]
    assert "rows copied" in first.out
    assert "the same already" in second.out


def test_a_target_with_other_results_is_left_alone(backend, everything):
    target = backend.database()
    benchdb("import", FILES[0], "--db", target)
    before = contents(open_database(target))

    done = benchdb("db", "copy", everything, target)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "holds other results" in done.err
    assert contents(open_database(target)) == before


def test_an_older_source_is_not_upgraded_by_the_way(tmp_path, backend):
    source = tmp_path / "old.sqlite"
    source.write_bytes(old_file("0001").read_bytes())

    done = benchdb("db", "copy", source, backend.nothing())

    assert done.status == 1
    assert "older schema 0001" in done.err
    assert list(tmp_path.glob("*backup*")) == []


def test_a_file_system_that_fills_up_keeps_no_half_copy(tmp_path):
    large = tmp_path / "large.sqlite"
    large.write_bytes(SHIPPED.read_bytes())
    with full_disk(2**20) as room:
        done = benchdb("db", "copy", large, room / "copy.sqlite")

        assert (done.status, done.err.count("\n")) == (1, 1), done.err
        assert f"cannot write {room}/copy.sqlite: database or disk is full" in done.err
        assert list(room.iterdir()) == []
