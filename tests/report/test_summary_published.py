"""The page of the published results: answers, order, counts, traces, determinism."""

from tests.published_page import (
    TRANSCRIBED,
    page,
    published_report,
)

__all__ = ["published_report"]


def test_the_page_counts_systems_and_sources(report):
    assert (report.systems_count, report.sources_count) == (12, 4)
    assert report.newest is None


def test_sources_are_numbered_as_they_appear_and_the_unused_come_last(report):
    slugs = [source.slug for source in report.sources]

    assert slugs == [
        "m1tensorbench",
        "pytorch-in-m1",
        "needle-metal",
        "tf-metal-experiments",
        "m1-vs-v100",
    ]
    assert [source.protocol_only for source in report.sources] == [*[False] * 4, True]


def test_notes_are_lettered_in_their_order(report):
    codes = [(note.key, note.code) for note in report.notes]

    assert [key for key, _ in codes] == sorted(key for key, _ in codes)


def test_every_run_is_in_the_table_with_its_place(report):
    runs = {row.run for row in report.values}

    assert len(runs) == sum(source.runs for source in report.sources)
    assert all(row.locator and row.source for row in report.values)


def test_the_digits_of_the_source_are_kept(report):
    printed = {row.quantity.printed for row in report.values if row.quantity}

    # One ends in a zero, one was printed with a comma, one as hours.
    assert {"91.80", "49.707", "4165.48", "188.27877402305603"} <= printed


def test_the_order_of_import_does_not_show(report, tmp_path):
    files = TRANSCRIBED[::-1]

    assert page(tmp_path, files) == report
