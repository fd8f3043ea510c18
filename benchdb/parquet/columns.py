"""Columns of flat tables, and the README that says what they mean.

Each says its unit and where it is from. What is not known is null, never 0. Text that
holds JSON keeps its keys sorted.
"""

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any

import msgspec
import pyarrow as pa
from msgspec.structs import replace
from sqlalchemy import BigInteger, Boolean, Double, Integer

from benchdb import __version__
from benchdb.exchange.messages import Source
from benchdb.store import tables as t
from benchdb.store.tables import Json

_TYPES = (
    (BigInteger, pa.int64()),
    (Integer, pa.int32()),
    (Double, pa.float64()),
    (Boolean, pa.bool_()),
)
_CODED = pa.dictionary(pa.int32(), pa.string())


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
        told = {"about": self.about} | ({"unit": self.unit} if self.unit else {})
        kind = _CODED if self.repeats else self.type
        return pa.field(self.name, kind, nullable=not self.required, metadata=told)


Columns = tuple[Column, ...]


def _of(of: Any, about: str, name: str | None = None, **more: Any) -> Column:
    description = f"{about}, JSON" if isinstance(of.type, Json) else about
    kinds = (arrow for kind, arrow in _TYPES if isinstance(of.type, kind))
    kind, required = next(kinds, pa.string()), not of.nullable
    return Column(name or of.name, description, kind, of=of, required=required, **more)


_c, _m, _e, _s, _r = (
    one.c for one in (t.chip, t.machine, t.environment, t.source, t.run)
)
_kept = t.samples.c.count

MACHINE: Columns = (
    _of(_m.digest, "identity of the machine", "machine"),
    _of(_m.model, "model, as the system names it", "machine_model"),
    _of(_m.label, "as its source describes it", "machine_label"),
    _of(_m.anonymous_id, "salted, so that nobody is told", "machine_id"),
    _of(_m.virtual, "whether it is a virtual machine", "machine_virtual"),
    _of(_m.missing, "why a fact is missing, by name", "machine_missing"),
    _of(_c.digest, "identity of the chip class", "chip_digest"),
    _of(_c.vendor, "who makes the chip", "chip_vendor"),
    _of(_c.name, "chip; of a machine with a discrete GPU its CPU", "chip"),
    _of(_c.cpu_cores, "cores of the CPU"),
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
    _of(_s.digest, "identity of the document; null for what we measured", "source"),
    _of(_s.slug, "short name of the document", "source_slug"),
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

# Of each figure and sample too, so that most questions need no join.
CONTEXT: Columns = (
    _of(_r.digest, "identity of the run", "run"),
    _of(_r.setting, "way of running the workload"),
    _of(_r.framework, "framework that ran it"),
    _of(_r.device, "cpu, metal, cuda, …"),
    _of(_r.device_name, "device, as the framework or source names it"),
    next(column for column in MACHINE if column.name == "chip"),
    _of(_r.precision, "what really ran: fp32, tf32, bf16, …"),
    _of(_r.compiler, "how the program was compiled"),
    _of(_r.batch_size, "samples of a step"),
    _of(_r.parameters, "everything that was set"),
    _of(_r.label, "measured, imported, aggregate, transcribed or claimed"),
    _of(_r.status, "ok, failed, oom, unsupported, interrupted or not-measured"),
    ORIGIN[1],
)

RUN: Columns = (
    _of(_r.workload, "the workload; the folder has it too", "workload_name"),
    _of(_r.workload_version, "its version"),
    _of(_r.seed, "seed of the random numbers"),
    _of(_r.tier, "how thoroughly it was measured"),
    _of(_r.campaign, "campaign that it is part of"),
    _of(_r.replicate, "number of the process in its cell, from 0"),
    _of(_r.replicates, "processes that were planned"),
    _of(_r.collector, "program that measured"),
    _of(_r.collector_version, "its version"),
    _of(_r.collector_sha256, "SHA-256 of its source"),
    _of(_r.started, "when it started, as it was told"),
    _of(_r.ended, "when it ended, as it was told"),
    _of(_r.reason, "why the status is not ok"),
    _of(_r.locator, "place in the source"),
    _of(_r.conditions_before, "load, power, temperature … before"),
    _of(_r.conditions_after, "the same afterwards"),
    _of(_r.checks, "gates and evidence"),
    _of(_r.basis, "from what a fact was inferred, by name"),
    _of(_r.missing, "why a fact is missing, by name"),
    Column("sample_count", "samples kept; null if none", pa.int32(), of=_kept),
)

VALUE: Columns = (
    _of(t.value.c.metric, "what was measured", repeats=True),
    _of(t.value.c.value, "the figure; null if there is none", unit="column unit"),
    _of(t.metric.c.unit, "unit of the figure; 1 has none", repeats=True),
    _of(t.metric.c.direction, "which is better: higher, lower or none", repeats=True),
    _of(t.value.c.uncertainty, "what the source has after ±", unit="column unit"),
    _of(t.value.c.reason, "why there is no figure", repeats=True),
    _of(t.value.c.printed, "the figure as the source prints it"),
    _of(t.value.c.locator, "place in the source"),
    _of(t.value.c.derived, "from what the transcriber computed it"),
)

SAMPLE: Columns = (
    Column("index", "place in the run, from 0, as taken", pa.int32(), required=True),
    Column("phase", "seed, warmup, measure or step", required=True, repeats=True),
    Column("steps", "steps that it lasted", pa.int32(), required=True),
    Column("seconds", "time of all its steps", pa.float64(), "s", required=True),
)

DOUBT: Columns = (
    _of(t.flag.c.code, "what does not add up", repeats=True),
    _of(t.flag.c.metric, "of which figure; null for the whole run", repeats=True),
    _of(t.flag.c.detail, "the evidence"),
    Column("found_by", "transcriber, or rule of benchdb", required=True, repeats=True),
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


_TOLD = (*CONTEXT[:-1], *_if_any(CONTEXT[-1:]))
_BESIDE = tuple(replace(one, repeats=one.type == pa.string()) for one in _TOLD)
_RUNS = (*_TOLD, *RUN, *MACHINE, *ENVIRONMENT, *_if_any(ORIGIN))

# Apart by workload: the folder has its name, the files do not repeat it.  Each begins
# with what CONTEXT has.
BY_WORKLOAD: Mapping[str, Columns] = {
    "runs": tuple({column.name: column for column in _RUNS}.values()),
    "values": (*_BESIDE, *VALUE),
    "samples": (*_BESIDE, *SAMPLE),
    "doubts": (*_BESIDE, *DOUBT),
}
WHOLE: Mapping[str, Columns] = {
    "machines": MACHINE,
    "environments": ENVIRONMENT,
    "sources": SOURCE,
    "claims": CLAIM,
}


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
