"""Write exchange lines: the same content always gives the same bytes."""

from collections.abc import Iterable, Iterator

import msgspec

from benchdb import __version__
from benchdb.catalogue import metrics, shipped_metrics
from benchdb.exchange.messages import (
    FORMAT_VERSION,
    Claim,
    Definition,
    Header,
    Samples,
    Source,
)
from benchdb.exchange.record import Record, digest_of

# A line of these is at most 2.5 MB; readers refuse lines beyond 64 MiB.
VALUES_A_LINE = 100_000

_encoder = msgspec.json.Encoder(order="deterministic")


def header() -> bytes:
    """Return the first line."""
    return line(
        Header(format=FORMAT_VERSION, producer="benchdb", producer_version=__version__)
    )


def source_line(source: Source) -> bytes:
    """Return the line of *source*, keyed by its digest."""
    return line(msgspec.structs.replace(source, key=source_key(source)))


def claim_line(claim: Claim, source: Source) -> bytes:
    """Return the line of *claim* of *source*."""
    return line(msgspec.structs.replace(claim, source=source_key(source)))


def source_key(source: Source) -> str:
    """Return the key under which *source* is written."""
    return _key("s", digest_of(source))


def record_lines(records: Iterable[Record]) -> Iterator[bytes]:
    """Yield the lines of *records*, each machine and environment before first use."""
    known: set[str] = {*shipped_metrics()}
    for record in records:
        machine = _key("m", digest_of(record.machine))
        environment = _key("e", digest_of(record.environment))
        if machine not in known:
            yield line(msgspec.structs.replace(record.machine, key=machine))
        if environment not in known:
            yield line(msgspec.structs.replace(record.environment, key=environment))
        for value in record.end.values:
            if value.metric in metrics() and value.metric not in known:
                yield line(definition(value.metric))
                known.add(value.metric)
        known |= {machine, environment}
        yield from _run_lines(record, machine, environment)


def definition(name: str) -> Definition:
    """Return what a metric means, as a line of a file."""
    its = metrics()[name]
    return Definition(
        name=name,
        unit=its.unit,
        direction=its.direction,
        title=its.title,
        short=None if its.short == its.title else its.short,
    )


def _run_lines(record: Record, machine: str, environment: str) -> Iterator[bytes]:
    key = _key("r", record.digest)
    source = None if record.source is None else source_key(record.source)
    yield line(
        msgspec.structs.replace(
            record.run,
            key=key,
            machine=machine,
            environment=environment,
            source=source,
        )
    )
    for series in record.series:
        for start in range(0, len(series.values), VALUES_A_LINE):
            values = series.values[start : start + VALUES_A_LINE]
            yield line(
                Samples(run=key, phase=series.phase, per=series.per, values=values)
            )
    yield line(msgspec.structs.replace(record.end, run=key))


def _key(letter: str, digest: str) -> str:
    return f"{letter}-{digest[:16]}"


def line(message: msgspec.Struct) -> bytes:
    """Return the line of a message that is written as it is, such as a retraction."""
    return _encoder.encode(message) + b"\n"
