"""Who writes, and who only reads: the databases make writers wait for each other."""

from sqlalchemy import Engine

WRITES = "benchdb_write"


def writer(engine: Engine) -> Engine:
    """Return *engine* with transactions that write, one after the other."""
    options: dict[str, object] = {WRITES: True}
    if engine.dialect.name == "postgresql":
        # What others wrote while we waited must be seen, or its rows would be in the
        # way unseen.
        options["isolation_level"] = "READ COMMITTED"
    return engine.execution_options(**options)
