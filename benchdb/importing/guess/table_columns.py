"""What each column of a table is taken to be, seen beside the others."""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.guess import column_rules
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    HeaderTerms,
    Kind,
    Metric,
    header_terms,
    pattern,
    profile,
    unit_in,
    words,
)
from benchdb.importing.guess.column_rules import (
    PROSE,
    Guess,
    Machines,
    add_devices,
    fields_of,
    guess,
    hardware,
    text_facts,
)
from benchdb.importing.mapping.language import Fields
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Sheet

_SAID_ABOVE = (
    "time power energy memory flops bandwidth score accuracy latency fps ttft loss "
    "epoch step token mean peak idle lower"
)
_OF_FIGURES = frozenset(_SAID_ABOVE.split())
_SOLD = frozenset(
    (8, 12, 16, 18, 24, 32, 36, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512)
)
# What a column is about that names no work; "system" is both.
_NO_WORK = frozenset(("machine", "chip", "gpu", "os", "device"))
_OF_WORK = frozenset(("model", "network", "workload"))

_NOT_PIVOTED = {"memory", "power", "energy", "utilisation", "ratio", "ram", "cores"}
_NUMBER = re.compile(r"\d{1,6}")
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_NAMELESS = re.compile(r"column \d+|value")

Guesses = dict[int, Guess]
RATIO = "ratio"  # no metric: what a source computed from two figures
_STEPS = {"step", "it", "batch"}
_VAGUE = {"throughput", "memory", "power"}  # headings say "Performance" of anything
_NAMED = (
    "throughput time power energy memory flops bandwidth score accuracy latency fps "
    "ttft loss"
)
_LABELS = frozenset(_NAMED.split())


def guesses(
    columns: Sequence[ColumnProfile], sheets: Sequence[Sheet], machines: Machines
) -> Guesses:
    """Return what each column is taken to be; its assumptions are entries of their own.

    The surest come first: what a reader settles, fields by themselves, machines, and
    what figures stand for; columns of words are what is left.
    """
    result = _known_columns(columns, sheets[0])
    open_ = [n for n in range(len(columns)) if n not in result]
    result |= hardware(columns, open_, machines)
    result |= _memory(columns, result)
    open_ = [n for n in open_ if n not in result]
    pivot, nameless = _pivots({n: columns[n] for n in open_}, machines)
    around, unit = above(sheets[0])
    if columns and not columns[0].figures:  # the corner of a pivot
        around |= columns[0].terms
        unit = unit_in(columns[0].header) or unit
    words = [n for n in open_ if not columns[n].figures]
    by_row = None
    if words and (pivot or nameless):
        by_row = metric_rows(columns[words[0]], words[0], sheets)
    for n in open_:
        if by_row is not None and n == words[0]:
            result[n] = by_row
        elif columns[n].figures:
            stands = pivot.get(n, guess())
            fields = stands.column.set
            own = guess(is_="value", set=fields)
            if by_row is None:
                own = figures(columns[n], around, unit, fields)
            result[n] = Guess(own.column, (*stands.assumptions, *own.assumptions))
    result |= _settings(columns, result, pivot)
    result |= _words(columns, [n for n in words if n not in result], result, sheets)
    _tell_figures_apart(result, columns)
    return add_devices(columns, result)


def above(sheet: Sheet) -> tuple[HeaderTerms, str | None]:
    """Return the terms in the headings above *sheet*, and the unit named there."""
    texts = [text for text in reversed(sheet.context[-2:]) if len(text) <= PROSE]
    terms = frozenset(one for text in texts for one in header_terms(text)) & _OF_FIGURES
    if any(naming.workload(text) == "matmul" for text in texts):
        terms |= {"operation"}
    return terms, next((unit for text in texts if (unit := unit_in(text))), None)


def _known_columns(columns: Sequence[ColumnProfile], sheet: Sheet) -> Guesses:
    """Return columns that a reader settles, or that surely tell a field; each once."""
    names = [name.casefold() for name in sheet.header]
    result: Guesses = {}
    fields: set[str] = set()
    for n, (name, column) in enumerate(zip(names, columns, strict=True)):
        own = _of_reader(name, names, sheet.kind) or column_rules.field(column)
        if own is not None and own.field not in fields:
            result[n] = own
            fields |= {own.field} if own.field else set()
    return result


