"""The front page, and what it shows of a site.

``front`` says it without this: what shows kept facts loads nothing that reads a
database.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from benchdb.report import untrusted
from benchdb.site.answers.cards import cards
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.answers.overview import overview
from benchdb.site.answers.token_speed import model_plots
from benchdb.site.answers.watt import comparisons
from benchdb.site.content import Site
from benchdb.site.front import Front, front_words
from benchdb.site.pages import Page
from benchdb.site.sections import Section


def pages(site: Site, sections: Iterable[Section] = ()) -> Iterator[Page]:
    """Yield the front page, with links to *sections* of other packages."""
    links = tuple((section.address, section.title) for section in sections)
    facts = replace(front_facts(site), sections=links)
    yield Page("index", "answers", "index", facts, partial(front_words, facts))


def front_facts(site: Site) -> Front:
    """Return what the front page shows."""
    corpus = corpus_of(site)
    shown = overview(corpus)
    medians = [
        it
        for row in (*shown.chips, *shown.gpus)
        for it in (row.decode, row.prefill)
        if it
    ]
    cells = [cell.run for row in shown.heat for cell in row.cells]
    linked = (*(it.run for it in medians), *cells)
    facts = Front(
        cards=cards(site, None),
        overview=shown,
        plots=model_plots(corpus),
        watts=comparisons(corpus),
        chips=dict(site.chips),
        pairs={
            worker.chip: slug
            for worker, slug in site.systems.slugs.items()
            if worker.device in ("metal", "cuda")
        },
        runs={run: site.runs[run] for run in linked},
        grades={run: corpus.facts[run].grade or "" for run in linked},
        figures=site.report.values_count,
        sources=site.report.sources_count,
        digest=site.report.database_digest,
        own=tuple(sorted({it.chip for it in site.report.machines if it.here})),
    )
    return untrusted.cleaned(facts)
