"""Read an exchange file line by line: complete records out, bad lines named.

Nothing is bent to fit: a line that cannot be understood is reported with its number,
and a run that such a line may belong to is withheld, because it may be incomplete.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, TypeVar

import msgspec
import rfc8785

from benchdb.catalogue import metrics
from benchdb.errors import ExchangeError
from benchdb.exchange.lines import (
    FORMAT_VERSION,
    Claim,
    End,
    Environment,
    Header,
    Line,
    Machine,
    Run,
    Samples,
    Source,
)
from benchdb.exchange.packing import joined
from benchdb.exchange.record import Record, claim_digest, source_digest

LINE_LIMIT = 64 * 2**20  # bytes; the longest honest line is one series of samples

_T = TypeVar("_T")
_decoder = msgspec.json.Decoder(Line)


@dataclass(frozen=True)
class BadLine:
    """A line that was not taken, and why."""

    number: int
    reason: str


@dataclass(frozen=True)
class SourceClaim:
    """A claim together with the source that makes it."""

    claim: Claim
    source: Source


@dataclass(frozen=True)
class LoneSource:
    """A source line: stored even when no run refers to it (a protocol, a claim)."""

    source: Source


Item = Record | SourceClaim | LoneSource | BadLine


@dataclass
class _OpenRun:
    run: Run
    number: int
    machine: Machine
    environment: Environment
    source: Source | None
    samples: list[Samples] = field(default_factory=list)

    def record(self, end: End) -> Record:
        series = joined(self.samples)
        return Record(
            self.run, self.machine, self.environment, self.source, series, end
        )


def read(stream: IO[bytes]) -> Iterator[Item]:
    """Yield the records, sources, claims and bad lines of an exchange file.

    Raise ``ExchangeError`` when the first line is no header of a format version that
    this benchdb knows. A file cut off in the middle of a line (a collector that was
    killed) ends there: its open run is interrupted, not bad.
    """
    reader = _Reader()
    for number, raw in enumerate(_lines(stream), start=1):
        if number == 1:
            _require_header(raw)
        if raw.strip():
            yield from reader.take(number, raw)
    if not reader.started:
        raise ExchangeError("the file is empty")
    yield from reader.finish()


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while raw := stream.readline(LINE_LIMIT + 1):
        if len(raw) > LINE_LIMIT:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_LIMIT)
            yield b"(longer than 64 MiB)\n"
        else:
            yield raw


def _require_header(raw: bytes) -> None:
    try:
        header = msgspec.json.decode(raw)
        version = header["format"] if header["type"] == "header" else None
    except (
        msgspec.DecodeError,
        TypeError,
        KeyError,
        UnicodeDecodeError,
        RecursionError,
    ):
        version = None
    if not isinstance(version, int):
        raise ExchangeError(
            "not a benchdb exchange file: its first line is no header; "
            "collectors and 'benchdb export' write such files"
        )
    if version > FORMAT_VERSION:
        raise ExchangeError(
            f"written in format {version}, this benchdb reads up to "
            f"{FORMAT_VERSION}; upgrade benchdb"
        )


class _Reader:
    """What the lines so far have defined: keys, and runs still open."""

    def __init__(self) -> None:
        self.started = False
        self._reset()

    def _reset(self) -> None:
        self.machines: dict[str, Machine] = {}
        self.environments: dict[str, Environment] = {}
        self.sources: dict[str, Source] = {}
        self.open: dict[str, _OpenRun] = {}

    def take(self, number: int, raw: bytes) -> Iterator[Item]:
        self.started = True
        try:
            items = list(self._place(_decoder.decode(raw), number))
            for item in items:
                _identify(item, raw)
        except _UNDERSTANDABLE as why:
            if isinstance(why, _RefusedError) or raw.endswith(b"\n"):
                yield BadLine(number, _reason(why))
                yield from self._withhold()
        else:
            yield from items

    def finish(self) -> Iterator[Item]:
        """End the runs that never got their end line."""
        for pending in self.open.values():
            end = End(
                run=pending.run.key,
                status="interrupted",
                reason="the file ends before the run does",
            )
            record = pending.record(end)
            try:
                _identify(record, b"")
            except _UNDERSTANDABLE as why:
                yield BadLine(pending.number, _reason(why))
            else:
                yield record
        self.open = {}

    def _withhold(self) -> Iterator[BadLine]:
        for pending in self.open.values():
            yield BadLine(
                pending.number,
                f"run {pending.run.key!r} withheld: a line inside it was not taken",
            )
        self.open = {}

    def _place(self, line: Line, number: int) -> Iterator[Item]:
        match line:
            case Header():
                yield from self.finish()  # files may be concatenated
                self._reset()
            case Machine():
                self.machines[line.key] = line
            case Environment():
                self.environments[line.key] = line
            case Source():
                self.sources[line.key] = line
                yield LoneSource(line)
            case Run():
                self.open[line.key] = self._opened(line, number)
            case Samples():
                self._known(self.open, line.run, "run").samples.append(_finite(line))
            case End():
                pending = self._known(self.open, line.run, "run")
                del self.open[line.run]
                yield pending.record(_checked(line))
            case Claim():
                yield SourceClaim(
                    line, self._known(self.sources, line.source, "source")
                )

    def _opened(self, run: Run, number: int) -> _OpenRun:
        if run.key in self.open:
            raise _RefusedError(f"run {run.key!r} starts twice")
        return _OpenRun(
            run,
            number,
            self._known(self.machines, run.machine, "machine"),
            self._known(self.environments, run.environment, "environment"),
            None
            if run.source is None
            else self._known(self.sources, run.source, "source"),
        )

    @staticmethod
    def _known(table: dict[str, _T], key: str, kind: str) -> _T:
        if key not in table:
            raise _RefusedError(f"no {kind} {key!r} before this line")
        return table[key]


class _RefusedError(Exception):
    """The line is well-formed, but cannot be taken."""


_UNDERSTANDABLE = (
    msgspec.DecodeError,
    UnicodeDecodeError,
    RecursionError,
    _RefusedError,
    rfc8785.CanonicalizationError,
)


def _identify(item: Item, raw: bytes) -> None:
    """Fail here, where the line is known, if *item* has no canonical form."""
    if b"\\u0000" in raw:
        raise _RefusedError("a string contains NUL, which PostgreSQL cannot keep")
    match item:
        case Record():
            _ = item.digest
        case SourceClaim():
            claim_digest(item.claim, source_digest(item.source))
        case LoneSource():
            source_digest(item.source)


def _finite(line: Samples) -> Samples:
    if not all(math.isfinite(value) for value in line.values):
        raise _RefusedError("a sample is not a finite number")
    return line


def _checked(end: End) -> End:
    """Refuse figures without a catalogue entry, doubled, or missing without reason."""
    seen: set[str] = set()
    for value in end.values:
        if value.metric not in metrics():
            raise _RefusedError(
                f"unknown metric {value.metric!r}; a newer benchdb may know it"
            )
        if value.metric in seen:
            raise _RefusedError(f"metric {value.metric!r} appears twice")
        if value.value is None and not value.reason:
            raise _RefusedError(f"{value.metric!r} is null without a reason")
        seen.add(value.metric)
    ordered = sorted(end.values, key=lambda value: value.metric)
    return msgspec.structs.replace(end, values=tuple(ordered))


def _reason(why: Exception) -> str:
    if isinstance(why, RecursionError):
        return "nested too deeply"
    return str(why)
