"""Ratios that a source computed: claims, checked against its own figures."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from benchdb.catalogue import workloads
from benchdb.exchange.lines import Claim, Flag, Scalar, Source, Value
from benchdb.exchange.reader import BadLine, SourceClaim
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.mapping import hardware
from benchdb.importing.mapping.language import Fields
from benchdb.importing.mapping.layers import Known, bare, composed
from benchdb.importing.mapping.observations import RatioCell
from benchdb.importing.mapping.runs import Gathered, Ground
from benchdb.importing.quantities.cell import missing_of, parsed
from benchdb.importing.quantities.quantity import Missing, Quantity
from benchdb.plausibility import ratios

_BLANK = re.compile(r"\{(\w+)\}")
_WHOLE = {"x": 1.0, "%": 100.0}
_ABOUT = ("workload", "device", "framework", "precision", "setting")
_COMPARED = 200  # runs of a workload among which the two of a ratio are looked for

_Runs = Mapping[Scalar, Sequence[Gathered]]


class _Sides(msgspec.Struct, frozen=True):
    """The two figures of a ratio, as the source printed them."""

    over: Value
    under: Value


def claims(
    cells: Iterable[RatioCell], runs: Iterable[Gathered], ground: Ground, source: Source
) -> Iterator[SourceClaim | BadLine]:
    """Yield the claims in *cells*, and ``BadLine`` for those not understood.

    What they should be is computed from the *runs* of the same document.
    """
    by_workload: dict[Scalar, list[Gathered]] = defaultdict(list)
    for run in runs:
        by_workload[run.known.fields.get("workload")].append(run)
    for cell in cells:
        if missing_of(cell.text, cell.column.missing) is not None:
            continue
        try:
            claim = building.acceptable(_claim(cell, by_workload, ground, source))
            yield SourceClaim(claim, source)
        except (*UNDERSTANDABLE, ValueError) as why:
            yield building.bad(
                reason(why), line=cell.line, locator=cell.locator, raw=cell.text
            )


def _claim(cell: RatioCell, runs: _Runs, ground: Ground, source: Source) -> Claim:
    read = parsed(cell.text, unit=cell.column.unit or "x")
    if isinstance(read, Missing) or read.unit not in _WHOLE:
        raise RefusedError(f"{cell.text!r} is no ratio")
    known = ground.known(cell.layers)
    recomputed, flags = _checked(read, cell, _sides(cell, known, runs))
    return Claim(
        source=source.key,
        kind="derived",
        statement=_statement(cell, known),
        printed=cell.text.strip(),
        locator=cell.locator,
        value=read.value,
        unit=read.unit,
        about=_about(cell, known, ground),
        recomputed=recomputed,
        flags=flags,
    )


def _sides(cell: RatioCell, known: Known, runs: _Runs) -> _Sides | None:
    column = cell.column
    if not (column.metric and column.numerator and column.denominator):
        return None
    over = _value(column.metric, {**known.fields, **column.numerator}, runs)
    under = _value(column.metric, {**known.fields, **column.denominator}, runs)
    return _Sides(over, under) if over and under else None


def _value(metric: str, wanted: Fields, runs: _Runs) -> Value | None:
    """Return the figure of the one run that all *wanted* fields hold for."""
    candidates = runs.get(wanted.get("workload"), ())
    if len(candidates) > _COMPARED:
        return None
    found = [
        one.figure.value
        for run in candidates
        if wanted.items() <= run.known.fields.items()
        for one in run.observations
        if one.figure is not None and one.figure.value.metric == metric
    ]
    return found[0] if len(found) == 1 and found[0].value else None


def _checked(
    read: Quantity, cell: RatioCell, sides: _Sides | None
) -> tuple[float | None, tuple[Flag, ...]]:
    """Return the ratio by the source's own figures, and what does not follow."""
    if sides is None:
        return None, ()
    over, under = sides.over.value or 0.0, sides.under.value or 1.0
    printed = (cell.text, sides.over.printed, sides.under.printed)
    flags = ratios.flags_of(read.value, read.unit, over, under, printed=printed)
    return over / under * _WHOLE[read.unit], flags


def _about(cell: RatioCell, known: Known, ground: Ground) -> dict[str, Scalar]:
    """Return what the table itself says of a ratio, and the chip."""
    about = {
        bare(name): known.fields[name]
        for name in composed(cell.layers).fields
        if name in known.fields and (name in _ABOUT or name != bare(name))
    }
    if "machine" in known.fields or "chip" in known.fields:
        about["chip"] = hardware.machine(known.fields, ground.map_.machines).chip.name
    return about


def _statement(cell: RatioCell, known: Known) -> str:
    workload = str(known.fields["workload"])
    listed = workloads().get(workload)
    said = {
        "workload": listed.title if listed else workload,
        "header": cell.header,
        "printed": cell.text.strip(),
    }
    template = cell.column.statement or "{header} of {workload}: {printed}"
    return _BLANK.sub(lambda found: said.get(found[1], found[0]), template)
