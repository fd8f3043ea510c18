"""``benchdb history``: a workload over time, and where it changed."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import typer
from sqlalchemy import Connection, select

from benchdb.cli.console import (
    PROSE_LIMIT,
    AsJson,
    aligned,
    argument,
    counted,
    narrowing,
    option,
    plain,
    tell,
)
from benchdb.cli.figure_text import NONE, figure, interval
from benchdb.cli.terminal_chart import show
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.report.exclusions import left_out
from benchdb.report.history import Entry, Line, lines_of
from benchdb.report.history.course_words import changed_text, name, shift_text
from benchdb.report.history.courses import (
    LEAST,
    Course,
    Obstacle,
    campaign_of,
    courses,
    obstacle,
)
from benchdb.report.language import Language, load
from benchdb.report.measurement import measurements
from benchdb.report.references import Notes
from benchdb.report.runs import StoredRun, stored
from benchdb.report.wording.cells import wide
from benchdb.report.wording.terms import verdict_text
from benchdb.sessions import moment
from benchdb.store import known_names as names
from benchdb.store.database import reading
from benchdb.store.machines import canonical
from benchdb.store.tables import machine, run

app = typer.Typer(add_completion=False)

_NO_NOTES = Notes({}, {})  # 'benchdb show' tells what is doubtful about a run
_ENOUGH = 6  # characters of an id
_LISTED = 5  # of the ids of others
_HEAD = ("date", "campaign", "figure", "interval", "n", "grade", "against the last")
_FIGURES = (2, 4)  # columns
_SIGNS = {"faster": "^", "slower": "v"}
# Why campaigns are in no course, in the order in which it is told.
_REASONS: Mapping[Obstacle, str] = {
    "disqualified": "disqualified (grade X): 'benchdb show RUN' says why",
    "undated": "without a date that counts, so without a place in time",
    "nameless": "of machines without an id, which may be several of a kind",
    "trial": "of trial runs (tier smoke), which show no speed",
    "failed": "in which no run ended well",
    "left out": "told by another source as well, or by a stranger alone",
    "published": "published by others, without campaigns of their own",
}


@app.command()
def history(
    workload: str = argument(
        "Its name, see 'benchdb workloads'.", "WORKLOAD", show_default=False
    ),
    machine_: str | None = option(
        "Of this machine, see 'benchdb machines list' (default: yours).",
        "ID",
        "--machine",
        show_default=False,
    ),
    framework: str | None = narrowing("Of torch, mlx, tensorflow, numpy …"),
    device: str | None = narrowing("On the cpu, metal or cuda."),
    precision: str | None = narrowing("In fp32, tf32, bf16 …"),
    batch_size: int | None = narrowing("With this batch size.", "N", min=1),
    since: str | None = narrowing("Begun on this day or later, as 2026-11-25.", "DATE"),
    as_json: AsJson = False,
    svg: Path | None = option("Write the chart as an SVG file as well.", "FILE"),
    db: Db = None,
) -> None:
    """Show a workload over time, and where it became faster or slower.

    It is a table and a chart of each machine, framework, precision and size: every
    campaign against the one before, with what had changed. A change is marked where
    campaigns before and after differ by more than chance.
    """
    first = _day(since)
    columns = {"framework": framework, "device": device, "precision": precision}
    asked = {name: value for name, value in columns.items() if value is not None}
    engine = opened(db)
    language = load("en")
    with reading(engine) as connection:
        meant = names.spelled(connection, {"workload": workload, **asked})
        workload = meant["workload"]
        roots = _machines(connection, machine_) if machine_ else None
        among = select(run.c.digest).where(
            run.c.mine if roots is None else run.c.machine.in_(sorted(roots)),
            *(run.c[column] == value for column, value in meant.items()),
            *([run.c.batch_size == batch_size] if batch_size else ()),
        )
        runs = [
            line
            for line in stored(connection, left_out(connection), among)
            if first is None or _since(line, first)
        ]
        curves = courses(connection, runs, measurements(runs), _NO_NOTES)
        reasons = _reasons(runs)
        others = [] if roots or curves or reasons else _others(connection, workload)
    lines = lines_of(curves, _NO_NOTES, None)
    _tell_what_is_missing(workload, curves, reasons, others)
    if as_json:
        pairs = zip(curves, lines, strict=True)
        data = [_data(course, line) for course, line in pairs]
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        for line in lines:
            _print(language, line)
    if svg is not None and lines:
        _write(svg, lines, language)


def _day(text: str | None) -> datetime | None:
    """Return the beginning of a day, in UTC."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"no date {text!r}; write it as 2026-03-31") from None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _since(stored_run: StoredRun, first: datetime) -> bool:
    began = moment(stored_run.facts.started)
    return began is not None and began >= first


def _machines(connection: Connection, wanted: str) -> set[str]:
    """Return all that is the same machine as the one *wanted*, by id or by digest."""
    groups, asked = canonical(connection), set(names.machines(connection, wanted))
    return {digest for digest, root in groups.items() if root in asked}


def _others(connection: Connection, workload: str) -> list[str]:
    """Return the ids of the machines on which a workload was measured."""
    query = (
        select(machine.c.anonymous_id)
        .join(run, run.c.machine == machine.c.digest)
        .where(run.c.workload == workload, machine.c.anonymous_id.is_not(None))
        .distinct()
    )
    return sorted(connection.scalars(query))


