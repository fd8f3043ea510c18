"""The options of a collector, and the cells they stand for."""

import importlib.util
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence

from _cell import Cell, Choices, catalogue, cells_of
from _framework import DEVICES, PRECISIONS, Framework, UnavailableError
from _timing import TIERS


def parse(program: str, framework: Framework, arguments: Sequence[str]) -> Namespace:
    """Return the options; a wrong use ends the program with status 2."""
    parser = ArgumentParser(
        prog=program,
        description=f"Measure standard workloads with {framework.title}. "
        "Writes an exchange file to standard output.",
    )
    add = parser.add_argument
    add("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(framework.modules))
    add("--device", choices=DEVICES, default="cpu", help="default: cpu")
    add("--tier", choices=TIERS, default="quick", help="default: quick")
    add("--precision", choices=PRECISIONS, default="fp32", help="default: fp32")
    add("--batch-size", type=_positive, metavar="N", help="instead of the catalogue's")
    add("--size", type=_positive, action="append", metavar="M", help="matrix size")
    add("--replicates", type=_positive, metavar="K", help="default: by the tier")
    add("--replicate", type=_natural, metavar="I", help="only number I, from 0, of K")
    add("--steps-per-block", type=_positive, metavar="N", help="skip calibration")
    add("--campaign", metavar="ID", help="recorded with each run")
    add("--seed", type=_natural, default=0, metavar="S", help="default: 0")
    add("--progress", action="store_true", help="say on standard error what runs")
    add("--describe", action="store_true", help="say what can be measured here")
    options = parser.parse_args(arguments)
    if not options.describe:
        _check(parser, framework, options)
    return options


def _positive(text: str) -> int:
    number = _natural(text)
    if number == 0:
        raise ArgumentTypeError("must be at least 1")
    return number


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _check(parser: ArgumentParser, framework: Framework, options: Namespace) -> None:
    measured = framework.modules
    if not options.workloads:
        parser.error(f"name a workload: {', '.join(measured)}")
    for name in options.workloads:
        if name not in measured:
            parser.error(f"no workload {name!r} here; there are {', '.join(measured)}")
    if options.size and "matmul" not in options.workloads:
        parser.error("--size is for matmul; the other workloads have --batch-size")
    if options.batch_size and options.workloads == ["matmul"]:
        parser.error("matmul has no batch; it has --size")
    replicates = options.replicates or TIERS[options.tier].processes
    if options.replicate is not None and options.replicate >= replicates:
        parser.error(
            f"--replicate counts from 0 and {replicates} are planned; "
            f"give --replicates as well"
        )


def chosen_cells(framework: Framework, options: Namespace) -> list[Cell]:
    """Return what to measure; UnavailableError where its imports are not installed."""
    facts = catalogue()
    choices = Choices(
        device=options.device,
        precision=options.precision,
        tier=options.tier,
        batch_size=options.batch_size,
        sizes=tuple(options.size or ()),
    )
    cells: list[Cell] = []
    for name in dict.fromkeys(options.workloads):
        if lacking := missing_modules(framework.modules[name]):
            raise UnavailableError(
                f"{name} needs {' and '.join(lacking)}, which this Python "
                f"({sys.executable}) lacks; install with: {framework.install}"
            )
        cells += cells_of(name, facts[name], framework.name, choices)
    return cells


def missing_modules(modules: Sequence[str]) -> list[str]:
    """Return which modules are not installed, without importing any of them."""
    return [name for name in modules if importlib.util.find_spec(name) is None]
