"""The options that say which runs a command is about, and what they come to.

``list``, ``campaigns`` and ``export`` share them.
"""

import re
from dataclasses import fields
from typing import Annotated, Any

import typer
from sqlalchemy import Connection

from benchdb.cli.console import NAME_LIMIT, plain, tell
from benchdb.errors import UsageError
from benchdb.steps import STEPS, Step, at_least
from benchdb.store.listing import Filter, matching

Workload = Annotated[str | None, typer.Option(help="Only this workload.")]
Framework = Annotated[str | None, typer.Option(help="Only this framework.")]
Source = Annotated[str | None, typer.Option(help="Only this source.")]
Label = Annotated[str | None, typer.Option(help="measured, transcribed …")]
Campaign = Annotated[
    str | None, typer.Option(help="Only this campaign; 'benchdb campaigns' lists.")
]
Chip = Annotated[str | None, typer.Option(help="Only what ran on this chip.")]
Machine = Annotated[
    str | None,
    typer.Option(help="Only this machine: its id in 'benchdb machines', or its start."),
]
Grade = Annotated[str | None, typer.Option(help="Only A, B, C, I or X; or A,B.")]
Trust = Annotated[
    str | None,
    typer.Option(
        metavar="STEP",
        help="Only what reaches this step of the ladder of trust, or one above: "
        + ", ".join(STEPS)
        + ".",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="Only what began then or later: 2026-11-25."),
]
Mine = Annotated[
    bool | None,
    typer.Option(
        "--mine/--contributed",
        help="Only what was measured or planned here, or only what others gave.",
        show_default=False,
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many.")]
_GRADES = ("A", "B", "C", "I", "X")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?)?)?")


def settled(connection: Connection, options: dict[str, Any]) -> tuple[Filter, bool]:
    """Return the filter that *options* ask for, and whether it leaves anything.

    Say so where it does not. Raise ``UsageError`` for a name that nothing has.
    """
    names = {one.name for one in fields(Filter)}
    asked = {n: v for n, v in options.items() if n in names and v is not None}
    words = [plain(f"--{n} {v}", NAME_LIMIT) for n, v in asked.items() if v is not True]
    if "mine" in asked:
        words = [one for one in words if not one.startswith("--mine")]
        words.append("--mine" if asked["mine"] else "--contributed")
    words = [one for one in words if not one.startswith("--limit")]
    if "since" in asked:
        asked["since"] = _date(asked["since"])
    if "grade" in asked:
        asked["grade"] = tuple(map(_letter, asked["grade"].split(",")))
    if "trust" in asked:
        asked["trust"] = at_least(_step(asked["trust"]))
    if "machine" in asked:
        from benchdb.store.known_names import machines  # noqa: PLC0415  only this one needs it

        asked["machine"] = machines(connection, asked["machine"])
    wanted, there = matching(connection, Filter(**asked))
    if not there:
        tell(f"benchdb: no run matches {' '.join(words)}")
    return wanted, there


def _letter(text: str) -> str:
    letter = text.strip().upper()
    if letter in _GRADES:
        return letter
    from benchdb.store.known_names import known  # noqa: PLC0415  only mistakes need it

    return known("grade", text, ())


def _step(text: str) -> Step:
    for step in STEPS:
        if step == text.strip().lower():
            return step
    raise UsageError(
        f"no step {text!r} of the ladder of trust; the steps are {', '.join(STEPS)}"
    )


def _date(text: str) -> str:
    """Return *text* as runs write when they began; a year or a month will do."""
    if not _DATE.fullmatch(text.strip()):
        raise UsageError(f"{text!r} is no date; write it as 2026-11-25")
    return text.strip().replace(" ", "T")
