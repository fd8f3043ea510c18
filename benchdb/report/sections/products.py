"""The matrix products that were timed: of which size, where, how fast."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from benchdb.report.doubts import LeftOut
from benchdb.report.measurement import Place
from benchdb.report.places import Places, places
from benchdb.report.query import every_run
from benchdb.report.scope import Scope
from benchdb.store.tables import chip, machine

# The best defined first; the last may stop the clock before the device has finished.
_METRICS = ("teraflops", "operation_synced_seconds", "operation_seconds")
_TERA = 1e12
# Beyond these nothing is a size or a rate, and powers of them are no numbers.
_LARGEST = 10**7
_LEAST, _MOST = 1e-15, 1e15


@dataclass(frozen=True)
class Protocol:
    """What must be equal for the rates of two sizes to stand on one line.

    *threads* count where the processor itself works.
    """

    precision: str | None
    framework: str
    compiler: str | None
    setting: str
    version: int
    batch_size: int | None
    threads: int | None
    metric: str


@dataclass(frozen=True)
class Product:
    """One size on one machine: TFLOPS of each process, *runs* in the same order.

    *printed* are the characters of a source that prints the rate itself; one that was
    computed from a time is *derived*.
    """

    place: Place
    gpu_cores: int | None
    protocol: Protocol
    size: int
    rates: tuple[float, ...]
    runs: tuple[str, ...]
    started: str
    campaign: str
    printed: str | None
    derived: bool

    @property
    def age(self) -> tuple[object, ...]:
        """Return what is greater the newer it is."""
        return self.started, self.campaign, self.runs


def products(connection: Connection, scope: Scope, left_out: LeftOut) -> list[Product]:
    """Return the newest campaign of each size on each machine, processes together.

    Trial runs and those *left_out* are not among them.
    """
    where, cores = places(connection), _gpu_cores(connection)
    cells: defaultdict[str, defaultdict[str, list[Any]]]
    cells = defaultdict(lambda: defaultdict(list))
    for rows in every_run(connection, _METRICS, scope, "matmul"):
        row = _telling(rows)
        if row is not None and not left_out.has(row.digest, row.source):
            facts = _cell(row, where)
            cells[facts][f"{row.campaign} {row.environment}"].append(row)
    found = (
        max((_product(rows, where, cores) for rows in campaigns.values()), key=_age)
        for campaigns in cells.values()
    )
    return sorted(found, key=lambda one: (one.size, one.runs))


def _age(one: Product) -> tuple[object, ...]:
    return one.age


def _telling(rows: Iterable[Any]) -> Any:
    """Return the row of a run that says its rate best, if it tells one."""
    there = {
        row.metric: row
        for row in rows
        if row.status == "ok"
        and row.tier != "smoke"
        and _size(row) is not None
        and _rate(row) is not None
    }
    return next((there[name] for name in _METRICS if name in there), None)


def _size(row: Any) -> int | None:
    size = row.parameters.get("size")
    whole = isinstance(size, int) and not isinstance(size, bool)
    return size if whole and 0 < size <= _LARGEST else None


def _rate(row: Any) -> float | None:
    """Return TFLOPS; a time of several products at once tells none of them."""
    if row.value is None or not math.isfinite(row.value) or row.value <= 0:
        return None
    rate = row.value
    if row.metric != "teraflops":
        if row.batch_size not in (None, 1) or row.value < _LEAST:
            return None
        rate = 2 * float(row.parameters["size"]) ** 3 / row.value / _TERA
    return rate if _LEAST < rate < _MOST else None


def _cell(row: Any, where: Places) -> str:
    about = _protocol(row)
    parameters = json.dumps(row.parameters, sort_keys=True)
    return repr((where.machine(row.machine), row.source, row.device, about, parameters))


def _protocol(row: Any) -> Protocol:
    threads = row.parameters.get("threads") if row.device == "cpu" else None
    return Protocol(
        precision=row.precision,
        framework=row.framework,
        compiler=row.compiler,
        setting=row.setting,
        version=row.workload_version,
        batch_size=None if row.batch_size == 1 else row.batch_size,
        threads=threads if isinstance(threads, int) else None,
        metric=row.metric,
    )


def _product(
    rows: Sequence[Any], where: Places, cores: dict[str, int | None]
) -> Product:
    rows = sorted(rows, key=lambda row: (row.replicate or 0, row.digest))
    first, stated = rows[0], rows[0].metric == "teraflops"
    rates = [rate for row in rows if (rate := _rate(row)) is not None]
    return Product(
        place=where.of(first),
        gpu_cores=cores.get(first.machine),
        protocol=_protocol(first),
        size=int(first.parameters["size"]),
        rates=tuple(rates),
        runs=tuple(row.digest for row in rows),
        started=max(row.started or "" for row in rows),
        campaign=first.campaign or "",
        printed=first.printed if stated and len(rows) == 1 else None,
        derived=not stated or any(row.derived is not None for row in rows),
    )


def _gpu_cores(connection: Connection) -> dict[str, int | None]:
    query = select(machine.c.digest, chip.c.gpu_cores)
    query = query.join(chip, machine.c.chip == chip.c.digest)
    return {row.digest: row.gpu_cores for row in connection.execute(query)}
