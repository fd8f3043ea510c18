"""Scaling: throughput against GPU cores within one generation of chips."""

from typing import Literal

import msgspec

from benchdb.report.view.atoms import Quantity, System, Workload

# Who says how many cores a GPU has: the run's machine, or the catalogue of chips where
# it knows a single variant.
Basis = Literal["stated", "catalogue"]


class Step(msgspec.Struct, frozen=True):
    """One chip: its GPU cores, and its throughput in samples per second."""

    system: System
    gpu_cores: int
    basis: Basis
    quantity: Quantity


class Curve(msgspec.Struct, frozen=True):
    """The same work on chips with at least three GPU core counts, fewest first.

    *exponent* is the slope of throughput over cores in logs, 1 where it is in
    proportion, over *fitted* core counts: flagged figures are not among them, and
    with fewer than three there is no exponent. *fit* are the ends of that slope, as
    cores and throughput. *apart* tells curves of one workload from each other. A
    *quiet* curve is in no chart.
    """

    workload: Workload
    framework: str
    batch_size: int | None
    steps: tuple[Step, ...]
    exponent: float | None
    fitted: int
    fit: tuple[tuple[float, float], ...] = ()
    apart: tuple[str, ...] = ()
    quiet: bool = False


class Generation(msgspec.Struct, frozen=True):
    """The curves of one generation of chips, such as M1 to M1 Ultra.

    One not *charted* stands in the table only.
    """

    name: str
    curves: tuple[Curve, ...]
    charted: bool = True


class Scaling(msgspec.Struct, frozen=True):
    """Throughput against GPU cores, one generation after the other."""

    generations: tuple[Generation, ...]
    sources: tuple[str, ...]
