"""An exchange file of many runs, and the least that importing it could cost.

    python benchmarks/import_runs.py --write FILE --runs 100000
    python benchmarks/import_runs.py --yardstick FILE --db DATABASE

Each run has 10 metrics and 20 samples. The yardstick decodes the lines into the same
types as ``benchdb import`` and puts them into the same tables in one transaction, and
does nothing else: no digest, no check, no doubt.
"""

import argparse
import json
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from benchdb.exchange.messages import Line
from benchdb.exchange.packing import joined, pack
from benchdb.store.database import open_database

METRICS = (
    *("samples_per_second", "step_seconds", "first_step_seconds", "import_seconds"),
    *("build_seconds", "process_wall_seconds", "process_user_seconds"),
    *("process_system_seconds", "process_cpu_percent", "peak_resident_bytes"),
)
SAMPLES = 20
MACHINES = 8
BATCH = 500  # rows of the yardstick that are written at a time


def write(stream: IO[str], runs: int) -> None:
    """Write an exchange file with *runs* runs; the same number gives the same file."""
    chance = random.Random(runs)  # noqa: S311 - figures, not secrets
    header = {"type": "header", "format": 1, "producer": "made-up"}
    _line(stream, {**header, "producer_version": "1"})
    for number in range(MACHINES):
        chip = {"vendor": "Apple", "name": "M1 Max", "cpu_cores": 10, "gpu_cores": 32}
        chip |= {"ram_bytes": (number + 1) * 2**33}
        id_ = f"{number:016x}"
        machine = {"key": f"m{number}", "chip": chip, "anonymous_id": id_}
        _line(stream, {"type": "machine", **machine})
        system = {"os_name": "macOS", "os_version": f"14.{number}", "python": "3.12.1"}
        system |= {"framework": "torch", "framework_version": "2.5.0"}
        _line(stream, {"type": "environment", "key": f"e{number}", **system})
    for number in range(runs):
        for line in _run(number, chance):
            _line(stream, line)


