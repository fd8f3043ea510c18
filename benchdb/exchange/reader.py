"""Read an exchange file line by line: complete records out, bad lines named.

Nothing is bent to fit: a line that cannot be understood is reported with its number,
and a run that such a line may belong to is withheld, because it may be incomplete.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Generic, TypeVar

import msgspec

from benchdb.catalogue import metrics
from benchdb.errors import ExchangeError
from benchdb.exchange.advice import advised, foreign_metric
from benchdb.exchange.language_models import renamed
from benchdb.exchange.messages import (
    Claim,
    Definition,
    End,
    Environment,
    Header,
    Line,
    Machine,
    Retraction,
    Run,
    Samples,
    Source,
)
from benchdb.exchange.packing import joined
from benchdb.exchange.record import Record
from benchdb.exchange.validation import (
    TOO_LONG,
    UNDERSTANDABLE,
    RefusedError,
    checked,
    is_cut_off,
    named,
    numbered,
    reason,
    require_few_values,
    require_header,
    same,
    unreadable,
    validate,
)

_T = TypeVar("_T", Machine, Environment, Source)
_decoder = msgspec.json.Decoder(Line)
WITHHELD = "withheld: a line inside it was not taken"
UNENDED = "the file ends before the run does"
_SHOWN = 2000  # bytes of a refused line that are kept to look at


class BadLine(msgspec.Struct, frozen=True):
    """A line that was not taken, and why.

    *number* is 0 where there are no lines; *locator* then says where it stands. *raw*
    is what stands there, cut off where it is long.
    """

    number: int
    reason: str
    locator: str = ""
    raw: str = ""


class SourceClaim(msgspec.Struct, frozen=True):
    """A claim together with the source that makes it."""

    claim: Claim
    source: Source


class LoneSource(msgspec.Struct, frozen=True):
    """A source line: stored even when no run refers to it (a protocol, a claim)."""

    source: Source


class Withdrawal(msgspec.Struct, frozen=True):
    """A retraction, and the *number* of its line; it is of no *source*."""

    number: int
    line: Retraction
    source: None = None


Item = Record | SourceClaim | LoneSource | Withdrawal | BadLine


class _OpenRun(msgspec.Struct):
    run: Run
    number: int
    machine: Machine
    environment: Environment
    source: Source | None
    samples: list[Samples] = []

    def record(self, end: End) -> Record:
        series = joined(self.samples)
        return renamed(
            Record(self.run, self.machine, self.environment, self.source, series, end)
        )


class _Defined(Generic[_T]):
    """What the keys of one kind stand for; ``None`` where that is not certain."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._lines: dict[str, _T | None] = {}

    def define(self, line: _T) -> None:
        known = self._lines.get(line.key)
        if known is None:
            self._lines[line.key] = line
        elif not same(known, line):
            raise RefusedError(f"{self._kind} {line.key!r} was something else before")

    def doubt(self, key: str) -> None:
        self._lines[key] = None

    def of(self, key: str) -> _T:
        if key not in self._lines:
            raise RefusedError(f"no {self._kind} {key!r} before this line")
        line = self._lines[key]
        if line is None:
            raise RefusedError(f"a line of {self._kind} {key!r} was not taken")
        return line


def read(stream: IO[bytes]) -> Iterator[Item]:
    """Yield the records, sources, claims and bad lines of an exchange file.

    Raise ``ExchangeError`` when the first line is no header of a format version that
    this benchdb knows. A file cut off in the middle of a line (a collector that was
    killed) ends there: its open run is interrupted, not bad.
    """
    reader = None
    for number, raw in numbered(stream):
        if reader is None:
            require_header(raw)
            reader = _Reader()
        yield from reader.take(number, raw)
    if reader is None:
        raise ExchangeError("the file is empty")
    yield from reader.finish()


