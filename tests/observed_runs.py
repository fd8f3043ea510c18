"""Runs as the plausibility rules see them, in a few words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine

from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.plausibility.observed import Finding, Observed
from benchdb.store import rows, tables
from benchdb.store.findings import observed
from benchdb.store.write import Writer


def seen(run: str = "a", **facts: Any) -> Observed:
    """Return a published run of ResNet-50 on the GPU of a Mac."""
    usual: dict[str, Any] = {
        "source": "paper",
        "label": "transcribed",
        "workload": "resnet50",
        "setting": "standard",
        "framework": "tensorflow",
        "device": "metal",
        "machine": "mac",
        "chip_vendor": "Apple",
        "chip_name": "M1",
        "values": {},
    }
    return Observed(run=run, **{**usual, **facts})


def table(
    metric: str, rows: Mapping[str, Mapping[str, float]], **facts: Any
) -> list[Observed]:
    """Return the runs of a table: figures by machine and workload."""
    return [
        seen(
            f"{machine}-{workload}",
            machine=machine,
            workload=workload,
            values={metric: value},
            **{"chip_name": machine, **facts},
        )
        for machine, row in rows.items()
        for workload, value in row.items()
    ]


def codes(findings: tuple[Finding, ...] | list[Finding]) -> list[tuple[str, str]]:
    return [(finding.run, finding.code) for finding in findings]


@contextmanager
def database() -> Iterator[Connection]:
    """Give a connection to an empty database in memory."""
    engine = create_engine("sqlite://")
    tables.metadata.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def store(connection: Connection, *paths: Path) -> None:
    """Put the runs of exchange files into the database, with their fingerprints."""
    writer = Writer(connection)
    for path in paths:
        with path.open("rb") as stream:
            for item in read(stream):
                if isinstance(item, Record):
                    writer.add(rows.of_record(item) | rows.of_likeness(item))
    writer.flush()


def published(path: Path) -> tuple[Observed, ...]:
    """Return the finished runs of the exchange file at *path*, by way of a database."""
    with database() as connection:
        store(connection, path)
        lots = observed(connection, None, None)
        return tuple(run for lot in lots for run in lot.runs)
