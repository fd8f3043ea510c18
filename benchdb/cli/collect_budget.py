"""``benchdb collect --budget``: what tells most in a given time."""

import math
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.application import given
from benchdb.cli.campaign_options import (
    campaign_name,
    chosen,
    isolation,
    usable,
    warn_of_spoilers,
)
from benchdb.cli.collect_summary import conclude_campaign
from benchdb.cli.console import aligned, clock, conclude, counted, plain, tell, warn
from benchdb.cli.figure_text import NONE
from benchdb.cli.progress import display
from benchdb.cli.user_database import existing, opened
from benchdb.cli.waiting_line import waiting
from benchdb.collecting import budgeted
from benchdb.collecting.budget import (
    Question,
    State,
    answer,
    foreseen,
    next_step,
    shortest,
)
from benchdb.collecting.budgeted import Prospect, Purse
from benchdb.collecting.campaign import Event, Finished
from benchdb.collecting.costs import devices_of, shares, stored_rates
from benchdb.collecting.history import Past
from benchdb.collecting.plan import Cell, Memory, Plan, Request, Settings, devices, plan
from benchdb.collecting.processes import Interruption, Isolation, age
from benchdb.collecting.programs import Description, fingerprint
from benchdb.errors import UsageError
from benchdb.grading import load_per_cpu
from benchdb.store.database import reading

_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_LONGEST = 7 * 24 * 3600
# All but those that say how often and how thoroughly.
ALLOWED = (
    *("workloads", "suite", "framework", "metal", "cuda", "precision", "batch_size"),
    *("size", "setting", "points", "compiler", "memory_format", "data", "seed"),
    *("optimizer_implementation", "blocks_only", "cool_down", "powermetrics"),
    *("isolated", "python", "dry_run", "budget", "db"),
)
# With these alone, --metal or --cuda asks whether that GPU helps.
_OF_QUESTION = frozenset(
    (
        *("metal", "cuda", "framework", "powermetrics", "isolated", "python"),
        *("dry_run", "seed", "db"),
    )
)
_GPUS = ("metal", "cuda")
_WALL = "process_wall_seconds"


def asks_a_question(context: typer.Context) -> bool:
    """Tell whether a GPU was named and no choice of work, which asks if it helps."""
    named = given(context).keys()
    return any(context.params[gpu] for gpu in _GPUS) and named <= _OF_QUESTION


def seconds_of(text: str) -> int:
    """Return the seconds of a time such as ``10m``, ``90s`` or ``1h30m``."""
    match = _TIME.fullmatch(text.strip().lower())
    parts = [int(part or 0) for part in match.groups()] if match else []
    seconds = sum(n * unit for n, unit in zip(parts, (3600, 60, 1), strict=False))
    if not seconds:
        raise UsageError(f"--budget {text!r:.40} is no time; say 10m, 90s or 1h30m")
    if seconds > _LONGEST:
        raise UsageError(f"--budget {text!r:.40} is more than a week; give less")
    return seconds


def collect_within(
    context: typer.Context, text: str, db: str | None, *, dry_run: bool
) -> None:
    """Measure what tells most within the time that *text* says."""
    purse = Purse(seconds_of(text), monotonic() - age())
    request = replace(chosen(context, Request, blocks_only=True), tier=budgeted.TIER)
    isolated = isolation(context.params)
    what = "asking the frameworks what they can measure here"
    with waiting(what), ThreadPoolExecutor(1) as beside:
        asked = beside.submit(fingerprint)
        frameworks = usable(request, isolated=isolated)
        planned = _both_devices(request, frameworks, isolated=isolated)
        machine = asked.result()
    for warning in planned.warnings:
        warn(warning)
    here = machine["machine"].get("anonymous_id")
    engine = existing(db)
    its = _prospect(planned, machine, frameworks, engine)
    campaign, past = campaign_name() + budgeted.ENDING, list[Past]()
    if engine is not None:
        with reading(engine) as connection:
            campaign = budgeted.campaign_of(connection, here, campaign)
            past = budgeted.past_of(connection, campaign, here)
    now = budgeted.state(its, past)
    # The end takes a part of what the beginning took, on whatever machine.
    purse = replace(purse, kept=0.5 + purse.spent / 4)
    _refuse_too_short(now, purse, text)
    lines = _foretold(its, now, foreseen(now, purse.left), purse)
    if dry_run:
        conclude(lines)
        return
    engine = opened(db, create=True)
    warn_of_spoilers(machine)
    for line in lines:
        tell(line)
    settings = chosen(
        context,
        Settings,
        campaign=campaign,
        tier=budgeted.TIER,
        time_limit=planned.time_limit,
        isolated=isolated,
    )
    if settings.cool_down is None:  # the devices take turns, and waiting costs time
        settings = replace(settings, cool_down=0)
    memory = Memory(machine=here)
    for item in past:
        if item.campaign == campaign:
            for cell in filter(item.is_of, its.cells):
                memory.take(cell, item.before, item.checks)
    _measure(engine, its, settings, memory, purse)


