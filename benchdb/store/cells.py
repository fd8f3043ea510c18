"""Cells: what makes two runs the same measurement, whenever they were made."""

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
)
