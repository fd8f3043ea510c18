"""A complete run with everything it refers to, and the digests that identify them."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from benchdb.exchange.lines import Claim, End, Environment, Machine, Run, Source
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
    names = (name for name in line.__struct_fields__ if name not in drop)
    plain = {name: _plain(getattr(line, name)) for name in names}
    return {name: value for name, value in plain.items() if value not in _EMPTY}


_EMPTY: tuple[Any, ...] = (None, [], {})


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
        return digest(content(self.machine.chip))

    @cached_property
    def machine_digest(self) -> str:
        """Identify the machine: its chip class by digest, and its own facts."""
        return digest({**content(self.machine), "chip": self.chip_digest})

    @cached_property
    def environment_digest(self) -> str:
        """Identify the software environment."""
        return digest(content(self.environment))

    @cached_property
    def source_digest(self) -> str | None:
        """Identify the published document, if the run comes from one."""
        return None if self.source is None else source_digest(self.source)

    @cached_property
    def digest(self) -> str:
        """Identify the run: its content, with digests in place of file-local keys."""
        return digest(
            {
                "run": content(self.run, drop=_REFERENCES),
                "machine": self.machine_digest,
                "environment": self.environment_digest,
                "source": self.source_digest,
                "samples": hashlib.sha256(pack(self.series)).hexdigest(),
                "end": content(self.end, drop=_REFERENCES),
            }
        )


def source_digest(source: Source) -> str:
    """Identify a published document."""
    return digest(content(source))


def claim_digest(claim: Claim, source: str) -> str:
    """Identify a claim of the source with digest *source*."""
    return digest({**content(claim), "source": source})
