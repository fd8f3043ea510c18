"""What must never be pooled: whole reports, as they are committed."""

import csv
import io

import pytest

from tests import golden_cells


@pytest.fixture(name="written", scope="module")
def _written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return golden_cells.contents(tmp_path_factory.mktemp("cells"))


def test_reports_of_a_sweep_and_of_two_environments_are_as_committed(written):
    kept = {p.name: p.read_bytes().decode() for p in golden_cells.FOLDER.iterdir()}

    assert sorted(written) == sorted(kept)
    assert [name for name in kept if kept[name] != written[name]] == []


@pytest.mark.parametrize("name", ["two_axes", "environments"])
def test_each_row_has_the_processes_of_one_cell_and_reads_like_no_other(written, name):
    rows = list(csv.DictReader(io.StringIO(written[f"{name}.csv"])))
    result = ("device", "parameters", "conditions")

    assert {row["n"] for row in rows} == {str(golden_cells.PROCESSES)}
    assert len({tuple(row[column] for column in result) for row in rows}) == len(rows)
    assert len({frozenset(row["runs"].split()) for row in rows}) == len(rows)


def test_the_newer_environment_alone_makes_the_headline(written):
    assert "**5.0×** as fast with Metal" in written["environments.md"]
    assert "9.0×" not in written["environments.md"]
