"""The reports of a fixed database, in every language, against the committed ones.

``make goldens`` writes them anew; what changes is then read like any other change.
The digests are the same for every Python and machine: the same database and the same
options give the same bytes.
"""

from pathlib import Path

import pytest

from benchdb.report.language import available
from tests import golden_report
from tests.golden_report import DIGESTS, FOLDER

NAMES = [
    *(f"report.{code}.{kind}" for code in available() for kind in ("md", "txt")),
    "report.csv",
    DIGESTS,
]
MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return golden_report.contents(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_as_committed(written: dict[str, str], name: str):
    committed = (FOLDER / name).read_bytes().decode()

    assert written[name] == committed, "if this is meant, run: make goldens"


def test_there_is_nothing_else_and_it_can_be_read_by_people(written: dict[str, str]):
    committed = {path.name: path.stat().st_size for path in FOLDER.iterdir()}

    assert set(committed) == set(written) == set(NAMES)
    assert sum(committed.values()) <= MOST_BYTES


def test_no_section_of_the_golden_report_is_empty(written: dict[str, str]):
    """An empty one would say with which command it is filled."""
    for kind in ("txt", "md"):
        assert "benchdb collect" not in written[f"report.en.{kind}"]
        assert "benchdb import" not in written[f"report.en.{kind}"]


def test_digests_are_of_every_file_but_the_charts(written: dict[str, str]):
    named = [line.partition("  ")[2] for line in written[DIGESTS].splitlines()]
    data = ["report.csv", "report.json", "report.sqlite"]
    pages = [f"report.{code}.{kind}" for code in available() for kind in ("html", "md")]

    assert named == sorted([*pages, *data])


def test_a_chart_is_drawn_for_every_image_of_the_markdown(written: dict[str, str]):
    images = [it for it in written["report.ar.md"].splitlines() if it[:2] == "!["]

    assert len(images) >= 8
    assert all(Path(it.rpartition("<")[2]).suffix == ".svg>)" for it in images)
