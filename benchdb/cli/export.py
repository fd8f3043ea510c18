"""``benchdb export``: write results as an exchange file, or as Parquet."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from sqlalchemy import Connection, Engine

from benchdb.cli import run_filters as only
from benchdb.cli.console import aligned, counted, plain, print_bytes
from benchdb.cli.export_bundle import signing_key, write_bundle
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.exchange import writer
from benchdb.files import new_folder, replacing
from benchdb.store import read
from benchdb.store.database import reading
from benchdb.store.listing import Filter

app = typer.Typer(add_completion=False)

_EXAMPLES = 3  # of texts, for a preview

Output = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        help="File to write; - is standard output. For parquet a new folder.",
    ),
]
Kind = Annotated[
    Literal["jsonl", "parquet"],
    typer.Option(
        "--format",
        help="jsonl, which import reads; parquet, for DuckDB, Spark or pandas.",
    ),
]


@app.command()
def export(
    context: typer.Context,
    output: Output = Path("-"),
    kind: Kind = "jsonl",
    mine: Annotated[
        bool | None,
        typer.Option("--mine", help="Only what was measured or planned here."),
    ] = None,
    workload: only.Workload = None,
    source: only.Source = None,
    label: only.Label = None,
    campaign: only.Campaign = None,
    machine: only.Machine = None,
    chip: only.Chip = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Show each field that would be in it instead."),
    ] = False,
    bundle: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write one file with a manifest, signed with your SSH key, instead.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Sign the bundle with this key, not the usual one."
        ),
    ] = None,
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Do not sign the bundle.")
    ] = False,
    db: Db = None,
) -> None:
    """Write results as an exchange file, as a signed bundle, or as Parquet.

    It holds runs with their samples, machines, environments and sources. The same
    database contents give the same bytes; 'benchdb import' reads them.
    """
    if bundle is None and (key is not None or unsigned):
        raise UsageError("--key and --unsigned are about a bundle; add --bundle FILE")
    if bundle is not None and (output != Path("-") or kind != "jsonl"):
        raise UsageError("--bundle FILE is the whole output; leave out -o and --format")
    signer = None if bundle is None else signing_key(key, unsigned=unsigned)
    engine = opened(db)
    if preview:
        with reading(engine) as connection:
            wanted, _ = only.settled(connection, context.params)
            fields = _fields(_lines(connection, wanted))
        for line in aligned([("field", "times", "values"), *fields], figures=(1,)):
            typer.echo(line)
        return
    if kind == "parquet":
        _parquet(engine, context.params, output)
        return
    with reading(engine) as connection:
        wanted, there = only.settled(connection, context.params)
        lines = _lines(connection, wanted)
        if bundle is not None:
            if there:
                write_bundle(bundle, lines, signer)
        elif output == Path("-"):
            print_bytes(lines)
        else:
            with replacing(output) as stream:
                stream.writelines(lines)


def _parquet(engine: Engine, options: dict[str, Any], folder: Path) -> None:
    if folder == Path("-"):
        raise UsageError("Parquet is a folder of files; name a new one with -o")
    try:
        from benchdb.parquet.dataset import write  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Parquet needs the package {error.name}; "
            f"install it with: {sys.executable} -m pip install pyarrow"
        ) from error
    with reading(engine) as connection:
        wanted, there = only.settled(connection, options)
        if not there:
            return
        with new_folder(folder) as room:
            rows = write(connection, wanted, room)
    told = ", ".join(
        counted(count, table.removesuffix("_details").removesuffix("s"))
        for table, count in rows.items()
    )
    typer.echo(plain(f"benchdb: {folder}: {told}; README.txt explains them"), err=True)


def _lines(connection: Connection, wanted: Filter) -> Iterator[bytes]:
    yield writer.header()
    for source in read.sources(connection, wanted):
        yield writer.source_line(source)
    for claim, source in read.claims(connection, wanted):
        yield writer.claim_line(claim, source)
    yield from writer.record_lines(read.records(connection, wanted))


def _fields(lines: Iterable[bytes]) -> list[tuple[str, str, str]]:
    """Return each field of exchange *lines*: how often it is there, and with what.

    Of numbers the ends are shown, of texts the first few that differ.
    """
    times: Counter[str] = Counter()
    texts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    numbers: dict[str, tuple[float, float]] = {}
    for line in lines:
        message = json.loads(line)
        for place, value in _leaves(message.pop("type"), message):
            times[place] += 1
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = numbers.get(place, (value, value))
                numbers[place] = min(low, value), max(high, value)
            elif len(texts[place]) <= _EXAMPLES:
                texts[place][str(value)] = None
    return [
        (name, f"{n:,}", _shown(texts[name], numbers.get(name)))
        for name, n in times.items()
    ]


def _shown(texts: Iterable[str], ends: tuple[float, float] | None) -> str:
    first, more = list(texts)[:_EXAMPLES], len(list(texts)) > _EXAMPLES
    if ends is not None:
        low, high = (f"{end:.6g}" for end in ends)
        first.append(low if low == high else f"{low} to {high}")
    return ", ".join([*first, *(["…"] if more else [])])


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the texts and numbers in *value*, each with the place where it stands."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from _leaves(f"{place}.{name}", field)
    elif isinstance(value, list):
        for entry in value:
            yield from _leaves(place, entry)
    else:
        yield place, value
