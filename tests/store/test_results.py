"""The committed database is what the published files say, nothing more."""

from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.store.database import open_database
from benchdb.store.tables import run
from tests.contents import contents

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    engine = open_database(str(tmp_path_factory.mktemp("db") / "r.sqlite"), create=True)
    import_or_raise(engine, [CHECKOUT / "published"])
    return contents(engine)


def test_the_committed_database_equals_the_rebuild_table_by_table(rebuilt, tmp_path):
    copy = tmp_path / "results.sqlite"  # opening the file itself could touch it
    copy.write_bytes((CHECKOUT / "results.sqlite").read_bytes())

    committed = contents(open_database(str(copy)))

    for table, rows in rebuilt.items():
        assert committed[table] == rows, table
    assert committed.keys() == rebuilt.keys()


def test_what_has_a_source_was_printed_there_and_what_has_none_we_measured(rebuilt):
    label, source = (run.c.keys().index(name) for name in ("label", "source"))

    of_others = {row[label] for row in rebuilt["run"] if row[source] is not None}
    ours = {row[label] for row in rebuilt["run"] if row[source] is None}

    assert of_others == {"transcribed", "aggregate", "claimed"}
    assert ours == {"measured"}
    assert rebuilt["samples"]
