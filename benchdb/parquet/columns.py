"""Columns of flat tables, and the README that says what they mean.

Those of the views are the views'; the others are named after them. Each says its unit.
What is not known is null, never 0. Text that holds JSON keeps its keys sorted.
"""

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any

import msgspec
import pyarrow as pa
from msgspec.structs import replace
from sqlalchemy import BigInteger, Boolean, Double, Integer, case, cast

from benchdb import __version__
from benchdb.exchange.messages import Source
from benchdb.store import tables as t
from benchdb.store import views
from benchdb.store.tables import WITHDRAWN, Json

_TYPES = (
    (BigInteger, pa.int64()),
    (Integer, pa.int32()),
    (Double, pa.float64()),
    (Boolean, pa.bool_()),
)
_KINDS: Mapping[str, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "real": pa.float64(),
    "boolean": pa.bool_(),
}
_CODED = pa.dictionary(pa.int32(), pa.string())
# Texts that are hardly ever said twice.
_SINGLE = {"anonymous_id", "derived", "detail", "locator", "printed"}


class Column(msgspec.Struct, frozen=True):
    """One column; *of* is the column of the database, if it is one.

    *repeats* tells that few texts fill many rows, *required* that it is never null.
    """

    name: str
    about: str
    type: pa.DataType = pa.string()
    unit: str | None = None
    of: Any = None
    required: bool = False
    repeats: bool = False

    @property
    def field(self) -> pa.Field:
        """Return its type; what it means goes along as metadata."""
        values = {"about": self.about} | ({"unit": self.unit} if self.unit else {})
        kind = _CODED if self.repeats else self.type
        return pa.field(self.name, kind, nullable=not self.required, metadata=values)


Columns = tuple[Column, ...]


def _of(of: Any, about: str, name: str | None = None, **more: Any) -> Column:
    description = f"{about}, JSON" if isinstance(of.type, Json) else about
    kinds = (arrow for kind, arrow in _TYPES if isinstance(of.type, kind))
    kind, required = next(kinds, pa.string()), not of.nullable
    return Column(name or of.name, description, kind, of=of, required=required, **more)


def _view(columns: Iterable[views.Column], of: Mapping[str, Any] = {}) -> Columns:
    """Return *columns* of a view; *of* says from which columns of tables they are."""
    return tuple(
        Column(
            column.name,
            column.about,
            _KINDS[column.kind],
            column.unit,
            of.get(column.name),
            column.required,
            column.kind == "text" and column.name not in _SINGLE,
        )
        for column in columns
    )


_c, _m, _e, _s, _r = (
    table.c for table in (t.chip, t.machine, t.environment, t.source, t.run)
)
_kept = t.samples.c.count

MACHINE: Columns = (
    _of(_m.digest, "identity of the machine alone", "machine_digest"),
    _of(_m.model, "model, as the system names it", "model"),
    _of(_m.label, "as its source describes it", "machine_label"),
    _of(_m.anonymous_id, "random: it tells nobody"),
    _of(_m.virtual, "whether it is a virtual machine"),
    _of(_m.missing, "why a fact is missing, by name", "machine_missing"),
    _of(_c.digest, "identity of the chip class", "chip_digest"),
    _of(_c.vendor, "who makes the chip"),
    _of(_c.cpu_cores, "cores of the processor"),
    _of(_c.gpu_cores, "cores of the chip's own GPU"),
    _of(_c.ram_bytes, "memory", unit="B"),
    _of(
        _c.memory_bandwidth_bytes_per_second,
        "bandwidth of the memory",
        unit="B/s",
    ),
    _of(_c.cpu_levels, "tiers of cores"),
    _of(_c.accelerators, "discrete GPUs"),
)

ENVIRONMENT: Columns = (
    _of(_e.digest, "identity of the software environment", "environment"),
    _of(_e.os_name, "operating system"),
    _of(_e.os_version, "its version"),
    _of(_e.os_build, "its build"),
    _of(_e.kernel, "kernel"),
    _of(_e.architecture, "architecture that Python was built for"),
    _of(_e.rosetta, "whether Rosetta translated"),
    _of(_e.python, "version of Python"),
    _of(_e.framework, "framework of the environment", "environment_framework"),
    _of(_e.framework_version, "its version"),
    _of(_e.packages, "versions of packages"),
    _of(_e.devices, "devices with driver and limits"),
    _of(_e.math, "math modes"),
    _of(_e.variables, "environment variables that matter"),
    _of(_e.missing, "why a fact is missing, by name", "environment_missing"),
)

