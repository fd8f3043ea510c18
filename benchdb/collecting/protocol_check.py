"""A collector tried against the protocol in ``collectors/README.md``, by points."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from benchdb.catalogue import metrics, workloads
from benchdb.collecting.item_runs import completed, mismatch
from benchdb.collecting.offered_cells import offered_cells
from benchdb.collecting.plan import (
    DEVICES,
    Cell,
    Item,
    Memory,
    Request,
    Settings,
    listing,
)
from benchdb.collecting.processes import (
    Reply,
    asking,
    end_group,
    environment,
    manner,
    refusal,
    signal_group,
)
from benchdb.collecting.programs import (
    Description,
    Program,
    describe,
    fingerprint,
    own_frameworks,
)
from benchdb.collecting.reported import OPTION, report_of
from benchdb.collecting.runner import arguments
from benchdb.errors import BenchdbError, ExchangeError, UsageError
from benchdb.exchange import reader
from benchdb.exchange.record import Record
from benchdb.leaving import private_fields
from benchdb.resources import folder

# The second of two processes, so that its seed is another number than was asked for.
_ASKED = Settings("check-collector", "smoke", seed=7, time_limit=300)
_LONG = msgspec.structs.replace(_ASKED, tier="standard")  # to be interrupted
_GRACE_SECONDS = 8.0  # from a signal to the end, as collect has it
_BEGIN_SECONDS = 60.0  # until a run begins
_FEWEST = 5  # samples
_REFUSED, _STOPPED = 2, 130


class Point(msgspec.Struct, frozen=True):
    """A point of the protocol: whether it holds, what was seen, and what to do.

    *holds* is None for what could not be tried and for what may be better.
    """

    name: str
    holds: bool | None
    text: str


class _Tried(msgspec.Struct, frozen=True):
    """The collector that is tried, the command that starts it, and what it said."""

    program: Program
    command: tuple[str, ...]
    description: Description


def points(path: Path) -> Iterator[Point]:
    """Yield what holds of the collector at *path*, as it is tried."""
    try:
        tried = _described(path.absolute())
    except BenchdbError as error:
        yield Point("--describe", holds=False, text=str(error))
        return
    its = tried.description
    yield Point("--describe", holds=True, text=f"{its.framework} by {its.name}")
    yield from _names(tried)
    there = [name for name in DEVICES if name in its.devices]
    able = [name for name in there if its.devices[name].available]
    cells = [cell for name in able for cell in _cells(tried, name)]
    if not cells:
        why = its.why or "no workload, or no device is available here"
        yield Point("runs", None, f"nothing could be tried: {why}")
    for cell in cells:
        yield from _smoke(tried, cell)
    device = able[0] if able else "cpu"
    yield _refusal(tried, "unknown workload", ("no-such-workload", "--device", device))
    lacking = next((name for name in DEVICES if name not in able), None)
    if lacking and its.workloads:
        asked = (its.workloads[0], "--device", lacking)
        yield _refusal(tried, f"device {lacking}, which is not there", asked)
    for number in (signal.SIGINT, signal.SIGTERM) if cells else ():
        yield _stopped(tried, cells[0], number)


def _described(path: Path) -> _Tried:
    try:
        path.stat()  # raises where a link leads nowhere
    except OSError as error:
        raise BenchdbError(f"{path}: {error.strerror}") from error
    ours = path.parent == folder("collectors")
    if path.is_dir():
        raise BenchdbError(f"{path} is a folder; name one executable in it")
    if not ours and not os.access(path, os.X_OK):
        raise BenchdbError(f"{path} is not executable; try: chmod +x {path}")
    start = (sys.executable, str(path)) if ours else (str(path),)
    its = describe(start)
    origin = "benchdb" if ours else str(path.parent)
    program = Program(its.framework, path, origin, its.collector_version)
    return _Tried(program, start, its)


def _names(tried: _Tried) -> Iterator[Point]:
    its = tried.description
    if not tried.program.ours and its.framework in own_frameworks():
        text = f"{its.framework!r} is that of a collector of benchdb; take another name"
        yield Point("framework", holds=False, text=text)
    for offer in its.offers:
        known = workloads().get(offer.name)
        if known is None:
            text = f"{offer.name!r} is in no catalogue; write it into catalogue.toml"
            yield Point("workload", holds=False, text=text)
            continue
        for axis in offer.parameters:
            if known.cell and axis not in known.cell:
                text = f"{axis!r} is no parameter of the cell of {offer.name}"
                yield Point("axis", None, f"{text}: add it to 'cell' in the catalogue")
        for metric in offer.metrics:
            if metric not in metrics():
                text = f"{metric!r} is in no catalogue; write it into catalogue.toml"
                yield Point("metric", holds=False, text=text)


def _cells(tried: _Tried, device: str) -> Iterator[Cell]:
    """Yield the first cell of each workload on a device."""
    its = tried.description
    for name in filter(workloads().__contains__, its.workloads):
        request = Request((name,), tier=_ASKED.tier)
        if its.list_cells:
            asked = [*request.arguments((name,), device), "--list-cells"]
            with asking([*tried.command, *asked]) as question:
                facts = question.facts()
        else:
            facts = offered_cells(its, (name,), request.choice(device))
        yield from listing(its, facts).cells[:1]


def _smoke(tried: _Tried, cell: Cell) -> Iterator[Point]:
    """Run a cell once, and look at all that it printed."""
    name = f"{cell.workload} on {cell.device}"
    item = Item(cell, 1, 2)
    here, began = fingerprint(), time.monotonic()
    tells = tried.description.progress
    asked = [*arguments(item, _ASKED, Memory()), *([OPTION] if tells else [])]
    try:
        reply = _reply(tried, asked, _ASKED.patience)
        seconds = time.monotonic() - began
        record = _only_run(reply)
        result = completed(record, tried.program, here, seconds)
        wrong = mismatch(result, item, _ASKED, None)
    except BenchdbError as error:
        yield Point(name, holds=False, text=str(error))
        return
    status = record.end.status
    if status != "ok" or reply.status != 0:
        ended = f"its run is {status} ({record.end.reason})"
        text = f"{ended} and it {manner(reply.status)}; a run that is ok ends with 0"
        yield Point(name, holds=False, text=text)
        return
    yield Point(name, holds=True, text=f"ok in {seconds:.1f} s, every line valid")
    echo = "workload, device, parameters, tier, seed, campaign, replicate"
    what = f"{wrong}; echo what it is asked" if wrong else f"{echo} as asked"
    yield Point(f"{name}: answer", wrong is None, what)
    yield from (_measured(name, tried, record), _private(name, record))
    if tells and not any(map(report_of, reply.err.splitlines())):
        text = f"no line 'PHASE, N %' on standard error, though it takes {OPTION}"
        yield Point(f"{name}: progress", holds=False, text=text)


def _reply(tried: _Tried, asked: Sequence[str], patience: float) -> Reply:
    with asking([*tried.command, *asked], patience=patience) as question:
        return question.reply()


def _only_run(reply: Reply) -> Record:
    """Return the run that was printed; raise ``BenchdbError`` for all else."""
    try:
        every = [*reader.read(io.BytesIO(reply.out.encode()))]
    except ExchangeError as error:
        result = refusal(reply.err, "") or "nothing"
        text = (
            f"{error}; it {manner(reply.status)} and said on standard error: {result}"
        )
        raise BenchdbError(text) from error
    for record in every:
        if isinstance(record, reader.BadLine):
            raise BenchdbError(
                f"line {record.number} of its standard output: {record.reason}; what "
                "is no message belongs on standard error"
            )
    runs = [claim for claim in every if isinstance(claim, Record)]
    if len(runs) != 1:
        raise BenchdbError(f"it wrote {len(runs)} runs; one process writes one")
    if runs[0].end.reason == reader.UNENDED:
        raise BenchdbError("its run has no line 'end'; the last thing it writes is one")
    return runs[0]


def _measured(name: str, tried: _Tried, record: Record) -> Point:
    """Tell whether there are samples, and the figures that were described."""
    name = f"{name}: figures"
    blocks = [len(it.values) for it in record.series if it.phase == "measure"]
    if not sum(blocks):
        text = "no samples of phase 'measure'; write the seconds of each block"
        return Point(name, holds=False, text=text)
    offers = (it for it in tried.description.offers if it.name == record.run.workload)
    described = {metric for offer in offers for metric in offer.metrics}
    given = {value.metric for value in record.end.values}
    if lacking := described - given:
        text = f"no value of {', '.join(sorted(lacking))}, which --describe names"
        return Point(name, holds=False, text=text)
    if described and (more := given - described):
        text = f"also {', '.join(sorted(more))}, which --describe does not name"
        return Point(name, None, text)
    if not given:
        return Point(name, holds=False, text="no values; write the figure of the run")
    if sum(blocks) < _FEWEST:
        text = f"{sum(blocks)} samples; from {_FEWEST} on an interval means something"
        return Point(name, None, text)
    text = f"{sum(blocks)} samples, {', '.join(sorted(given))}"
    return Point(name, holds=True, text=text)


def _private(name: str, record: Record) -> Point:
    name = f"{name}: nothing personal"
    lines = (record.machine, record.environment, record.run, record.end)
    texts = [field for line in lines for field in private_fields(line)]
    if not texts:
        return Point(name, holds=True, text="no names, ids or paths of yours")
    text = f"{', '.join(texts)} may give away who you are; leave it out"
    return Point(name, holds=False, text=text)


def _refusal(tried: _Tried, what: str, asked: Sequence[str]) -> Point:
    """Tell whether a wrong use ends as it is to: status 2, and words."""
    name = f"refuses: {what}"
    try:
        reply = _reply(tried, [*asked, "--tier", "smoke"], _BEGIN_SECONDS)
    except BenchdbError as error:
        return Point(name, holds=False, text=str(error))
    words = refusal(reply.err, tried.program.name)
    if reply.status != _REFUSED:
        text = f"it {manner(reply.status)}; refuse it with status {_REFUSED}"
    elif reply.out.strip():
        text = "it wrote to standard output; refuse before the first line"
    elif not words:
        text = "not a word on standard error; say what there is instead"
    else:
        return Point(name, holds=True, text=f"status {_REFUSED}: {words}")
    return Point(name, holds=False, text=text)


def _stopped(tried: _Tried, cell: Cell, number: signal.Signals) -> Point:
    """Tell whether a signal ends a run as interrupted, and in time."""
    name = f"ends by {number.name}"
    asked = arguments(Item(cell, 0, 1), _LONG, Memory())
    with TemporaryFile() as out:
        process = subprocess.Popen(
            [*tried.command, *asked],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=environment(),
            process_group=0,
        )
        try:
            if not _begun(process, out.fileno()):
                text = "it ended, or did not begin, before it could be asked to stop"
                return Point(name, None, text)
            signal_group(process, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_SECONDS)
            status = process.poll()
        finally:
            end_group(process)
        out.seek(0)
        content = out.read()
    if status is None:
        text = f"it went on for {_GRACE_SECONDS:.0f} s and is killed then; end at once"
        return Point(name, holds=False, text=text)
    if status == 0:
        return Point(name, None, "its run came to its end at that moment")
    return _ending(name, status, content)


def _begun(process: "subprocess.Popen[bytes]", out: int) -> bool:
    """Wait until a run has begun; tell whether it goes on."""
    until = time.monotonic() + _BEGIN_SECONDS
    while process.poll() is None and time.monotonic() < until:
        if b'"run"' in os.pread(out, 2**16, 0):
            time.sleep(0.2)  # so that it is in its work
            return process.poll() is None
        time.sleep(0.02)
    return False


def _ending(name: str, status: int, content: bytes) -> Point:
    try:
        records = [it for it in reader.read(io.BytesIO(content)) if type(it) is Record]
    except (ExchangeError, UsageError) as error:
        return Point(name, holds=False, text=str(error))
    end = records[0].end if records else None
    if status != _STOPPED:
        text = f"it {manner(status)}; end with status {_STOPPED}"
    elif end is None or end.reason == reader.UNENDED:
        text = "no line 'end'; write one with status 'interrupted'"
    elif end.status != "interrupted":
        text = f"its run ends as {end.status!r}; say 'interrupted'"
    else:
        return Point(name, holds=True, text=f"interrupted, status {_STOPPED}")
    return Point(name, holds=False, text=text)