def _of_reader(name: str, names: Sequence[str], kind: str) -> Guess | None:
    """Return what a column of a reader of logs is known to be."""
    column = words().logs.get(kind, {}).get(name)
    if kind == "keras" and "epoch" not in names and column and column.metric:
        return None  # times of an evaluation
    return None if column is None else Guess(column)


def _memory(columns: Sequence[ColumnProfile], result: Guesses) -> Guesses:
    """Return a column of memory that is what the machine has, not what was used."""
    if any(one.field == "ram" for one in result.values()):
        return {}
    for n, column in enumerate(columns):
        texts = column.texts
        sizes = [re.fullmatch(r"(\d{1,3})\s?G(?:i?B|o)?", text) for text in texts]
        bare = column.terms == {"memory"} and bool(sizes) and n not in result
        if bare and all(size and int(size[1]) in _SOLD for size in sizes):
            why = f"{column.header!r} is what the machine has, not what was used"
            return {n: guess(why, field="ram")}
    return {}


def _pivots(
    columns: Mapping[int, ColumnProfile], machines: Machines
) -> tuple[Guesses, list[int]]:
    """Return what columns of figures stand for, and those that may be anything.

    A header that names nothing known is of the kind that its neighbours are of.
    """
    figures = {n: one for n, one in columns.items() if one.figures}
    words = [one for one in columns.values() if not one.figures]
    pivots = {n: _header_pivot(one, machines) for n, one in figures.items()}
    result = {n: pivot for n, pivot in pivots.items() if pivot}
    # Batch sizes: numbers, beside a header that says so.
    sizes = {
        n: guess(set={"parameters.batch_size": int(one.header)})
        for n, one in figures.items()
        if n not in result and _NUMBER.fullmatch(one.header)
    }
    if len(sizes) > 1 and any("batchsize" in one.terms for one in words):
        result |= sizes
    rest = [n for n in figures if n not in result and _is_mere_name(columns[n])]
    kind = _kind(result, words, len(rest))
    if kind is None:
        return result, rest
    for n in rest:
        name = _UNIT.sub("", columns[n].header)
        result[n] = guess(f"{name!r} is a {kind}", set={kind: name})
    return result, []


def _is_mere_name(column: ColumnProfile) -> bool:
    header = column.header
    known = header_terms(_UNIT.sub("", header)) or header == column.unit
    return not (known or header.isdigit() or _NAMELESS.fullmatch(header))


def _header_pivot(column: ColumnProfile, machines: Machines) -> Guess | None:
    if column.terms & _NOT_PIVOTED:
        return None
    header = _UNIT.sub("", column.header) if column.unit else column.header
    facts = text_facts(header, machines)
    fields = {n: it for n, it in facts.column.set.items() if not n.startswith("os_")}
    return facts.with_facts(set=fields) if fields else None


def _kind(result: Guesses, words: list[ColumnProfile], unnamed: int) -> str | None:
    """Return the kind of thing that nameless columns of figures stand for."""
    named = {name for one in result.values() for name in one.column.set}
    kinds = named & {"machine", "workload"}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds or unnamed < 2 or not words:
        return None
    texts = words[0].texts
    if texts and all(map(naming.chip, texts)):
        return "workload"
    return "machine" if any(map(naming.workload, texts)) else None


def _settings(
    columns: Sequence[ColumnProfile], result: Guesses, pivot: Guesses
) -> Guesses:
    """Return columns of numbers that are settings, where others are the figures."""
    values = [n for n, one in result.items() if one.column.is_ == "value"]
    doubtful = [n for n in values if result[n].column.metric == "reported_value"]
    if len(doubtful) == len(values):
        return {}
    stems = {n: columns[n].header.rstrip("0123456789") for n in doubtful}
    numbered = [stem for n, stem in stems.items() if stem != columns[n].header]
    return {
        n: column_rules.parameter(columns[n])
        for n, stem in stems.items()
        if n not in pivot
        and {unit for unit, _ in columns[n].kinds} <= {"1", "B"}
        # "Run 1" and "Run 2" are no settings
        and (stem == columns[n].header or numbered.count(stem) == 1)
    }


