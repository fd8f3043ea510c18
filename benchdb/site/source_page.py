"""The page of a source: its documents, what it claims, and every figure it gave."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from markupsafe import Markup

from benchdb.report.language import Language
from benchdb.report.view.listed import ClaimRow, SourceRow
from benchdb.report.wording import sources
from benchdb.site.content import Site
from benchdb.site.figure_table import FigureTable, figure_table, table_words
from benchdb.site.pages import Page, Words

_MOST_DOCUMENTS = 300  # that a page lists; the others are in its JSON


class Document(msgspec.Struct, frozen=True):
    """A document of a source: where it is, its digest, and how many runs it gave."""

    name: str
    url: str | None
    sha256: str | None
    language: str | None
    licence: str | None
    runs: int
    left_out: int


class SourceFacts(msgspec.Struct, frozen=True):
    """What the page of a source shows."""

    slug: str
    title: str
    authors: tuple[str, ...]
    licence: str | None
    documents: tuple[Document, ...]
    claims: tuple[ClaimRow, ...]
    protocol_only: bool
    chips: tuple[str, ...]
    table: FigureTable


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of each source."""
    documents = defaultdict[str, list[SourceRow]](list)
    for row in site.report.sources:
        documents[row.slug].append(row)
    for slug, address in site.sources.items():
        facts = _facts(site, slug, documents[slug])
        yield Page(address, "sources", "source", facts, partial(_words, site, facts))


def _facts(site: Site, slug: str, rows: Sequence[SourceRow]) -> SourceFacts:
    lines = site.by_source.get(slug, [])
    licences = {row.licence for row in rows}
    return SourceFacts(
        slug=slug,
        title=rows[0].title,
        authors=tuple(dict.fromkeys(name for row in rows for name in row.authors)),
        licence=licences.pop() if len(licences) == 1 else None,
        documents=tuple(
            Document(
                row.document or row.title,
                row.url,
                row.document_sha256,
                row.language,
                row.licence,
                row.runs,
                row.left_out,
            )
            for row in rows
        ),
        claims=tuple(claim for row in rows for claim in row.claims),
        protocol_only=all(row.protocol_only for row in rows),
        chips=tuple(sorted({line[0].system.chip for line in lines})),
        table=figure_table(site, lines, f"benchdb list --source {slug}"),
    )


def _words(site: Site, facts: SourceFacts, language: Language) -> Words:
    contents = [("documents", language.pgettext("section", "Documents"))]
    if facts.claims:
        contents.append(("claims", language.pgettext("section", "Claims")))
    if facts.table.rows:
        contents.append(("figures", language.pgettext("section", "All figures")))
    counts = {
        language.pgettext("table header", "Runs"): sum(
            document.runs for document in facts.documents
        ),
        language.pgettext("table header", "Chips"): len(facts.chips),
        language.pgettext("table header", "Documents"): len(facts.documents),
    }
    known = {name: language.number(count) for name, count in counts.items()}
    return Words(
        title=facts.title,
        description=" · ".join(f"{name} {count}" for name, count in known.items()),
        crumbs=(("sources", language.pgettext("page", "Sources")),),
        contents=tuple(contents),
        parts={
            "facts": facts,
            "known": known,
            "documents": facts.documents[:_MOST_DOCUMENTS],
            "more": max(0, len(facts.documents) - _MOST_DOCUMENTS),
            "claims": [sources.claim_text(language, claim) for claim in facts.claims],
            "chips": [(site.chips[name], name) for name in facts.chips],
            "slash": Markup("/<wbr>"),
            "licence_text": partial(sources.licence_text, language),
            "table": table_words(language, facts.table),
        },
    )
