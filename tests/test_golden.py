"""The reports of a fixed database, in every language, against the committed ones.

``make goldens`` writes them anew; what changes is then read like any other change.
The digests are the same for every Python and machine: the same database and the same
options give the same bytes. Those of the SVG files are also of a version of matplotlib,
which ``constraints.txt`` names.
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
MOST_BYTES_EACH = 50_000  # of a language, its page and its Markdown
CHARTS = (
    *("metal", "ranking", "distance", "efficiency"),
    *("batches", "scaling", "sweep", "normal"),
)


def by_name(digests: str) -> dict[str, str]:
    pairs = (line.split("  ", maxsplit=1) for line in digests.splitlines())
    return {name: sha for sha, name in pairs}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return golden_report.contents(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != DIGESTS])
def test_a_report_is_as_committed(written: dict[str, str], name: str):
    committed = (FOLDER / name).read_bytes().decode()

    assert written[name] == committed, "if this is meant, run: make goldens"


def test_every_file_chart_and_view_has_the_digest_that_is_committed(
    written: dict[str, str],
):
    committed = by_name((FOLDER / DIGESTS).read_text("utf-8"))
    now = by_name(written[DIGESTS])
    names = sorted(committed.keys() | now.keys())
    changed = [name for name in names if committed.get(name) != now.get(name)]

    assert not changed, f"{', '.join(changed)}: if this is meant, run: make goldens"


def test_there_is_nothing_else_and_it_can_be_read_by_people(written: dict[str, str]):
    committed = {path.name: path.stat().st_size for path in FOLDER.iterdir()}

    assert set(committed) == set(written) == set(NAMES)
    assert sum(committed.values()) <= MOST_BYTES_EACH * len(available())


def test_no_section_of_the_golden_report_is_empty(written: dict[str, str]):
    """An empty one would say with which command it is filled."""
    for kind in ("txt", "md"):
        assert "benchdb collect" not in written[f"report.en.{kind}"]
        assert "benchdb import" not in written[f"report.en.{kind}"]


def test_digests_are_of_every_file_of_the_charts_of_pages_and_of_views(
    written: dict[str, str],
):
    beside_markdown = [f"{chart}.svg" for chart in CHARTS]
    on_page = [f"html#{chart}" for chart in (*CHARTS, "shapes")]
    kinds = ["html", "md", *beside_markdown, *on_page]
    named = [f"report.{code}.{kind}" for code in available() for kind in kinds]
    data = ["report.csv", "report.json", "report.sqlite"]
    views = ["benchdb list --runs --json", "benchdb show --json", "benchdb export"]

    assert sorted(by_name(written[DIGESTS])) == sorted([*named, *data, *views])


def test_a_chart_is_drawn_for_every_image_of_the_markdown(written: dict[str, str]):
    images = [it for it in written["report.ar.md"].splitlines() if it[:2] == "!["]

    assert len(images) >= 8
    assert all(Path(it.rpartition("<")[2]).suffix == ".svg>)" for it in images)
