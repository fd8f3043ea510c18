"""Which metric of the catalogue a column of figures is, by its header and units."""

from collections.abc import Iterable, Sequence

from benchdb.importing import naming
from benchdb.importing.guess.assumption import Guess, guess
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    HeaderTerms,
    Kind,
    Metric,
    header_terms,
    profile,
    words,
)
from benchdb.importing.mapping.language import Fields
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Sheet

RATIO = "ratio"  # no metric: what a source computed from two figures
_SAMPLES = {"img", "seq", "sample"}
_STEPS = {"step", "it", "batch"}
_VAGUE = {"throughput", "memory", "power"}  # headings say "Performance" of anything
_NAMED = (
    "throughput time power energy memory flops bandwidth score accuracy latency fps "
    "ttft loss"
)
_LABELS = frozenset(_NAMED.split())


def metric(kinds: Iterable[Kind], header: HeaderTerms, around: HeaderTerms) -> Metric:
    """Return what figures of *kinds* under *header* are; *around* is said above."""
    units = {unit for unit, _ in kinds}
    counted = {per for _, per in kinds if per}
    if len(units - {"1"}) > 1:
        return Metric(doubt=f"the cells have several units: {', '.join(sorted(units))}")
    unit = next(iter(units - {"1"}), "1")
    if "ratio" in header and unit in ("1", "x", "%"):
        return Metric(RATIO)
    if unit == "1":
        bare = _bare(header) or _bare(around - _VAGUE)
        return bare or Metric(doubt="the header names no unit")
    return _of_unit(unit, counted, header, around)


def _of_unit(
    unit: str, counted: set[str], header: HeaderTerms, around: HeaderTerms
) -> Metric:
    terms = header | {f"/{one}" for one in counted}
    if unit in ("s", "1/h", "1/J"):
        terms |= counted | ({"step"} if counted & _STEPS else set())
    if unit in ("1/h", "1/J"):
        terms |= around
    if not counted and "token" in header | around:
        terms |= {"/token"}
    if unit == "s" and counted & {"token", *_SAMPLES}:
        words_counted = ", ".join(sorted(counted))
        return Metric(doubt=f"time for each {words_counted}: ours count rates")
    rules = words().by_unit.get(unit, ())
    name = next((name for needed, name in rules if {*needed.split()} <= terms), None)
    if unit == "W":
        return _power(name, header, around)
    if unit == "s" and name is None:
        return _time(around)
    words_counted = ", ".join(sorted(counted)) or "something"
    doubt = words().doubts.get(unit, f"no metric of ours is in {unit}")
    return Metric(name) if name else Metric(doubt=doubt.format(words_counted))


def _time(around: HeaderTerms) -> Metric:
    for term, name in words().above.items():
        if term in around:
            return Metric(name, why=f"the time is that of one {term}, as it says above")
    why = "the time is that of the whole script"
    return Metric("script_wall_seconds", why=why)


def _power(name: str | None, header: HeaderTerms, around: HeaderTerms) -> Metric:
    if name is None and "mean" in around and "peak" not in header | around:
        why = "the power is a mean, as it says above"
        return Metric("mean_power_watts", why=why)
    sure = bool(header & {"idle", "mean"})
    sure = sure or "peak" in (header | around if name else header)
    peak = None if sure else "the power is a peak"
    return Metric(name or "peak_power_watts", why=peak)


def _bare(terms: HeaderTerms) -> Metric | None:
    """Return what numbers without a unit are, by the words about them."""
    for one in words().bare:
        if {*one.terms.split()} <= terms:
            return one
    if "power" in terms:
        watts = _of_unit("W", set(), terms, frozenset())
        return Metric(watts.name, unit="W", why="the numbers are watts")
    if terms & {"time", "epoch"}:
        seconds = _of_unit("s", set(), terms, frozenset())
        why = "; ".join(filter(None, (seconds.why, "the numbers are seconds")))
        return Metric(seconds.name, unit="s", why=why)
    return None


