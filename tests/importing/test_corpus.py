"""What is published of others' documents is made from them, and held against them."""

import io
from pathlib import Path

import msgspec
import pytest

from benchdb.errors import ExchangeError
from benchdb.exchange import reader
from benchdb.exchange.reader import LoneSource
from benchdb.exchange.record import Record
from benchdb.importing.intake import intake
from tests.importing.small_corpus import COMMIT, OTHER, SLUG, TABLE, SmallCorpus


@pytest.fixture
def small(tmp_path: Path) -> SmallCorpus:
    made = SmallCorpus(tmp_path)
    made.publish()
    return made


def counts(small: SmallCorpus) -> tuple[int, int, int, int, int]:
    comparison = small.compare()
    return (
        comparison.equal,
        comparison.moved,
        comparison.changed,
        comparison.gone,
        comparison.new,
    )


def test_the_figures_of_all_documents_are_in_one_file_with_printed_and_place(small):
    with small.file.open("rb") as stream:
        items = list(reader.read(stream))

    assert [
        (item.source.document, item.source.url)
        for item in items
        if isinstance(item, LoneSource)
    ] == [
        (
            f"results/{name}.md",
            f"https://github.com/somebody/two-macs/blob/{COMMIT}/results/{name}.md",
        )
        for name in ("first", "second")
    ]
    assert [
        (record.machine.chip.name, record.run.workload, value.value, value.printed)
        for record in items
        if isinstance(record, Record)
        for value in record.end.values
    ] == [
        ("M1", "llm-prefill", 120.5, "120.50"),
        ("M1", "llm-decode", 11.2, "11.2"),
        ("M2", "llm-prefill", 180.25, "180.25"),
        ("M3", "llm-prefill", 120.5, "120.50"),
        ("M3", "llm-decode", 21.9, "21.9"),
        ("M4", "llm-prefill", 180.25, "180.25"),
    ]


def test_the_same_documents_give_the_same_bytes(small):
    assert small.file.read_bytes() == b"".join(small.lines())


def test_no_word_of_a_document_beside_its_figures_is_published(small):
    assert b"Speeds" not in small.file.read_bytes()


def test_a_published_run_is_the_one_that_an_import_of_its_document_gives(small):
    with small.file.open("rb") as stream:
        published = {it.digest for it in reader.read(stream) if isinstance(it, Record)}
    map_ = small.map_
    imported = {
        item.digest
        for path in (small.first, small.second)
        for item in intake(io.BytesIO(path.read_bytes()), path.name, map_=map_).items
        if isinstance(item, Record) and item.end.status == "ok"
    }

    assert imported == published


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("pull/12.md", "two-macs/pull/12"),
        ("pull-12.txt", "two-macs/pull/12"),
        ("issue-12.txt", "two-macs/issues/12"),
    ],
)
@pytest.mark.parametrize("url", ["two-macs", "two-macs/issues", "two-macs/issues/3"])
def test_a_thread_has_its_own_address(tmp_path, url, path, address):
    small = SmallCorpus(tmp_path, f"https://github.com/somebody/{url}")
    thread = small.documents / SLUG / path
    thread.parent.mkdir(exist_ok=True)
    small.first.rename(thread)
    map_ = small.published / "maps" / "two-macs.toml"
    map_.write_text(map_.read_text().replace("results/first.md", path))

    assert f'"url":"https://github.com/somebody/{address}"'.encode() in small.lines()[1]


def test_a_document_may_have_another_date_than_its_source(small):
    map_ = small.published / "maps" / "two-macs.toml"
    dated = map_.read_text().replace("[source]", '[source]\npublished = "2026-08-24"')
    first = '[published]\n"results/first.md" = "2023-08-30"\n\n[source]'
    map_.write_text(dated.replace("[source]", first))

    sources = [line for line in small.lines() if b'"type":"source"' in line]
    dates = [msgspec.json.decode(line)["published"] for line in sources]
    assert dates == ["2023-08-30", "2026-08-24"]


def test_unchanged_documents_are_as_published(small):
    assert counts(small) == (6, 0, 0, 0, 0)
    assert small.compare().is_clean


def test_a_row_that_went_down_has_moved(small):
    small.first.write_text(TABLE.replace("| M2", "| M5 | 1 | 2 |\n| M2"))

    assert counts(small) == (5, 1, 0, 0, 2)
    assert small.compare().other == ["results/first.md"]


def test_another_value_or_another_spelling_has_changed(small):
    small.first.write_text(TABLE.replace("120.50", "120.5").replace("11.2", "11.3"))

    assert counts(small) == (4, 0, 2, 0, 0)


def test_a_row_that_is_not_there_is_gone(small):
    small.first.write_text(TABLE.replace("| M1 | 120.50 | 11.2 |\n", ""))

    assert counts(small) == (3, 1, 0, 2, 0)


def test_an_absent_document_is_named(small):
    small.second.unlink()
    result = small.compare()

    assert (result.absent, result.equal, result.is_clean) == (
        ["results/second.md"],
        3,
        False,
    )


def test_a_document_that_has_no_table_any_more_is_named_with_the_reason(small):
    small.first.write_text("nothing")
    (unread,) = small.compare().unread

    assert unread.startswith("results/first.md: no table")


def test_a_published_value_that_was_changed_by_hand_is_found(small):
    text = small.file.read_text()
    small.file.write_text(text.replace('"value":180.25', '"value":188.25', 1))

    assert counts(small) == (5, 0, 1, 0, 0)
    assert not small.compare().is_clean


def test_a_damaged_file_is_told_with_its_line(small):
    small.file.write_text(small.file.read_text() + "{}\n")

    with pytest.raises(ExchangeError, match=r"two-macs\.jsonl:\d+: "):
        small.compare()


def test_nothing_is_written_of_another_document(small):
    small.second.write_text(OTHER + "\n")

    with pytest.raises(ExchangeError, match=r"results/second\.md has the digest"):
        small.lines()


def test_nothing_is_written_where_a_cell_cannot_be_read(small):
    map_ = small.published / "maps" / "two-macs.toml"
    map_.write_text(map_.read_text().replace('unit = "1/s"', 'unit = "s"'))

    with pytest.raises(ExchangeError, match=r"results/first\.md, line 5"):
        small.lines()
