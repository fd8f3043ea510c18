"""The whole page of the published results: counts, numbering, traces, determinism."""

import pytest

from tests.published_page import (
    TRANSCRIBED,
    known,
    page,
    published_report,
    rank_row,
    script_rows,
)

__all__ = ["published_report"]


def test_a_source_s_own_machine_facts_are_not_lent_to_another_s(report):
    assert {system.model for system in report.sections["distance"].systems} == {None}


def test_the_page_counts_systems_and_sources(report):
    assert (report.systems_count, report.sources_count) == (12, 4)
    assert report.newest is None


def test_sources_are_numbered_as_they_appear_and_the_unused_come_last(report):
    slugs = [source.slug for source in report.sources]

    assert slugs == [
        "m1tensorbench",
        "pytorch-in-m1",
        "tf-metal-experiments",
        "needle-metal",
        "m1-vs-v100",
    ]
    assert [source.protocol_only for source in report.sources] == [*[False] * 4, True]


def test_notes_are_lettered_in_the_order_of_the_page(report):
    codes = [(note.key, note.code) for note in report.notes]

    assert codes[:3] == [
        ("a", "outlier"),
        ("b", "order-inverted"),
        ("c", "unlike-conditions"),
    ]
    assert [key for key, _ in codes] == sorted(key for key, _ in codes)


def test_every_note_that_a_figure_names_exists(report):
    used = {key for row in report.values if row.quantity for key in row.quantity.notes}

    assert used == {note.key for note in report.notes}


def test_every_run_is_in_the_table_with_its_place(report):
    runs = {row.run for row in report.values}

    assert len(runs) == sum(source.runs for source in report.sources)
    assert all(row.locator and row.source for row in report.values)


def test_the_digits_of_the_source_are_kept(report):
    printed = {row.quantity.printed for row in report.values if row.quantity}

    # One ends in a zero, one was printed with a comma, one as hours.
    assert {"91.80", "49.707", "4165.48", "188.27877402305603"} <= printed


def test_every_shown_figure_is_a_row_of_the_table(report):
    runs = {row.run for row in report.values}
    shown = [
        quantity.run
        for _, row in script_rows(report)
        for quantity in (row.cpu, row.metal)
        if quantity
    ]
    shown += [
        c.quantity.run
        for r in report.sections["ranking"].rows
        for c in r.cells
        if c.quantity
    ]

    assert set(shown) <= runs


def test_single_runs_have_no_interval_anywhere(report):
    quantities = [row.quantity for row in report.values if row.quantity]
    ratios = [
        cell.ratio for row in report.sections["ranking"].rows for cell in row.cells
    ]

    assert all(q.n == 1 and q.low is None for q in quantities)
    assert all(ratio.low is None for ratio in ratios if ratio)


def test_the_order_of_import_does_not_show(report, tmp_path):
    files = TRANSCRIBED[::-1]

    assert page(tmp_path, files) == report


@pytest.mark.parametrize(
    "name", ["M1 Max · Metal", "m1-max-metal-tensorflow", "m1 max metal tensorflow"]
)
def test_another_baseline_can_be_asked_for_by_name(tmp_path, name):
    found = page(tmp_path, TRANSCRIBED, baseline=name)

    ratio = known(rank_row(found, "M1 Ultra", "metal").cells[0].ratio)
    assert ratio.value == pytest.approx(113.65 / 59.910)
