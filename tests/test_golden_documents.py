"""What documents come to, by its digests, against the committed ones.

``make goldens`` writes them anew; what changes is then read like any other change.
"""

import pytest

from tests import golden_documents
from tests.documents import FOLDER, SHAPES, Mapped, each
from tests.golden_documents import DIGESTS, SHARED_GUESSES, document_digests


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return golden_documents.contents()


def committed(name: str) -> list[str]:
    """Return what is committed of the document or shipped map *name*."""
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    return [
        rest for head, _, rest in (it.partition(": ") for it in lines) if head == name
    ]


def test_the_digests_are_as_committed(written: dict[str, str]):
    files = {name: (FOLDER / name).read_text(encoding="utf-8") for name in written}

    assert DIGESTS.name in written
    assert written == files, "if this is meant, run: make goldens"


@each()
def test_a_map_gives_the_committed_records_claims_and_source(mapped: Mapped):
    assert document_digests(mapped.items) == committed(mapped.name)


def test_every_document_has_its_digests_and_no_digest_is_there_twice():
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    guesses = [f"{shape} by guess" for shape in SHAPES]

    names = {line.partition(": ")[0] for line in lines}
    assert names == {*SHAPES, *SHAPES.values(), *guesses}
    assert len(set(lines)) == len(lines)


def test_the_proposed_maps_of_the_published_documents_have_their_digests():
    lines = SHARED_GUESSES.read_text(encoding="utf-8").splitlines()

    assert {line.partition(": ")[0] for line in lines} == {*SHAPES.values()}


def test_the_files_are_written_anew_as_they_are(tmp_path, written: dict[str, str]):
    golden_documents.write(tmp_path)

    files = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert files == written
