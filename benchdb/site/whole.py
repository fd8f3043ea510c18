"""A whole site: all kinds of pages together, and what search engines read of it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from sqlalchemy import Connection

from benchdb.report.scope import Scope
from benchdb.site import (
    build,
    chip_page,
    compare,
    front,
    listings,
    machine_page,
    pages,
    run,
    search,
    sections,
    source_page,
    workload_page,
)
from benchdb.site.build import Local, Outcome, Plan
from benchdb.site.content import Site, content
from benchdb.site.pages import Frame, Page
from benchdb.store import contents

# Each yields pages in every language, as those of pairs are, between which and these
# all work is divided; those of runs are in the first alone.
_BEFORE = (listings.pages, chip_page.pages, workload_page.pages)
_AFTER = (machine_page.pages, source_page.pages)


def renew(
    connection: Connection,
    scope: Scope,
    frame: Frame,
    folder: Path,
    here: str | None = None,
) -> Outcome:
    """Write all pages of the runs in *scope* into *folder*, if it has others.

    *here* is as for ``content``; errors are those of ``build``.
    """
    chosen = (repr(scope.chosen), str(scope.everything), here or "")
    filters = (*chosen, sections.identity())
    state = build.state(frame, contents.state(connection), *filters)
    done = build.as_it_was(folder, state)
    return done or write(content(connection, scope, here), frame, folder, state)


def write(site: Site, frame: Frame, folder: Path, state: str = "") -> Outcome:
    """Write all pages of *site*, of a *state*; errors are those of ``build``."""
    with build.aside(partial(compare.computed, site)) as data:
        added = sections.sections(site)
        before = [*front.pages(site, added), *sections.pages(added)]
        before += [page for make in _BEFORE for page in make(site)]
        after = [page for make in _AFTER for page in make(site)]
        addresses = run.addresses(site)
        shared = [*before, *compare.pages(site, data), *after]
    runs = Local(addresses, partial(run.facts_at, site), partial(run.page_of, site))
    plan = Plan(shared, [*_files(site, shared, frame)], runs, state)
    return build.build(plan, frame, folder)


def _files(site: Site, shared: list[Page], frame: Frame) -> Iterator[tuple[str, bytes]]:
    yield from pages.asset_files()
    yield from search.files(site, frame)
    for page in shared:
        yield from page.files.items()
    if frame.base:
        runs = dict.fromkeys(site.runs.values())
        yield "sitemap.xml", _sitemap([page.address for page in shared], [*runs], frame)
        yield "robots.txt", f"Sitemap: {frame.base}sitemap.xml\n".encode()


def _sitemap(shared: list[str], local: list[str], frame: Frame) -> bytes:
    """Return the sitemap, as sitemaps.org has it, 50,000 addresses at most."""
    paths = [frame.path(address, code) for code in frame.codes for address in shared]
    paths += [frame.path(address, frame.codes[0]) for address in local]
    lines = (
        f"<url><loc>{escape(f'{frame.base}{path}')}</loc></url>"
        for path in paths[:50_000]
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return (
        f'{head}<urlset xmlns="{space}">\n{chr(10).join(lines)}\n</urlset>\n'.encode()
    )
