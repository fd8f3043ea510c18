"""What an import of many runs costs, beside the least that it could cost.

    python benchmarks/import_runs.py --runs 100000

Makes an exchange file of so many runs with 10 metrics and 20 samples each. One side is
``benchdb import``. The yardstick decodes the same lines into the same types and puts
them into the same tables in one transaction, and does nothing else: no digest, no
check, no doubt. Each side is a process of its own, whose peak memory is told as well.
Reach: 0.7 of the yardstick, under 150 MiB at any size.
"""

import argparse
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from benchdb.exchange.lines import Line
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


class Cost(NamedTuple):
    """What a process took: wall time, and the most memory that it ever held."""

    seconds: float
    peak_bytes: int


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
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    insert = _Inserts(connection)
    decoder, encode = msgspec.json.Decoder(Line), msgspec.json.encode
    started: dict[str, tuple[Any, list[Any]]] = {}
    with path.open("rb") as stream:
        for raw in stream:
            line: Any = decoder.decode(raw)
            match type(line).__name__:
                case "Machine":
                    _machine(insert, line, encode)
                case "Environment":
                    _environment(insert, line, encode)
                case "Run":
                    started[line.key] = (line, [])
                case "Samples":
                    started[line.run][1].append(line)
                case "End":
                    run, samples = started.pop(line.run)
                    _finished(insert, run, line, encode)
                    numbers = len(samples) and len(samples[0].values)
                    packed = pack(joined(samples))
                    insert.add("samples", (run.key, numbers, packed))
    insert.flush()
    connection.execute("COMMIT")
    connection.close()


class _Inserts:
    """Rows by table, written some at a time; the order minds no foreign key."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._rows: dict[str, list[tuple[Any, ...]]] = {}

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        rows = self._rows.setdefault(table, [])
        rows.append(row)
        if len(rows) >= BATCH:
            self._write(table, rows)

    def flush(self) -> None:
        for table, rows in self._rows.items():
            self._write(table, rows)

    def _write(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            marks = ",".join("?" * len(rows[0]))
            statement = f"INSERT OR IGNORE INTO {table} VALUES ({marks})"  # noqa: S608
            self._connection.executemany(statement, rows)
            rows.clear()


def _machine(insert: _Inserts, line: Any, encode: Any) -> None:
    chip, key = line.chip, line.key
    facts = (chip.vendor, chip.name, chip.cpu_cores, chip.gpu_cores, chip.ram_bytes)
    insert.add("chip", (key, *facts, None, encode(chip.cpu_levels).decode(), "[]"))
    named = (line.model, line.label, line.anonymous_id, line.virtual)
    insert.add("machine", (key, key, *named, encode(line.missing).decode()))


def _environment(insert: _Inserts, line: Any, encode: Any) -> None:
    system = (line.os_name, line.os_version, line.os_build, line.kernel)
    more = (line.architecture, line.rosetta, line.python)
    framework = (line.framework, line.framework_version)
    holders = (line.packages, line.devices, line.math, line.variables, line.missing)
    texts = (encode(one).decode() for one in holders)
    insert.add("environment", (line.key, *system, *more, *framework, *texts))


def _finished(insert: _Inserts, run: Any, end: Any, encode: Any) -> None:
    insert.add("workload", (run.workload, run.workload_version))
    what = (run.workload, run.workload_version, run.setting, run.framework, run.device)
    how = (run.device_name, run.precision, run.compiler, None)
    which = (run.seed, run.tier, run.campaign, run.replicate, run.replicates)
    when = (None, None, None, run.started, end.ended)
    where = (run.label, run.source, run.locator, end.status, end.reason)
    holders = (run.conditions, end.conditions, end.checks, run.basis, run.missing)
    texts = (encode(one).decode() for one in holders)
    parameters = encode(run.parameters).decode()
    about = (run.key, run.machine, run.environment, *what, *how, parameters)
    insert.add("run", (*about, *which, *when, *where, *texts))
    for one in end.values:
        insert.add("metric", (one.metric, "", ""))
        told = (one.value, one.uncertainty, one.reason)
        place = (one.printed, one.locator, one.derived)
        insert.add("value", (run.key, one.metric, *told, *place))


def cost(command: list[str]) -> Cost:
    """Run *command* to its end, which must be good."""
    begun = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    kilo = 1 if sys.platform == "darwin" else 1024
    return Cost(seconds, used.ru_maxrss * kilo)


def compared(runs: int, rounds: int) -> None:
    """Measure both sides in turn; print what was seen."""
    python = sys.executable
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "runs.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            write(stream, runs)
        print(f"{runs} runs, {path.stat().st_size / 2**20:.0f} MiB", flush=True)
        for turn in range(rounds):
            bare, ours = (Path(room) / f"{side}{turn}.sqlite" for side in "ab")
            this = [python, __file__, "--yardstick", str(path), "--db", str(bare)]
            least = cost(this)
            whole = [python, "-m", "benchdb", "import", str(path), "--db", str(ours)]
            taken = cost(whole)
            again = cost(whole)
            print(
                f"yardstick {_told(least, runs)}  import {_told(taken, runs)}  "
                f"ratio {least.seconds / taken.seconds:.3f}  "
                f"again {again.seconds:.2f} s",
                flush=True,
            )


def _told(one: Cost, runs: int) -> str:
    peak = one.peak_bytes / 2**20
    return f"{runs / one.seconds:8.0f} runs/s {one.seconds:7.2f} s {peak:5.0f} MiB"


def main() -> None:
    """Measure, or be one of the sides."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--write", type=Path, help="only make the file")
    parser.add_argument("--yardstick", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--db", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.yardstick:
        yardstick(asked.yardstick, asked.db)
    elif asked.write:
        with asked.write.open("w", encoding="utf-8") as stream:
            write(stream, asked.runs)
    else:
        compared(asked.runs, asked.rounds)


if __name__ == "__main__":
    main()
