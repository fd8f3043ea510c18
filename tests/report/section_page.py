"""Pages of made-up stores, one after the other in the same empty database."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from tests.page import Element, parse
from tests.store_factory import Run, add, new_store


def section_of(page: str, name: str) -> Element:
    """Return one section of a page."""
    return parse(page).by_id(name)


def to_rows(page: str, name: str) -> list[str]:
    """Return the rows of the page that figures of a section lead to."""
    tree = parse(page)
    links = [e.attributes["href"] for e in tree.by_id(name).having("href")]
    runs = [link[1:] for link in links if link.startswith("#run-")]
    assert set(runs) <= {e.attributes["id"] for e in tree.having("id")}
    return runs


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
