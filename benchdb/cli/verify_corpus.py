"""``benchdb verify --corpus``: published figures against documents fetched again."""

from collections.abc import Sequence
from pathlib import Path

import typer

from benchdb.cli.console import counted, plain
from benchdb.errors import UsageError, suggestion
from benchdb.importing import corpus
from benchdb.importing.corpus import Comparison
from benchdb.resources import folder


def verify_corpus(
    documents: Path, slugs: Sequence[str], published: Path | None
) -> None:
    """Compare the *published* figures, or the shipped, with *documents* of sources.

    One line a source, all or those of *slugs*; the status is 1 where a document is
    absent or not the published one, or a figure is another.
    """
    shipped = published or folder("published")
    maps = corpus.sources(shipped)
    for slug in slugs:
        if slug not in maps:
            raise UsageError(f"no source {slug!r}{suggestion(slug, maps)}")
    if not documents.is_dir():
        raise UsageError(f"no such folder: {documents}")
    if not any((documents / slug).is_dir() for slug in slugs or maps):
        raise UsageError(
            f"{documents} has no folder of a source, such as {min(slugs or maps)}/"
        )
    clean = True
    for slug in slugs or maps:
        found = corpus.compare(
            maps[slug], corpus.published_file(shipped, slug), documents / slug
        )
        for line in _lines(found):
            typer.echo(plain(line))
        clean = clean and found.is_clean
    if not clean:
        raise typer.Exit(1)


def _lines(found: Comparison) -> list[str]:
    """Return the line of a source, and those of documents that are in the way."""
    what = counted(found.documents, "document")
    if len(found.absent) < found.documents:
        what += f", {counted(found.figures, 'figure')}"
    others = {
        "moved": found.moved,
        "changed": found.changed,
        "gone": found.gone,
        "not published": found.new,
    }
    unlike = [f"{number:,} {word}" for word, number in others.items() if number]
    if found.is_clean:
        verdict = "all as published"
    elif len(found.absent) == found.documents:
        verdict = "absent"
    else:
        verdict = ", ".join([f"{found.equal:,} as published", *unlike])
    return [
        f"{found.slug}: {what}: {verdict}",
        *(f"  {path}: absent" for path in found.absent),
        *(f"  {path}: not the document that was published" for path in found.other),
        *(f"  {fault}" for fault in found.unread),
    ]
