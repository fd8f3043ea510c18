"""A complete run with everything it refers to, and the digests that identify them."""

import hashlib
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from benchdb.exchange.messages import (
    Chip,
    Claim,
    End,
    Environment,
    Machine,
    Retraction,
    Run,
    Source,
)
from benchdb.exchange.packing import Series, pack
from benchdb.identity import canonical, digest

_Key = TypeVar("_Key")
_Fact = TypeVar("_Fact")
_REFERENCES = ("key", "run", "machine", "environment", "source")


def content(
    line: msgspec.Struct, *, drop: tuple[str, ...] = ("key",)
) -> dict[str, Any]:
    """Return the fields of *line* that say something, as plain data, without *drop*.

    A field left out and one spelled out as its empty default mean the same; a default
    that says something (``setting``) is always part of the content.
    """
    plain: dict[str, Any] = msgspec.to_builtins(line)
    for name in ("type", *drop):
        plain.pop(name, None)
    if isinstance(line, Run):
        plain |= {"setting": line.setting, "workload_version": line.workload_version}
        plain = {name: plain[name] for name in Run.__struct_fields__ if name in plain}
    chip = plain if isinstance(line, Chip) else plain.get("chip", {})
    for accelerator in chip.get("accelerators", ()):
        accelerator.setdefault("count", 1)
    return plain


class Record(msgspec.Struct, frozen=True, dict=True):
    """One run: its machine, environment, source, samples and end (if it got one)."""

    run: Run
    machine: Machine
    environment: Environment
    source: Source | None
    series: tuple[Series, ...]
    end: End

    @property
    def source_digest(self) -> str | None:
        """Identify the published document, if the run comes from one."""
        return None if self.source is None else digest_of(self.source)

    @property
    def batch_size(self) -> int | None:
        """Return the batch size, ``None`` where it is no number that a column keeps."""
        batch = self.run.parameters.get("batch_size")
        return batch if type(batch) is int and 0 <= batch < 2**31 else None

    @cached_property
    def packed(self) -> bytes:
        """Return the samples as one byte string."""
        return pack(self.series)

    @cached_property
    def digest(self) -> str:
        """Identify the run: its content, with digests in place of file-local keys."""
        source = self.source_digest
        members = (  # sorted, as canonical JSON has them
            (b'{"end":', canonical_content(self.end)),
            (b',"environment":"', digest_of(self.environment).encode()),
            (b'","machine":"', digest_of(self.machine).encode()),
            (b'","run":', canonical_content(self.run)),
            (b',"samples":"', hashlib.sha256(self.packed).hexdigest().encode()),
            (b'","source":', b"null" if source is None else f'"{source}"'.encode()),
        )
        text = b"".join(part for member in members for part in member)
        return hashlib.sha256(text + b"}").hexdigest()


def canonical_content(line: Run | End) -> bytes:
    """Return the content of *line*, less its references, as canonical JSON."""
    return canonical(content(line, drop=_REFERENCES))


def claim_digest(claim: Claim, source: str) -> str:
    """Identify a claim of the source with digest *source*."""
    return digest({**content(claim), "source": source})


def retraction_digest(line: Retraction) -> str:
    """Identify a retraction, with whoever signed it."""
    return digest({"type": "retraction", **content(line, drop=())})


def signed_part(line: Retraction) -> bytes:
    """Return what the signature of a retraction is over."""
    return canonical({"type": "retraction", **content(line, drop=("key", "signature"))})


_Shared = Chip | Machine | Environment | Source
_REMEMBERED = 4096
_digests: dict[tuple[type, bytes], str] = {}
# By identity, which stays that of the line as long as the line stays here.
_lines: dict[int, tuple[_Shared, str]] = {}


def digest_of(line: _Shared) -> str:
    """Identify what many records refer to: looked at once, wherever it was read."""
    seen = _lines.get(id(line))
    if seen is not None and seen[0] is line:
        return seen[1]
    try:
        packed = type(line), msgspec.msgpack.encode(line)
    except (UnicodeEncodeError, OverflowError):
        return digest(_identity(line))  # raises what such content is refused with
    known = _digests.get(packed)
    if known is None:
        known = digest(_identity(line))
        _remember(_digests, packed, known)
    _remember(_lines, id(line), (line, known))
    return known


def _remember(memory: dict[_Key, _Fact], key: _Key, fact: _Fact) -> None:
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = fact


def _identity(line: _Shared) -> dict[str, Any]:
    match line:
        case Machine():
            return {**content(line), "chip": digest_of(line.chip)}
        case Source():
            return content(line, drop=("key", "importer", "importer_version"))
        case _:
            return content(line)
