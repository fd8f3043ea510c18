"""Columns that a reader of running text names itself: what they are is known."""

from benchdb.importing.guess.fields import ASSUMED, Guess
from benchdb.importing.mapping.language import Column
from benchdb.importing.sheet import Sheet

_COUNTED = {
    "epoch": "parameters.epoch",
    "of": "parameters.epochs",
    "step": "parameters.step",
    "steps": "parameters.steps",
    "phase": "parameters.phase",
}
_SETTINGS = {
    "keras": _COUNTED,
    "epochs": _COUNTED,
    "tqdm": {"done": "parameters.done", "of": "parameters.of"},
    "time": {"exit status": "parameters.exit_status"},
}
_WALL = ("elapsed", "real", "wall time", "executed in", "total")
_TIMED = {
    **dict.fromkeys(("user", "usr time", "user time (seconds)"), "script_user_seconds"),
    **dict.fromkeys(("system", "sys", "sys time"), "script_system_seconds"),
    "system time (seconds)": "script_system_seconds",
    "cpu": "script_cpu_percent",
    "percent of cpu this job got": "script_cpu_percent",
    **dict.fromkeys(_WALL, "script_wall_seconds"),
    "elapsed (wall clock) time (h:mm:ss or m:ss)": "script_wall_seconds",
}
# GNU time counts kbytes of 1024, whatever it calls them; macOS counts bytes.
_MEMORY = {
    "maximum resident set size (kbytes)": "KiB",
    "maxresident": "KiB",
    "maximum resident set size": "B",
}
_OF_TIMEIT = ("per loop", "runs", "loops", "best of")


def known(sheet: Sheet) -> dict[int, Guess]:
    """Return the columns of *sheet* whose meaning its reader settles."""
    names = [name.casefold() for name in sheet.header]
    settings = _SETTINGS.get(sheet.kind, {})
    found = {
        n: Guess(Column(field=settings[name]))
        for n, name in enumerate(names)
        if name in settings
    }
    if sheet.kind == "keras" and "epoch" in names:
        found |= _of_keras(names)
    return found | (_of_time(names) if sheet.kind == "time" else {})


def _of_keras(names: list[str]) -> dict[int, Guess]:
    """Return the times that stand beside an epoch; those of an evaluation do not."""
    timed = {"seconds": "epoch_seconds", "per step": "reported_step_seconds"}
    return {
        n: Guess(Column(is_="value", metric=timed[name]))
        for n, name in enumerate(names)
        if name in timed
    }


def _of_time(names: list[str]) -> dict[int, Guess]:
    found: dict[int, Guess] = {}
    for n, name in enumerate(names):
        if name == "total" and "wall time" in names:  # of IPython: user and system
            found[n] = _left_out("the total of user and system time")
        elif name in _TIMED:
            unit = "%" if "cpu" in name else "s"
            found[n] = Guess(Column(is_="value", metric=_TIMED[name], unit=unit))
        elif name in _MEMORY:
            metric, unit = "peak_memory_observed_bytes", _MEMORY[name]
            found[n] = Guess(Column(is_="value", metric=metric, unit=unit))
        elif n and name not in (*_OF_TIMEIT, "exit status"):
            found[n] = _left_out(f"{name!r} tells nothing of how fast it was")
    return found


def _left_out(why: str) -> Guess:
    return Guess(Column(is_="ignore"), ((ASSUMED, f"left out: {why}"),))
