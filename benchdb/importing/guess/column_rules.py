"""Which field of a run a column tells, where its header or its cells say it."""

import datetime
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import compress

from benchdb.importing import naming
from benchdb.importing.guess.column_draft import (
    FIGURE_TERMS,
    ColumnDraft,
)
from benchdb.importing.guess.column_profile import (
    CARDS,
    ColumnProfile,
    FieldRule,
    fold,
    header_terms,
    pattern,
    unit_in,
    words,
)
from benchdb.importing.guess.headings import mode_of
from benchdb.importing.logs.line_text import command
from benchdb.importing.mapping.fields import GROUPED, slug
from benchdb.importing.mapping.language import Column, Fields, Meaning, Named
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.naming.names import way

_UNKNOWN = "unknown"  # a device
_NAMES = ("workload", "parameters.model", "machine", "chip", "framework")
_MOSTLY = 0.8  # of the cells
TRIED = 20  # cells; where none of them is a chip, the others are not looked at
_MOST = 0.7
PROSE = 100  # characters of a text that names nothing
_SHORT = 40  # characters of a text that may be a name
_TESTS = 20  # of a prompt or an answer, in one table
_NAMED = 100  # cells of which each names its framework
# What columns and headings may be, with the field that they then tell.
THINGS = words().things  # with the field, and in words
MACHINES = frozenset(("machine", "chip", "accelerator", "model"))
_OF_WORK = frozenset(("workload", "operation", "model", "network"))
_OF_MODELS = frozenset(("model", "network"))


@lru_cache(maxsize=1024)
def field(column: ColumnProfile) -> Column | str | None:
    """Return what *column* surely tells, or why it is left out."""
    if column.parts:
        return None
    rule = next((it for it in words().fields if _holds(it, column)), None)
    if rule is None or rule.ignore:
        return rule.ignore.format(column.header) if rule else None
    named = column.truths and rule.field in _NAMES
    own = Column(field=f"parameters.{slug(column.header)}")
    return own if named else _column_by(rule, column)


def is_of_sizes(column: ColumnProfile) -> bool:
    """Tell whether *column* is of sizes of models, where no bytes can be: ``7B``."""
    return bool(column.texts) and all(map(pattern("sized").fullmatch, column.texts))


def _column_by(rule: FieldRule, column: ColumnProfile) -> Column:
    """Return what *column* tells by *rule*."""
    if rule.cells in _TELLING:
        return _TELLING[rule.cells](column)
    if rule.field == "framework":
        return _named_in(column) or _frameworks_in(column)
    if rule.field == "device" and all(map(naming.framework, column.texts)):
        return Column(names=("framework", "device"))
    if rule.field == "os_name":
        return Column(names=("os",))
    own = naming.framework(column.header) if rule.cells == "own version" else None
    # A count is a whole number: its comma groups digits.
    count = rule.cells == "integers" and any(map(GROUPED.fullmatch, column.texts))
    return Column(
        field=rule.field.format(slug(column.header)),
        decimal="." if count else None,
        set={"framework": own} if own else {},
    )


def _providers(column: ColumnProfile) -> Column:
    """Return what tells the device of each row by what ONNX Runtime ran it with.

    Core ML may run on each part of a chip.
    """
    cells = {
        text: Meaning(
            set={"device": naming.device(way("provider").sub(" ", text)) or _UNKNOWN}
        )
        for text in column.texts
    }
    return Column(field=f"parameters.{slug(column.header)}", cells=cells)


def leave_versions(drafts: Sequence[ColumnDraft]) -> None:
    """Keep columns of versions as settings, where nothing says which framework ran.

    A bare "Version" is that of a column of frameworks, or of one called after some; in
    JSON it stands in the same object. Of those of several frameworks none is of all
    rows.
    """
    own = {
        it.header: naming.framework(it.header)
        for it in drafts
        if _is_own_version(it.looks)
    }
    several = len({*own.values()}) > 1
    named = {it.header for it in drafts if _names_framework(it.looks)}
    texts = (
        it.header for it in drafts if it.column and "framework" in fields_of(it.column)
    )
    objects = {header.rpartition(".")[0] for header in (*named, *texts)}
    for draft in drafts:
        holder, _, name = draft.header.rpartition(".")
        bare = holder in objects and fold(name) == "version"
        known = draft.column is not None and draft.column.field == "framework_version"
        other = several and draft.header in own
        if known and (other or not (bare or draft.header in named)):
            draft.become_field(f"parameters.{slug(draft.header)}")


