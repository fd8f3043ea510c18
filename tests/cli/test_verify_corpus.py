"""`benchdb verify --corpus`: a line a source, and what is in the way."""

from pathlib import Path

import pytest

from tests.importing.small_corpus import SmallCorpus
from tests.in_process import benchdb


@pytest.fixture
def small(tmp_path: Path) -> SmallCorpus:
    made = SmallCorpus(tmp_path)
    made.publish()
    return made


def verified(small: SmallCorpus, *slugs: str) -> tuple[int, list[str]]:
    done = benchdb(
        *("verify", "--corpus", small.documents, "--published", small.published),
        *(word for slug in slugs for word in ("--source", slug)),
    )
    return done.status, [*done.out.splitlines(), *done.err.splitlines()]


def test_documents_fetched_again_are_as_published(small):
    assert verified(small) == (
        0,
        ["two-macs: 2 documents, 6 figures: all as published"],
    )


def test_what_became_of_a_changed_document_is_counted(small):
    text = small.first.read_text().replace("120.50", "121.50")
    small.first.write_text("A new line.\n\n" + text)

    assert verified(small) == (
        1,
        [
            "two-macs: 2 documents, 6 figures: 3 as published, 2 moved, 1 changed",
            "  results/first.md: not the document that was published",
        ],
    )


def test_absent_documents_are_named(small):
    small.first.unlink()
    small.second.unlink()

    assert verified(small, "two-macs") == (
        1,
        [
            "two-macs: 2 documents: absent",
            "  results/first.md: absent",
            "  results/second.md: absent",
        ],
    )


def test_a_source_that_is_not_published_is_wrong_use(small):
    assert verified(small, "two-mac") == (
        2,
        ["benchdb: no source 'two-mac'; did you mean 'two-macs'?"],
    )


def test_a_folder_without_any_source_is_wrong_use(small, tmp_path):
    (tmp_path / "empty").mkdir()
    done = benchdb(
        "verify", "--corpus", tmp_path / "empty", "--published", small.published
    )

    assert done.status == 2
    assert done.err.endswith("empty has no folder of a source, such as two-macs/\n")


def test_a_folder_that_is_not_there_is_wrong_use(small, tmp_path):
    done = benchdb(
        "verify", "--corpus", tmp_path / "no", "--published", small.published
    )

    assert done.status == 2
    assert "no such folder" in done.err
