"""The front of every collector: options in, exchange lines out.

A collector is ``main(Framework())``; ``framework.py`` says what a framework gives,
``README.md`` what a user gets.
"""

import json
import os
import random
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine
from energy.meters import available_meters
from fingerprint.nvidia import highest_clocks
from training_data.files import digest_of

from harness.cells import Assignment, Cell, ChoiceError
from harness.framework import Framework, UnavailableError
from harness.messages import OutputError, own_stdout, put, strict_json
from harness.options import chosen_cells, describe, listed, parse
from harness.process import die_with_parent, lack_of_files
from harness.supervisor import (
    EXIT_NOT_ALL_OK,
    EXIT_OK,
    EXIT_WRONG_USE,
    Rounds,
    supervise,
)
from harness.telemetry import cool_down, temperature
from harness.timing import TIERS
from harness.worker import run_worker

# Equal to benchdb's own version; a test compares them.
VERSION = "0.1.0"

# What every collector runs on, beside the folder of its framework.
SHARED = (
    *("language.py", "machine.py", "networks.py", "operations.py"),
    *("training.py", "writing.py"),
    *("energy", "fingerprint", "harness", "training_data"),
)
FORMAT_VERSION = 1


def source_files(program: Path, framework: str) -> dict[str, Path]:
    """Return by name the program, its ``<framework>_work`` and what all share."""
    folder = Path(__file__).resolve().parents[1]
    programs = {program.name: program}
    for part in (*SHARED, f"{framework}_work"):
        path = folder / part
        files = [path] if path.suffix else path.rglob("*.py")
        programs |= {file.relative_to(folder).as_posix(): file for file in files}
    return dict(sorted(programs.items()))


def source_digest(program: Path, framework: str) -> str:
    """Return the SHA-256 over names and bytes of the source files, by name."""
    files = source_files(program, framework).items()
    return digest_of((name, path.read_bytes()) for name, path in files)


def main(framework: Framework, arguments: Sequence[str] | None = None) -> int:
    """Run the collector of *framework*; return its exit status."""
    program = Path(sys.argv[0]).resolve()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--worker"]:
        return _work(framework)
    if lack := lack_of_files():
        print(f"{program.stem}: {lack}", file=sys.stderr)
        return EXIT_WRONG_USE
    if sys.stdout is None:  # so that no file we open becomes descriptor 1
        print(f"{program.stem}: standard output is closed", file=sys.stderr)
        return EXIT_WRONG_USE
    try:
        return _answer(framework, program, given)
    except (ChoiceError, UnavailableError) as wrong:
        print(f"{program.stem}: {wrong}", file=sys.stderr)
        return EXIT_WRONG_USE
    except OutputError as refused:
        if why := str(refused):
            print(f"{program.stem}: {why}", file=sys.stderr)
        return EXIT_NOT_ALL_OK


def _answer(framework: Framework, program: Path, given: list[str]) -> int:
    """Describe, list or measure, as *given* asks; return the exit status."""
    options = parse(program.stem, framework, given)
    if options.describe:
        with own_stdout() as say:
            say(describe(framework, program.stem, VERSION))
        return EXIT_OK
    cells = chosen_cells(framework, options)
    if options.list_cells:
        # Orders for ourselves: a path in them is needed as it is.
        put(strict_json(listed(framework, options, cells)))
        return EXIT_OK
    here = machine.machine_line("machine")
    header = {
        "type": "header",
        "format": FORMAT_VERSION,
        "producer": program.stem,
        "producer_version": VERSION,
    }
    limit, began = options.cool_down, options.start_temperature
    if limit is None:
        limit = TIERS[options.tier].cool_seconds
    if began is None and limit:
        began = temperature(options.device)

    def rest(stopped: Callable[[], bool]) -> dict[str, Any] | None:
        if began is None or not limit:
            return None
        return cool_down(options.device, began, limit, stopped=stopped)

    rounds = Rounds(program, rest, options.powermetrics)
    assignments = _assignments(framework, program, options, cells, here["chip"])
    return supervise(rounds, [header, here], list(assignments))


