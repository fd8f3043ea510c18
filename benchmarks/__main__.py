"""Measure what benchdb costs, each row beside its yardstick, in turn.

Prints the ratios and how they changed since the last saved figures, and writes all that
was seen as JSON. Exit status: 0 measured; 1 with --strict, if a figure was missed; 2
wrong use, or something could not be measured.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchdb.errors import BenchdbError
from benchmarks import figures, table
from benchmarks.change import changed
from benchmarks.costs import CannotMeasureError, NotHereError
from benchmarks.figures import Figures
from benchmarks.rows import Benchmark, Extent, Named, Place, Seen, Turn, missed
from benchmarks.suite import BENCHMARKS, ROWS


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rows that are asked for; return the exit status."""
    asked = _asked(arguments)
    try:
        return _measured(asked)
    except (BenchdbError, CannotMeasureError, ValueError, OSError) as error:
        _complain(error)
        return 2
    except KeyboardInterrupt:
        _complain("interrupted; what was measured until then is in the JSON file")
        return 130


def _measured(asked: argparse.Namespace) -> int:
    before, now = figures.saved(), figures.around()
    _print(table.machine(now))
    failed: list[CannotMeasureError] = []
    with _room(asked.keep) as room:
        place = Place(room, asked.postgres)
        for benchmark in BENCHMARKS:
            for row in _rows(benchmark, asked, place, failed):
                now = figures.with_row(now, row)
                figures.write(asked.json, [now])
    if now.rows:
        _print(["", *table.table(now.rows), ""])
        _print(table.changes(changed(before, now), now.rows))
        _print([f"written: {asked.json}", *_saved(now, asked)])
    if any(asked.names or not isinstance(error, NotHereError) for error in failed):
        return 2
    return 1 if asked.strict and any(map(missed, now.rows)) else 0


def _rows(
    benchmark: Benchmark,
    asked: argparse.Namespace,
    place: Place,
    failed: list[CannotMeasureError],
) -> Iterator[Seen]:
    """Yield what was seen of each row that is wanted; what fails is told and kept."""
    usual = benchmark.QUICK if asked.quick else benchmark.USUAL
    runs = usual.runs and (asked.runs or usual.runs)
    extent = Extent(runs, asked.rounds or usual.rounds)
    wanted = [row.name for row in benchmark.ROWS if row.name in (asked.names or ROWS)]
    groups: dict[str, list[Turn]] = {}
    try:
        for named in benchmark.turns(wanted, extent, place) if wanted else ():
            groups.setdefault(named.name, []).append(named.turn)
            _tell(named)
    except CannotMeasureError as error:
        failed.append(error)
        _complain(error)
    for name, turns in groups.items():
        yield Seen(ROWS[name], runs, tuple(turns))


@contextmanager
def _room(keep: Path | None) -> Iterator[Path]:
    """Give the folder for what is generated: one that is kept, or not."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="benchdb-") as room:
            yield Path(room)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()


def _saved(now: Figures, asked: argparse.Namespace) -> Iterator[str]:
    if asked.save:
        yield f"saved, to be committed: {figures.save(now)}"


def _tell(named: Named) -> None:
    what, yardstick = named.turn.what.seconds, named.turn.yardstick.seconds
    print(f"{named.name}: {what:.3f} s over {yardstick:.3f} s", file=sys.stderr)


def _complain(about: object) -> None:
    print(f"benchmarks: {about}", file=sys.stderr)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    words = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=words
    )
    names = ", ".join(ROWS)
    parser.add_argument(
        "names", nargs="*", type=_row, metavar="ROW", help=f"of {names}; else all"
    )
    parser.add_argument("--runs", type=_positive, help="in files and databases")
    parser.add_argument("--rounds", type=_positive, help="turns of each row")
    parser.add_argument("--quick", action="store_true", help="fewer runs and rounds")
    parser.add_argument("--strict", action="store_true", help="fail on a missed figure")
    where = Path("benchmarks.json")
    parser.add_argument("--json", type=Path, default=where, help="default: %(default)s")
    kept = "renew the figures of this machine, with which later ones compare"
    parser.add_argument("--save", action="store_true", help=kept)
    room = "keep generated files and databases there, and use those that are there"
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help=room)
    server = "measure on that server, not on one started for it"
    parser.add_argument("--postgres", metavar="URL", help=server)
    return parser.parse_args(arguments)


def _row(text: str) -> str:
    if text not in ROWS:
        raise argparse.ArgumentTypeError(
            f"no row {text!r}; there are {', '.join(ROWS)}"
        )
    return text


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