def _both_devices(
    request: Request, frameworks: Sequence[Description], *, isolated: Isolation
) -> Plan:
    """Return the plan: of a GPU that was asked for, with the CPU to compare it with."""
    devices(request, frameworks)  # what was asked for must be there
    if any(getattr(request, gpu) for gpu in _GPUS):
        others = {gpu: None if getattr(request, gpu) else False for gpu in _GPUS}
        request = replace(request, **others)
    return plan(request, frameworks, isolated=isolated)


def _prospect(
    planned: Plan,
    machine: dict[str, Any],
    frameworks: Sequence[Description],
    engine: Engine | None,
) -> Prospect:
    cards = {
        kind: device.name
        for description in frameworks
        for kind, device in description.devices.items()
        if device.available and kind != "cpu"
    }
    own = devices_of(machine["machine"].get("chip", {}), cards)
    seen = []
    if engine is not None:
        with reading(engine) as connection:
            seen = stored_rates(connection, planned.cells)
    load = load_per_cpu(machine.get("conditions", {})) or 0.0
    return budgeted.prospect(planned, own, seen, load)


def _refuse_too_short(now: State, purse: Purse, text: str) -> None:
    """Raise ``UsageError`` where the time is too short to tell anything."""
    least = shortest(now)
    if next_step(now, purse.left) is not None and least <= purse.left:
        return
    if least <= purse.left:
        raise UsageError(
            "all of this has been measured as often as a budget does; name other "
            "work, or repeat it with 'benchdb collect WORKLOAD --replicates N'"
        )
    whole = least + purse.spent + purse.kept
    raise UsageError(
        f"--budget {text} is too short to tell anything here; the shortest is about "
        f"{round(whole) + 1}s"
    )


def _foretold(its: Prospect, now: State, then: State, purse: Purse) -> list[str]:
    """Return what the time will tell: cells, processes and expected half-widths."""
    asked = [
        question for question in now.questions if any(map(then.count, question.cells))
    ]
    rows = [
        _row(its, now, then, question, cell)
        for question in asked
        for cell in question.cells
    ]
    # Only a pair has a difference.
    shown = len(_COLUMNS) if any(row[-1] for row in rows) else -1
    table = aligned([row[:shown] for row in (_COLUMNS, *rows)], (2, 3, 4, 5))
    every = dict.fromkeys(question.workload for question in now.questions)
    left_out = [
        name for name in every if name not in {question.workload for question in asked}
    ]
    more = budgeted.processes(now, then)
    head = (
        f"budget {clock(purse.seconds)}, {clock(purse.spent)} of it gone: "
        f"{counted(more, 'process')} to come; expected:"
    )
    lines = [plain(head), *table]
    if left_out:
        lines.append(f"no time for: {', '.join(left_out)}")
    return lines


_COLUMNS = (
    *("work", "device", "known", "to come", "half-width", "time each"),
    *("estimated from", "differences that show"),
)