class _Reader:
    """What the lines since the header have defined: keys, and runs still open.

    ``withheld`` are runs of which a line was not taken: what else comes of them is
    left out. ``strange`` are metrics that are not known here. ``unplaced`` counts the
    lines that might have been the start of a run.
    """

    def __init__(self) -> None:
        self._reset(foreign=False)

    def _reset(self, *, foreign: bool) -> None:
        self.foreign = foreign
        self.machines = _Defined[Machine]("machine")
        self.environments = _Defined[Environment]("environment")
        self.sources = _Defined[Source]("source")
        self.strange = set[str]()
        self.open: dict[str, _OpenRun] = {}
        self.withheld: set[str] = set()
        self.unplaced = 0

    def take(self, number: int, raw: bytes | None) -> Iterable[Item]:
        """Return what is complete with line *number*, or why it was not taken."""
        if raw is None:
            withheld = () if self.foreign else self._withhold_all()
            return [] if self.foreign else [BadLine(number, TOO_LONG), *withheld]
        if self.foreign and named(raw).get("type") != "header":
            return []
        try:
            require_few_values(raw)
            line = _decoder.decode(raw)
            validate(line, raw)
            return self._place(line, number)
        except UNDERSTANDABLE as why:
            if is_cut_off(raw, why):
                return []
            text = reason(why)
            if isinstance(why, msgspec.ValidationError):
                text = advised(named(raw), text)
            return self._refuse(number, raw, text)

    def finish(self) -> Iterator[Record]:
        """End the runs that never got their end line."""
        for pending in self.open.values():
            end = End(
                run=pending.run.key,
                status="interrupted",
                reason=UNENDED,
            )
            yield pending.record(end)
        self.open = {}

    def _place(self, line: Line, number: int) -> Sequence[Item]:
        match line:
            case Samples() | End():
                return self._go_on(line)
            case Run():
                self._begin(line, number)
            case Header():
                return self._restart(line)
            case Definition():
                self._define(line)
            case Machine():
                self.machines.define(line)
            case Environment():
                self.environments.define(line)
            case Source():
                self.sources.define(line)
                return [LoneSource(line)]
            case Claim():
                return [SourceClaim(line, self.sources.of(line.source))]
            case Retraction():
                return [Withdrawal(number, line)]
        return []

    def _restart(self, line: Header) -> list[Record]:
        """Forget the keys of the file before: files may be concatenated."""
        if why := unreadable(line.format, line.producer_version):
            raise RefusedError(why)
        ended = list(self.finish())
        self._reset(foreign=False)
        return ended

    def _go_on(self, line: Samples | End) -> Sequence[Item]:
        if line.run in self.withheld:
            if isinstance(line, End):
                self.withheld.remove(line.run)
            return []
        if line.run not in self.open:
            raise RefusedError(f"no run {line.run!r} before this line")
        pending = self.open[line.run]
        if isinstance(line, Samples):
            pending.samples.append(line)
            return []
        for value in line.values:
            if value.metric in self.strange:
                raise RefusedError(
                    f"metric {value.metric!r} is not known here; the line that defines "
                    "it says what to do"
                )
        record = pending.record(checked(line))
        del self.open[line.run]
        return [record]

    def _define(self, line: Definition) -> None:
        """Raise where values of this name mean nothing, or something else, here."""
        self.strange.add(line.name)
        if line.name not in metrics():
            raise RefusedError(foreign_metric(line))
        ours = metrics()[line.name]
        if (ours.unit, ours.direction) != (line.unit, line.direction):
            raise RefusedError(
                f"metric {line.name!r} is in {line.unit}, better {line.direction}, in "
                f"this file, and in {ours.unit}, better {ours.direction}, here; give "
                "one of them another name"
            )
        self.strange.discard(line.name)

    def _begin(self, run: Run, number: int) -> None:
        if run.key in self.open:
            raise RefusedError(f"run {run.key!r} starts twice")
        self.open[run.key] = _OpenRun(
            run,
            number,
            self.machines.of(run.machine),
            self.environments.of(run.environment),
            None if run.source is None else self.sources.of(run.source),
        )
        self.withheld.discard(run.key)

    def _refuse(self, number: int, raw: bytes, why: str) -> Iterator[Item]:
        """Name a line, and withhold what cannot be whole without it."""
        about = named(raw)
        kind = about.get("type")
        key = about.get("run" if kind in ("samples", "end") else "key")
        if kind == "header":
            yield from self.finish()
            self._reset(foreign=unreadable(about.get("format")) is not None)
            if self.foreign:
                why += "; nothing is taken from here to the next header"
        shown = raw[:_SHOWN].decode(errors="replace").rstrip("\n")
        yield BadLine(number, why, locator=f"line {number}", raw=shown)
        match kind, key:
            case (("header" | "claim" | "retraction" | "metric"), _):
                pass
            case "machine", str():
                self.machines.doubt(key)
            case "environment", str():
                self.environments.doubt(key)
            case "source", str():
                self.sources.doubt(key)
            case (("run" | "samples" | "end"), str()):
                yield from self._withhold_run(key, starts=kind == "run")
            case _:
                yield from self._withhold_all()

    def _withhold_run(self, key: str, *, starts: bool) -> Iterator[BadLine]:
        """Withhold the run *key*; all, if it never started and no line explains that.

        Its key may then be a damaged one, of any run that is open.
        """
        if key in self.open:
            yield from self._withhold([key])
        elif key not in self.withheld and not starts:
            if self.unplaced:
                self.unplaced -= 1
            else:
                yield from self._withhold(list(self.open))
        self.withheld.add(key)

    def _withhold_all(self) -> Iterator[BadLine]:
        """Withhold every open run: a line that says nothing may belong to any."""
        self.unplaced += 1
        yield from self._withhold(list(self.open))

    def _withhold(self, keys: Iterable[str]) -> Iterator[BadLine]:
        for key in keys:
            pending = self.open.pop(key)
            self.withheld.add(key)
            yield BadLine(
                pending.number,
                f"run {key!r} {WITHHELD}",
            )
