"""The front of every collector: options in, exchange lines out.

A collector is ``main(Framework())``; ``_framework.py`` says what a framework gives,
``README.md`` what a user gets.
"""

import json
import os
import random
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine
from _assignment import Assignment
from _cell import Cell
from _describe import describe
from _framework import Framework, UnavailableError
from _identity import VERSION, source_digest
from _messages import own_stdout
from _options import chosen_cells, parse
from _process import die_with_parent
from _supervisor import EXIT_OK, EXIT_WRONG_USE, supervise
from _timing import TIERS
from _worker import run_worker

FORMAT_VERSION = 1


def main(framework: Framework, arguments: Sequence[str] | None = None) -> int:
    """Run the collector of *framework*; return its exit status."""
    program = Path(sys.argv[0]).resolve()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--worker"]:
        return _work(framework)
    options = parse(program.stem, framework, given)
    if options.describe:
        with own_stdout() as say:
            say(describe(framework, program.stem))
        return EXIT_OK
    try:
        cells = chosen_cells(framework, options)
    except UnavailableError as wrong:
        print(f"{program.stem}: {wrong}", file=sys.stderr)
        return EXIT_WRONG_USE
    here = machine.machine_line("machine")
    header = {
        "type": "header",
        "format": FORMAT_VERSION,
        "producer": program.stem,
        "producer_version": VERSION,
    }
    return supervise(
        program,
        list(_assignments(framework, program, options, (cells, here))),
        [header, here],
        conditions=machine.conditions,
    )


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
    except BrokenPipeError:
        # The supervisor is gone; there is nobody left to tell.
        os._exit(1)


def _assignments(
    framework: Framework,
    program: Path,
    options: Namespace,
    planned: tuple[list[Cell], dict[str, Any]],
) -> Iterator[Assignment]:
    cells, here = planned
    replicates = options.replicates or TIERS[options.tier].processes
    only = options.replicate
    collector = {
        "name": program.stem,
        "version": VERSION,
        "sha256": source_digest(program, framework.name),
    }
    facts = machine.system_facts() | {"framework": framework.name}
    turns = range(replicates) if only is None else [only]
    for number, (replicate, cell) in enumerate(_in_turn(cells, turns, options.seed)):
        seeded = replace(cell, seed=options.seed + replicate)
        ids = {"key": f"run-{number}", "environment": f"environment-{number}"}
        about = {
            "replicate": replicate,
            "replicates": replicates,
            "collector": collector,
        }
        if options.campaign:
            about["campaign"] = options.campaign
        yield Assignment(
            cell=seeded,
            run={"type": "run", **ids, **_facts(framework, seeded), **about},
            environment={"type": "environment", "key": ids["environment"]} | facts,
            started_ns=0,
            chip=_chip_name(cell.device, facts, here),
            steps_per_block=options.steps_per_block,
            progress=options.progress or sys.stderr.isatty(),
        )


def _chip_name(device: str, facts: dict[str, Any], here: dict[str, Any]) -> str | None:
    """Return the name that no framework knows: of the processor, or of Apple's chip."""
    if device == "cuda":
        return None
    for entry in facts.get("devices", ()):
        if entry["kind"] == device:
            return str(entry["name"])
    return str(here["chip"]["name"])


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


def _facts(framework: Framework, cell: Cell) -> dict[str, Any]:
    return {
        "machine": "machine",
        "workload": cell.workload,
        "workload_version": cell.version,
        "framework": framework.name,
        "device": cell.device,
        "precision": cell.precision,
        "parameters": {**cell.parameters, "data": "synthetic"},
        "seed": cell.seed,
        "tier": cell.tier,
        "label": "measured",
    }
