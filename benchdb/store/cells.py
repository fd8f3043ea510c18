"""The columns of a cell, and which of its campaigns is the newest."""

import re

from sqlalchemy import Text, type_coerce

from benchdb.cell import COLUMNS
from benchdb.store.tables import run

CELL = tuple(run.c[name] for name in COLUMNS)
# With the parameters as text, which is alike where they are.
SPELLED = tuple(
    type_coerce(column, Text) if column is run.c.parameters else column
    for column in CELL
)

Age = tuple[str, str]
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def age(started: str | None, campaign: str | None) -> Age:
    """Return what is greatest for a run of a cell's newest campaign.

    That is the campaign whose run *started* last; its name decides between equals.
    What is no date is as good as none: any word would come after all dates.
    """
    dated = started if started and _DATE.match(started) else ""
    return dated, campaign or ""
