"""Files of one table: row groups of bounded size, compressed, the same each time."""

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

GROUP_ROWS = 2**17
GROUP_BYTES = 2**24  # in memory, before anything is compressed
FILE_ROWS = 2**23
_LEVEL = 3  # of zstd


class Table:
    """A table in a folder of its own; its files are numbered throughout."""

    def __init__(
        self, folder: Path, schema: pa.Schema, file_rows: int = FILE_ROWS
    ) -> None:
        """Begin without files; one of *file_rows* is long enough."""
        self.folder = folder
        self.file_rows = file_rows
        self.schema = schema
        self.rows = 0
        self.files = 0


class Part:
    """What of a table goes into one folder; written out when the block ends."""

    def __init__(self, table: Table, place: str = "") -> None:
        """Begin without rows; the folder is made with the first of them."""
        self._table = table
        self.fields: list[pa.Field] = list(table.schema)
        self._folder = table.folder / place
        self._held: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0
        self._file: _File | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._flush()
                self._end_file()
        finally:
            if self._file is not None:
                self._file.abandon()

    def add(self, columns: list[Any]) -> None:
        """Take rows in: an array for each column of the table."""
        some = pa.RecordBatch.from_arrays(columns, schema=self._table.schema)
        self._held.append(some)
        self._rows += some.num_rows
        self._bytes += some.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        group = pa.Table.from_batches(self._held, self._table.schema)
        file = self.begin()
        file.write(group.unify_dictionaries())
        self._table.rows += self._rows
        self._held, self._rows, self._bytes = [], 0, 0
        if file.rows >= self._table.file_rows:
            self._end_file()

    def begin(self) -> "_File":
        """Return the file that rows go into; it may stay without any."""
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            name = f"part-{self._table.files:05}.parquet"
            self._file = _File(self._folder / name, self._table.schema)
            self._table.files += 1
        return self._file

    def _end_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _File:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.rows = 0
        self._stream: IO[bytes] = path.open("xb")
        # Timings hardly repeat, so a dictionary of them would be thrown away.
        coded = [field.name for field in schema if not pa.types.is_floating(field.type)]
        self._writer = ParquetWriter(
            self._stream,
            schema,
            compression="zstd",
            compression_level=_LEVEL,
            use_dictionary=coded,
        )

    def write(self, group: pa.Table) -> None:
        self._writer.write_table(group, row_group_size=max(group.num_rows, 1))
        self.rows += group.num_rows

    def close(self) -> None:
        self._writer.close()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def abandon(self) -> None:
        """Let go of a file that nobody will read."""
        with suppress(OSError):
            self._writer.close()
        with suppress(OSError):
            self._stream.close()
