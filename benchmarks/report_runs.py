"""What a report of many runs costs, beside the same report of few.

    python benchmarks/report_runs.py --runs 1000000

Fills databases with runs of 50 machines × 36 cells, straight into the tables (their
digests name them and stand for no content). The yardstick is the same report over
10,000 runs. Each report is a process of its own, whose peak memory is told as well.
Reach: 1.5 times the time of the yardstick, 2 seconds, 200 MiB.
"""

import argparse
import hashlib
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from import_runs import Cost, cost

from benchdb.catalogue import metrics
from benchdb.store import contents, newest
from benchdb.store.database import open_database, writing

FEW = 10_000
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
        told = {"unit": metrics()[name].unit, "direction": metrics()[name].direction}
        _insert(connection, "metric", [{"name": name, **told}])
    chance = random.Random(runs)  # noqa: S311 - figures, not secrets
    for start in range(0, runs, _BATCH):
        found = [_run(n, chance) for n in range(start, min(start + _BATCH, runs))]
        _insert(connection, "run", [run for run, _ in found])
        _insert(connection, "value", [value for _, values in found for value in values])
    connection.execute("COMMIT")
    connection.close()
    with writing(open_database(str(database))) as derived:
        newest.renew(derived)
        contents.renew(derived)


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
    empty = {"cpu_levels": "{}", "accelerators": "[]"}
    _insert(connection, "chip", [{"digest": chip, **about, **empty}])
    machine = {"digest": _digest("machine", number), "chip": chip, "missing": "{}"}
    machine |= {"anonymous_id": f"{number:016x}"}
    _insert(connection, "machine", [machine])
    holders = ("packages", "devices", "math", "variables", "missing")
    system = {"os_name": "macOS", "framework": "torch", "framework_version": "2.5.0"}
    environment = {"digest": _digest("environment", number), **system}
    _insert(connection, "environment", [environment | dict.fromkeys(holders, "{}")])


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
        "campaign": f"c{turn}",
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


def report(database: Path, folder: Path, wanted: str) -> Cost:
    """Write the report of *database* in a new process."""
    place = ["--db", str(database), "-o", str(folder)]
    command = [sys.executable, "-m", "benchdb", "report", "--lang", "en"]
    return cost([*command, "--format", wanted, *place])


def compared(runs: int, rounds: int, wanted: str) -> None:
    """Measure both in turn; print what was seen, and the ratio of the medians."""
    with tempfile.TemporaryDirectory() as room:
        few, many = Path(room) / "few.sqlite", Path(room) / "many.sqlite"
        fill(few, FEW)
        fill(many, runs)
        print(f"{runs} runs, {many.stat().st_size / 2**20:.0f} MiB", flush=True)
        seen: list[tuple[Cost, Cost]] = []
        for _ in range(rounds):
            folder = Path(room) / "report"
            seen.append((report(few, folder, wanted), report(many, folder, wanted)))
            print("  ".join(map(_told, seen[-1])), flush=True)
        for file in sorted((Path(room) / "report").iterdir()):
            print(f"{file.name}: {file.stat().st_size:,} bytes")
    least, most = (
        statistics.median(one.seconds for one in side) for side in _sides(seen)
    )
    peak = max(one.peak_bytes for _, one in seen) / 2**20
    print(f"{FEW} runs {least:.2f} s, {runs} runs {most:.2f} s: ", end="")
    print(f"ratio {most / least:.2f}, peak {peak:.0f} MiB")


def _sides(seen: list[tuple[Cost, Cost]]) -> Iterator[list[Cost]]:
    yield [few for few, _ in seen]
    yield [many for _, many in seen]


def _told(one: Cost) -> str:
    return f"{one.seconds:7.2f} s {one.peak_bytes / 2**20:5.0f} MiB"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", default="html")
    asked = parser.parse_args()
    compared(asked.runs, asked.rounds, asked.format)


if __name__ == "__main__":
    main()
