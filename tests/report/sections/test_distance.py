"""A column of the distance that holds several precisions tells that of each figure."""

import pytest

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.sections import distance
from benchdb.report.sections.distance import Distance
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import runs_text
from tests.page import parse
from tests.store_factory import Machine, Run
from tests.summary_page import FIT, PC, RATE, measured, page

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
    section: Distance = report.sections["distance"]
    return section


def test_each_figure_of_such_a_column_has_its_precision(mixed):
    told = {
        row.workload.title: (*(cell.precision for cell in row.cells), row.precision)
        for row in known(mixed).rows
    }

    assert [system.device for system in known(mixed).systems] == ["cpu", "metal"]
    assert told == {"ResNet-50": (None, "bf16", "tf32"), "LSTM": (None, "fp32", "fp32")}


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
    (table,) = distance.tables(EN, known(mixed))

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


def test_one_class_of_precision_is_preferred_in_every_row(tmp_path):
    """A whole fit in fp32 beside steps in bf16: the card's fp16-mixed is the class."""
    card = Machine("Core i9", "Intel", None, 64, gpu="GeForce RTX 3090")
    theirs = [
        Run(name, "cuda", card, values={FIT: 1000.0}, columns={"precision": half})
        for name, half in (("resnet50", "fp16-mixed"), ("lstm", "fp16-mixed"))
    ]
    own = [
        run
        for name in ("resnet50", "lstm")
        for run in (
            *measured([{FIT: 900.0}], "cuda", machine=PC, workload=name),
            *measured(
                [{RATE: 2000.0}],
                "cuda",
                machine=PC,
                workload=name,
                precision="bf16",
                framework="torch",
                compiler="eager",
            ),
        )
    ]
    report = page(tmp_path, [*theirs, *own])

    ways = [cell.way for row in known(report).rows for cell in row.cells if cell.way]
    assert {way.precision for way in ways if way.framework == "torch"} == {"bf16"}
    assert "Counted as one class of precision: bf16 and fp16-mixed." in runs_text(
        EN, report, "distance"
    )


def test_the_card_s_own_figures_are_of_the_class_that_most_rows_have(tmp_path):
    both = ("resnet50", "lstm", "mobilenetv2")
    fast = measured([{FIT: 9000.0}], "cuda", machine=PC, precision="bf16")
    card = [
        run
        for name in both
        for run in measured([{FIT: 1000.0}], "cuda", machine=PC, workload=name)
    ]
    macs = [run for n in both for run in measured([{FIT: 100.0}], "metal", workload=n)]

    report = page(tmp_path, [*fast, *card, *macs])

    assert [row.way.precision for row in known(report).rows if row.way] == ["fp32"] * 3
