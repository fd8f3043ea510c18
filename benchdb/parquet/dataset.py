"""A data set: each table in its folder, what belongs to runs apart by workload."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from unicodedata import normalize

from pyarrow.parquet import ParquetFile
from sqlalchemy import Connection

from benchdb.errors import UsageError
from benchdb.parquet import flat_rows
from benchdb.parquet.arrays import batch, pieces, together, unpacked
from benchdb.parquet.columns import BY_WORKLOAD, CONTEXT, WHOLE, readme, schema
from benchdb.parquet.parts import Part, Table
from benchdb.store.listing import Filter
from benchdb.store.read import sources

KEY = "workload"
NAMELESS = "__HIVE_DEFAULT_PARTITION__"  # read as null
_UNSAFE = "\"#%'*/:=?[\\]^{}\x7f" + "".join(map(chr, range(32)))
_LONGEST = 200  # bytes; a file name may have 255


def workload_folders(workloads: Iterable[str]) -> dict[str, str]:
    """Return a folder for each of *workloads*.

    Where names differ by their capitals alone, these are escaped: not every file system
    tells them apart. A name that cannot be a folder's is in ``runs`` only.
    """
    names = list(workloads)
    # What a file system may take a name for.
    folded = {name: normalize("NFC", name).casefold() for name in names}
    alike = Counter(folded.values())
    return {
        name: f"{KEY}={_escaped(name, shared=alike[folded[name]] > 1)}"
        for name in names
    }


def _escaped(name: str, *, shared: bool) -> str:
    if shared and not name.isascii():  # Spark reads an escape as one letter
        return NAMELESS
    unsafe = _UNSAFE + (ascii_uppercase if shared else "")
    text = "".join(f"%{ord(item):02X}" if item in unsafe else item for item in name)
    return text if 0 < len(text.encode()) <= _LONGEST else NAMELESS


_AT_ONCE = 2**20  # samples of the runs that are read together, and of one more run
_WIDTH = len(CONTEXT)
_COUNT = [column.name for column in BY_WORKLOAD["runs"]].index("sample_count")

Parts = dict[str, Part]


def write(connection: Connection, wanted: Filter, folder: Path) -> dict[str, int]:
    """Write what is *wanted* into *folder*; return how many rows each table has.

    The same contents give the same bytes. Raise ``UsageError`` if no run is wanted.
    """
    folders = workload_folders(flat_rows.workloads(connection, wanted))
    if not folders:
        raise UsageError("no run is as asked, so there is nothing to write")
    columns = {**BY_WORKLOAD, **WHOLE}
    tables = {
        name: Table(folder / name, schema(name, columns[name])) for name in columns
    }
    for workload, place in folders.items():
        with ExitStack() as stack:
            parts = {
                name: stack.enter_context(Part(tables[name], place))
                for name in BY_WORKLOAD
            }
            own = replace(wanted, workload=workload)
            for digests in flat_rows.pages(connection, own):
                _page(connection, digests, parts)
    for name in WHOLE:
        with Part(tables[name]) as part:
            for rows in flat_rows.whole(connection, name, wanted):
                part.add(batch(list(tables[name].schema), rows))
    first = next(iter(folders.values()))
    # Who asks a table that is empty should be told so, not that there is no file.
    for name, table in tables.items():
        if not table.files:
            with Part(table, first if name in BY_WORKLOAD else "") as part:
                part.begin()
    text = readme(sources(connection, wanted))
    (folder / "README.txt").write_text(text, encoding="utf-8")
    return {name: table.rows for name, table in tables.items()}


def cells(folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the cells of the tables in *folder* that hold something, with their place.

    A place is table and column, ``runs.started``.
    """
    for path in sorted(folder.rglob("*.parquet")):
        table = path.relative_to(folder).parts[0]
        for rows in ParquetFile(path).iter_batches():
            for name, column in zip(rows.schema.names, rows.columns, strict=True):
                for value in column.drop_null().to_pylist():
                    yield f"{table}.{name}", value


def _page(connection: Connection, digests: Sequence[str], parts: Parts) -> None:
    rows = flat_rows.runs(connection, digests)
    parts["runs"].add(batch(parts["runs"].fields, rows))
    beside = parts["samples"].fields[:_WIDTH]
    context = batch(beside, [row[:_WIDTH] for row in rows])
    at = {digest: place for place, digest in enumerate(digests)}
    for name in ("results", "figures", "doubts"):
        if groups := flat_rows.of_view(connection, name, at):
            parts[name].add(batch(parts[name].fields, groups))
    counts = {
        digest: row[_COUNT]
        for row, digest in zip(rows, digests, strict=True)
        if row[_COUNT]
    }
    for some in together(counts, counts.__getitem__, _AT_ONCE):
        opened = flat_rows.packed(connection, some)
        here = (piece for name in some for piece in pieces(at[name], *opened[name]))
        for lot in together(here, len):
            parts["samples"].add(unpacked(context, lot))
