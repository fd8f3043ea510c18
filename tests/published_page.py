"""The page of the published results, and the seconds that its source prints."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.report.sections.metal import MetalRow
from benchdb.report.sections.ranking import Ranking, RankRow
from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Answer, Report
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


def page(folder: Path, files: list[Path], baseline: str | None = None) -> Report:
    engine = open_database(str(folder / "results.sqlite"), create=True)
    import_or_raise(engine, files)
    with reading(engine) as connection:
        return summarise(connection, baseline=baseline)


def answer(report: Report, kind: str) -> Answer:
    (found,) = (one for one in report.answers if one.kind == kind)
    return found


def script_rows(report: Report) -> Iterator[tuple[str, MetalRow]]:
    for group in report.sections["metal"].groups:
        if group.metric == "script_wall_seconds":
            yield from ((group.workload.name, row) for row in group.rows)


def rank_row(report: Report, chip: str, device: str) -> RankRow:
    ranking: Ranking = report.sections["ranking"]
    (found,) = (
        row
        for row in ranking.rows
        if (row.system.chip, row.system.device) == (chip, device)
    )
    return found


def known(ratio: Ratio | None) -> Ratio:
    assert ratio is not None
    return ratio
