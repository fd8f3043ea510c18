"""The reports of a fixed database, in every language, against the committed ones.

``make goldens`` writes them anew; what changes is then read like any other change.
The digests are the same for every Python and machine: the same database and the same
options give the same bytes. Those of the SVG files are also of a version of matplotlib,
which ``constraints.txt`` names.
"""

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
CHARTS = ("metal", "metal.dark")


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


def test_every_file_and_view_has_the_digest_that_is_committed(
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


def test_the_golden_report_has_six_answers(written: dict[str, str]):
    for code in available():
        answers = written[f"report.{code}.md"].partition("<details")[0]
        assert answers.count("\n* **") == 6


def test_digests_are_of_every_file_and_view(written: dict[str, str]):
    kinds = ["html", "md", "snippet.md", "badge.svg", *(f"{it}.svg" for it in CHARTS)]
    named = [f"report.{code}.{kind}" for code in available() for kind in kinds]
    data = ["report.csv", "report.json", "report.sqlite"]
    views = ["benchdb list --runs --json", "benchdb show --json", "benchdb export"]

    assert sorted(by_name(written[DIGESTS])) == sorted([*named, *data, *views])