def _names_framework(looks: ColumnProfile) -> bool:
    return "framework" in looks.terms or naming.framework(looks.header) is not None


def _runtimes_in(column: ColumnProfile) -> Column:
    """Return what tells the framework of each row, by our names where we have some.

    The cells are kept as well where two of them are one framework of ours.
    """
    sides = {it: naming.framework(it) or slug(it, "-") for it in column.texts}
    if len({*sides.values()}) == len(sides):
        return Column(field="framework")
    cells = {text: Meaning(set={"framework": it}) for text, it in sides.items()}
    return Column(field=f"parameters.{slug(column.header)}", cells=cells)


def _frameworks_in(column: ColumnProfile) -> Column:
    beside: tuple[Named, ...] = ("device", "quantization")
    flags = (any(recognised(it, [text]).set for it in column.texts) for text in beside)
    return Column(names=("framework", *compress(beside, flags)))


def _named_in(column: ColumnProfile) -> Column | None:
    """Return what keeps whole cells that name more than their frameworks: models."""
    models = column.terms & _OF_MODELS or column.mostly(
        lambda text: naming.networks(text) or None
    )
    kinds = {naming.framework(text) for text in column.texts}
    headed = column.terms & {"framework", "device"}
    more = len(column.texts) > len(kinds) or column.terms & _OF_WORK
    if not models and (headed or not more):
        return None
    sides = {text: naming.framework(text) for text in column.texts[:_NAMED]}
    return Column(
        field="parameters.model" if models else f"parameters.{slug(column.header)}",
        cells={o: Meaning(set={"framework": it}) for o, it in sides.items() if it},
    )


def _holds(rule: FieldRule, column: ColumnProfile) -> bool:
    terms, only = column.terms, frozenset(rule.only.split())

    def mostly(column: ColumnProfile) -> bool:
        known = column.mostly(pattern(rule.cells).fullmatch)
        return known and not (rule.cells in ("switch", "version") and column.unit)

    return (
        terms.issuperset(rule.terms.split())
        and (terms <= only if only and terms else not only)
        and terms.isdisjoint(rule.without.split())
        and any(re.search(rule.header, name) for name in _names(column.header))
        and bool(re.search(rule.spelt, _without_unit(column).casefold()))
        and (not rule.cells or _CELLS.get(rule.cells, mostly)(column))
    )


def _names(header: str) -> set[str]:
    """Return what *header* is called, in JSON without the objects that hold it too."""
    return {fold(header), fold(header.rpartition(".")[2])}


def _without_unit(column: ColumnProfile) -> str:
    """Return the header of *column* but its unit: ``tok/s/W`` is one."""
    return column.header.replace(column.unit or "\0", " ").replace("_", " ")


def _are_moments(column: ColumnProfile) -> bool:
    """Tell whether the cells count seconds, or parts of one, since 1970."""
    moments = [float(it) for it in column.texts if pattern("since_1970").fullmatch(it)]
    if column.unit not in (None, "s", "ms") or len(moments) < len(column.texts):
        return False
    near = max(moments) < 1.01 * min(moments) and any("." in it for it in column.texts)
    return near or pattern("moment").search(fold(column.header)) is not None


def _modes_in(column: ColumnProfile) -> Column:
    """Return what is done by each cell that is more than a unit with its name."""
    modes = {text: mode_of(text) for text in column.texts if unit_in(text) is None}
    return Column(field="mode", values={**modes})


def _gpus_in(column: ColumnProfile) -> Column:
    """Return what tells how many GPUs there are, by ``2`` or by ``2 GPU``."""
    counts = [pattern("of_gpus").fullmatch(text) for text in column.texts]
    values = {it[0]: int(it[1]) for it in counts if it and it[0] != it[1]}
    return Column(field="parameters.gpus", values={**values})


