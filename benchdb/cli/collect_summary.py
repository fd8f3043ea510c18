"""What ``collect`` says of its plan before it starts, and of its figures at the end."""

import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, select

from benchdb.cli.console import aligned, clock, conclude, counted, tell
from benchdb.cli.figure_text import NONE, ending, figure, interval
from benchdb.cli.list_runs import work
from benchdb.cli.user_database import address
from benchdb.cli.waiting_line import waiting
from benchdb.collecting.again import compiled
from benchdb.collecting.history import Expected
from benchdb.collecting.plan import Item
from benchdb.plausibility.peaks import BUSY, LAUNCH_BOUND_PERCENT
from benchdb.store import tables
from benchdb.store.database import reading
from benchdb.store.error_text import name
from benchdb.store.listing import Filter, listed
from benchdb.store.read import records_of
from benchdb.titles import system_title
from benchdb.user_data import location_of

_COLUMNS = (
    *("workload", "system", "precision", "figure", "95 % interval", "n", "grade"),
    *("nearest published", "in comparison"),
)
_FIGURES = (3, 4, 5)


def foretold(tier: str, items: Sequence[Item], estimates: Sequence[Expected]) -> str:
    """Return in a line what is left to measure, and how long that will take."""
    its = {estimate.cell: estimate for estimate in estimates}
    mine = [its[item.cell] for item in items]
    times = [expected.seconds for expected in mine if expected.seconds is not None]
    least = len(times) < len(mine) or any(expected.at_least for expected in mine)
    whole = time_text(sum(times) if times else None, at_least=least)
    cells = len({item.cell for item in items})
    counts = f"{counted(cells, 'cell')}, {counted(len(items), 'process')}"
    return f"{counts} of tier {tier}: {whole}"


def time_text(seconds: float | None, *, at_least: bool) -> str:
    """Return how long something will take, as far as that is known."""
    if seconds is None:
        return "time unknown"
    return f"{'at least' if at_least else 'about'} {clock(seconds)}"


def conclude_campaign(engine: Engine, campaign: str, stored: int) -> None:
    """Say what is *stored* of a *campaign*, and where, and print its figures."""
    what = "stored" if stored else "nothing stored"
    tell(f"{what} in {name(engine)}, campaign {campaign}")
    if stored:
        with waiting("comparing with what others published"):
            lines = list(summary(engine, campaign, database_words(engine, name)))
        conclude(lines)


def database_words(engine: Engine, named: Callable[[Engine], str]) -> str:
    """Return how a command asks for a database, unless it is the user's own."""
    own = address(engine) == str(Path(location_of(None)).resolve())
    return "" if own else f" --db {shlex.quote(named(engine))}"


def summary(engine: Engine, campaign: str, database: str) -> Iterator[str]:
    """Yield the figures of a *campaign* of mine in a table, what failed, what to do.

    *database* are the words of a command that name it, where it is not the usual one.
    """
    # Comparing takes the parts of a report, which nothing before this needs.
    from benchdb.report.nearest import nearest  # noqa: PLC0415  heavy

    wanted = Filter(campaign=campaign, mine=True)
    with reading(engine) as connection:
        rows = listed(connection, wanted, "workload", every=False)
        done = [row for row in rows if row["value"] is not None]
        near = nearest(connection, done) if done else {}
        waiting = list(_launch_bound(connection, campaign))
    if done:
        lines = [_line(item, near.get(item["digest"])) for item in done]
        if not near:
            lines = [line[:-2] for line in lines]
        yield from ("", *aligned([_COLUMNS[: len(lines[0])], *lines], _FIGURES))
    failed = Counter(map(_failure, (row for row in rows if row["value"] is None)))
    for why, times in failed.items():
        yield why if times == 1 else f"{why}, {times} times"
    yield from waiting
    yield from ("", f"page     benchdb report --highlight here{database}")
    if chips := [
        neighbour.chip for neighbour in near.values() if neighbour.chip is not None
    ]:
        pair = f"campaign:{campaign} 'chip:{chips[0]}'"
        yield f"compare  benchdb compare {pair}{database}"
    yield f"share    benchdb export --campaign {campaign} -o mine.jsonl{database}"


def _launch_bound(connection: Connection, campaign: str) -> Iterator[str]:
    """Yield for each cell whose GPU waited for the host what would measure the GPU."""
    run, value = tables.run.c, tables.value.c
    query = (
        select(run.digest, value.value)
        .join_from(tables.run, tables.value, value.run == run.digest)
        .where(run.campaign == campaign, run.mine, value.metric == BUSY)
        .where(value.value < LAUNCH_BOUND_PERCENT)
    )
    busy: dict[str, float] = dict(map(tuple, connection.execute(query)))
    least: dict[tuple[str, ...], float] = {}
    for record in records_of(connection, sorted(busy)):
        if words := compiled(record):
            own = record.run.workload, record.run.framework, record.run.device
            key = (*own, shlex.join(words))
            least[key] = min(busy[record.run.key], least.get(key, math.inf))
    for (workload, framework, device, command), share in sorted(least.items()):
        yield (
            f"{workload}, {framework} {device}: launch-bound, the GPU is busy "
            f"{share:.0f} % of the time; compiled: {command}"
        )


def _line(row: dict[str, Any], near: Any | None) -> tuple[str, ...]:
    value, metric, workload = row["value"], row["metric"], row["workload"]
    return (
        work(row),
        row["system"],
        row["precision"] or NONE,
        figure(value, metric, workload),
        interval(value, (row["low"], row["high"]), metric, workload),
        str(row["n"]),
        row["grade"] or NONE,
        *((NONE, NONE) if near is None else _published(near, workload)),
    )


def _published(near: Any, workload: str) -> tuple[str, str]:
    """Return what is nearest, and the ratio to it as a report says it."""
    from benchdb.report.language import load  # noqa: PLC0415  heavy
    from benchdb.report.wording.terms import verdict_text  # noqa: PLC0415  heavy

    title = system_title(near.chip, near.device, near.framework)
    shown = f"{figure(near.value, near.metric, workload)}, {title}"
    return shown, verdict_text(load("en"), near.ratio)


def _failure(row: dict[str, Any]) -> str:
    """Return what has no figure, how that ended and why."""
    return f"{work(row)}, {row['system']}: {ending(row['status'], row['reason'])}"
