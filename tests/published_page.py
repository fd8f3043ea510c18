"""The page of the published results, and the seconds that its source prints."""

from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.report.summary import summarise
from benchdb.report.view.report_view import Report
from benchdb.store.database import open_database, reading

# What others published; what we measured ourselves changes with every campaign.
TRANSCRIBED = sorted(
    path
    for path in (Path(__file__).parents[1] / "published").glob("*.jsonl")
    if not path.name.startswith("benchdb-")
)


@pytest.fixture(scope="module", name="report")
def published_report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return page(tmp_path_factory.mktemp("store"), TRANSCRIBED)


def page(folder: Path, files: list[Path]) -> Report:
    engine = open_database(str(folder / "results.sqlite"), create=True)
    import_or_raise(engine, files)
    with reading(engine) as connection:
        return summarise(connection)
