"""What a report of many runs costs, beside the same report of few.

Fills databases with runs of 50 machines × 36 cells, straight into the tables (their
digests name them and stand for no content). Each report is a process of its own.
"""

import hashlib
import random
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from benchdb.catalogue import metrics
from benchdb.store import contents, newest
from benchdb.store.database import open_database, writing
from benchdb.store.migrate import SCHEMA_REVISION
from benchmarks.costs import BENCHDB, cost
from benchmarks.rows import MIB, Cost, Extent, Limit, Named, Place, Row, Turn

ROWS: tuple[Row, ...] = (
    Row(
        "report",
        "HTML report of many runs",
        "the same of 10,000",
        (
            Limit("ratio", most=1.5),
            Limit("seconds", most=2),
            Limit("peak_bytes", most=200 * MIB),
        ),
    ),
)
USUAL = Extent(1_000_000, 5)
QUICK = Extent(2000, 2)
_FEW = 10_000  # enough that no cell lacks a run, so that both pages have the same
MACHINES = 50
PROCESSES = 5  # of a campaign
CHIPS = tuple(
    f"M{generation}{kind}"
    for generation in (1, 2, 3, 4)
    for kind in ("", " Pro", " Max", " Ultra")
)
_NETWORKS = ("resnet50", "mobilenetv2", "distilbert", "lstm", "mnist", "bert-large")
CELLS = tuple(  # 6 networks × 3 batch sizes × CPU and Metal
    (network, batch, device)
    for network in _NETWORKS
    for batch in (16, 64, 256)
    for device in ("cpu", "metal")
)
_METRICS = ("samples_per_second", "step_seconds", "mean_power_watts")
_BATCH = 20_000


def fill(database: Path, runs: int) -> None:
    """Make a database of so many runs; the same number gives the same contents."""
    open_database(str(database), create=True).dispose()
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    for number in range(MACHINES):
        _machine(connection, number)
    for network in _NETWORKS:
        _insert(connection, "workload", [{"name": network, "version": 1}])
    for name in _METRICS:
        result = {"unit": metrics()[name].unit, "direction": metrics()[name].direction}
        _insert(connection, "metric", [{"name": name, **result}])
    chance = random.Random(runs)  # noqa: S311 - figures, not secrets
    for start in range(0, runs, _BATCH):
        pairs = [_run(n, chance) for n in range(start, min(start + _BATCH, runs))]
        _insert(connection, "run", [run for run, _ in pairs])
        _insert(connection, "value", [value for _, values in pairs for value in values])
    connection.execute("COMMIT")
    connection.close()
    engine = open_database(str(database))
    with writing(engine) as derived:
        newest.renew(derived)
        contents.renew(derived)
    engine.dispose()  # its log goes into the file, which gets another name


def _insert(connection: sqlite3.Connection, table: str, rows: list[Any]) -> None:
    names = ",".join(rows[0])
    marks = ",".join(f":{name}" for name in rows[0])
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
    connection.executemany(statement, rows)


def _digest(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()


def _machine(connection: sqlite3.Connection, number: int) -> None:
    name, chip = CHIPS[number % len(CHIPS)], _digest("chip", number)
    about = {"vendor": "Apple", "name": name, "ram_bytes": (number + 1) * 2**30}
    empty = {"cpu_levels": "[]", "accelerators": "[]"}
    _insert(connection, "chip", [{"digest": chip, **about, **empty}])
    machine = {"digest": _digest("machine", number), "chip": chip, "missing": "{}"}
    machine |= {"anonymous_id": f"{number:016x}"}
    _insert(connection, "machine", [machine])
    holders = ("packages", "devices", "math", "variables", "missing")
    system = {"os_name": "macOS", "framework": "torch", "framework_version": "2.5.0"}
    environment = {"digest": _digest("environment", number), **system}
    rows = environment | dict.fromkeys(holders, "{}") | {"devices": "[]"}
    _insert(connection, "environment", [rows])


def _run(number: int, chance: random.Random) -> tuple[dict[str, Any], list[Any]]:
    campaign, replicate = divmod(number, PROCESSES)
    turn, place = divmod(campaign, MACHINES * len(CELLS))
    machine, cell = divmod(place, len(CELLS))
    network, batch, device = CELLS[cell]
    digest = _digest("run", number)
    holders = ("conditions_before", "conditions_after", "checks", "basis", "missing")
    run = {
        "digest": digest,
        "machine": _digest("machine", machine),
        "environment": _digest("environment", machine),
        "workload": network,
        "workload_version": 1,
        "setting": "standard",
        "framework": "torch",
        "device": device,
        "precision": "fp32",
        "compiler": "eager",
        "batch_size": batch,
        "parameters": f'{{"batch_size":{batch}}}',
        "tier": "quick",
        # Each machine names its own, as "collect" does.
        "campaign": f"c{turn:03}-on-{machine}",
        "replicate": replicate,
        "replicates": PROCESSES,
        "started": f"20{turn // 336 + 20:02}-{turn // 28 % 12 + 1:02}-"
        f"{turn % 28 + 1:02}T00:00:00Z",
        "label": "measured",
        "status": "ok",
        **dict.fromkeys(holders, "{}"),
    }
    speed = (
        (10 + machine) * (3 if device == "metal" else 1) * chance.uniform(0.98, 1.02)
    )
    figures = (speed, batch / speed, 20 + machine)
    pairs = zip(_METRICS, figures, strict=True)
    return run, [{"run": digest, "metric": name, "value": it} for name, it in pairs]


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    yield from against_few(wanted, extent, place, _report)


def against_few(
    wanted: Collection[str],
    extent: Extent,
    place: Place,
    measured: Callable[[Path], Cost],
) -> Iterator[Named]:
    """Yield each turn of what is *measured* in a database of many runs and of few."""
    if not wanted or extent.runs is None:
        return
    # Smaller sizes only show that it works: their pages are not alike.
    few = filled(place.room, min(_FEW, max(1, extent.runs // 2)))
    many = filled(place.room, extent.runs)
    for number in range(extent.rounds):
        for name in wanted:
            if number % 2:
                most = measured(many)
                yield Named(name, Turn(most, measured(few)))
            else:
                least = measured(few)
                yield Named(name, Turn(measured(many), least))


def filled(room: Path, runs: int) -> Path:
    """Return a database of so many runs, the one of an earlier time if it is there."""
    path = room / f"runs-{runs}-{SCHEMA_REVISION}.sqlite"
    if not path.exists():
        unfinished = room / "filling.sqlite"
        unfinished.unlink(missing_ok=True)
        fill(unfinished, runs)
        unfinished.rename(path)
    return path


def _report(database: Path) -> Cost:
    place = ("--db", database, "-o", database.with_suffix(".report"))
    words = ("report", "--lang", "en", "--format", "html")
    with tempfile.TemporaryDirectory(dir=database.parent) as home:  # nothing is kept
        return cost("/usr/bin/env", f"BENCHDB_HOME={home}", *BENCHDB, *words, *place)
