"""One result of a tool's file: what a format says of it, and the record it becomes.

A format fills in a ``Result``; what it leaves out is what such files usually lack.
"""

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.language_models import Named
from benchdb.exchange.messages import (
    Claim,
    Device,
    Environment,
    Label,
    Machine,
    Scalar,
    Source,
    Status,
    Value,
)
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import BadLine, Item, SourceClaim
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building, naming
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools.fields import (
    Facts,
    amount,
    characters,
    count,
    line,
)

ABSENT = "not in the file"
# Lengths of time that cannot be nothing: a printed 0 is what its digits leave of them.
_NEVER_ZERO = frozenset({"operation_seconds", "command_wall_seconds", "load_seconds"})
_VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "HygonGenuine": "Hygon"}


class Origin(msgspec.Struct, frozen=True):
    """The document that results are read from. *tool* begins names of workloads.

    *label* is what the importing person says of the distance from the measurement.
    """

    tool: str
    source: Source
    label: Label | None


class Result(msgspec.Struct, kw_only=True):
    """What a format says of one result; the fields are those of ``Run`` and ``End``.

    The workload is made of the *name* that somebody gave a benchmark, which is written
    on one line and cut if it is long (the whole is then a parameter), or is *work* of
    the catalogue with what makes its cell, in the tool's own setting. *times* are
    seconds in the order measured, one step each. The *device* comes with how it is
    known, or why not. *started* is a date or moment as printed. *environment* has the
    fields of an ``Environment``. Without a *label* times make it ``imported``.
    """

    name: str = ""
    work: Named | None = None
    locator: str
    values: Sequence[Value]
    times: tuple[float, ...] = ()
    framework: str = "unknown"
    device: tuple[Device, str] = ("unknown", ABSENT)
    device_name: str | None = None
    parameters: dict[str, Any] = {}
    conditions: dict[str, Scalar] = {}
    started: str | None = None
    label: Label | None = None
    machine: Machine | None = None
    environment: dict[str, Any] = {}
    status: Status = "ok"
    reason: str | None = None
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}

    def record(self, origin: Origin) -> Record:
        """Return the record; raise ``RefusedError`` if an exchange file could not."""
        basis, missing = dict[str, str](), dict[str, str]()
        workload, named = self.work or _named(origin.tool, self.name, basis)
        device, why = self.device
        (missing if device == "unknown" else basis)["device"] = why
        if self.started is None:
            missing["started"] = ABSENT
        run = building.run(
            workload=workload,
            label=origin.label
            or self.label
            or ("imported" if self.times else "aggregate"),
            setting=origin.tool if self.work else "standard",
            framework=self.framework,
            device=device,
            device_name=self.device_name,
            locator=self.locator,
            parameters=self.parameters | named,
            conditions=self.conditions,
            started=self.started and building.date(self.started),
            basis=basis | self.basis,
            missing=missing | self.missing,
        )
        return building.record(
            run=run,
            machine=self.machine or building.unknown_machine(),
            environment=Environment(key="-", **self.environment),
            source=origin.source,
            values=self.values,
            series=[Series("measure", 1, self.times)] if self.times else [],
            status=self.status,
            reason=self.reason,
        )


def _named(tool: str, printed: str, basis: dict[str, str]) -> Named:
    """Return a workload, with the parameter that its name needs; *basis* says why."""
    whole = line(printed)
    workload = f"{tool}/{whole}"
    if len(workload) > building.NAME_LIMIT:
        basis["workload"] = "cut short"
        return f"{workload[: building.NAME_LIMIT - 1]}…", {"whole_name": whole}
    if whole != printed.strip():
        basis["workload"] = "line breaks and home folders left out"
    return workload, {}


def origin(
    document: Document,
    about: About,
    importer: str,
    *,
    tool: str | None = None,
    protocol: dict[str, Any] | None = None,
) -> Origin:
    """Return *document* as what *importer* reads results of *tool* from."""
    source = building.source(document, about, importer, protocol=protocol)
    return Origin(tool or importer, source, about.label)


