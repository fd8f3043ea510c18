"""What may leave this machine, in whatever file: the rules of the collectors, applied.

A run leaves as it is or stays here. It is never changed on the way: its digest is over
its content, so that it is the same run for whoever signs, withdraws or imports it.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Claim, Environment, Machine, Retraction, Source
from benchdb.exchange.record import Record, digest_of
from benchdb.exchange.writer import definition
from benchdb.own_catalogue import own
from benchdb.resources import folder

_NAMES = "shared_names.json"


class Kept(msgspec.Struct, frozen=True):
    """What stays here: *what* it is, and the *fields* of it that give something away.

    Without fields it is what belongs to something else that stays.
    """

    what: str
    fields: tuple[str, ...]


class Gate:
    """Lets through what may leave; *kept* tells what stayed."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.kept: list[Kept] = []
        self._sources: dict[str, bool] = {}
        self._shared: dict[str, tuple[str, ...]] = {}

    def sources(self, some: Iterable[Source]) -> Iterator[Source]:
        """Yield those of *some* documents that may leave."""
        return filter(self._passes, some)

    def claims(
        self, some: Iterable[tuple[Claim, Source]]
    ) -> Iterator[tuple[Claim, Source]]:
        """Yield those claims that may leave, of documents that may."""
        for claim, source in some:
            what = f"a claim of {source.slug}, {claim.locator}"
            if self._passes(source) and self._clean(what, private_fields(claim)):
                yield claim, source

    def records(self, some: Iterable[Record]) -> Iterator[Record]:
        """Yield those runs that may leave, with all that they refer to."""
        for record in some:
            fields = [
                *self._of_many(record.machine),
                *self._of_many(record.environment),
                *private_fields(record.run),
                *private_fields(record.end),
                *(
                    field
                    for value in record.end.values
                    if value.metric in own().metric
                    for field in private_fields(definition(value.metric))
                ),
            ]
            if record.source is not None and not self._passes(record.source):
                self.kept.append(Kept(f"run {record.digest[:12]}", ()))
            elif self._clean(f"run {record.digest[:12]}", fields):
                yield record

    def retractions(self, some: Iterable[Retraction]) -> Iterator[Retraction]:
        """Yield those retractions whose reason may leave."""
        for line in some:
            # A key is there to be known, and a signature is a number.
            fields = private_fields(replace(line, key=None, signature=None))
            if self._clean(f"the retraction of run {line.run[:12]}", fields):
                yield line

    def _passes(self, source: Source) -> bool:
        digest = digest_of(source)
        if digest not in self._sources:
            fields = private_fields(source)
            self._sources[digest] = self._clean(f"source {source.slug}", fields)
        return self._sources[digest]

    def _clean(self, what: str, fields: Iterable[str]) -> bool:
        if texts := tuple(dict.fromkeys(fields)):
            self.kept.append(Kept(what, texts))
        return not texts

    def _of_many(self, line: Machine | Environment) -> tuple[str, ...]:
        """Return the private fields of what many runs refer to, looked at once."""
        digest = digest_of(line)
        if digest not in self._shared:
            self._shared[digest] = tuple(private_fields(line))
        return self._shared[digest]


def private_fields(line: msgspec.Struct) -> Iterator[str]:
    """Yield where *line*, of an exchange file, gives away who made it, or where."""
    message = msgspec.to_builtins(line)
    kind = message.pop("type")
    result = _rules().private_fields(message, shared_names())
    return (f"{kind}.{place}" for place in result)


def without_names(text: str) -> str:
    """Return *text* without names of this user and host, ids and addresses."""
    redact: Callable[..., str] = _rules().redact
    return redact(text, paths=False)


@cache
def shared_names() -> frozenset[str]:
    """Return the names that benchdb's own collectors and importers give to facts."""
    path = folder("collectors") / "harness" / _NAMES
    listed: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return frozenset(name for names in listed.values() for name in names)


@cache
def _rules() -> Any:
    """Return ``harness/privacy.py`` of the collectors.

    They run without benchdb and hold the rules; a second version of these would let
    through what the first takes out. So this one file, which imports nothing of theirs,
    is read as it is.
    """
    path = folder("collectors") / "harness" / "privacy.py"
    spec = spec_from_file_location("benchdb_privacy", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"this installation of benchdb lacks {path}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # NamedTuple looks for it
    spec.loader.exec_module(module)
    return module
