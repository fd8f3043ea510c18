"""What lies beside the files: what the columns mean, whose the figures are."""

from collections.abc import Iterable, Iterator
from textwrap import fill

from benchdb import __version__
from benchdb.exchange.lines import Source
from benchdb.store.flat_columns import BY_WORKLOAD, WHOLE, Column, Columns

_START = f"""\
Benchmark results, written by benchdb {__version__}: Parquet, zstd, one folder a table.

What belongs to runs lies apart by workload, in folders that Hive would name so:
{", ".join(BY_WORKLOAD)}. Their column workload is the name of the folder, as text;
null where a name cannot be a folder's, which runs.workload_name has.
The other tables: {", ".join(WHOLE)}.

What is not known is null, never 0; the reason is in the column reason, or by name in
a column missing. Columns that end in _bytes, _seconds, … are in that unit; units stand
in brackets here and in the metadata of the files.
"""
_ABOUT = {
    "runs": "One row a run, with its machine, environment and source.",
    "values": "One row a figure.",
    "samples": "One row a raw time, as it was taken.",
    "doubts": "One row for what does not add up; the figures stay as they are.",
    "machines": "One row a machine.",
    "environments": "One row for the software around runs.",
    "sources": "One row a document that others published.",
    "claims": "One row for what a source derives or asserts, and did not measure.",
}
_UNKNOWN = "licence unknown"


def readme(sources: Iterable[Source]) -> str:
    """Return what the tables have, column by column, and the licences of *sources*."""
    told = [_START]
    for name, columns in {**BY_WORKLOAD, **WHOLE}.items():
        told.append(f"{name}\n{'-' * len(name)}\n{_ABOUT[name]}\n\n{_listed(columns)}")
    told.append("\n".join(_licences(sources)))
    return "\n".join(told)


def _listed(columns: Columns) -> str:
    return "".join(f"{_line(column)}\n" for column in columns)


def _line(column: Column) -> str:
    unit = "" if column.unit is None else f" [{column.unit}]"
    text = f"{column.name}{unit}: {column.about}"
    return fill(text, 88, initial_indent="  ", subsequent_indent="      ")


def _licences(sources: Iterable[Source]) -> Iterator[str]:
    yield "Whose figures these are"
    yield "-----------------------"
    yield "What has no source was measured with benchdb, on the machine of its run."
    for one in sources:
        why = one.missing.get("licence")
        licence = one.licence or (f"{_UNKNOWN}: {why}" if why else _UNKNOWN)
        told = (one.slug, one.title, one.url, licence)
        yield "  " + _visible("; ".join(text for text in told if text))
    yield ""


def _visible(text: str) -> str:
    """Return others' *text* on one line; what cannot be seen is a question mark."""
    return "".join(one if one.isprintable() else "?" for one in text)
