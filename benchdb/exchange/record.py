"""A complete run with everything it refers to, and the digests that identify them."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from benchdb.exchange.lines import (
    Chip,
    Claim,
    End,
    Environment,
    Machine,
    Run,
    Source,
)
from benchdb.exchange.packing import Series, pack
from benchdb.identity import digest

_REFERENCES = ("key", "run", "machine", "environment", "source")


def content(
    line: msgspec.Struct, *, drop: tuple[str, ...] = ("key",)
) -> dict[str, Any]:
    """Return the fields of *line* that say something, as plain data, without *drop*.

    A field left out and one spelled out as its empty default mean the same; a default
    that says something (``setting``) is always part of the content.
    """
    found = {}
    for name, value in msgspec.structs.asdict(line).items():
        if value is None or name in drop:
            continue
        plain = value if type(value) in _PLAIN else _plain(value)
        if plain not in _EMPTY:
            found[name] = plain
    return found


_EMPTY: tuple[Any, ...] = ([], {})
_PLAIN = frozenset({str, int, float, bool, dict})


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return content(value, drop=())
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value


@dataclass(frozen=True)
class Record:
    """One run: its machine, environment, source, samples and end (if it got one)."""

    run: Run
    machine: Machine
    environment: Environment
    source: Source | None
    series: tuple[Series, ...]
    end: End

    @cached_property
    def chip_digest(self) -> str:
        """Identify the chip class."""
        return digest_of(self.machine.chip)

    @cached_property
    def machine_digest(self) -> str:
        """Identify the machine: its chip class by digest, and its own facts."""
        return digest_of(self.machine)

    @cached_property
    def environment_digest(self) -> str:
        """Identify the software environment."""
        return digest_of(self.environment)

    @cached_property
    def source_digest(self) -> str | None:
        """Identify the published document, if the run comes from one."""
        return None if self.source is None else source_digest(self.source)

    @cached_property
    def packed(self) -> bytes:
        """Return the samples as one byte string."""
        return pack(self.series)

    @cached_property
    def digest(self) -> str:
        """Identify the run: its content, with digests in place of file-local keys."""
        return digest(
            {
                "run": content(self.run, drop=_REFERENCES),
                "machine": self.machine_digest,
                "environment": self.environment_digest,
                "source": self.source_digest,
                "samples": hashlib.sha256(self.packed).hexdigest(),
                "end": content(self.end, drop=_REFERENCES),
            }
        )


def source_digest(source: Source) -> str:
    """Identify a published document, whoever or whatever read it."""
    return digest_of(source)


def claim_digest(claim: Claim, source: str) -> str:
    """Identify a claim of the source with digest *source*."""
    return digest({**content(claim), "source": source})


_Shared = Chip | Machine | Environment | Source
_REMEMBERED = 4096
_digests: dict[tuple[type, bytes], str] = {}


def digest_of(line: _Shared) -> str:
    """Identify what many records refer to: looked at once, wherever it was read."""
    try:
        packed = type(line), msgspec.msgpack.encode(line)
    except (UnicodeEncodeError, OverflowError):
        return digest(_identity(line))  # raises what such content is refused with
    known = _digests.get(packed)
    if known is None:
        if len(_digests) >= _REMEMBERED:
            _digests.clear()
        known = _digests[packed] = digest(_identity(line))
    return known


def _identity(line: _Shared) -> dict[str, Any]:
    match line:
        case Machine():
            return {**content(line), "chip": digest_of(line.chip)}
        case Source():
            return content(line, drop=("key", "importer", "importer_version"))
        case _:
            return content(line)
