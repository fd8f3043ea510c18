"""A column of the distance that holds several precisions tells that of each figure."""

import pytest

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.markdown import rows
from benchdb.report.view.compared import Distance
from benchdb.report.view.page import Report
from tests.page import parse
from tests.summary_page import FIT, PC, measured, page

EN = load("en")


@pytest.fixture(scope="module", name="mixed")
def several_precisions_but_on_the_cpu(tmp_path_factory: pytest.TempPathFactory):
    own = [
        *measured([{FIT: 2000.0}], "cuda", machine=PC, precision="tf32"),
        *measured([{FIT: 3000.0}], "cuda", machine=PC, workload="lstm"),
        *measured([{FIT: 100.0}], "metal", precision="bf16"),
        *measured([{FIT: 600.0}], "metal", workload="lstm"),
        *measured([{FIT: 10.0}], "cpu"),
        *measured([{FIT: 60.0}], "cpu", workload="lstm"),
    ]
    return page(tmp_path_factory.mktemp("store"), own)


def known(report: Report) -> Distance:
    assert report.distance
    return report.distance


def test_each_figure_of_such_a_column_has_its_precision(mixed):
    told = {
        row.workload.title: (*(cell.precision for cell in row.cells), row.precision)
        for row in known(mixed).rows
    }

    assert [system.device for system in known(mixed).systems] == ["cpu", "metal"]
    assert told == {
        "ResNet-50": (None, "bf16", "tf32"),
        "LSTM": (None, "fp32", "fp32"),
    }


def test_the_page_has_it_under_the_figure(mixed):
    table = parse(html.render(mixed, EN)).by_id("table-distance")

    found = [
        [
            [small.text for small in cell.all("small")]
            for cell in row.all("td")
            if "number" in cell.classes
        ]
        for row in table.all("tbody")[0].all("tr")
    ]
    assert found == [
        [["60.0\u00a0seq/s"], ["600\u00a0seq/s", "fp32"], ["fp32"]],
        [["10.0\u00a0img/s"], ["100\u00a0img/s", "bf16"], ["tf32"]],
    ]


def test_markdown_has_it_after_the_figure(mixed):
    (table,) = rows.distance(EN, known(mixed))

    assert [tuple(row[1:]) for row in table.rows] == [
        (
            "2.0% · 60.0\u00a0seq/s",
            "20% · 600\u00a0seq/s · fp32",
            "3,000\u00a0seq/s · fp32",
        ),
        (
            "≠ 0.5% · 10.0\u00a0img/s",
            "≠ 5.0% · 100\u00a0img/s · bf16",
            "2,000\u00a0img/s · tf32",
        ),
    ]
