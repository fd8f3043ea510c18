"""What a site costs: in all languages beside one, built again, and of many runs."""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.costs import BENCHDB, ROOT, cost
from benchmarks.report_runs import against_few
from benchmarks.rows import MIB, Cost, Extent, Limit, Named, Place, Row, Turn
from benchmarks.site_followed import followed

_WHOLE, _SAME, _AGAIN = "site", "site-same", "site-again"
_FOLLOWED, _PROCESSOR = "site-followed", "site-followed-processor"
_MANY = "site-of-many-runs"
_SHIPPED = (_WHOLE, _SAME, _AGAIN)
_RUNS = 5  # that come one by one while a site follows
ROWS: tuple[Row, ...] = (
    Row(
        _WHOLE,
        "site of the shipped results in nine languages",
        "the same in one",
        (Limit("seconds", most=60),),
    ),
    Row(
        _SAME,
        "site built again with nothing new",
        "the same from nothing",
        (Limit("seconds", most=1),),
    ),
    Row(
        _AGAIN,
        "site built again after one new run",
        "the same from nothing",
        (Limit("seconds", most=1),),
    ),
    Row(
        _FOLLOWED,
        "site that benchdb serve builds again after one new run",
        "the same from nothing, as a command",
        (Limit("seconds", most=1),),
    ),
    Row(
        _PROCESSOR,
        "the same, in seconds of a processor",
        "the same from nothing, as a command",
        (Limit("seconds", most=1),),
    ),
    Row(
        _MANY,
        "site of many runs in one language",
        "the same of 10,000",
        (Limit("ratio", most=1.5), Limit("peak_bytes", most=1024 * MIB)),
    ),
)
USUAL = Extent(1_000_000, 3)
QUICK = Extent(2000, 1)


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    shipped = place.room / "shipped-for-site.sqlite"
    following = {_FOLLOWED, _PROCESSOR} & {*wanted}
    if not shipped.exists() and {*_SHIPPED, *following} & {*wanted}:
        shutil.copyfile(ROOT / "results.sqlite", shipped)
    for number in range(extent.rounds):
        for name in _SHIPPED:
            if name in wanted:
                yield Named(
                    name, _turn(name, shipped, place.room, first=number % 2 == 0)
                )
        for name, turn in _following(shipped, place.room) if following else ():
            if name in wanted:
                yield Named(name, turn)
    if _MANY in wanted:
        yield from against_few([_MANY], extent, place, _of_many)


def _turn(name: str, shipped: Path, room: Path, *, first: bool) -> Turn:
    if name != _WHOLE:
        return _again(shipped, room, new=name == _AGAIN)
    if first:
        return Turn(_built(shipped, room, "all"), _built(shipped, room, "en"))
    result = _built(shipped, room, "en")
    return Turn(_built(shipped, room, "all"), result)


def _built(database: Path, room: Path, languages: str) -> Cost:
    with tempfile.TemporaryDirectory(dir=room) as place:
        return _site(database, Path(place) / "site", languages)


def _again(shipped: Path, room: Path, *, new: bool) -> Turn:
    """Build from nothing and once more, with a run that is *new* in between."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        database, site = Path(place) / "own.sqlite", Path(place) / "site"
        shutil.copy(shipped, database)
        cold = _site(database, site, "en")
        if new:
            _measure(database)
        return Turn(_site(database, site, "en"), cold)


def _following(shipped: Path, room: Path) -> Iterator[tuple[str, Turn]]:
    """Yield what each of several runs takes that come while a site follows.

    The first one, of a machine that was not there, is not among them.
    """
    with tempfile.TemporaryDirectory(dir=room) as place:
        database, site = Path(place) / "own.sqlite", Path(place) / "site"
        shutil.copy(shipped, database)
        cold = _site(database, Path(place) / "cold", "en")
        with followed(database, site) as follower:
            for number in range(_RUNS + 1):
                _measure(database)
                clock, processor = follower.rebuilt()
                if number:
                    yield _FOLLOWED, Turn(clock, cold)
                    yield _PROCESSOR, Turn(processor, cold)


def _measure(database: Path) -> None:
    words = ("collect", "matmul", "--size", "32", "--framework", "numpy")
    once = ("--tier", "smoke", "--replicates", "1", "--db", database)
    cost(*BENCHDB, *words, *once)


def _of_many(database: Path) -> Cost:
    return _built(database, database.parent, "en")


def _site(database: Path, site: Path, languages: str) -> Cost:
    words = ("report", "--site", site, "--lang", languages, "--db", database)
    return cost(*BENCHDB, *words)