def _ends_in(column: ColumnProfile) -> Column:
    """Return what keeps, of remarks, those that say how runs failed."""
    cells = {it: Meaning(set={"conditions.remark": it}) for it in column.ended}
    return Column(cells=cells)


def _is_day(text: str) -> object | None:
    with suppress(ValueError):
        day = text[:10].replace("/", "-")
        dated = len(text) > 9 and not day.isdecimal()  # which is a count
        return datetime.date.fromisoformat(day) if dated else None
    return None


def _is_own_version(column: ColumnProfile) -> bool:
    """Tell whether the cells are versions of the framework that heads them.

    Under "PyTorch", 1.81 may be milliseconds: only 1.81.0 is surely a version.
    """
    long = any(map(pattern("long_version").match, column.texts))
    named = naming.framework(column.header) is not None
    return named and long and column.mostly(pattern("version").fullmatch)


def _is_precision(text: str) -> object | None:
    """Return the precision that is all that *text* says: no "fp8-static"."""
    return naming.precision(text) if text.isalnum() else None


def _is_quantised(column: ColumnProfile) -> bool:
    """Tell whether the cells are formats of weights, some of them quantised."""
    quantised = pattern("quantised").fullmatch
    if pattern("of_weights").search(fold(column.header)):
        if not column.figures and not column.mostly(_is_precision):
            return True
        # Of bits, beside names of formats.
        return column.mostly(
            lambda text: quantised(text) or pattern("bits").fullmatch(text)
        )
    return any(map(quantised, column.texts)) and column.mostly(
        lambda text: quantised(text) or naming.precision(text)
    )


# What cells can be beside those of a pattern, by the names in ``headers.toml``.
_CELLS: dict[str, Callable[[ColumnProfile], bool]] = {
    "nothing": lambda column: not column.texts,
    "prose": lambda column: (
        not column.figures and column.mostly(lambda it: len(it) > PROSE or None)
    ),
    "moments": _are_moments,
    "billions": lambda column: (
        column.unit == "B" and column.mostly(pattern("billions").fullmatch)
    ),
    "providers": lambda column: all(map(way("one_provider").fullmatch, column.texts)),
    "modes": lambda column: (
        not column.figures
        and {*_modes_in(column).values.values()} == {"training", "inference"}
    ),
    "switched": lambda column: (
        any(map(pattern("switched").fullmatch, column.texts))
        and any(text[:1].isdigit() for text in column.texts)
    ),
    "integers": lambda column: column.integers and not column.unit,
    "gpus": lambda column: (
        not column.unit
        and bool(column.texts)
        and all(map(pattern("of_gpus").fullmatch, column.texts))
    ),
    "bare": lambda column: (
        not column.unit and {unit for unit, _ in column.kinds} <= {"1", "B"}
    ),
    # A header may have one: "warmup_seconds".
    "no units": lambda column: (
        bool(column.unit) or {unit for unit, _ in column.kinds} <= {"1", "B"}
    ),
    "figures": lambda column: column.figures,
    "numbers": lambda column: {unit for unit, _ in column.kinds} == {"1"},
    "bytes": lambda column: {unit for unit, _ in column.kinds} == {"B"},
    "ended": lambda column: bool(column.ended),
    "day": lambda column: column.mostly(_is_day),
    "own version": _is_own_version,
    "quantised": _is_quantised,
    # "Single" may be many things.
    "precision": lambda column: (
        column.mostly(naming.precision)
        and len({*map(naming.precision, column.texts)}) == len(column.texts)
        and (
            "precision" in column.terms
            or any(map(pattern("digit").search, column.texts))
        )
    ),
    "framework": lambda column: column.mostly(naming.framework),
    # Under such a header, those that we do not know are frameworks as well.
    "runtimes": lambda column: (
        not column.figures
        and any(map(naming.framework, column.texts))
        and not any(recognised(text, ["device"]).set for text in column.texts)
    ),
    "system": lambda column: column.mostly(naming.os),
    # One word that is no device and rows would be lost.
    "device": lambda column: all(
        recognised(text, ["device"]).set and naming.chip(text) is None
        for text in column.texts
    ),
    "words": lambda column: not column.figures,
}


