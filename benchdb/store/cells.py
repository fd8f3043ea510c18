"""Cells: what makes two runs the same measurement, whenever they were made."""

from sqlalchemy import Text, type_coerce

from benchdb.store.tables import run

CELL = (
    run.c.machine,
    run.c.source,
    run.c.workload,
    run.c.workload_version,
    run.c.setting,
    run.c.framework,
    run.c.device,
    run.c.precision,
    run.c.compiler,
    run.c.batch_size,
    run.c.parameters,
    run.c.mine,
)
# With the parameters as text, which is alike where they are.
SPELLED = tuple(
    type_coerce(column, Text) if column is run.c.parameters else column
    for column in CELL
)

Age = tuple[str, str]


def age(started: str | None, campaign: str | None) -> Age:
    """Return what is greatest for a run of a cell's newest campaign.

    That is the campaign whose run *started* last; its name decides between equals.
    """
    return started or "", campaign or ""
