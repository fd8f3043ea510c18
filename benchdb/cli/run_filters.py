"""The options that say which runs a command is about, and what they come to.

``list``, ``campaigns`` and ``export`` share them.
"""

import re
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection

from benchdb.cli.console import NAME_LIMIT, ONLY, flag, narrowing, option, plain, tell
from benchdb.errors import UsageError, suggestion
from benchdb.steps import STEPS, Step, at_least
from benchdb.store.listing import Filter, matching

WORKLOAD = narrowing("Of this workload.")
FRAMEWORK = narrowing("Of torch, mlx, tensorflow, numpy …")
DEVICE = narrowing("On the cpu, metal or cuda.")
PRECISION = narrowing("In fp32, tf32, bf16 …")
SOURCE = narrowing("From this source, see 'benchdb sources'.")
LABEL = narrowing("measured, imported, transcribed or claimed.")
CAMPAIGN = narrowing("Of this campaign, see 'benchdb list --campaigns'.")
CHIP = narrowing("On this chip, such as 'M1 Max'.")
MACHINE = narrowing("Of this machine, see 'benchdb machines list'.", "ID")
GRADE = narrowing("Graded A, B, C, I or X; A,B for two.", "LETTER")
TRUST = narrowing(f"{', '.join(STEPS)}: this sure at least.", "STEP")
SINCE = narrowing("Begun on this day or later, as 2026-11-25.", "DATE")
MINE = flag(
    "Measured or planned here, or given by others.",
    "--mine/--contributed",
    show_default=False,
    panel=ONLY,
    default=None,
)
LIMIT = option("Show the first N lines only.", min=1)
_GRADES = ("A", "B", "C", "I", "X")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?)?)?")


def settled(connection: Connection, options: dict[str, Any]) -> tuple[Filter, bool]:
    """Return the filter that *options* ask for, and whether it leaves anything.

    Say so where it does not. Raise ``UsageError`` for a name that nothing has.
    """
    names = {field.name for field in fields(Filter)}
    asked = {n: v for n, v in options.items() if n in names and v is not None}
    words = [plain(f"--{n} {v}", NAME_LIMIT) for n, v in asked.items() if v is not True]
    if "mine" in asked:
        words = [word for word in words if not word.startswith("--mine")]
        words.append("--mine" if asked["mine"] else "--contributed")
    words = [word for word in words if not word.startswith("--limit")]
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
        f"no step {text!r} of the ladder of trust{suggestion(text, STEPS)}"
    )


def _date(text: str) -> str:
    """Return *text* as runs write when they began; a year or a month will do."""
    if not _DATE.fullmatch(text.strip()):
        raise UsageError(f"{text!r} is no date; write it as 2026-11-25")
    return text.strip().replace(" ", "T")
