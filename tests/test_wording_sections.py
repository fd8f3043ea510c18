"""What a section says of its figures: how often they were run, what a chart shows."""

from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.view.atoms import Workload
from benchdb.report.wording import sections, terms
from tests import view_fixture
from tests.view_fixture import with_sections

EN = load("en")
REPORT = view_fixture.report()


def test_single_runs_are_announced_unless_something_was_repeated():
    assert "(n = 1)" in sections.runs_text(EN, REPORT, "metal")
    assert sections.runs_text(EN, REPORT, "values") == ""
    group = REPORT.sections["metal"].groups[0]
    row = group.rows[0]
    assert row.cpu is not None
    rows = (replace(row, cpu=replace(row.cpu, n=5)), *group.rows[1:])
    groups = (replace(group, rows=rows),)
    repeated = with_sections(
        REPORT, metal=replace(REPORT.sections["metal"], groups=groups)
    )
    assert sections.runs_text(EN, repeated, "metal").startswith("Ranges are 95%")


def test_repeats_of_unlike_figures_do_not_hide_that_the_like_ones_were_single():
    first, *rest = REPORT.sections["ranking"].rows
    cell = first.cells[0]
    assert cell.quantity is not None
    assert cell.ratio is not None
    unlike = replace(
        cell,
        quantity=replace(cell.quantity, n=3),
        ratio=replace(cell.ratio, differs=("framework",)),
    )
    rows = (replace(first, cells=(unlike, *first.cells[1:])), *rest)
    mixed = with_sections(
        REPORT, ranking=replace(REPORT.sections["ranking"], rows=rows)
    )

    text = sections.runs_text(EN, mixed, "ranking")

    assert text.startswith("What is like for like was run once (n = 1)")
    assert "Ranges are 95% intervals" in text


def test_the_ranking_is_described_with_the_factors_of_its_picture():
    text = sections.chart_alt(EN, REPORT, "ranking")

    for row in REPORT.sections["ranking"].rows:
        if row.mean:
            assert f"{row.system.chip} · " in text
            assert EN.times(row.mean.value) in text
    assert "as fast as M1 · CPU: M1 Ultra · Metal" in text


def test_trial_runs_say_so():
    said = terms.label_text(EN, "measured", "smoke", mine=True)
    assert said == "measured here, trial run"
    said = terms.label_text(EN, "measured", "standard", mine=True)
    assert said == "measured here"


def test_what_a_stranger_measured_reads_otherwise_than_what_was_measured_here():
    assert terms.label_text(EN, "measured") == "measured, contributed"
    assert terms.condition(EN, "tier") == "thoroughness of the measurement"


def test_operations_are_words_and_models_are_names():
    matmul = Workload("matmul", "Matrix product", "operation")

    assert terms.title_text(load("de"), matmul) == "Matrixprodukt"
    assert terms.title_text(load("de"), view_fixture.LSTM) == "LSTM"


def test_a_chart_is_described_with_its_numbers():
    text = sections.chart_alt(EN, REPORT, "metal")

    assert text.startswith("Metal pays off for some workloads, not for others. 2.9")


def test_a_reason_that_fills_paragraphs_is_cut_where_it_is_read():
    whole = "CUDA out of memory. " * 30

    said = terms.missing_text(load("de"), whole, "oom")

    assert said.startswith("Speicher reicht nicht: ")
    assert len(whole) > len(said) < 230
    assert said.rstrip("\u2069").endswith("…")
    assert terms.missing_text(EN, "x" * 200, "failed").count("x") == 200
