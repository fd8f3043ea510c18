"""What columns of one kind of figure stand for beside each other: by their headers."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import get_args

from benchdb.importing import naming
from benchdb.importing.guess.column_draft import (
    CODED,
    FIGURE_TERMS,
    RATIO,
    STATISTIC,
    VARIANT,
    ColumnDraft,
    called,
    column_doubt,
)
from benchdb.importing.guess.column_profile import header_terms, pattern, statistic
from benchdb.importing.guess.column_rules import (
    MACHINES,
    THINGS,
    test_facts,
    things,
)
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.figure_columns import (
    TOKENS,
    enter_language_model,
    metric_of,
)
from benchdb.importing.guess.headings import (
    BILLIONS,
    mode_of,
    settings_in,
    weights_in,
)
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
    NOT_SAID,
)
from benchdb.importing.mapping.fields import group_facts, slug
from benchdb.importing.mapping.language import Fields, Named
from benchdb.importing.mapping.recognition import recognised

ALL_NAMES: tuple[Named, ...] = get_args(Named)
SIDES = ALL_NAMES.index("workload")  # names before it are of any work
# Headers that speak of these name no side: "GPU memory" is no run on a GPU.
_NOT_PIVOTED = {"memory", "power", "energy", "utilisation", "ratio", "ram", "cores"}
_NOT_PIVOTED |= {"score", "spec"}
_OF_PARTS = {"W", "J", "B"}  # of a part of the machine, whatever ran
_NUMBER = re.compile(r"\d{1,6}")


def enter_pivots(figures: Sequence[ColumnDraft], drafts: Sequence[ColumnDraft]) -> None:
    """Enter what headers of figures stand for: machines, sides, precisions."""
    for one in figures:
        if not one.looks.terms & _NOT_PIVOTED:
            header = one.bare
            # What else the machine does meanwhile is no work or device of the figures.
            condition = pattern("condition").search(header)
            other = {"device", "workload"} if condition else set()
            named = [name for name in ALL_NAMES[: SIDES + 1] if name not in other]
            one.fields = test_facts(header) or {
                **recognised(header, named).set,
                **settings_in(one.header),
                **weights_in(one.header),
                **({VARIANT: header} if condition else _model_in(header)),
            }
        units = {unit for unit, _ in one.looks.kinds}
        if units and units <= _OF_PARTS:
            one.fields.pop("device", None)
    modes = [
        None if "workload" in one.fields else mode_of(one.header) for one in figures
    ]
    if {*modes} >= {"training", "inference"}:  # beside each other
        for one, mode in zip(figures, modes, strict=True):
            one.fields |= {"mode": mode} if mode else {}
    others = any("time" in o.looks.terms and not o.fields for o in figures)
    if others and {one.fields.get("device") for one in figures} <= {"cpu", None}:
        for one in figures:  # beside "Wall time", "CPU time" is that of the processor
            if one.fields.keys() == {"device"} and "time" in one.looks.terms:
                one.fields = {}
    _enter_numbers(figures, drafts)


def _model_in(header: str) -> Fields:
    """Return the language model that a header names, or the work by another network.

    ``vgg16 eval`` says what is done with it; what is done with a language model is told
    by what is counted.
    """
    models = naming.networks(header)
    if not models and (size := re.match(BILLIONS, header)):
        return group_facts(size).set
    if len(models) != 1 or re.search(BILLIONS, models[0]):
        return {"parameters.model": models[0]} if len(models) == 1 else {}
    name = " ".join(pattern("doing").sub(" ", header).split())
    if slug(name, "").replace("_", "") != slug(models[0], "").replace("_", ""):
        return {}  # of more than a network
    mode = mode_of(header) if name != header else None
    work: Fields = {"workload": naming.workload(name) or slug(name, "-")}
    return work | ({"mode": mode} if mode else {})


def _enter_numbers(
    figures: Sequence[ColumnDraft], drafts: Sequence[ColumnDraft]
) -> None:
    """Enter columns that are headed by batch sizes, or by numbers of cards."""
    batches = any("batchsize" in one.looks.terms for one in drafts)
    machines = any(one.fields.keys() & MACHINES for one in figures)
    for one in figures:
        card = naming.chip(one.bare, numbers=True) if machines else None
        if batches and _NUMBER.fullmatch(one.header):
            one.fields = {"parameters.batch_size": int(one.header)}
        elif not one.fields and card and card.accelerator:
            one.fields = {"accelerator": one.header}


def pivot_doubts(
    drafts: Sequence[ColumnDraft], rows: Sequence[ColumnDraft]
) -> list[Doubt]:
    """Return the doubts what columns of one kind of figure stand for."""
    figures = rows or drafts
    rates = (one.looks.terms for one in figures if one.metric in TOKENS)
    sides = frozenset[str]().union(*rates)
    for one in figures:
        enter_language_model(one, sides, drafts)
    by_kind: dict[object, list[ColumnDraft]] = {}
    for one in figures:
        compared = one.metric == RATIO  # a claim, which its header tells apart
        if one.holds_figures and not (one.aside or one.rated or compared):
            terms = one.looks.terms & FIGURE_TERMS
            alike = one.looks.integers if not terms and one.bases == {"1"} else None
            coded = one.bases == {"s"} and CODED.search(one.header)
            stem = statistic(one.header)[1] if coded else None
            kind = one.metric or (one.kinds, terms, alike, stem)
            named = STATISTIC in one.fields or one.metric is None
            summary = called(one.header).replace("mean", "") if named else ""
            key = (kind, summary, *one.parts.values())
            by_kind.setdefault(key, []).append(one)
    doubts: list[Doubt] = []
    things_of = Counter(_thing(one) for one in figures if _thing(one) != one.bare)
    left = any(one.left and one.looks.several for one in drafts)
    if rows:
        columns = [one for one in drafts if one.holds_figures]
        unlike = {repr(sorted(one.fields.items())) for one in columns}
        by_kind |= {} if len(unlike) == len(columns) else {"columns": columns}
    for group in by_kind.values():
        sets = Counter(repr(sorted(one.fields.items())) for one in group)
        doubled = [o for o in group if sets[repr(sorted(o.fields.items()))] > 1]
        # Beside a column that is left out, a header may name what runs too.
        nameless = [
            one
            for one in group
            if not (one.fields.keys() - {"workload"})
            and not (one.metric in TOKENS and "answer" in one.looks.terms)
            and (
                sum(_work_of(o) in (None, _work_of(one)) for o in group) > 1
                or things_of[_thing(one)] > 1
                or (left and not one.looks.terms & FIGURE_TERMS)
            )
        ]
        if mixed := list(dict.fromkeys([*doubled, *nameless])):
            beside = [one for one in group if one not in mixed]
            doubts += _headers_doubts(mixed, beside)
    return doubts


def _work_of(one: ColumnDraft) -> object:
    return one.fields.get("workload")


def _thing(one: ColumnDraft) -> str:
    """Return what a header names beside the figure: ``LFM2`` of ``LFM2 (Decode)``."""
    base, _, figure = one.bare.partition(" (")
    of_figure = header_terms(figure) & (FIGURE_TERMS | _NOT_PIVOTED)
    return base if of_figure and not header_terms(base) & FIGURE_TERMS else one.bare


def _headers_doubts(
    drafts: Sequence[ColumnDraft], beside: Sequence[ColumnDraft]
) -> list[Doubt]:
    """Return the doubts what columns are, *beside* which others are known."""
    runtimes = {naming.framework(one.bare) or one.bare for one in drafts}
    alike = len(runtimes) < len(drafts)  # their headers tell them apart
    name = beside[0].header[:40] if beside else ""
    text = f"What are {{}}, beside {name!r}?" if beside else "What are {}?"
    # Of figures of one kind the whole header has to tell them apart.
    named = Counter((_thing(one), _work_of(one)) for one in (*drafts, *beside))
    names = {
        id(one): _thing(one) if named[_thing(one), _work_of(one)] == 1 else one.bare
        for one in drafts
    }
    choices = things([*names.values()])
    first = next(iter(choices))
    choices[LEAVE_OUT] = "leave them out"

    own = [it for it in drafts if metric_of(it.kinds, it.looks.terms) == it.metric]

    def settle(answer: str, one: ColumnDraft) -> None:
        if answer == NOT_SAID and own == [one] and one.metric:
            return  # the others are as it is by an answer alone
        if answer in (LEAVE_OUT, NOT_SAID):
            one.take(answer)
        elif answer == "device":
            one.fields = {**recognised(one.bare, ["device"]).set, **one.fields}
        else:
            one.add(**{THINGS[answer][0]: names[id(one)]})
            if answer == "framework" and alike:
                one.add(**{THINGS["setting"][0]: names[id(one)]})

    doubts = []
    for one in drafts:
        more: dict[str, object] = {"settle": partial(settle, one=one)}
        more["guess"] = first if first != "setting" else None
        doubts.append(column_doubt([one], "columns", text, choices, **more))
    return doubts
