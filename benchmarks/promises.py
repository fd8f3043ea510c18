"""Whether intervals and verdicts keep what they promise, in simulated campaigns.

    python -m benchmarks.promises                # the tables, a minute on one core
    python -m benchmarks.promises --save         # and their figures, to be committed

Percentages of campaigns: intervals that hold the truth, equal pairs that are called
faster or slower, and pairs 5 % apart that are. The seed is fixed.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchdb.statistics.comparison import (
    REPEATED_THRESHOLD,
    Pair,
    Sample,
    Spread,
    verdict,
)
from benchdb.statistics.spreads import seen, spread_of
from benchdb.statistics.student import t_quantile
from benchmarks.campaigns import (
    EFFECTS,
    NOT_SEEN,
    Effects,
    Sides,
    differing,
    half,
    half_of_machines,
    median_of_machines,
    shift,
    side,
)
from tools.seen_spreads import samples

SEED = 20261124
CAMPAIGNS = 20_000
FIGURES = Path(__file__).parent / "promises.json"
COUNTS = tuple(range(1, 11))
SPREADS = (0.001, 0.003, 0.01, 0.03, 0.1)
_APART = math.log(1.05)


class Table(msgspec.Struct, frozen=True):
    """Percentages, one row for each of *rows*."""

    title: str
    heading: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]


def coverage_within(campaigns: int) -> Table:
    """Intervals of one session, by processes."""
    random, counts = np.random.default_rng(SEED), (2, 3, 5, 10)
    return Table(
        "Intervals that hold the truth: one session, spread of processes 1 %",
        "effects",
        tuple(f"n = {n}" for n in counts),
        {
            kind: tuple(
                _holding(side(random, (campaigns, 1, n), Spread(0.01), kind))
                for n in counts
            )
            for kind in EFFECTS
        },
    )


def coverage_beyond(campaigns: int) -> Table:
    """Intervals over sessions, by sessions and their processes."""
    random = np.random.default_rng(SEED + 1)
    shapes = ((2, 1), (2, 3), (2, 5), (3, 3), (5, 3), (10, 1))
    rows: dict[str, tuple[float, ...]] = {}
    for session, kind in product((0.0, 0.002, 0.02), EFFECTS):
        if session == 0.02 or kind in ("normal", "t3"):
            spread = Spread(0.01, session)
            rows[f"{kind}, sessions {100 * session:g} %"] = tuple(
                _holding(side(random, (campaigns, *shape), spread, kind))
                for shape in shapes
            )
    # The spread of such work is known: as it is here, or half of it.
    for kind, share in (("normal", 1.0), ("t3", 1.0), ("normal", 0.5)):
        spread = Spread(0.01, 0.02)
        seen_ = Spread(share * 0.01, share * 0.02)
        words = "as such work" if share == 1 else "twice as wide as such work"
        rows[f"{kind}, sessions 2 %, {words}"] = tuple(
            _holding(side(random, (campaigns, *shape), spread, kind), seen_)
            for shape in shapes
        )
    return Table(
        "Intervals that hold the truth: over sessions, spread of processes 1 %",
        "effects",
        tuple(f"{k} × {n}" for k, n in shapes),
        rows,
    )


def coverage_of_machines(campaigns: int) -> Table:
    """Intervals of the median of several machines of a kind, by machines."""
    random, counts = np.random.default_rng(SEED + 8), (2, 3, 4, 5, 10)
    rows: dict[str, tuple[float, ...]] = {}
    for gap, kind in product((0.0, 0.01, 0.03, 0.1), EFFECTS[:2]):
        known = Spread(0.01, gap)  # a machine has one session here
        sides = [side(random, (campaigns, n, 3), known, kind) for n in counts]
        rows[f"{kind}, machines {100 * gap:g} %"] = tuple(
            _share(np.abs(median_of_machines(logs)) <= half_of_machines(logs))
            for logs in sides
        )
    return Table(
        "Intervals that hold the truth: a median of machines, 3 processes of 1 % each",
        "effects",
        tuple(f"{n} machines" for n in counts),
        rows,
    )


def false_verdicts(
    campaigns: int,
    kind: Effects = "normal",
    *,
    session: float | None = None,
    unlike: bool = False,
) -> Table:
    """Equal pairs that are called different: n1 × n2, the worst of all spreads.

    With a *session* spread, as a multiple of that of processes, the sides come from
    different sessions, and it is the seen one. *unlike* sides have their own spreads.
    """
    random = np.random.default_rng(SEED + 2)
    unit = Spread(1.0, session)
    sides = [side(random, (campaigns, 1, 10), unit, kind) for _ in range(2)]
    alike = [(spread, spread) for spread in SPREADS]
    spreads = [*product(SPREADS[::2], SPREADS[::2])] if unlike else alike
    rows = {
        f"n1 = {n1}": tuple(
            max(
                _share(differing([_scaled(sides, (n1, n2), pair, session)]))
                for pair in spreads
            )
            for n2 in COUNTS
        )
        for n1 in COUNTS
    }
    of = "the same spread" if not unlike else "spreads of their own"
    where = "one session" if session is None else f"two sessions, {session:g} × as wide"
    title = (
        f"Equal pairs called different: {kind}, {of}, {where}, the worst of 0.1–10 %"
    )
    return Table(title, "", tuple(f"n2 = {n}" for n in COUNTS), rows)


def _scaled(
    sides: Sequence[Any],
    counts: tuple[int, int],
    spreads: tuple[float, float],
    session: float | None,
) -> Sides:
    first, second = (
        spread * logs[..., :n]
        for logs, n, spread in zip(sides, counts, spreads, strict=True)
    )
    first_known, second_known = (
        Spread(spread, spread * (session or 0.0)) for spread in spreads
    )
    return Sides(
        first, second, (first_known, second_known), same_session=session is None
    )


def welch(campaigns: int) -> Table:
    """Say what Welch and Satterthwaite's degrees of freedom would do."""
    random, sizes = np.random.default_rng(SEED + 3), ((2, 10), (2, 5), (3, 10), (5, 5))
    rows: dict[str, list[float]] = {"here": [], "Welch and Satterthwaite": []}
    for n1, n2 in sizes:
        sides = [side(random, (campaigns, 1, n), Spread(0.03))[:, 0] for n in (n1, n2)]
        cell = Sides(sides[0][:, None], sides[1][:, None], same_session=True)
        rows["here"].append(_share(differing([cell])))
        v1, v2 = (logs.var(axis=1, ddof=1) / logs.shape[1] for logs in sides)
        free = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
        points = np.linspace(1, 20, 400)
        t = np.interp(free, points, [t_quantile(0.975, point) for point in points])
        distance = np.abs(shift([cell]))
        small = math.log1p(REPEATED_THRESHOLD)
        claims = (distance > t * np.sqrt(v1 + v2)) & (distance > small)
        rows["Welch and Satterthwaite"].append(_share(claims))
    return Table(
        "Equal pairs called different: degrees of freedom, spread of processes 3 %",
        "",
        tuple(f"{n1} against {n2}" for n1, n2 in sizes),
        {name: tuple(row) for name, row in rows.items()},
    )


