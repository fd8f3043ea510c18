"""The page about Python names all there is; the notebook beside it runs."""

import re
import shutil

import nbformat
from nbclient import NotebookClient

import benchdb
from benchdb.api.row_filters import OPTIONS
from tests import published_runs
from tests.manual import CHECKOUT

PAGE = CHECKOUT / "docs" / "python.md"
NOTEBOOK = CHECKOUT / "docs" / "results.ipynb"


def test_the_page_names_all_that_is_public():
    page = PAGE.read_text(encoding="utf-8")
    methods = {name for name in vars(benchdb.Database) if not name.startswith("_")}

    assert {method for method in methods if f"db.{method}" not in page} == set()
    public = {*benchdb.__all__} - {"Database", "Column", "__version__"}
    assert {text for text in public if not re.search(rf"\b{text}\b", page)} == set()


def test_the_page_names_every_filter():
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named == {*OPTIONS}


def test_the_notebook_runs_from_a_collection_to_its_end(tmp_path):
    (tmp_path / "published").mkdir()
    for path in published_runs.FILES:
        shutil.copy(path, tmp_path / "published")
    shutil.copyfile(NOTEBOOK, tmp_path / NOTEBOOK.name)
    notebook = nbformat.read(tmp_path / NOTEBOOK.name, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}

    NotebookClient(notebook, timeout=600, resources=place).execute()

    shown = [
        output.get("data", {})
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert any("image/png" in data for data in shown)
    assert any("NumPy" in str(data.get("text/html")) for data in shown)
    assert "('unclear', 1.012)" in [data.get("text/plain") for data in shown]


def test_the_notebook_is_kept_without_its_output():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert all(not cell.outputs and cell.execution_count is None for cell in codes)
