"""What the columns mean of the views that anybody may ask in SQL, and in which unit.

The migrations make the views; data frames and Parquet files have the same columns in
the same order. ``SAMPLES`` is no view: samples are packed, and unpacked where asked.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

Kind = Literal["text", "integer", "real", "boolean"]


class Column(msgspec.Struct, frozen=True):
    """A column: its *name*, what it is *about*, and its *unit*, ``None`` without any.

    A unit ``column unit`` is told by the column of that name, row by row. *required*
    tells that it is never missing.
    """

    name: str
    about: str
    kind: Kind = "text"
    unit: str | None = None
    required: bool = False


_OF_THE_COLUMN = "column unit"


def _sure(
    name: str, about: str, kind: Kind = "text", unit: str | None = None
) -> Column:
    return Column(name, about, kind, unit, required=True)


_WORK = (
    _sure("workload", "the workload"),
    _sure("workload_title", "what people call it"),
    Column("system", "chip at work, device and framework, as a report names them"),
    Column("accelerator", "chip that did the work: a discrete GPU, else the chip"),
    _sure("chip", "chip of the machine; beside a discrete GPU its processor"),
    Column("memory_gib", "memory of the machine", "real", "GiB"),
    _sure("device", "cpu, metal, cuda, …"),
    _sure("framework", "framework that ran it"),
    Column("framework_version", "its version"),
    Column("precision", "what really ran: fp32, tf32, bf16, …"),
    Column("compiler", "how the program was compiled"),
    Column("batch_size", "samples of a step", "integer"),
    Column("size", "of a square matrix or image: one edge", "integer"),
    _sure("setting", "way of running the workload"),
    _sure("parameters", "everything that was set, JSON"),
    Column("tier", "how thoroughly it was measured"),
)
_METRIC = (
    _sure("metric", "what was measured"),
    _sure("metric_title", "what people call it"),
)
_UNIT = (
    _sure("unit", "unit of the figure; 1 has none"),
    _sure("direction", "which is better: higher, lower or none"),
)
_TRUST = (
    Column("grade", "A, B, C measured; I published; X not to be used"),
    _sure("label", "measured, imported, aggregate, transcribed or claimed"),
    Column("source", "short name of the document; missing for what was measured"),
    Column("campaign", "campaign that it is part of"),
    Column("started", "when it started, as it was told"),
    _sure("mine", "whether it was measured or planned with this database", "boolean"),
    Column("machine", "identity of the machine, or of the one that it is the same as"),
)

RESULTS = (
    *_WORK,
    *_METRIC,
    _sure("value", "geometric mean over the processes", "real", _OF_THE_COLUMN),
    Column("low", "95 % interval, from; where n >= 2", "real", _OF_THE_COLUMN),
    Column("high", "95 % interval, to; where n >= 2", "real", _OF_THE_COLUMN),
    *_UNIT,
    _sure("n", "processes of the cell in its session", "integer"),
    *_TRUST,
    _sure("run", "identity of the run that stands for them: the first"),
)
FIGURES = (
    _sure("run", "identity of the run"),
    _sure("first", "the run that stands for its cell and session in results"),
    *_WORK,
    *_METRIC,
    Column("value", "the figure; missing if there is none", "real", _OF_THE_COLUMN),
    Column("uncertainty", "what the source has after ±", "real", _OF_THE_COLUMN),
    *_UNIT,
    Column("reason", "why there is no figure"),
    Column("printed", "the figure as the source prints it"),
    Column("locator", "place in the source"),
    Column("derived", "from what the transcriber computed it"),
    _sure("status", "ok, failed, oom, unsupported, interrupted or not-measured"),
    *_TRUST,
)
DOUBTS = (
    _sure("run", "identity of the run"),
    _sure("workload", "the workload"),
    Column("system", "chip at work, device and framework, as a report names them"),
    _sure("code", "what does not add up"),
    Column("metric", "of which figure; missing for the whole run"),
    _sure("detail", "the evidence, JSON"),
    _sure("kind", "flag that came with the run, or finding of a rule of benchdb"),
)
MACHINE_DETAILS = (
    _sure("machine", "identity of the machine, or of the one that it is the same as"),
    Column("anonymous_id", "salted, so that nobody is told"),
    Column("model", "model, as the system names it"),
    _sure("vendor", "who makes the chip"),
    _sure("chip", "chip; of a machine with a discrete GPU its processor"),
    Column("cpu_cores", "cores of the processor", "integer"),
    Column("gpu_cores", "cores of the chip's own GPU", "integer"),
    Column("memory_gib", "memory", "real", "GiB"),
    Column("bandwidth_gb_per_second", "bandwidth of the memory", "real", "GB/s"),
    Column("accelerators", "discrete GPUs"),
    Column("virtual", "whether it is a virtual machine", "boolean"),
    _sure("mine", "whether its runs are mine, or contributed", "boolean"),
    _sure("runs", "runs in the database", "integer"),
    Column("first_started", "when the first of them started, as it was told"),
    Column("last_started", "when the last of them started, as it was told"),
)
SAMPLES = (
    _sure("run", "identity of the run"),
    _sure("phase", "seed, warmup, measure or step"),
    _sure("index", "place in the run, from 0, as taken", "integer"),
    _sure("steps", "steps that it lasted", "integer"),
    _sure("seconds", "time of all its steps", "real", "s"),
)

VIEWS: Mapping[str, tuple[Column, ...]] = {
    "results": RESULTS,
    "figures": FIGURES,
    "doubts": DOUBTS,
    "machine_details": MACHINE_DETAILS,
}
TABLES: Mapping[str, tuple[Column, ...]] = {**VIEWS, "samples": SAMPLES}