_TELLING = {
    "runtimes": _runtimes_in,
    "providers": _providers,
    "modes": _modes_in,
    "gpus": _gpus_in,
    "ended": _ends_in,
}


def _chips_in(column: ColumnProfile) -> bool:
    """Tell whether the cells of a column name machines by their chips."""
    numbers = bool(column.terms & CARDS) and "cpu" not in column.terms
    if any(unit != "1" for unit, _ in column.kinds) or not any(
        naming.chips_in(text, numbers=numbers) for text in column.texts[:TRIED]
    ):
        return False
    known = sum(bool(naming.chips_in(t, numbers=numbers)) for t in column.texts)
    headed = column.terms & {"gpu", "chip", "cpu", "machine", "device"}
    return known >= len(column.texts) * (0.5 if headed else _MOSTLY)


def enter_hardware(drafts: Sequence[ColumnDraft]) -> tuple[Fields, str]:
    """Enter the columns that describe the machine; return what follows for all rows.

    And the header that it follows from.
    """
    open_ = [draft for draft in drafts if draft.column is None and not draft.parts]
    chips = [draft for draft in open_ if _chips_in(draft.looks)]
    macs = [it for it in open_ if it not in chips and it.looks.mostly(naming.model)]
    known = {draft.column.field for draft in drafts if draft.column}
    for draft in macs[:1]:
        draft.become_field("model")
    holds = bool(macs or len(chips) > 1 or known & {"ram", "gpu_cores", "cpu_cores"})
    for draft in chips:
        beside = any("cpu" in it.looks.terms for it in chips if it is not draft)
        numbers = not all(map(naming.chip, draft.looks.texts))  # "4090" alone
        cards = (numbers or "gpu" in draft.looks.terms) and all(
            (chip := naming.chip(text, numbers=True)) and (chip.accelerator or beside)
            for text in draft.looks.texts
        )
        name = "accelerator" if cards else "chip" if holds else ""
        if name and name not in known:
            draft.become_field(name)
            known.add(name)
        elif not name:
            draft.column = _machines(draft.looks.texts)
    for draft in open_:
        sides = {
            it: pattern("gpu_switch").match(it.casefold()) for it in draft.looks.texts
        }
        if (
            "gpu" in draft.looks.terms
            and not draft.looks.figures
            and all(sides.values())
        ):
            cells = {
                it: Meaning(set={"device": "gpu" if match and match[1] else "cpu"})
                for it, match in sides.items()
            }
            draft.column = Column(field=f"parameters.{slug(draft.header)}", cells=cells)
    for draft in drafts if not chips else ():  # whatever they are called
        figures = draft.looks.terms & FIGURE_TERMS  # "GPU usage" is no machine
        headed = draft.looks.terms & {"machine", "gpu", "chip"} and not figures
        if headed and draft.holds_words and not draft.looks.truths:
            draft.become_field("chip" if "chip" in draft.looks.terms else "machine")
            break
    named = [(it.column.field, it.header) for it in chips if it.column]
    only = [field for field, _ in named] == ["accelerator"]
    return ({"device": "gpu"}, named[0][1]) if only else ({}, "")


def _machines(texts: Sequence[str]) -> Column:
    """Return what *texts* name: machines, some of them with the side that ran."""
    cells: Fields = {text: "cpu" for text in texts if pattern("gpu_off").search(text)}
    cores = {o: {it.casefold() for it in pattern("of_cores").findall(o)} for o in texts}
    # "16-core GPU" beside "10-core CPU" is what ran; alone it tells a chip from others.
    if {"gpu"} in cores.values() and {"cpu"} in cores.values():
        cells |= {o: it.pop() for o, it in cores.items() if len(it) == 1}
    sides = any(recognised(text, ["device"]).set for text in texts)
    for text in texts if cells else ():
        if (chip := naming.chip(text)) and chip.accelerator:
            cells.setdefault(text, "gpu")
    meanings = {text: Meaning(set={"device": it}) for text, it in cells.items()}
    for text in texts:
        if naming.chip(text) is None and naming.chip(text, numbers=True):  # "4090 * 2"
            meanings[text] = Meaning(set={"accelerator": text})
    return Column(
        names=("machine", "device") if sides or cells else ("machine",),
        cells=meanings,
    )


