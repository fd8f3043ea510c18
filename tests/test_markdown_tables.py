"""The tables of the Markdown report: what differs, what was repeated, what is one."""

from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.markdown import page as markdown
from benchdb.report.sections.ranking import RankCell
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
from tests import view_fixture
from tests.view_fixture import with_sections


def render(report: Report) -> str:
    return markdown.render(report, load("en"), {})


def test_the_ranking_says_what_differs_and_shows_ranges():
    report = view_fixture.report()
    first, second, *rest = report.sections["ranking"].rows
    cells = [row.cells[0] for row in (first, second)]
    figure, ratio = cells[0].quantity, cells[0].ratio
    assert figure is not None
    assert ratio is not None
    repeated = replace(figure, n=3, low=59.0, high=61.0, derived=True)
    framework = replace(ratio, differs=("framework",))
    both = replace(ratio, differs=("framework", "batch"))
    rows = (
        replace(first, cells=(RankCell(repeated, framework), *first.cells[1:])),
        replace(second, cells=(RankCell(figure, both), *second.cells[1:])),
        *rest,
    )
    changed = with_sections(
        report, ranking=replace(report.sections["ranking"], rows=rows)
    )

    text = render(changed)

    assert "59.9\u00a0s (59.0–61.0; n = 3), derived" in text
    assert "* ≠1 Not like for like. Differences: framework" in text
    assert "* ≠2 Not like for like. Differences: batch size and framework." in text


def test_the_metal_table_names_framework_and_metric():
    assert "| TensorFlow, whole script |" in render(view_fixture.report())


def test_trials_and_means_of_a_source_are_recognisable():
    report = view_fixture.report()
    row = replace(report.values[0], tier="smoke", trials=10)

    text = render(replace(report, values=(row,)))

    assert "| mean of 10 |" in text
    assert "transcribed, trial run" in text


def test_many_workloads_take_several_tables():
    report = view_fixture.report()
    ranking = report.sections["ranking"]
    rows = tuple(replace(row, cells=row.cells * 2) for row in ranking.rows)
    wide = replace(ranking, workloads=ranking.workloads * 2, rows=rows)

    text = render(with_sections(report, ranking=wide))

    assert text.count("| Geometric mean") + text.count("Geometric mean |") == 2


def test_matrix_sizes_are_shown_square():
    report = view_fixture.report()
    row = replace(
        report.values[0],
        size=2500,
        quantity=Quantity(0.337, "s", report.values[0].run, printed="0.337"),
    )

    assert "ResNet-50, 2,500 × 2,500" in render(replace(report, values=(row,)))
