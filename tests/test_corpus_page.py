"""The page about the work of others is what the shipped database says."""

from pathlib import Path

from tests.importing.small_corpus import COMMIT, SmallCorpus
from tests.in_process import benchdb
from tests.manual import CHECKOUT
from tools.corpus_page import page


def test_the_page_is_that_of_the_shipped_database():
    shipped = (CHECKOUT / "docs" / "corpus.md").read_text(encoding="utf-8")

    assert shipped == page(CHECKOUT / "results.sqlite")


def test_a_source_is_a_row_with_what_it_has(tmp_path: Path):
    small = SmallCorpus(tmp_path)
    small.publish()
    database = tmp_path / "small.sqlite"
    assert benchdb("import", small.file, "--db", database).status == 0
    address = f"https://github.com/somebody/two-macs/tree/{COMMIT}"

    assert page(database).splitlines()[-2:] == [
        f"| `two-macs` [two-macs]({address}) | none given | M1, M2, M3, M4 "
        "| 2 | 6 | 6 | 0 |",
        "| together | | | 2 | 6 | 6 | 0 |",
    ]
