"""Pages of made-up stores, one after the other in the same empty database."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from tests.store_factory import Run, add, new_store


def section_of(page: str, name: str) -> str:
    """Return the markup of one section of a page."""
    start = page.index(f'<section id="{name}"')
    return page[start : page.index("</section>", start)]


class Pages:
    """Gives the page of any runs; what one page was of is gone for the next."""

    def __init__(self, path: Path) -> None:
        self._engine = new_store(path)

    def of(self, runs: Iterable[Run], **wishes: Any) -> Report:
        with self._engine.connect() as connection:
            for run in runs:
                add(connection, run)
            found = summarise(connection, **wishes)
            connection.rollback()
        return found


@pytest.fixture(scope="module", name="pages")
def pages_of_one_store(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("store") / "results.sqlite")