def _tell_what_is_missing(
    workload: str,
    curves: Sequence[Course],
    reasons: Mapping[Obstacle, set[str]],
    others: Sequence[str],
) -> None:
    """Say which campaigns are in no course, and what to try where none is."""
    for reason, campaigns in reasons.items():
        some = counted(len(campaigns), "campaign")
        if curves:
            tell(f"benchdb: left out: {some} {_REASONS[reason]}")
        else:
            tell(f"benchdb: all there is of {workload}: {some} {_REASONS[reason]}")
    if not curves and not reasons:
        ids = ", ".join(others[:_LISTED])
        more = f"; --machine shows those of others: {ids}" if others else ""
        tell(f"benchdb: no campaign of {workload} here is like that{more}")
    if curves and all(len(curve.campaigns) == 1 for curve in curves):
        tell(
            "benchdb: there is nothing yet to hold a single campaign against; 'benchdb "
            f"collect {workload}' measures another"
        )


def _reasons(runs: Iterable[StoredRun]) -> dict[Obstacle, set[str]]:
    """Return the campaigns of which no run is in a course, by the reason."""
    why: defaultdict[str, set[Obstacle | None]] = defaultdict(set)
    for stored_run in runs:
        why[campaign_of(stored_run)].add(obstacle(stored_run))
    campaigns: dict[Obstacle, set[str]] = {}
    for reason in _REASONS:
        names = {name for name, reasons in why.items() if reason in reasons}
        names = {name for name in names if None not in why[name]}
        for known in campaigns.values():
            names -= known
        if names:
            campaigns[reason] = names
    return campaigns


def _print(language: Language, line: Line) -> None:
    """Print a course: its name, a line for each campaign, and its chart."""
    head = name(language, line)
    typer.echo(plain(f"{head} · machine {line.machine}", PROSE_LIMIT))
    cells = (_cells(language, line, entry) for entry in line.entries)
    first, *rest = aligned([_HEAD, *cells], _FIGURES)
    typer.echo(f"  {first}")
    for entry, row in zip(line.entries, rest, strict=True):
        shift = entry.shift
        sign = _SIGNS.get(shift.ratio.verdict, " ") if shift else " "
        typer.echo(f"{sign} {row}")
        beside = [changed_text(language, (changed,)) for changed in entry.changed]
        for item in (*([shift_text(language, shift)] if shift else ()), *beside):
            typer.echo(f"    {plain(item, PROSE_LIMIT)}")
    typer.echo("")
    if len(line.entries) >= LEAST:
        from benchdb.report.history.course_words import panel  # noqa: PLC0415  of a chart

        show(panel(language, line))
        typer.echo("")


def _cells(language: Language, line: Line, entry: Entry) -> tuple[str, ...]:
    known, metric, workload = entry.quantity, line.metric, line.workload.name
    ends = known.interval
    limits = NONE if ends is None else wide(language)
    if ends and not ends.wide:
        limits = interval(known.value, (ends.low, ends.high), metric, workload)
    return (
        entry.started[:10],
        entry.campaign,
        figure(known.value, metric, workload),
        limits,
        str(known.n),
        known.grade or NONE,
        verdict_text(language, entry.against) or NONE,
    )


def _data(course: Course, line: Line) -> dict[str, Any]:
    """Return a course as JSON has it."""
    first = line.entries[0].quantity
    return {
        "workload": line.workload.name,
        "machine": line.machine,
        "chip": line.system.chip,
        "device": line.system.device,
        "framework": line.system.framework,
        "precision": line.precision,
        "compiler": course.conditions.compiler,
        "batch_size": line.batch_size,
        "parameters": course.conditions.facts,
        "tier": line.tier,
        "metric": line.metric,
        "unit": first.unit,
        "campaigns": [
            {
                "campaign": entry.campaign,
                "started": entry.started,
                **_figure(entry),
                "against_last": _ratio(entry.against),
                "change": entry.shift
                and {
                    **(_ratio(entry.shift.ratio) or {}),
                    "campaigns_before": entry.shift.before,
                    "campaigns_after": entry.shift.after,
                },
                "changed": {
                    changed.name: [changed.before, changed.after]
                    for changed in entry.changed
                },
                "surroundings": dict(campaign.around),
            }
            for campaign, entry in zip(course.campaigns, line.entries, strict=True)
        ],
    }


def _figure(entry: Entry) -> dict[str, Any]:
    names = ("value", "low", "high", "n", "sessions", "grade", "run")
    return {text: getattr(entry.quantity, text) for text in names}


def _ratio(ratio: Any) -> dict[str, Any] | None:
    """Return a ratio, as so many times as fast, with its interval and verdict."""
    if ratio is None:
        return None
    names = ("value", "low", "high", "verdict")
    return {text: getattr(ratio, text) for text in names} | {
        "differs": list(ratio.differs)
    }


def _write(path: Path, lines: Sequence[Line], language: Language) -> None:
    from benchdb.files import replacing  # noqa: PLC0415  of a chart alone
    from benchdb.report.charts.svg_file import svg_file  # noqa: PLC0415
    from benchdb.report.history.course_words import of_lines  # noqa: PLC0415

    with replacing(path) as stream:
        stream.write(svg_file(of_lines(language, lines), language).encode())
    tell(f"benchdb: the chart is in {path}")
