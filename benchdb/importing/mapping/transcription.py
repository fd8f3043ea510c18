"""Figures and claims of running text, put down by hand and checked to stand there."""

import re
from collections.abc import Iterator

from benchdb.exchange.lines import Claim, Source, Value
from benchdb.exchange.reader import BadLine, SourceClaim
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.mapping.cells import Figure
from benchdb.importing.mapping.language import Figure as MappedFigure
from benchdb.importing.mapping.language import Map, MappedClaim
from benchdb.importing.mapping.layers import layer
from benchdb.importing.mapping.observations import Observation
from benchdb.importing.quantities.cell import parsed
from benchdb.importing.quantities.quantity import Missing

_NUMBER = re.compile(r"[+-]?\d{1,30}(?:[.,]\d{1,30})?", re.ASCII)


def figures(document: Document, map_: Map) -> Iterator[Observation | BadLine]:
    """Yield the figures of *map_*, and ``BadLine`` for any that is not there."""
    for one in map_.figure:
        try:
            _require_printed(document, one.line, one.printed)
            _require_value(one)
        except RefusedError as why:
            yield building.bad(str(why), line=one.line, raw=one.printed)
            continue
        locator = f"line {one.line}"
        value = Value(
            metric=one.metric,
            value=one.value,
            printed=one.printed,
            locator=locator,
            derived=one.derived,
        )
        layers = (layer(one),)
        yield Observation(layers, one.line, locator, one.printed, Figure(value))


def claims(
    document: Document, map_: Map, source: Source
) -> Iterator[SourceClaim | BadLine]:
    """Yield the claims of *map_*, and ``BadLine`` for any that is not there."""
    for one in map_.claim:
        try:
            _require_printed(document, one.line, one.printed)
            yield SourceClaim(building.acceptable(_claim(one, source)), source)
        except UNDERSTANDABLE as why:
            yield building.bad(reason(why), line=one.line, raw=one.printed)


def _claim(one: MappedClaim, source: Source) -> Claim:
    return Claim(
        source=source.key,
        kind=one.kind,
        statement=one.statement,
        printed=one.printed,
        locator=f"line {one.line}",
        value=one.value,
        unit=one.unit,
        about=one.about,
        recomputed=one.recomputed,
        flags=one.flags,
    )


def _require_printed(document: Document, line: int, printed: str) -> None:
    if not 1 <= line <= len(document.lines):
        raise RefusedError(f"the document has {len(document.lines)} lines")
    if not printed or printed not in document.lines[line - 1]:
        raise RefusedError(f"{printed!r} does not stand on this line")


def _require_value(one: MappedFigure) -> None:
    """Refuse a value that is not what is printed, unless it is derived."""
    if one.derived is not None:
        return
    numbers = _NUMBER.findall(one.printed)
    said = {float(number.replace(",", ".")) for number in numbers}
    try:
        read = parsed(one.printed)
    except ValueError:
        read = None
    if read is not None and not isinstance(read, Missing):
        said.add(read.value)
    if one.value not in said:
        raise RefusedError(
            f"{one.value!r} is not what is printed ({one.printed!r}); if it follows "
            "from that, say how (derived = …)"
        )
