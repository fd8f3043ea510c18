"""The page of one run as a file of its own, without a site around it."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, or_, select

from benchdb.report.language import load
from benchdb.report.scope import selection
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.content import content
from benchdb.site.output import File
from benchdb.site.pages import Sheet, alone
from benchdb.site.run import all_facts, page_of
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
        site = content(connection, scope, alone=digest)
        head = site.rows[digest]
        (facts,) = all_facts(site, [line for line in site.lines if line[0] is head])
        name = f"run-{digest[:RUN_LETTERS]}"
        sheet = Sheet(
            f"benchdb report --run {digest[:RUN_LETTERS]}", site.report.database_digest
        )
        shown = page_of(site, name, facts)
        for code in codes:
            text = alone(shown, load(code), sheet)
            yield File(f"{name}.{code}.html", text.encode())