def _work(framework: Framework) -> int:
    line = sys.stdin.readline()
    if not line:
        print("--worker is for the collector's own use", file=sys.stderr)
        return EXIT_WRONG_USE
    die_with_parent()
    assignment = Assignment.from_json(json.loads(line))
    try:
        with own_stdout() as say:
            return run_worker(framework, assignment, say)
    except OutputError:
        # The supervisor is gone; there is nobody left to tell.
        os._exit(1)


def _assignments(
    framework: Framework,
    program: Path,
    options: Namespace,
    cells: list[Cell],
    chip: dict[str, Any],
) -> Iterator[Assignment]:
    tier = TIERS[options.tier]
    replicates = options.replicates or tier.processes
    shared = {
        "replicates": replicates,
        "collector": {
            "name": program.stem,
            "version": VERSION,
            "sha256": source_digest(program, framework.name),
        },
    }
    if options.campaign:
        shared["campaign"] = options.campaign
    system = machine.system_facts() | {"framework": framework.name}
    # As PyTorch names Apple's GPU, and the system a processor; no framework does.
    names = {"metal": f"{chip['vendor']} {chip['name']}"}
    names["cpu"] = next(
        (
            str(item["name"])
            for item in system.get("devices", ())
            if item["kind"] == "cpu"
        ),
        names["metal"],
    )
    turns = range(replicates) if options.replicate is None else [options.replicate]
    until = options.blocks_until and time.monotonic() + options.blocks_until
    meters = [] if until is None else available_meters(options.device)
    metered = options.powermetrics or any(meter["available"] for meter in meters)
    for number, (replicate, cell) in enumerate(_in_turn(cells, turns, options.seed)):
        seeded = replace(cell, seed=options.seed + replicate)
        parameters, plan = dict(cell.parameters), cell.seed_plan
        if plan is not None and plan.kind == "epoch":
            # What a time of one pass over the data covers.
            parameters["samples_total"] = plan.samples
            parameters["epochs"] = plan.epochs
            parameters["loader_processes"] = plan.loader_processes
        parameters["data"] = cell.data if cell.data_folder else "synthetic"
        environment = {"type": "environment", "key": f"environment-{number}"}
        run = {
            "type": "run",
            "key": f"run-{number}",
            "environment": environment["key"],
            "machine": "machine",
            "workload": cell.workload,
            "workload_version": cell.version,
            "setting": cell.setting,
            "framework": framework.name,
            "device": cell.device,
            "precision": cell.precision,
            "parameters": parameters,
            "seed": seeded.seed,
            "tier": cell.tier,
            "label": "measured",
            "replicate": replicate,
        }
        yield Assignment(
            cell=seeded,
            run=run | shared,
            environment=environment | system,
            started_ns=0,
            chip=names.get(cell.device),
            gpu_cores=chip.get("gpu_cores"),
            highest_clocks=highest_clocks() if cell.device == "cuda" else {},
            steps_per_block=options.steps_per_block,
            seed_protocol=not options.blocks_only,
            time_limit=options.time_limit or tier.process_limit,
            progress=options.progress or sys.stderr.isatty(),
            blocks_until=until,
            term_seconds=options.blocks_until,
            metered=metered,
        )


def _in_turn(
    cells: list[Cell], turns: Sequence[int], seed: int
) -> Iterator[tuple[int, Cell]]:
    """Yield every cell once a turn, each turn in another, reproducible order.

    So a machine that warms up or slows down in the meantime does so for all cells.
    """
    for turn in turns:
        order = list(cells)
        if turn > 0:
            random.Random(f"{seed} {turn}").shuffle(order)  # noqa: S311 - no secret
        yield from ((turn, cell) for cell in order)
