"""What chance does to each class of work, in a whole database.

Whoever looks at a part of it judges as who looks at all: a page with filters, a page
that has no room for more, and a comparison of two runs.
"""

from sqlalchemy import Connection, or_, select

from benchdb.report.measurement import ClassSpreads, measurements, seen_in
from benchdb.report.runs import stored
from benchdb.report.scope import WHOLE
from benchdb.store import contents
from benchdb.store.hearsay import shipped_runs
from benchdb.store.machines import mine
from benchdb.store.run_facts import Around
from benchdb.store.tables import newest, run

_MOST = 1_000  # runs of a large database, the newest


def class_spreads(
    connection: Connection, surroundings: Around | None = None
) -> ClassSpreads:
    """Return what the classes of work have shown in what is mine or shipped.

    Of a large database the newest campaigns have a say.
    """
    digest = run.c.digest
    known = select(digest).where(
        or_(digest.in_(mine(digest)), digest.in_(sorted(shipped_runs()))),
        run.c.label == "measured",
        run.c.status == "ok",
    )
    if contents.runs(connection) > WHOLE:
        order = newest.c.started.desc(), newest.c.run
        known = (
            select(newest.c.run)
            .where(newest.c.run.in_(known))
            .order_by(*order)
            .limit(_MOST)
        )
    if connection.execute(known.limit(1)).first() is None:
        return {}
    runs = stored(connection, among=known, surroundings=surroundings)
    return seen_in(measurements(runs))