def things(texts: Sequence[str]) -> dict[str, str]:
    """Return the choices what *texts* may name, the likeliest first."""
    known: dict[str, Callable[[str], object]] = {
        "work": naming.workload,
        "machine": naming.chip,
        "model": naming.networks,
        "framework": naming.framework,
    }
    labels = [it.groupdict() for it in map(pattern("headed").fullmatch, texts) if it]
    # Few of many machines are in no catalogue.
    named = (
        key
        for key, name in known.items()
        if all(it.get(key) for it in labels)
        or sum(bool(name(it)) for it in texts)
        >= len(texts) * (_MOST if key == "machine" else 1)
    )
    # A command has options of all kinds beside the name of a model.
    first = "setting" if any(map(command, texts)) else next(named, "setting")
    keys = sorted(THINGS, key=lambda key: key != first)
    return {key: THINGS[key][1] for key in keys}


def test_facts(text: str) -> Fields:
    """Return what a test of a language model is: ``pp512``, ``tg128 @ d4096``."""
    match = pattern("test").fullmatch(text.strip().casefold())
    if match is None or not (match[1] or match[2]):
        return {}
    work = "generate" if match[1] and match[2] else "prefill" if match[1] else "decode"
    names = ("prompt_tokens", "generated_tokens", "depth")
    counts = zip(names, match.groups(), strict=True)
    known: Fields = {f"parameters.{name}": int(it) for name, it in counts if it}
    return {"workload": f"llm-{work}", **known}


def _side_facts(text: str) -> Fields:
    sides = sorted(header_terms(text) & {"prefill", "decode"})
    alone = len(sides) == 1 and len(text) < _SHORT
    return {"workload": f"llm-{sides[0]}"} if alone else {}


def _is_software(text: str) -> bool:
    """Tell whether *text* names a framework, its precision perhaps, and no model."""
    parts = re.split(r"[\s_-]+", text)
    named = all(naming.framework(part) or naming.precision(part) for part in parts)
    return named and naming.framework(text) is not None


def enter_words(drafts: Sequence[ColumnDraft]) -> None:
    """Enter columns of words of which nothing is known; tests of models are work."""
    for draft in drafts:
        if draft.holds_words and not draft.asked:
            named = "model" in draft.looks.terms and not draft.looks.truths
            named = named and not draft.looks.terms & {"gpu", "cpu"}
            name = "model" if named else slug(draft.looks.header)
            enter_tests(draft, f"parameters.{name}")
            tests = draft.column is not None and draft.column.cells
            software = 2 * sum(map(_is_software, draft.looks.texts))
            if named and not tests and software > len(draft.looks.texts):
                draft.column = Column(names=("framework", "precision"))


def enter_tests(draft: ColumnDraft, field: str) -> None:
    """Make the cells of a column set *field*, and the work where they name tests."""
    texts = draft.looks.texts
    facts = {text: known for text in texts if (known := test_facts(text))}
    sides = {text: _side_facts(text) for text in texts}
    if not facts and len({it.get("workload") for it in sides.values()} - {None}) > 1:
        facts = {text: known for text, known in sides.items() if known}
    tests = 0 < len(facts) <= _TESTS and len(facts) >= len(texts) * _MOSTLY
    meanings = {text: Meaning(set=it) for text, it in facts.items()} if tests else {}
    draft.column = Column(field=field, cells=meanings)


def likeness_to_work(column: ColumnProfile) -> float:
    """Return how much a column of words looks as if it named the work."""
    known = sum(naming.workload(text) is not None for text in column.texts)
    return 2 * known / max(1, len(column.texts)) + bool(column.terms & _OF_WORK)


def fields_of(column: Column) -> set[str]:
    """Return the fields that a column of fields tells."""
    fields = {column.field or "", *column.names, *column.set}
    return fields | {name for cell in column.cells.values() for name in cell.set}
