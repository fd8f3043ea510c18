"""Write ``published/corpus/SLUG.jsonl`` from the documents that its map names.

    python -m tools.corpus DIR             # all sources with a folder in DIR
    python -m tools.corpus DIR SLUG…       # these

The documents stay in DIR, a folder for each source, outside the repository: a file of a
repository under its path there, a thread or page as the text that was seen. What is
written holds figures, places and printed characters only. Tables of a document that
the map does not read are told: look whether it should.
"""

import sys
from pathlib import Path

from benchdb.errors import BenchdbError
from benchdb.files import replacing
from benchdb.importing import corpus
from benchdb.resources import folder


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
            lines = list(corpus.lines(map_, of_source))
            unread = list(corpus.unread(map_, of_source))
        except BenchdbError as error:
            sys.stderr.write(f"{error}\n")
            failed = True
            continue
        with replacing(file) as stream:
            stream.writelines(lines)
        sys.stderr.writelines(f"{slug}: not read: {table}\n" for table in unread)
        size = sum(map(len, lines))
        sys.stdout.write(f"{slug}: {len(lines):,} lines, {size:,} bytes\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
