"""The page of one run as a file of its own, without a site around it."""

from collections.abc import Iterator, Sequence
from functools import partial

from sqlalchemy import Connection, or_, select

from benchdb.report.language import load
from benchdb.report.scope import selection
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.content import content
from benchdb.site.files import File
from benchdb.site.pages import Page, Sheet, alone
from benchdb.site.run import all_facts
from benchdb.site.run.words import words
from benchdb.store.read import find
from benchdb.store.tables import newest, run


def files(connection: Connection, prefix: str, codes: Sequence[str]) -> Iterator[File]:
    """Yield the page of the run that starts with *prefix*, in each language.

    Errors are those of ``find``.
    """
    digest = find(connection, prefix)
    own = select(run.c.workload, run.c.machine).where(run.c.digest == digest)
    workload, machine = connection.execute(own).one()
    # What it is held against is the newest of the same work.
    kept = or_(run.c.machine == machine, run.c.digest.in_(select(newest.c.run)))
    query = select(run.c.digest).where(run.c.workload == workload, kept)
    with selection(connection, query) as scope:
        site = content(connection, scope)
        rows = site.rows
        line = next(it for it in site.lines if it[0] is rows[digest])
        ((_, facts),) = all_facts(site, [line])
        name = f"run-{digest[:RUN_LETTERS]}"
        sheet = Sheet(
            f"benchdb report --run {digest[:RUN_LETTERS]}", site.report.database_digest
        )
        shown = Page(name, "runs", "run", facts, partial(words, site, facts, line[0]))
        for code in codes:
            text = alone(shown, load(code), sheet)
            yield File(f"{name}.{code}.html", text.encode())