# What every run tells of the document that it was read from.
ORIGIN: Columns = (
    _of(_s.slug, "short name of the document", "source"),
    _of(_s.digest, "its identity", "source_digest"),
    _of(_s.title, "its title", "source_title"),
    _of(_s.authors, "its authors", "source_authors"),
    _of(_s.url, "where it is", "source_url"),
    _of(_s.licence, "its licence", "source_licence"),
    _of(_s.published, "when it was published", "source_published"),
)

SOURCE: Columns = (
    *ORIGIN,
    _of(_s.retrieved, "when it was retrieved", "source_retrieved"),
    _of(_s.language, "its language", "source_language"),
    _of(_s.document, "name of the file", "source_document"),
    _of(_s.document_sha256, "SHA-256 of the file", "source_sha256"),
    _of(_s.importer, "what read it", "importer"),
    _of(_s.importer_version, "version of what read it"),
    _of(_s.reading, "digest of what was read of it"),
    _of(_s.supersedes, "SHA-256 of its earlier versions"),
    _of(_s.protocol, "how it measured"),
    _of(_s.missing, "why a fact is missing, by name", "source_missing"),
)

# Of each run and sample, so that most questions need no join: as figures have it.
_BESIDE = (
    *("run", "workload_title", "system", "accelerator", "chip", "memory_gib"),
    *("device", "framework", "framework_version", "precision", "compiler"),
    *("batch_size", "size", "setting", "parameters", "tier"),
    *("status", "grade", "trust", "label", "source", "campaign", "started", "mine"),
    "machine",
)
_FROM = {
    "run": _r.digest,
    "workload_title": t.workload.c.title,
    "system": t.result.c.system,
    "accelerator": t.result.c.accelerator,
    "chip": _c.name,
    "memory_gib": (cast(_c.ram_bytes, Double) / 2.0**30).label("memory_gib"),
    "framework_version": _e.framework_version,
    "size": t.result.c.size,
    "status": case((t.result.c.withdrawn, WITHDRAWN), else_=_r.status).label("status"),
    "grade": t.result.c.grade,
    "trust": t.result.c.trust,
    "source": _s.slug,
    "machine": t.result.c.machine,
}
_FIGURES = {column.name: column for column in views.COLUMNS["figures"]}
CONTEXT = _view(
    (_FIGURES[name] for name in _BESIDE),
    {name: _FROM.get(name, _r.get(name)) for name in _BESIDE},
)

RUN: Columns = (
    _of(_r.workload, "the workload; the folder has it too", "workload_name"),
    _of(_r.workload_version, "its version"),
    _of(_r.device_name, "device, as the framework or source names it"),
    _of(_r.seed, "seed of the random numbers"),
    _of(_r.replicate, "number of the process in its cell, from 0"),
    _of(_r.replicates, "processes that were planned"),
    _of(_r.collector, "program that measured"),
    _of(_r.collector_version, "its version"),
    _of(_r.collector_sha256, "SHA-256 of its source"),
    _of(_r.ended, "when it ended, as it was told"),
    _of(_r.reason, "why the status is not ok"),
    _of(_r.locator, "place in the source"),
    _of(_r.reproduces, "the run that it was started to reproduce"),
    _of(_r.conditions_before, "load, power, temperature … before"),
    _of(_r.conditions_after, "the same afterwards"),
    _of(_r.checks, "gates and evidence"),
    _of(_r.basis, "from what a fact was inferred, by name"),
    _of(_r.missing, "why a fact is missing, by name"),
    Column("sample_count", "samples kept; null if none", pa.int32(), of=_kept),
)

SAMPLE: Columns = tuple(
    replace(column, type=pa.int32()) if column.type == pa.int64() else column
    for column in _view(views.SAMPLES[1:])
)