def _run(number: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    key, step = f"r{number}", chance.uniform(0.15, 0.25)
    yield {
        "type": "run",
        "key": key,
        "machine": f"m{number % MACHINES}",
        "environment": f"e{number % MACHINES}",
        "workload": "resnet50",
        "framework": "torch",
        "device": "metal",
        "precision": "fp32",
        "parameters": {"batch_size": 32, "image_size": 224, "optimizer": "SGD"},
        "seed": 0,
        "tier": "quick",
        "campaign": f"c{number // 5}",
        "replicate": number % 5,
        "replicates": 5,
        "started": f"2025-01-{number % 28 + 1:02}T{number % 24:02}:00:00Z",
        "label": "measured",
        "conditions": {"load_1_minute": round(chance.uniform(0, 1), 2)},
    }
    times = [round(step * chance.uniform(0.98, 1.05), 9) for _ in range(SAMPLES)]
    samples = {"run": key, "phase": "measure", "per": 4, "values": times}
    yield {"type": "samples", **samples}
    figures = (32 / step, step, *(chance.uniform(1, 9) for _ in METRICS[2:]))
    values = [
        {"metric": metric, "value": figure}
        for metric, figure in zip(METRICS, figures, strict=True)
    ]
    checks = {"gates": {"finite": {"status": "passed"}}, "steady": True}
    yield {
        "type": "end",
        "run": key,
        "status": "ok",
        "values": values,
        "checks": checks,
    }


def _line(stream: IO[str], line: dict[str, Any]) -> None:
    stream.write(json.dumps(line, separators=(",", ":")) + "\n")


def yardstick(path: Path, database: Path) -> None:
    """Put what the lines of *path* say into the tables, by their keys in the file."""
    open_database(str(database), create=True).dispose()
    connection = sqlite3.connect(database, isolation_level=None)
    for pragma in ("synchronous=NORMAL", "journal_mode=DELETE"):  # as benchdb does
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN IMMEDIATE")
    insert = Inserts(connection)
    decoder, encode = msgspec.json.Decoder(Line), msgspec.json.encode
    started: dict[str, tuple[Any, list[Any]]] = {}
    with path.open("rb") as stream:
        for raw in stream:
            line: Any = decoder.decode(raw)
            match type(line).__name__:
                case "Machine":
                    add_machine(insert, line, encode)
                case "Environment":
                    add_environment(insert, line, encode)
                case "Run":
                    started[line.key] = (line, [])
                case "Samples":
                    started[line.run][1].append(line)
                case "End":
                    run, samples = started.pop(line.run)
                    add_finished(insert, run, line, encode)
                    numbers = len(samples) and len(samples[0].values)
                    packed = pack(joined(samples))
                    insert.add("samples", (run.key, numbers, packed))
    insert.flush()
    connection.execute("COMMIT")
    connection.close()


class Inserts:
    """Rows by table, written some at a time; the order minds no foreign key."""

    def __init__(self, connection: Any) -> None:
        """Write through *connection*, whose transaction belongs to the caller."""
        self._connection = connection
        self._rows: dict[str, list[tuple[Any, ...]]] = {}

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Gather a row."""
        rows = self._rows.setdefault(table, [])
        rows.append(row)
        if len(rows) >= BATCH:
            self._write(table, rows)

    def flush(self) -> None:
        """Write what is gathered."""
        for table, rows in self._rows.items():
            self._write(table, rows)

    def _write(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            marks = ",".join("?" * len(rows[0]))
            statement = f"INSERT OR IGNORE INTO {table} VALUES ({marks})"  # noqa: S608
            self._connection.executemany(statement, rows)
            rows.clear()


def add_machine(insert: Inserts, line: Any, encode: Any) -> None:
    """Gather the rows of a machine and its chip."""
    chip, key = line.chip, line.key
    facts = (chip.vendor, chip.name, chip.cpu_cores, chip.gpu_cores, chip.ram_bytes)
    insert.add("chip", (key, *facts, None, encode(chip.cpu_levels).decode(), "[]"))
    named = (line.model, line.label, line.anonymous_id, line.virtual)
    insert.add("machine", (key, key, *named, encode(line.missing).decode()))


def add_environment(insert: Inserts, line: Any, encode: Any) -> None:
    """Gather the row of an environment."""
    system = (line.os_name, line.os_version, line.os_build, line.kernel)
    more = (line.architecture, line.rosetta, line.python)
    framework = (line.framework, line.framework_version)
    holders = (line.packages, line.devices, line.math, line.variables, line.missing)
    texts = (encode(holder).decode() for holder in holders)
    insert.add("environment", (line.key, *system, *more, *framework, *texts))


def add_finished(insert: Inserts, run: Any, end: Any, encode: Any) -> None:
    """Gather the rows of a run that has ended."""
    insert.add("workload", (run.workload, run.workload_version, ""))
    what = (run.workload, run.workload_version, run.setting, run.framework, run.device)
    how = (run.device_name, run.precision, run.compiler, None)
    which = (run.seed, run.tier, run.campaign, run.replicate, run.replicates)
    when = (None, None, None, run.started, end.ended)
    where = (run.label, run.source, run.locator, end.status, end.reason)
    holders = (run.conditions, end.conditions, end.checks, run.basis, run.missing)
    texts = (encode(holder).decode() for holder in holders)
    parameters = encode(run.parameters).decode()
    about = (run.key, run.machine, run.environment, *what, *how, parameters)
    mine = False
    insert.add("run", (*about, *which, *when, *where, *texts, mine, run.reproduces))
    for value in end.values:
        insert.add("metric", (value.metric, "", "none", ""))
        row = (value.value, value.uncertainty, value.reason)
        place = (value.printed, value.locator, value.derived)
        insert.add("value", (run.key, value.metric, *row, *place))


def main() -> None:
    """Write the file, or be the yardstick."""
    parser = argparse.ArgumentParser(description=__doc__)
    side = parser.add_mutually_exclusive_group(required=True)
    side.add_argument("--write", type=Path, help="make the file")
    side.add_argument("--yardstick", type=Path, help="import it, as quickly as can be")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--db", type=Path)
    asked = parser.parse_args()
    if asked.yardstick:
        yardstick(asked.yardstick, asked.db)
    else:
        with asked.write.open("w", encoding="utf-8") as stream:
            write(stream, asked.runs)


if __name__ == "__main__":
    main()
