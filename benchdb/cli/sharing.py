"""What leaves the machine: shown field by field, asked once, told where nobody is."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from sqlalchemy import Connection, func, select

from benchdb.cli.console import aligned, counted, plain, tell, warn
from benchdb.errors import BenchdbError
from benchdb.files import replacing
from benchdb.leaving import Kept
from benchdb.store.listing import Filter, filtered
from benchdb.store.tables import run
from benchdb.user_data import data_folder

Field = tuple[str, Any]  # where it stands, like machine.chip.name, and what is there

_EXAMPLES = 3  # of texts
_SHORT = 60  # characters of them, where a question follows
_NAMED = 3  # of what stays here
_ASK = "May these fields leave this machine, now and from now on?"


def fields(lines: Iterable[bytes]) -> Iterator[Field]:
    """Yield each text and number of exchange *lines* with the place of its field."""
    for line in lines:
        message = json.loads(line)
        yield from _leaves(message.pop("type"), message)


def show(pairs: Iterable[Field]) -> None:
    """Print each field: how often it is there, and with what."""
    for line in _table(_Seen(pairs)):
        typer.echo(line)


def can_ask() -> bool:
    """Tell whether somebody can be asked."""
    return all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)
    )


def agree(leaving: Iterable[Field]) -> None:
    """Show the fields that nobody agreed to so far, and ask; end the program if not.

    The answer is kept in the user's data folder, by the names of fields.
    """
    seen, path = _Seen(leaving), _agreed_path()
    agreed = _agreed(path)
    if not (new := [place for place in seen.times if place not in agreed]):
        return
    tell("This leaves your machine:" if not agreed else "This is new, and would leave:")
    for line in _table(seen, new, _SHORT):
        tell(line)
    if not typer.confirm(_ASK, default=False, err=True):
        raise typer.Exit(1)
    try:
        with replacing(path) as stream:
            kept = sorted({*agreed, *new})
            stream.write("".join(f"{text}\n" for text in kept).encode())
    except BenchdbError as error:
        warn(f"the answer is asked for again next time: {error}")


def announce(connection: Connection, wanted: Filter) -> None:
    """Say in a line on standard error what leaves, if there is any of it."""
    counts: list[Any] = [func.count(), func.count(run.c.machine.distinct())]
    runs, machines = connection.execute(
        filtered(select(*counts).select_from(run), wanted)
    ).one()
    if runs:
        tell(
            f"benchdb: {counted(runs, 'run')} of {counted(machines, 'machine')} leave: "
            "chip, model, random id, system, packages, settings, samples, figures; "
            "'benchdb export --preview' shows each field"
        )


def tell_kept(kept: Sequence[Kept]) -> None:
    """Say what stays, and why, and end with status 1; do nothing where nothing does."""
    if kept:
        warn(f"not exported: {kept_text(kept)}")
        raise typer.Exit(1)


def kept_text(kept: Sequence[Kept]) -> str:
    """Return which runs and sources stay here, and what to do about it."""
    named = [item for item in kept if item.fields][:_NAMED]
    each = "; ".join(f"{item.what} ({', '.join(item.fields[:2])})" for item in named)
    more = f"; {len(kept) - len(named):,} more" if len(kept) > len(named) else ""
    return (
        f"{each}{more}: may name you, your computer, a device or an address; import "
        "the file without it, or forget it ('benchdb forget')"
    )


class _Seen:
    """What was found in each field: how often, and with what.

    Of numbers the ends are kept, of texts the first few that differ.
    """

    def __init__(self, leaving: Iterable[Field]) -> None:
        self.times: Counter[str] = Counter()
        self._texts: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._ends: dict[str, tuple[float, float]] = {}
        for place, value in leaving:
            self.times[place] += 1
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = self._ends.get(place, (value, value))
                self._ends[place] = min(low, value), max(high, value)
            elif len(self._texts[place]) <= _EXAMPLES:
                self._texts[place][str(value)] = None

    def values(self, place: str) -> str:
        """Return what stands there, in short."""
        texts = list(self._texts[place])
        shown, more = texts[:_EXAMPLES], texts[_EXAMPLES:]
        if place in self._ends:
            low, high = (f"{end:.6g}" for end in self._ends[place])
            shown.append(low if low == high else f"{low} to {high}")
        return ", ".join([*shown, *(["…"] if more else [])])


def _table(
    seen: _Seen, places: Iterable[str] | None = None, limit: int | None = None
) -> list[str]:
    """Return lines for *places*, all of them if None; values cut at *limit*."""
    rows = [
        (place, f"{seen.times[place]:,}", plain(seen.values(place), limit))
        for place in (seen.times if places is None else places)
    ]
    return aligned([("field", "times", "values"), *rows], figures=(1,))


def _leaves(place: str, value: Any) -> Iterator[Field]:
    """Yield the texts and numbers in *value*, each with the place where it stands."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from _leaves(f"{place}.{name}", field)
    elif isinstance(value, list):
        for entry in value:
            yield from _leaves(place, entry)
    else:
        yield place, value


def _agreed_path() -> Path:
    return data_folder() / "shared-fields"


def _agreed(path: Path) -> Collection[str]:
    """Return the fields that the user agreed to share; none where nothing is kept."""
    try:
        return frozenset(path.read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchdbError(f"cannot read {path}: {error}; delete it") from error
