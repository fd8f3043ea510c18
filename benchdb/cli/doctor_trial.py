"""``benchdb doctor --try`` and ``--read``: a check list, its file, and who reads it."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer

from benchdb.cli.console import PROSE_LIMIT, clock, conclude, counted, plain, tell
from benchdb.collecting import trial_file
from benchdb.collecting.trial import Check, How, Trial, steps
from benchdb.errors import UsageError
from benchdb.files import replacing

_OFTEN = 1.0  # seconds; nothing is silent for longer than two
_MARKS = {True: "[ok]", False: "[NO]", None: "[--]"}
_INTERRUPTED = 130


def attempt(output: Path, how: How, *, as_json: bool) -> None:
    """Try everything, print a check list and write the file.

    Exit status 1 if something did not hold; what was cut off is written as well.
    """
    with replacing(output) as stream:  # known to be writable before the minutes pass
        trial = Trial()
        try:
            with _progress() as doing:
                for event in steps(trial, how):
                    if isinstance(event, str):
                        doing(event)
                    elif not as_json:
                        # A reader who has seen enough ends no trial of minutes.
                        conclude([_line(event, trial.seconds)])
        except KeyboardInterrupt:
            tell("benchdb: interrupted; what was tried is written")
        content = trial_file.encode(trial)
        stream.write(content)
    if as_json:
        typer.echo(content.decode(), nl=False)
    counts = Counter(check.holds for check in trial.checks)
    tell(
        f"benchdb: {counts[True]} held, {counts[False]} did not, {counts[None]} could "
        f"not be tried or are notes; {output} ({len(content) / 1000:.0f} kB) has it "
        "all and nothing personal: look through it, and attach it to an issue"
    )
    if not trial.complete:
        raise typer.Exit(_INTERRUPTED)
    if counts[False]:
        raise typer.Exit(1)


def _line(check: Check, seconds: float) -> str:
    return f"{clock(seconds):>5} {_MARKS[check.holds]} {check.name}: {check.text}"


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Say on standard error, every second, what is being done and for how long."""
    began, doing, ended = time.monotonic(), [""], threading.Event()
    live = sys.stderr is not None and sys.stderr.isatty()

    def begin(what: str) -> None:
        doing[0] = what
        if not live:
            tell(f"{clock(time.monotonic() - began):>5} … {what}")

    def show() -> None:
        while not ended.wait(_OFTEN):
            at = clock(time.monotonic() - began)
            if live:
                _show_live(f"{at:>5} … {doing[0]}")
            else:
                tell(f"{at:>5} …")

    ticking = threading.Thread(target=show, daemon=True)
    ticking.start()
    try:
        yield begin
    finally:
        ended.set()
        ticking.join()
        if live:
            _show_live("")


def _show_live(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone, the trial goes on
        typer.echo(f"\r\033[K{text}", err=True, nl=False)


def show_file(path: Path, hosts: Path | None) -> None:
    """Print what did not hold in the file of *path*, and make fixtures of it.

    Exit status 1 if something did not.
    """
    trial = trial_file.decode(path)
    name = trial_file.host_name(trial) or "a machine without a name"
    cut = "" if trial.complete else ", cut off"
    typer.echo(
        plain(
            f"{name}: benchdb {trial.benchdb}, {counted(len(trial.checks), 'check')} "
            f"in {clock(trial.seconds)}{cut}"
        )
    )
    failed = list(trial_file.disagreements(trial))
    for check in failed:
        typer.echo(plain(f"  {_MARKS[check.holds]} {check.name}: {check.text}"))
    if not failed:
        typer.echo("  everything held, and its answers are read as they were there")
    if hosts is not None:
        _write_fixture(trial, hosts)
    if failed:
        raise typer.Exit(1)


def _write_fixture(trial: Trial, hosts: Path) -> None:
    files = trial_file.fixture(trial)
    if not files:
        raise UsageError("this file has no answers of macOS to make a fixture of")
    name = trial_file.host_name(trial)
    folder = hosts / name
    if not name or folder.exists():  # a stranger's file overwrites no other Mac
        why = f"{folder} is there" if name else "it names neither chip nor model"
        raise UsageError(f"no fixture is made of this file: {why}")
    new = trial_file.new_words(files, hosts)
    for name, text in files.items():
        with replacing(folder / name) as stream:
            stream.write(text.encode())
        words = f": new in it {', '.join(new[name])}" if name in new else ""
        typer.echo(plain(f"  {folder / name}{words}", PROSE_LIMIT))