def _words(
    columns: Sequence[ColumnProfile],
    open_: Sequence[int],
    result: Guesses,
    sheets: Sequence[Sheet],
) -> Guesses:
    """Return what columns of words tell that is no field known by itself.

    That which looks most like workloads names them.
    """
    more: Guesses = {}
    has_work = "workload" in fields_of(result.values())
    for n in sorted(open_, key=lambda n: (-_likeness(columns[n]), n)):
        column = columns[n]
        if has_work or (column.terms & _NO_WORK and not _likeness(column)):
            more[n] = column_rules.parameter(column)
        else:
            more[n] = _workloads(column, sheets)
            has_work = True
    return more


def _likeness(column: ColumnProfile) -> float:
    known = sum(naming.workload(text) is not None for text in column.texts)
    share = 2 * known / len(column.texts) if column.texts else 0
    return share + bool(column.terms & _OF_WORK)


def _workloads(column: ColumnProfile, sheets: Sequence[Sheet]) -> Guess:
    ours = {text: naming.workload(text) for text in column.texts}
    texts = (*(text for one in sheets for text in one.context), *sheets[0].header)
    infers = any(pattern("inference").search(text[:1000]) for text in texts)
    assumed: list[str] = []
    values: dict[str, str] = {}
    if not column.terms & _OF_WORK and not any(ours.values()):
        assumed.append(f"{column.header!r} names the workloads")
    if infers and any(ours.values()):
        values = {text: f"{name}-inference" for text, name in ours.items() if name}
        assumed.append("these are inferences; our workloads train")
    others = [text for text, name in ours.items() if name is None]
    if others:
        listed = ", ".join(others[:6]) + (" …" if len(others) > 6 else "")
        own = f"workloads not in our catalogue keep their own names: {listed}"
        assumed.append(own)
    return guess(*assumed, field="workload", values=values)


def _tell_figures_apart(result: Guesses, columns: Sequence[ColumnProfile]) -> None:
    """Keep columns apart that would be the same figure of the same run."""
    same: dict[str, list[int]] = {}
    for n, one in result.items():
        column = one.column
        if column.is_ == "value":
            parts, set_ = sorted(column.parts.values()), sorted(column.set.items())
            same.setdefault(repr((column.metric, parts, set_)), []).append(n)
    for group in same.values():
        for n in group if len(group) > 1 else ():
            header = columns[n].header
            why = f"{header!r} is told apart by the name of its column"
            fields = {**result[n].column.set, "parameters.column": header}
            result[n] = result[n].with_facts(why, set=fields)


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
    terms = header | counted | {f"/{one}" for one in counted}
    terms |= {"step"} if counted & _STEPS else set()
    if unit != "s" and not counted and "token" in header | around:
        terms |= {"/token"}
    chosen = _of_unit(unit, terms, around)
    if chosen is None:
        return Metric(doubt=f"no metric of ours is in {unit}")
    listed = ", ".join(sorted(counted)) or "something"
    return replace(chosen, doubt=chosen.doubt and chosen.doubt.format(listed))


def _of_unit(unit: str, terms: HeaderTerms, around: HeaderTerms) -> Metric | None:
    for rule in words().by_unit.get(unit, ()):
        wanted = terms.issuperset(rule.terms.split()) and around.issuperset(
            rule.above.split()
        )
        if wanted and (terms | around).isdisjoint(rule.without.split()):
            return rule
    return None


def _bare(terms: HeaderTerms) -> Metric | None:
    """Return what numbers without a unit are, by the words about them."""
    if known := _of_unit("1", terms, frozenset()):
        return known
    for term, unit, name in (
        *(("power", "W", "watts"), ("time", "s", "seconds")),
        ("epoch", "s", "seconds"),
    ):
        if term in terms and (known := _of_unit(unit, terms, frozenset())):
            why = "; ".join(filter(None, (known.why, f"the numbers are {name}")))
            return Metric(known.name, unit=unit, why=why)
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
        known = understood(unit)
        kind = (known.base, known.per) if known else ("1", None)
        kinds, own = frozenset([kind]), unit
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
    if len(labels) < 2 or not all(
        header_terms(label) & _LABELS and naming.workload(label) is None
        for label in labels
    ):
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
