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
        comparison = corpus.compare(
            maps[slug], corpus.published_file(shipped, slug), documents / slug
        )
        for line in _lines(comparison):
            typer.echo(plain(line))
        clean = clean and comparison.is_clean
    if not clean:
        raise typer.Exit(1)


def _lines(comparison: Comparison) -> list[str]:
    """Return the line of a source, and those of documents that are in the way."""
    what = counted(comparison.documents, "document")
    if len(comparison.absent) < comparison.documents:
        what += f", {counted(comparison.figures, 'figure')}"
    others = {
        "moved": comparison.moved,
        "changed": comparison.changed,
        "gone": comparison.gone,
        "not published": comparison.new,
    }
    unlike = [f"{number:,} {word}" for word, number in others.items() if number]
    if comparison.is_clean:
        verdict = "all as published"
    elif len(comparison.absent) == comparison.documents:
        verdict = "absent"
    else:
        verdict = ", ".join([f"{comparison.equal:,} as published", *unlike])
    return [
        f"{comparison.slug}: {what}: {verdict}",
        *(f"  {path}: absent" for path in comparison.absent),
        *(
            f"  {path}: not the document that was published"
            for path in comparison.other
        ),
        *(f"  {fault}" for fault in comparison.unread),
    ]
