"""The digests of what documents come to, as they are committed: ``make goldens``.

A text file for each group of documents. For documents of ours it has a line for each
record and claim; for those that stand beside the checkout, in ``../shared``, one line
for each document. Where that folder is not there, their files stay as they are.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from benchdb.exchange.reader import Item, SourceClaim
from benchdb.exchange.record import Record, claim_digest, digest_of
from benchdb.importing.document import DocumentError
from benchdb.importing.formats import FORMATS
from benchdb.importing.provenance import NOTHING
from tests.foreign_files import FIXTURES, SAMPLES, SHARED_SAMPLES, document
from tests.shared_material import SHARED

FOLDER = FIXTURES / "digests"

Lines = Callable[[], list[str]]


def record_digests(items: Iterable[object]) -> list[str]:
    """Return the digests of the records among *items*, sorted."""
    return sorted(item.digest for item in items if isinstance(item, Record))


def claim_digests(items: Iterable[object]) -> list[str]:
    """Return the digests of the claims among *items*, sorted."""
    claims = (item for item in items if isinstance(item, SourceClaim))
    return sorted(claim_digest(c.claim, digest_of(c.source)) for c in claims)


def every_digest(name: str, items: Iterable[object]) -> list[str]:
    """Return a line for each record and each claim of the document *name*."""
    items = list(items)
    records = [f"{name}: record {digest}" for digest in record_digests(items)]
    return [*records, *(f"{name}: claim {digest}" for digest in claim_digests(items))]


def digest_of_all(name: str, items: Iterable[object]) -> list[str]:
    """Return the line of the document *name*: how much there is, and its digest."""
    items = list(items)
    records, claims = record_digests(items), claim_digests(items)
    digest = hashlib.sha256("\n".join([*records, *claims]).encode()).hexdigest()
    return [f"{name}: records {len(records)}, claims {len(claims)}, {digest}"]


def sample_items(path: Path) -> list[Item]:
    """Return what the format that knows a sample makes of it; nothing if none does."""
    sample = document(path)
    items: list[Item] = []
    for reader in FORMATS.values():
        if reader.recognises(sample):
            try:
                items += reader.read(sample, NOTHING)
            except DocumentError:
                continue  # a document without results
    return items


def _tools() -> list[str]:
    lines: list[str] = []
    for path in sorted(SAMPLES.iterdir()):
        lines += every_digest(path.name, sample_items(path))
    return lines


def _shared_tools() -> list[str]:
    lines: list[str] = []
    for path in sorted(SHARED_SAMPLES.iterdir()):
        lines += digest_of_all(path.name, sample_items(path))
    return lines


OURS: dict[str, Lines] = {"tools.txt": _tools}
BESIDE: dict[str, Lines] = {"shared_tools.txt": _shared_tools}


def present() -> dict[str, Lines]:
    """Return the groups of which the documents are there, by the name of their file."""
    return OURS | (BESIDE if SHARED.is_dir() else {})


def text(lines: Iterable[str]) -> str:
    """Return the content of a group's file."""
    return "".join(f"{line}\n" for line in lines)


def write(folder: Path) -> None:
    """Replace the files in *folder* of the groups that are present."""
    folder.mkdir(exist_ok=True)
    for name, lines in present().items():
        (folder / name).write_text(text(lines()), encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