def _row(
    its: Prospect, now: State, then: State, question: Question, cell: Cell
) -> tuple[str, ...]:
    half, cost = then.known[cell].half_width(), now.costs[cell]
    halves = [then.known[side].half_width() for side in question.cells]
    shows = ""
    if cell == question.cells[0] and len(halves) > 1 and None not in halves:
        shows = f"from {100 * math.hypot(*filter(None, halves)):.2g} %"
    return (
        work_of(cell),
        cell.device,
        str(now.count(cell)),
        str(then.count(cell) - now.count(cell)),
        NONE if half is None else f"± {100 * half:.2g} %",
        clock(cost.of(now.count(cell))),
        "runs here" if cost.measured else its.steps[cell][1],
        shows,
    )


def work_of(cell: Cell) -> str:
    """Return in words what is measured, whatever the device."""
    points = [f"{name} {value}" for name, value in cell.axes]
    setting = [] if cell.setting == "standard" else [cell.setting]
    words = [cell.workload, *setting, *points, cell.framework, cell.precision]
    return ", ".join(words)


def _measure(
    engine: Engine, its: Prospect, settings: Settings, memory: Memory, purse: Purse
) -> None:
    """Measure until the time is over; end the program as it went."""
    taken: list[tuple[float, dict[str, Any]]] = []

    def noted(events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Finished) and event.record is not None:
                end = event.record.end
                walls = (v.value for v in end.values if v.metric == _WALL)
                if end.status == "ok":
                    taken.append((next(walls, None) or 0.0, end.checks))
            yield event

    before = _known(engine, its, settings, memory)
    total = budgeted.processes(before, foreseen(before, purse.left))
    with Interruption() as interruption, display(total, memory) as shown:
        events = budgeted.measure(engine, its, settings, interruption, memory, purse)
        stored, failed = shown.follow(noted(events))
    conclude_campaign(engine, settings.campaign, stored)
    if stored:
        conclude(_answers(_known(engine, its, settings, memory)))
    conclude(_kept(purse, taken))
    if interruption.requested and not interruption.expired:
        tell("benchdb: interrupted; what had finished is stored, and counts next time")
        raise typer.Exit(130)
    if interruption.expired and failed:
        tell("benchdb: the time was over before the last process; it is no figure")
        failed -= 1
    if failed > 0:
        tell(f"benchdb: {counted(failed, 'process')} did not succeed")
        raise typer.Exit(1)


def _known(engine: Engine, its: Prospect, settings: Settings, memory: Memory) -> State:
    with reading(engine) as connection:
        past = budgeted.past_of(connection, settings.campaign, memory.machine)
    return budgeted.state(its, past)


def _answers(now: State) -> Iterator[str]:
    """Yield for each pair of devices how much faster the GPU is, and how surely."""
    rows = []
    for question in now.questions:
        result = answer(now.known, question)
        if result is None:
            continue
        gpu, cpu = question.cells
        low, high = result.ratio.low, result.ratio.high
        ends = NONE if low is None or high is None else f"{low:.3g}–{high:.3g}"
        counts = f"{now.count(gpu)} + {now.count(cpu)}"
        ratio = f"{result.ratio.value:.3g}"
        pair = f"{gpu.device} / {cpu.device}"
        rows.append((work_of(gpu), pair, ratio, ends, counts, result.word))
    if rows:
        columns = ("work", "speed of", "ratio", "95 % interval", "n", "verdict")
        yield from ("", *aligned([columns, *rows], (2, 3)))


def _kept(purse: Purse, taken: Sequence[tuple[float, dict[str, Any]]]) -> Iterator[str]:
    """Yield how the time was kept, and what it went to."""
    its, whole = shares(taken), purse.spent

    def percent(seconds: float) -> str:
        return f"{100 * seconds / whole:.0f} %"

    yield ""
    yield (
        f"budget   {clock(whole)} of {clock(purse.seconds)}: "
        f"{100 * whole / purse.seconds:.0f} %"
    )
    yield (
        f"spent    measuring {percent(its.measuring)} (timed blocks "
        f"{percent(its.blocks)}, warm-up and single steps {percent(its.working)}, "
        f"checks {percent(its.checks)}, start and data {percent(its.set_up)}); "
        f"at rest {percent(its.rest)}, "
        f"all else {percent(whole - its.measuring - its.rest)}"
    )
