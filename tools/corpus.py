"""Write ``published/corpus/SLUG.jsonl`` from the documents that its map names.

    python -m tools.corpus DIR             # all sources with a folder in DIR
    python -m tools.corpus DIR SLUG…       # these

The documents stay in DIR, a folder for each source, outside the repository: a file of a
repository under its path there, a thread or page as the text that was seen. What is
written holds figures, places and printed characters only. Tables of a document that
the map does not read are told: look whether it should.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchdb.errors import BenchdbError
from benchdb.exchange import writer
from benchdb.exchange.messages import FORMAT_VERSION, Header
from benchdb.exchange.reader import BadLine, LoneSource, SourceClaim
from benchdb.exchange.record import Record
from benchdb.files import replacing
from benchdb.importing import corpus
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.mapping.table_rows import match_tables
from benchdb.importing.sheets import sheets
from benchdb.resources import folder

_HEADER = Header(
    format=FORMAT_VERSION, producer="transcription", producer_version="1"
)  # of no version of benchdb: the same figures are the same bytes


def lines(map_: LoadedMap, inside: Path) -> Iterator[bytes]:
    """Yield the exchange file of what *map_* reads of the documents in *inside*.

    Raise ``ExchangeError`` for a document that is absent, another one or not read.
    """
    records: list[Record] = []
    claims: list[SourceClaim] = []
    yield msgspec.json.encode(_HEADER) + b"\n"
    for document in _documents(map_, inside):
        path = document.name
        for item in corpus.read(document, map_):
            match item:
                case BadLine():
                    where = f"{path}, {item.locator or f'line {item.number}'}"
                    raise DocumentError(f"{map_.name}: {where}: {item.reason}")
                case LoneSource():
                    yield writer.source_line(item.source)
                case SourceClaim():
                    claims.append(item)
                case Record():
                    records.append(item)
    yield from writer.record_lines(records)
    for claim in claims:
        yield writer.claim_line(claim.claim, claim.source)


def unread(map_: LoadedMap, inside: Path) -> Iterator[str]:
    """Yield the tables of the documents in *inside* that *map_* does not read."""
    for document in _documents(map_, inside) if map_.map_.table else ():
        read = {
            (matched.sheet.line, matched.sheet.header)
            for matched in match_tables(document, map_.map_)
        }
        for sheet in sheets(document):
            if sheet.header and (sheet.line, sheet.header) not in read:
                columns = ", ".join(sheet.header)
                yield f"{document.name}, line {sheet.line}: {columns}"


def _documents(map_: LoadedMap, inside: Path) -> Iterator[Document]:
    """Yield the documents of *map_*: those with a path, then others by their digest."""
    for path, sha256 in map_.map_.paths.items():
        document = corpus.document_at(inside, path)
        if document is None:
            raise DocumentError(f"{map_.name}: no {path} in {inside}")
        if document.sha256 != sha256:
            raise DocumentError(f"{map_.name}: {path} has the digest {document.sha256}")
        yield document
    files = [path for path in sorted(inside.rglob("*")) if path.is_file()]
    named = [
        corpus.document_at(inside, str(path.relative_to(inside))) for path in files
    ]
    by_digest = {document.sha256: document for document in named if document}
    for sha256 in map_.map_.documents:
        if sha256 not in by_digest:
            raise DocumentError(f"{map_.name}: no document {sha256} in {inside}")
        yield by_digest[sha256]


def main(arguments: list[str]) -> int:
    """Write the files; return 1 if a source could not be read."""
    documents, *slugs = arguments
    published = folder("published")
    failed = False
    for slug, map_ in corpus.sources(published).items():
        of_source = Path(documents) / slug
        wanted = slug in slugs if slugs else of_source.is_dir()
        file = corpus.published_file(published, slug)
        if not wanted or file.parent == published:  # those were written by hand
            continue
        try:
            made = list(lines(map_, of_source))
            tables = list(unread(map_, of_source))
        except BenchdbError as error:
            sys.stderr.write(f"{error}\n")
            failed = True
            continue
        with replacing(file) as stream:
            stream.writelines(made)
        sys.stderr.writelines(f"{slug}: not read: {table}\n" for table in tables)
        size = sum(map(len, made))
        sys.stdout.write(f"{slug}: {len(made):,} lines, {size:,} bytes\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
