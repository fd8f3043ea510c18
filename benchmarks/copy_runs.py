"""The least that an import into PostgreSQL could cost: COPY of the same rows.

    python -m benchmarks.copy_runs FILE.jsonl postgresql+psycopg://…

As the yardstick of ``import_runs`` does: it decodes the lines into the same types and
puts them into the same tables in one transaction, and does nothing else.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from sqlalchemy import make_url

from benchdb.exchange.messages import Line
from benchdb.exchange.packing import joined, pack
from benchdb.store.database import open_database
from benchmarks import import_runs

_SHARED = ("chip", "machine", "environment", "workload", "metric")
_TABLES = (*_SHARED, "run", "value", "samples")  # parents first
_BATCH = 500  # runs whose rows are sent at a time


class _Copies(import_runs.Inserts):
    """Rows by table, sent some at a time; what runs share is sent once."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _TABLES}
        self._known: set[tuple[Any, ...]] = set()

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        if table in _SHARED:
            if row in self._known:
                return
            self._known.add(row)
        self._rows[table].append(row)
        if table == _TABLES[-1] and len(self._rows[table]) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        for table, rows in self._rows.items():
            if rows:
                with self._cursor.copy(f"COPY {table} FROM STDIN") as sink:
                    for row in rows:
                        sink.write_row(row)
                rows.clear()


def copied(path: Path, database: str) -> None:
    """Put what the lines of *path* say into the tables, by their keys in the file."""
    open_database(database, create=True).dispose()
    url = make_url(database).set(drivername="postgresql")
    place = url.render_as_string(hide_password=False)
    decode, started = msgspec.json.Decoder(Line).decode, dict[str, tuple[Any, Any]]()
    encode = msgspec.json.encode
    with psycopg.connect(place) as connection, path.open("rb") as stream:
        into = _Copies(connection.cursor())
        for raw in stream:
            line: Any = decode(raw)
            match type(line).__name__:
                case "Machine":
                    import_runs.add_machine(into, line, encode)
                case "Environment":
                    import_runs.add_environment(into, line, encode)
                case "Run":
                    started[line.key] = (line, [])
                case "Samples":
                    started[line.run][1].append(line)
                case "End":
                    run, samples = started.pop(line.run)
                    import_runs.add_finished(into, run, line, encode)
                    numbers = len(samples) and len(samples[0].values)
                    into.add("samples", (run.key, numbers, pack(joined(samples))))
        into.flush()


if __name__ == "__main__":
    copied(Path(sys.argv[1]), sys.argv[2])