def figures(
    column: ColumnProfile, around: HeaderTerms, unit: str | None, fields: Fields
) -> Guess:
    """Return what figures *column* holds; *fields* are what it stands for.

    *around* are the terms of what stands above, *unit* the one named there.
    """
    if column.parts:
        return _several(column, around, fields)
    assumed: list[str] = []
    questions: list[str] = []
    kinds, own = column.kinds, column.unit
    if unit is not None and own is None and all(one == "1" for one, _ in kinds):
        found = understood(unit)
        kinds, own = (
            frozenset([(found.base, found.per) if found else ("1", None)]),
            unit,
        )
        assumed.append(f"the unit {unit}, which is named above")
    chosen = metric(kinds, column.terms, around)
    if chosen.name == "score" and "lower" in column.terms | around:
        chosen = Metric(doubt="less is better here, while more is of our scores")
    if chosen.name == RATIO:
        return guess(*assumed, is_="ratio", unit=own, set=fields)
    if chosen.doubt:
        questions.append(f"{column.header!r}: which metric? {chosen.doubt}")
    elif own is None and column.texts and chosen.unit is None:
        assumed.append(f"{chosen.name}, by the cells ({column.texts[0]})")
    if chosen.why:
        assumed.append(chosen.why)
    if column.ambiguous:
        cell = column.ambiguous
        questions.append(f'{cell!r} can be two numbers; say decimal = "." or ","')
    is_share = chosen.name == "final_accuracy" and chosen.unit and column.largest <= 1
    # The decimal mark matters where a reader of this column alone could not tell.
    commas = column.decimal == "," or any("," in text for text in column.texts)
    return guess(
        *assumed,
        undecided=questions,
        is_="value",
        metric=chosen.name,
        unit=own or ("1" if is_share else chosen.unit),
        decimal=column.decimal if commas else None,
        set=fields,
    )


def _several(column: ColumnProfile, around: HeaderTerms, fields: Fields) -> Guess:
    """Return a column whose cells have several figures each, as ``time`` prints."""
    parts: dict[str, str] = {}
    assumed = [f"the parts of the cells ({column.texts[0]})"]
    questions: list[str] = []
    for name, kind in column.parts:
        if name in words().roles and kind[0] in ("s", "%"):
            parts[name] = words().roles[name]
            continue
        chosen = metric([kind], column.terms, around)
        if chosen.doubt or chosen.name == RATIO or chosen.name in parts.values():
            questions.append(f"which metric the part {name!r} is")
            parts[name] = ""
        else:
            parts[name] = chosen.name
            assumed += [chosen.why] if chosen.why else []
    return guess(*assumed, undecided=questions, is_="value", parts=parts, set=fields)


def metric_rows(
    column: ColumnProfile, index: int, sheets: Sequence[Sheet]
) -> Guess | None:
    """Return a column of words if each of its rows is another metric."""
    labels = column.texts
    if len(labels) < 2 or not all(map(_is_metric, labels)):
        return None
    values: Fields = {}
    assumed: list[str] = []
    questions: list[str] = []
    for label in labels:
        cells = [
            cell.text
            for sheet in sheets
            for row in sheet.rows
            if row.cells[index].text.strip() == label
            for n, cell in enumerate(row.cells)
            if n != index
        ]
        own = profile(label, cells)
        chosen = metric(own.kinds or [("1", None)], own.terms, frozenset())
        doubt = chosen.doubt or ("a ratio" if chosen.name == RATIO else None)
        if doubt or chosen.name in values.values():
            why = doubt or f"{chosen.name} is another row as well"
            questions.append(f"which metric the row {label!r} is: {why}")
            continue
        if chosen.unit and not own.unit:
            questions.append(f"the unit of the row {label!r} is not said")
        values[label] = chosen.name
        assumed += [f"{label!r}: {chosen.why}"] if chosen.why else []
    if len(values) < 2:
        return None
    return guess(*assumed, undecided=questions, is_="metric", values=values)


def _is_metric(label: str) -> bool:
    return bool(header_terms(label) & _LABELS) and naming.workload(label) is None
