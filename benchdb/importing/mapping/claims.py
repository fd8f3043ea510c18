"""What a source states, checked: claims, ratios, and figures put down by hand."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from benchdb.catalogue import workloads
from benchdb.exchange.messages import Claim, Flag, Scalar, Source, Value
from benchdb.exchange.reader import BadLine, SourceClaim
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.mapping.fields import Defaults, Known, compose, machine
from benchdb.importing.mapping.language import Fields, Map, MappedFigure, bare_name
from benchdb.importing.mapping.mapped_figures import Observation
from benchdb.importing.mapping.table_rows import RatioCell, RunGroup
from benchdb.importing.quantities.missing_values import Missing, missing_of
from benchdb.importing.quantities.quantity import parsed
from benchdb.plausibility import ratios

_NUMBER = re.compile(r"[+-]?\d{1,30}(?:[.,]\d{1,30})?", re.ASCII)
_BLANK = re.compile(r"\{(\w+)\}")
_WHOLE = {"x": 1.0, "%": 100.0}
_ABOUT = ("workload", "device", "framework", "precision", "setting")
_COMPARED = 200  # runs of a workload among which the two of a ratio are looked for


_Runs = Mapping[Scalar, Sequence[RunGroup]]


def read_figures(document: Document, map_: Map) -> Iterator[Observation | BadLine]:
    """Yield the figures of *map_*, and ``BadLine`` for any that is not there."""
    for entry in map_.figure:
        try:
            _require_printed(document, entry.line, entry.printed)
            _require_value(entry)
        except RefusedError as why:
            yield building.bad(str(why), line=entry.line, raw=entry.printed)
            continue
        locator = f"line {entry.line}"
        value = Value(
            metric=entry.metric,
            value=entry.value,
            printed=entry.printed,
            locator=locator,
            derived=entry.derived,
        )
        yield Observation((entry,), entry.line, locator, entry.printed, value)


def read_claims(
    document: Document, map_: Map, source: Source
) -> Iterator[SourceClaim | BadLine]:
    """Yield the claims of *map_*, and ``BadLine`` for any that is not there."""
    for entry in map_.claim:
        facts = msgspec.structs.asdict(entry)
        line = facts.pop("line")
        facts |= {"source": source.key, "locator": f"line {line}"}
        try:
            _require_printed(document, line, entry.printed)
            claim = Claim(**facts)
            yield SourceClaim(building.acceptable(claim), source)
        except UNDERSTANDABLE as why:
            yield building.bad(reason(why), line=line, raw=entry.printed)


def _require_printed(document: Document, line: int, printed: str) -> None:
    if not 1 <= line <= len(document.lines):
        raise RefusedError(f"the document has {len(document.lines)} lines")
    if not printed or printed not in document.lines[line - 1]:
        raise RefusedError(f"{printed!r} does not stand on this line")


def _require_value(entry: MappedFigure) -> None:
    """Refuse a value that is not what is printed, unless it is derived."""
    numbers = _NUMBER.findall(entry.printed)
    printed = {float(number.replace(",", ".")) for number in numbers}
    with suppress(ValueError):
        amount = parsed(entry.printed)
        printed |= set() if isinstance(amount, Missing) else {amount.value}
    if entry.derived is None and entry.value not in printed:
        raise RefusedError(
            f"{entry.value!r} is not what is printed ({entry.printed!r}); if it "
            "follows from that, say how (derived = …)"
        )


def read_ratios(
    cells: Iterable[RatioCell],
    runs: Iterable[RunGroup],
    defaults: Defaults,
    source: Source,
) -> Iterator[SourceClaim | BadLine]:
    """Yield the claims in *cells*, and ``BadLine`` for those not understood.

    What they should be is computed from the *runs* of the same document.
    """
    by_workload: dict[Scalar, list[RunGroup]] = defaultdict(list)
    for run in runs:
        by_workload[run.known.fields.get("workload")].append(run)
    for cell in cells:
        if missing_of(cell.text, cell.column.missing) is not None:
            continue
        try:
            claim = _ratio_claim(cell, by_workload, defaults, source)
            yield SourceClaim(building.acceptable(claim), source)
        except (*UNDERSTANDABLE, ValueError) as why:
            yield building.bad(
                reason(why), line=cell.line, locator=cell.locator, raw=cell.text
            )


def _ratio_claim(
    cell: RatioCell, runs: _Runs, defaults: Defaults, source: Source
) -> Claim:
    amount = parsed(cell.text, unit=cell.column.unit or "x")
    if isinstance(amount, Missing) or amount.unit not in _WHOLE:
        raise RefusedError(f"{cell.text!r} is no ratio")
    known = defaults.known_of_any(cell.layers)
    recomputed: float | None = None
    flags: tuple[Flag, ...] = ()
    over = _ratio_side(cell, cell.column.numerator, known, runs)
    under = _ratio_side(cell, cell.column.denominator, known, runs)
    if over and under and over.value and under.value:
        printed = (cell.text, over.printed, under.printed)
        recomputed = over.value / under.value * _WHOLE[amount.unit]
        flags = ratios.flags_of(
            amount.value, amount.unit, over.value, under.value, printed=printed
        )
    # What the table itself says of a ratio, and the chip.
    about = {
        bare_name(name): known.fields[name]
        for name in compose(cell.layers).fields
        if name in known.fields and (name in _ABOUT or name != bare_name(name))
    }
    if "machine" in known.fields or "chip" in known.fields:
        about["chip"] = machine(known.fields, defaults.map_.machines).chip.name
    words = {"header": cell.header, "printed": cell.text.strip()}
    statement = "{header}: {printed}"
    if "workload" in known.fields:  # two columns of other work may be what it compares
        workload = str(known.fields["workload"])
        listed = workloads().get(workload)
        words["workload"] = listed.title if listed else workload
        statement = "{header} of {workload}: {printed}"
    template = cell.column.statement or statement
    return Claim(
        source=source.key,
        kind="derived",
        statement=_BLANK.sub(lambda match: words.get(match[1], match[0]), template),
        printed=cell.text.strip(),
        locator=cell.locator,
        value=amount.value,
        unit=amount.unit,
        about=about,
        recomputed=recomputed,
        flags=flags,
    )


def _ratio_side(
    cell: RatioCell, fields: Fields, known: Known, runs: _Runs
) -> Value | None:
    metric, facts = cell.column.metric, {**known.fields, **fields}
    candidates = runs.get(facts.get("workload"), ())
    if not (metric and fields) or len(candidates) > _COMPARED:
        return None
    values = [
        item.value
        for run in candidates
        if facts.items() <= run.known.fields.items()
        for item in run.observations
        if item.value is not None and item.value.metric == metric
    ]
    return values[0] if len(values) == 1 else None