def several_cells(campaigns: int) -> Table:
    """Geometric means over cells of unlike sizes and spreads; sessions are shared."""
    random = np.random.default_rng(SEED + 4)
    return Table(
        "Equal machines called different: a geometric mean over cells of 1 to 10 %",
        "",
        ("3 cells, n 2 to 10", "9 cells, n 2 to 10", "9 cells, n 3", "9 cells, n 1"),
        {
            name: tuple(
                _share(differing(_cells(random, campaigns, sizes, session, host)))
                for sizes in _SIZES
            )
            for name, session, host in (
                ("one session", 0.0, 0.0),
                ("two sessions, a new effect of 3 % in each cell", 0.03, 0.0),
                ("two sessions, the same effect of 3 % in all cells", 0.0, 0.03),
            )
        },
    )


_SIZES = (
    ((2, 10), (10, 5), (3, 3)),
    ((2, 10), (10, 5), (3, 3), (5, 5), (2, 2), (10, 10), (4, 6), (3, 9), (2, 3)),
    ((3, 3),) * 9,
    ((1, 1),) * 9,
)


def _cells(
    random: Any,
    campaigns: int,
    sizes: Sequence[tuple[int, int]],
    session: float,
    host: float,
) -> list[Sides]:
    shared = random.normal(0, host, (2, campaigns, 1, 1))
    cells = []
    for index, (n1, n2) in enumerate(sizes):
        process = SPREADS[2 + index % 3]
        known = Spread(process, session + host)
        first, second = (
            side(random, (campaigns, 1, n), Spread(process, session), shared=effect)
            for n, effect in zip((n1, n2), shared, strict=True)
        )
        same = not known.session
        cells.append(Sides(first, second, (known, known), same_session=same))
    return cells


def power(campaigns: int) -> Table:
    """Pairs 5 % apart that are called so, within one session."""
    random, counts = np.random.default_rng(SEED + 5), (1, 2, 3, 5, 10)
    rows = {
        f"spread {100 * spread:g} %": tuple(
            _share(differing([_pair(random, (campaigns, n), spread, gap=_APART)]))
            for n in counts
        )
        for spread in (0.003, 0.01, 0.02, 0.03)
    }
    title = "Pairs that differ by 5 % and are called so: one session"
    return Table(title, "", tuple(f"n = {n}" for n in counts), rows)


def _pair(
    random: Any,
    shape: tuple[int, int],
    spread: float,
    kind: Effects = "normal",
    gap: float = 0.0,
) -> Sides:
    """Return two sides of one session, *gap* apart in their logs."""
    known, (campaigns, n) = Spread(spread), shape
    first, second = (side(random, (campaigns, 1, n), known, kind) for _ in range(2))
    return Sides(first + gap, second, (known, known), same_session=True)