def attempt(
    origin: Origin,
    make: Callable[[], Result],
    raw: object,
    at: str,
    *,
    line: int | None = None,
) -> Record | BadLine:
    """Return the record of what *make* returns, or why it cannot be taken.

    *raw* is what stands at *at*, or on a *line* of text, kept to look at.
    """
    return building.attempt(
        lambda: make().record(origin), line=line, locator=at, raw=raw
    )


def claim(origin: Origin, statement: str, raw: object, at: str, **facts: Any) -> Item:
    """Return the figure *raw* that the tool derived, or why it cannot be kept."""

    def derived() -> SourceClaim:
        result = Claim(
            source=origin.source.key,
            kind="derived",
            statement=line(statement),
            printed=characters(raw),
            locator=at,
            value=amount(raw, at),
            **facts,
        )
        return SourceClaim(building.acceptable(result), origin.source)

    return building.attempt(derived, locator=at, raw=raw)


def value(
    metric: str, raw: object, locator: str, *, per: float = 1.0, **how: Any
) -> Value:
    """Return the figure that stands at *locator*, divided by *per*."""
    return _figure(metric, amount(raw, locator) / per, characters(raw), locator, **how)


def _figure(
    metric: str, figure: float, printed: str | None, locator: str, **how: Any
) -> Value:
    """Return the figure, or that it is shorter than its digits show."""
    if figure == 0 and metric in _NEVER_ZERO:
        why = f"printed as {printed or 0}: shorter than its digits show"
        return Value(metric=metric, reason=why, printed=printed, locator=locator)
    return Value(metric=metric, value=figure, printed=printed, locator=locator, **how)


def typical(
    metric: str, samples: Sequence[float], stats: Facts, at: str, name: str, of: str
) -> Value:
    """Return the median of *samples*, which stand under *name*; each is *of* what.

    Where there are none: the median or else the mean of *stats*, with the deviation.
    """
    if samples:
        return median(metric, samples, f"{at}/{name}", of=of)
    printed = "median" if stats.get("median") is not None else "mean"
    if stats.get(printed) is None:
        raise RefusedError(f"neither {name} nor a median or mean")
    spread = stats.get("stddev")
    uncertainty = None if spread is None else amount(spread, "stddev")
    return value(metric, stats[printed], f"{at}/{printed}", uncertainty=uncertainty)


def median(metric: str, samples: Sequence[float], locator: str, *, of: str) -> Value:
    """Return the median of *samples*; *of* is what one of them is."""
    derived = f"median of {len(samples)} {of}{'' if len(samples) == 1 else 's'}"
    half = statistics.median(samples)
    return _figure(metric, half, None, locator, derived=derived)


def machine(
    processor: str | None = None,
    *,
    vendor: str | None = None,
    threads: object = None,
    ram_bytes: object = None,
    cards: Iterable[str] = (),
    label: str | None = None,
) -> Machine:
    """Return the machine that a file tells of; only Apple's cores are its *threads*.

    Those are what it counts as processors, *vendor* is what the processor says itself
    (``GenuineIntel``), *cards* are names of GPUs.
    """
    known = naming.processor(line(processor or ""))
    chip = known.chip_class() if known else naming.UNKNOWN
    maker, missing = chip.vendor, dict[str, str]()
    if maker == "unknown":
        maker = _VENDORS.get(vendor or "", maker)
    if chip.name == "unknown":
        missing["chip"] = ABSENT
    counted, ram = count(threads), count(ram_bytes)
    cores = counted if maker == "Apple" else None
    if counted != cores:
        missing["cpu_cores"] = f"the file counts {counted} logical processors"
    if ram is None:
        missing["ram_bytes"] = ABSENT
    chip = replace(
        chip,
        vendor=maker,
        cpu_cores=cores or chip.cpu_cores,
        ram_bytes=ram,
        accelerators=naming.accelerators(map(line, cards)),
    )
    return building.unknown_machine(chip=chip, label=label, missing=missing)
