"""A whole site: all kinds of pages together, and what search engines read of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from sqlalchemy import Connection

from benchdb.files import alone
from benchdb.report.scope import Scope
from benchdb.site import (
    build,
    chip_page,
    compare,
    front_page,
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
from benchdb.site.compare import Computed
from benchdb.site.content import Site, content
from benchdb.site.pages import Frame
from benchdb.store import contents
from benchdb.store.memo import Memo

# Each yields pages in every language; those of runs are in the first alone.
SHARED = (
    *(listings.pages, chip_page.pages, workload_page.pages),
    *(machine_page.pages, source_page.pages),
)


def renew(
    connection: Connection,
    scope: Scope,
    frame: Frame,
    folder: Path,
    here: str | None = None,
    memo: Memo | None = None,
) -> Outcome:
    """Write all pages of the runs in *scope* into *folder*, if it has others.

    *here* and *memo* are as for ``content``; errors are those of ``build``.
    """
    chosen = (repr(scope.chosen), str(scope.everything), here or "")
    filters = (*chosen, sections.identity())
    state = build.state(frame, contents.state(connection), *filters)
    done = build.as_it_was(folder, state)
    return done or write(
        content(connection, scope, here, memo=memo), frame, folder, state
    )


def write(site: Site, frame: Frame, folder: Path, state: str = "whole") -> Outcome:
    """Write all pages of *site*, of a *state*; errors are those of ``build``."""
    with alone(folder), _compared(site, folder) as made:
        return build.build(_plans(site, frame, made), frame, folder, state)


@contextmanager
def _compared(site: Site, folder: Path) -> Iterator[Callable[[], Computed]]:
    """Give what says how systems compare, which another process computes meanwhile.

    Where this one knows nearly all of it already, it does the rest itself.
    """
    if compare.is_known(site):
        yield partial(compare.computed, site)
        return
    earlier = [*build.there(folder, compare.FILES)]
    with build.aside(partial(compare.encoded, site, earlier)) as made:
        yield lambda: compare.decoded(made())


def _plans(site: Site, frame: Frame, made: Callable[[], Computed]) -> Iterator[Plan]:
    """Yield all but the page of pairs, whose data takes longest, then that one."""
    added = sections.sections(site)
    shared = [*front_page.pages(site, added), *sections.pages(added)]
    shared += [page for make in SHARED for page in make(site)]
    runs = Local(
        run.addresses(site), partial(run.facts_at, site), partial(run.page_of, site)
    )
    files = [*pages.asset_files(), *search.files(site, frame)]
    if frame.base:
        addresses = [page.address for page in shared]
        addresses += [compare.ADDRESS] if compare.has_page(site) else []
        files += [
            ("sitemap.xml", _sitemap(addresses, [*runs.addresses], frame)),
            ("robots.txt", f"Sitemap: {frame.base}sitemap.xml\n".encode()),
        ]
    yield Plan(shared, files, runs)
    for page in compare.pages(site, made):
        yield Plan([page], [*page.files.items()], keys=page.keys)


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