def contaminated(campaigns: int) -> Table:
    """Equal pairs of one session whose processes are not as the intervals assume."""
    random, counts = np.random.default_rng(SEED + 6), (2, 3, 5, 10)
    rows: dict[str, tuple[float, ...]] = {
        f"{kind}, {100 * spread:g} %": tuple(
            _share(differing([_pair(random, (campaigns, n), spread, kind)]))
            for n in counts
        )
        for kind in EFFECTS[2:]
        for spread in (0.01, 0.03)
    }
    title = "Equal pairs called different: contaminated, one session"
    return Table(title, "effects, spread", tuple(f"n = {n}" for n in counts), rows)


def mixed_classes(campaigns: int) -> Table:
    """Single runs of a class in which only some cells are wide."""
    random, shares = np.random.default_rng(SEED + 7), (0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
    row = []
    for share in shares:
        wide = random.random((campaigns, 1, 1)) < share
        process = np.where(wide, 0.1, 0.002)
        known = Spread(math.sqrt(share * 0.1**2 + (1 - share) * 0.002**2))
        first, second = (
            process * random.standard_normal((campaigns, 1, 1)) for _ in range(2)
        )
        cell = Sides(first, second, (known, known), same_session=True)
        row.append(_share(differing([cell])))
    return Table(
        "Equal single runs called different: a class with wide (10 %) and narrow cells",
        "",
        tuple(f"{100 * share:g} % wide" for share in shares),
        {"0.2 % or 10 %": tuple(row)},
    )


def published_pairs(_campaigns: int) -> Table:
    """Real runs of one cell, each held against each other as if it were alone.

    What is known of their class is what the other workloads have shown.
    """
    groups: dict[str, list[list[float]]] = {}
    cells = list(samples())
    others = {
        workload: seen(
            (name, sample) for other, name, sample in cells if other != workload
        )
        for workload in {workload for workload, _, _ in cells}
    }
    for workload, name, sample in cells:
        known = spread_of(name, others[workload])
        columns = groups.setdefault(name, [[], []])
        for index, same in enumerate((True, False)):
            pairs = _singles(sample, known, same=same)
            if pairs:
                flags = [verdict([pair]) in ("faster", "slower") for pair in pairs]
                columns[index].append(100 * sum(flags) / len(flags))
    return Table(
        "Published runs of one cell called different, run against run, mean over cells",
        "class",
        ("one session", "two sessions"),
        {
            name: (float(np.mean(shared)), float(np.mean(values)))
            for name, (shared, values) in sorted(groups.items())
        },
    )


def _singles(sample: Sample, known: Spread | None, *, same: bool) -> list[Pair]:
    runs = [(i, run) for i, session in enumerate(sample.sessions) for run in session]
    return [
        Pair(Sample(((a,),), known), Sample(((b,),), known), same)
        for index, (i, a) in enumerate(runs)
        for j, b in runs[index + 1 :]
        if (i == j) == same
    ]


TABLES: tuple[Callable[[int], Table], ...] = (
    coverage_within,
    coverage_beyond,
    coverage_of_machines,
    false_verdicts,
    partial(false_verdicts, unlike=True),
    partial(false_verdicts, kind="t3", unlike=True),
    partial(false_verdicts, session=1.0),
    partial(false_verdicts, session=5.0),
    welch,
    several_cells,
    power,
    contaminated,
    mixed_classes,
    published_pairs,
)


def markdown(table: Table) -> Iterator[str]:
    """Yield the lines of *table*, one decimal each."""
    yield f"| {' | '.join((table.heading, *table.columns))} |"
    yield "|---" * (len(table.columns) + 1) + "|"
    for name, row in table.rows.items():
        yield f"| {' | '.join((name, *(f'{figure:.1f}' for figure in row)))} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; with --save write their figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.promises",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--campaigns", type=int, default=CAMPAIGNS)
    parser.add_argument("--save", action="store_true", help=f"write {FIGURES.name}")
    asked = parser.parse_args(arguments)
    tables = []
    for make in TABLES:
        table = _rounded(make(asked.campaigns))
        tables.append(table)
        print("", table.title, "", *markdown(table), sep="\n", flush=True)
    if asked.save:
        rounded = msgspec.json.format(msgspec.json.encode(tables))
        FIGURES.write_bytes(rounded + b"\n")
    return 0


def _rounded(table: Table) -> Table:
    rows = {
        name: tuple(round(figure, 2) for figure in row)
        for name, row in table.rows.items()
    }
    return msgspec.structs.replace(table, rows=rows)


def _holding(logs: Any, seen_: Spread = NOT_SEEN) -> float:
    return _share(np.abs(logs.mean(axis=2).mean(axis=1)) <= half(logs, seen_))


def _share(result: Any) -> float:
    return float(100 * np.mean(result))


if __name__ == "__main__":
    sys.exit(main())
