"""The digests of what documents come to, as they are committed: ``make goldens``.

``digests.txt`` has a line for each source, record and claim that is published of a
document with a shipped map, that a map of ours gives of our document, and that the map
proposed by ``import --guess`` gives of it; and one for that map itself.
``shared_guesses.txt`` has the proposed maps of the published documents, and what those
give: where the documents are not beside the checkout, it stays as it is.
"""

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchdb.exchange.reader import BadLine, Item, LoneSource, SourceClaim, Withdrawal
from benchdb.exchange.record import Record, claim_digest, digest_of
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from tests.documents import FOLDER, SHAPES, Mapped, like, ours, published
from tests.in_process import benchdb

DIGESTS = FOLDER / "digests.txt"
SHARED_GUESSES = FOLDER / "shared_guesses.txt"


def document_digests(items: Iterable[Item]) -> list[str]:
    """Return a line for each source, record and claim, and for what was refused."""
    return sorted(map(_line, items), key=_place)


def _line(item: Item) -> str:
    match item:
        case LoneSource():
            return f"source {digest_of(item.source)} {item.source.slug}"
        case Record(run=run):
            work = f"{run.workload} on {run.device}"
            return f"record {item.digest} {run.locator}: {work}"
        case SourceClaim(claim=claim):
            digest = claim_digest(claim, digest_of(item.source))
            return f"claim {digest} {claim.locator}: {claim.printed}"
        case BadLine():
            return f"refused {item.locator}"
        case Withdrawal():
            return f"withdrawn {item.line.run}"


def _place(line: str) -> tuple[str, int, str]:
    """Return what lines are sorted by: kind, line of the document, text."""
    number = re.search(r"line (\d+)", line)
    return line.split(maxsplit=1)[0], int(number[1]) if number else 0, line


def guess_digests(mapped: Mapped) -> Iterator[str]:
    """Yield a line for the proposed map of a document, and for what that map gives."""
    with tempfile.TemporaryDirectory() as room:
        saved = Path(room) / "guess.toml"
        benchdb("import", "--guess", "--save", saved, mapped.path)
        if not saved.exists():
            yield "no map"
            return
        yield f"map {hashlib.sha256(saved.read_bytes()).hexdigest()}"
        map_ = maps.load(saved).map_
    yield from document_digests(read(mapped.document, map_, NOTHING))


def contents() -> dict[str, str]:
    """Return what is to be committed, by the name of the file."""
    lines = [
        f"{slug}: {line}"
        for slug in SHAPES.values()
        for line in document_digests(published(slug))
    ]
    for shape in SHAPES:
        mapped = ours(shape)
        lines += [f"{shape}: {line}" for line in document_digests(mapped.items)]
        lines += [f"{shape} by guess: {line}" for line in guess_digests(mapped)]
    files = {DIGESTS.name: _text(lines)}
    theirs = [
        mapped for shape in SHAPES for mapped in like(shape) if not mapped.is_ours
    ]
    if len(theirs) == len(SHAPES):
        guesses = ((it.name, line) for it in theirs for line in guess_digests(it))
        files[SHARED_GUESSES.name] = _text(f"{name}: {line}" for name, line in guesses)
    return files


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def write(folder: Path) -> None:
    """Replace the files in *folder* of the documents that are here."""
    for name, text in contents().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
