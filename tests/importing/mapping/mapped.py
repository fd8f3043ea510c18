"""Documents read with a map, in memory."""

from benchdb.exchange.messages import Claim, Value
from benchdb.exchange.reader import BadLine, Item, SourceClaim
from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.maps import parse
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.mapping.table_rows import match_tables
from benchdb.importing.provenance import NOTHING, About
from benchdb.importing.sheets import sheets

# Enough for a run; the workload, the machine and figures are a test's own.
BASE = """
[set]
framework = "torch"
device = "cpu"
"""
# Columns of a table that many tests read.
THROUGHPUT = """
[table.columns]
Model = { field = "workload" }
GPU = { field = "machine" }
Speed = { is = "value", metric = "reported_samples_per_second" }
"""

SPEED = BASE + "[[table]]" + THROUGHPUT

# A table of which the columns are a machine and a precision.
PIVOT = f"""
{BASE}
[[table]]
[table.columns]
Model = {{ field = "workload" }}
[table.columns."M1 Max"]
is = "value"
metric = "epoch_seconds"
unit = "s"
set = {{ machine = "m1-max" }}
[table.columns."fp16"]
is = "value"
metric = "epoch_seconds"
unit = "s"
set = {{ precision = "fp16" }}
[machines.m1-max]
chip = {{ vendor = "Apple", name = "M1 Max" }}
"""


def items(
    toml: str, text: str, *, about: About = NOTHING, name: str = "results.md"
) -> list[Item]:
    """Return what a map makes of a text."""
    map_ = parse(toml.encode(), "test").map_
    return list(read(Document(name, text.encode()), map_, about))


def speed(
    *rows: str, toml: str = SPEED, more: str = "", above: str = "", below: str = ""
) -> list[Item]:
    """Return what a map makes of a table of model, GPU and speed, and *more* columns.

    Texts stand *above* and *below* it.
    """
    parts = (above, table(f"Model | GPU | Speed{more}", *rows), below)
    return items(toml, "\n\n".join(filter(None, parts)))


def records(source_claims: list[Item]) -> list[Record]:
    """Return the runs."""
    return [record for record in source_claims if isinstance(record, Record)]


def only(source_claims: list[Item]) -> Record:
    """Return the one run there is, and nothing refused."""
    assert refused(source_claims) == []
    (record,) = records(source_claims)
    return record


def refused(source_claims: list[Item]) -> list[tuple[str, str]]:
    """Return where something was refused, and why."""
    return [
        (record.locator, record.reason)
        for record in source_claims
        if isinstance(record, BadLine)
    ]


def claims(source_claims: list[Item]) -> list[Claim]:
    """Return the claims."""
    return [record.claim for record in source_claims if isinstance(record, SourceClaim)]


def unexplained(document: Document, map_: Map) -> list[int]:
    """Return the lines of the tables of which a map says nothing."""
    lines = [sheet.line for sheet in sheets(document)]
    known = {matched_table.sheet.line for matched_table in match_tables(document, map_)}
    return [line for line in lines if line not in known]


def value(record: Record, metric: str) -> Value:
    """Return a figure of a run."""
    return next(item for item in record.end.values if item.metric == metric)


def table(head: str, *rows: str) -> str:
    """Return a Markdown table; cells stand between bars."""
    rule = "|---" * (head.count("|") + 1) + "|"
    return "\n".join((f"| {head} |", rule, *(f"| {row} |" for row in rows)))


def speeds(source_claims: list[Item]) -> dict[str, float | None]:
    """Return the samples per second by workload."""
    return {
        record.run.workload: value(record, "reported_samples_per_second").value
        for record in records(source_claims)
    }
