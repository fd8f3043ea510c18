"""What it costs to start: help, a short list, the report of the shipped database."""

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.costs import BENCHDB, PYTHON, ROOT, cost
from benchmarks.rows import Extent, Limit, Named, Place, Row, Turn

_BARE = (PYTHON, Path(__file__).with_name("bare_typer.py"), "--help")
_LIBRARIES = (PYTHON, "-c", "import sqlalchemy, jinja2, babel, msgspec")
_TYPER = "bare typer program"
Command = tuple[object, ...]

ROWS: tuple[Row, ...] = (
    Row("help", "benchdb --help", _TYPER, (Limit("ratio", most=1.3),)),
    Row("list", "benchdb list --limit 20", _TYPER, (Limit("ratio", most=2),)),
    Row(
        "shipped-report",
        "HTML report of the shipped database",
        "importing its libraries",
        (Limit("ratio", most=1.5),),
    ),
    Row(
        "first-report",
        "the same where nothing is kept yet",
        "importing its libraries",
        (Limit("ratio", most=1.5),),
    ),
)
USUAL = Extent(None, 11)
QUICK = Extent(None, 3)


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    database = place.room / "shipped.sqlite"
    shutil.copyfile(ROOT / "results.sqlite", database)
    db = ("--db", database)
    html = ("--lang", "en", "--format", "html", "-o", place.room / "shipped")
    # Pages that are kept are of this measurement alone.
    home = ("/usr/bin/env", f"BENCHDB_HOME={place.room / 'home'}")
    sides: dict[str, tuple[Command, Command]] = {
        "help": ((*BENCHDB, "--help"), _BARE),
        "list": ((*BENCHDB, "list", "--limit", 20, *db), _BARE),
        "shipped-report": ((*home, *BENCHDB, "report", *html, *db), _LIBRARIES),
        "first-report": ((*home, *BENCHDB, "report", *html, *db), _LIBRARIES),
    }
    warmed = extent.rounds == 1  # one turn tells little anyway
    for number in range(0 if warmed else -1, extent.rounds):
        for name in (side for side in sides if side in wanted):
            if name == "first-report":
                shutil.rmtree(place.room / "home", ignore_errors=True)
            turn = _turn(*sides[name], swapped=bool(number % 2))
            if number >= 0:  # the first compiles, and fills the caches of the disk
                yield Named(name, turn)


def _turn(what: Command, yardstick: Command, *, swapped: bool) -> Turn:
    if swapped:
        first = cost(*what)
        return Turn(first, cost(*yardstick))
    first = cost(*yardstick)
    return Turn(cost(*what), first)
