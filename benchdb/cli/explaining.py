"""How a database goes about the queries of a report, in lines for maintainers."""

import re
from collections.abc import Iterator

from sqlalchemy import Connection

from benchdb.report.summary import summarise
from benchdb.store.query_plans import explained, indexes, recorded

_COLUMNS = re.compile(r"\ASELECT .*?(?=\sFROM\b)", re.DOTALL)
_WIDTH = 200  # of a query; what tells it from others stands near its start


def explanation(connection: Connection) -> Iterator[str]:
    """Yield each query that a report asks, its plan, and then the indexes left over."""
    with recorded(connection) as queries:
        summarise(connection)
    used: set[str] = set()
    for number, query in enumerate(queries.values(), start=1):
        plan = explained(connection, query)
        used.update(plan.indexes)
        text = " ".join(_COLUMNS.sub("SELECT …", query.statement).split())
        short = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
        yield f"{number}. asked {query.times} ×: {short}"
        yield from (f"   {line}" for line in plan.lines)
        yield f"   indexes: {', '.join(plan.indexes) or 'none'}"
        yield f"   read whole: {', '.join(plan.whole) or 'none'}"
        yield ""
    unused = ", ".join(sorted(indexes() - used)) or "none"
    yield f"{len(queries)} queries; indexes that none of them uses: {unused}"