CLAIM: Columns = (
    _of(t.claim.c.digest, "identity of the claim", "claim"),
    ORIGIN[0],
    ORIGIN[1],
    _of(t.claim.c.kind, "derived or claimed"),
    _of(t.claim.c.statement, "what is said"),
    _of(t.claim.c.printed, "the figure as printed"),
    _of(t.claim.c.locator, "place in the source"),
    _of(t.claim.c.value, "the figure", unit="column unit"),
    _of(t.claim.c.unit, "its unit"),
    _of(t.claim.c.about, "what it is about"),
    _of(t.claim.c.recomputed, "the figure, recomputed by us", unit="column unit"),
    _of(t.claim.c.flags, "doubts about it"),
)


def _if_any(columns: Columns) -> Columns:
    """Return *columns* of a document, which not every run has."""
    return tuple(replace(column, required=False) for column in columns)


# The folder has the workload.
_RUNS = (*(replace(column, repeats=False) for column in CONTEXT), *RUN, *MACHINE)
_RUNS += (*ENVIRONMENT, *_if_any(ORIGIN))


def _parted(view: str) -> Columns:
    return _view(column for column in views.COLUMNS[view] if column.name != "workload")


# Apart by workload: the folder has its name, the files do not repeat it.  Runs and
# samples begin with what CONTEXT has.
BY_WORKLOAD: Mapping[str, Columns] = {
    "results": _parted("results"),
    "figures": _parted("figures"),
    "doubts": _parted("doubts"),
    "runs": tuple({column.name: column for column in _RUNS}.values()),
    "samples": (*CONTEXT, *SAMPLE),
}
WHOLE: Mapping[str, Columns] = {
    "machine_details": _view(views.COLUMNS["machine_details"]),
    "environments": ENVIRONMENT,
    "sources": SOURCE,
    "claims": CLAIM,
}


_START = f"""\
Benchmark results, written by benchdb {__version__}: Parquet, zstd, one folder a table.

What belongs to runs lies apart by workload, in folders that Hive would name so:
{", ".join(BY_WORKLOAD)}. Their column workload is the name of the
folder, as text; null where a name cannot be a folder's, which runs.workload_name has.
The other tables: {", ".join(WHOLE)}.
The views of the database have the names and columns of the tables
{", ".join(views.COLUMNS)}.

What is not known is null, never 0; the reason is in the column reason, or by name in
a column missing. Columns that end in _bytes, _seconds, … are in that unit; units stand
in brackets here and in the metadata of the files.
"""
_ABOUT = {
    "results": "One row a cell and session: the figure of its processes.",
    "figures": "One row a figure of a run.",
    "doubts": "One row for what does not add up; the figures stay as they are.",
    "runs": "One row a run, with its machine, environment and source.",
    "samples": "One row a raw time, as it was taken.",
    "machine_details": "One row a machine, with all its runs in the database.",
    "environments": "One row for the software around runs.",
    "sources": "One row a document that others published.",
    "claims": "One row for what a source derives or asserts, and did not measure.",
}
_UNKNOWN = "licence unknown"


def schema(table: str, columns: Columns) -> pa.Schema:
    """Return the types of *columns*, with the name of their table."""
    about = {"benchdb.table": table, "benchdb.version": __version__}
    return pa.schema([column.field for column in columns], metadata=about)


def readme(sources: Iterable[Source]) -> str:
    """Return what the tables have, column by column, and the licences of *sources*."""
    lines = [_START]
    for name, columns in {**BY_WORKLOAD, **WHOLE}.items():
        lines += [name, "-" * len(name), _ABOUT[name], ""]
        for column in columns:
            unit = "" if column.unit is None else f" [{column.unit}]"
            text = f"{column.name}{unit}: {column.about}"
            lines.append(
                fill(text, 88, initial_indent="  ", subsequent_indent="      ")
            )
        lines.append("")
    lines += [
        "Whose figures these are",
        "-----------------------",
        "What has no source was measured with benchdb, on the machine of its run.",
    ]
    for source in sources:
        why = source.missing.get("licence")
        licence = source.licence or (f"{_UNKNOWN}: {why}" if why else _UNKNOWN)
        texts = filter(None, (source.slug, source.title, source.url, licence))
        # On one line; of others' text, what cannot be seen is a question mark.
        shown = (sign if sign.isprintable() else "?" for sign in "; ".join(texts))
        lines.append("  " + "".join(shown))
    return "\n".join([*lines, ""])
