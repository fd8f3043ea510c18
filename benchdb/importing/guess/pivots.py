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
    for figure in figures:
        if not figure.looks.terms & _NOT_PIVOTED:
            header = figure.bare
            # What else the machine does meanwhile is no work or device of the figures.
            condition = pattern("condition").search(header)
            other = {"device", "workload"} if condition else set()
            named = [name for name in ALL_NAMES[: SIDES + 1] if name not in other]
            figure.fields = test_facts(header) or {
                **recognised(header, named).set,
                **settings_in(figure.header),
                **weights_in(figure.header),
                **({VARIANT: header} if condition else _model_in(header)),
            }
        units = {unit for unit, _ in figure.looks.kinds}
        if units and units <= _OF_PARTS:
            figure.fields.pop("device", None)
    modes = [
        None if "workload" in draft.fields else mode_of(draft.header)
        for draft in figures
    ]
    if {*modes} >= {"training", "inference"}:  # beside each other
        for figure, mode in zip(figures, modes, strict=True):
            figure.fields |= {"mode": mode} if mode else {}
    others = any("time" in o.looks.terms and not o.fields for o in figures)
    if others and {draft.fields.get("device") for draft in figures} <= {"cpu", None}:
        for (
            figure
        ) in figures:  # beside "Wall time", "CPU time" is that of the processor
            if figure.fields.keys() == {"device"} and "time" in figure.looks.terms:
                figure.fields = {}
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
    batches = any("batchsize" in draft.looks.terms for draft in drafts)
    machines = any(figure.fields.keys() & MACHINES for figure in figures)
    for figure in figures:
        card = naming.chip(figure.bare, numbers=True) if machines else None
        if batches and _NUMBER.fullmatch(figure.header):
            figure.fields = {"parameters.batch_size": int(figure.header)}
        elif not figure.fields and card and card.accelerator:
            figure.fields = {"accelerator": figure.header}


def pivot_doubts(
    drafts: Sequence[ColumnDraft], rows: Sequence[ColumnDraft]
) -> list[Doubt]:
    """Return the doubts what columns of one kind of figure stand for."""
    figures = rows or drafts
    rates = (figure.looks.terms for figure in figures if figure.metric in TOKENS)
    sides = frozenset[str]().union(*rates)
    for figure in figures:
        enter_language_model(figure, sides, drafts)
    by_kind: dict[object, list[ColumnDraft]] = {}
    for figure in figures:
        compared = figure.metric == RATIO  # a claim, which its header tells apart
        if figure.holds_figures and not (figure.aside or figure.rated or compared):
            terms = figure.looks.terms & FIGURE_TERMS
            alike = (
                figure.looks.integers if not terms and figure.bases == {"1"} else None
            )
            coded = figure.bases == {"s"} and CODED.search(figure.header)
            stem = statistic(figure.header)[1] if coded else None
            kind = figure.metric or (figure.kinds, terms, alike, stem)
            named = STATISTIC in figure.fields or figure.metric is None
            summary = called(figure.header).replace("mean", "") if named else ""
            key = (kind, summary, *figure.parts.values())
            by_kind.setdefault(key, []).append(figure)
    doubts: list[Doubt] = []
    things_of = Counter(
        _thing(draft) for draft in figures if _thing(draft) != draft.bare
    )
    left = any(draft.left and draft.looks.several for draft in drafts)
    if rows:
        columns = [draft for draft in drafts if draft.holds_figures]
        unlike = {repr(sorted(column.fields.items())) for column in columns}
        by_kind |= {} if len(unlike) == len(columns) else {"columns": columns}
    for group in by_kind.values():
        sets = Counter(repr(sorted(draft.fields.items())) for draft in group)
        doubled = [o for o in group if sets[repr(sorted(o.fields.items()))] > 1]
        # Beside a column that is left out, a header may name what runs too.
        nameless = [
            draft
            for draft in group
            if not (draft.fields.keys() - {"workload"})
            and not (draft.metric in TOKENS and "answer" in draft.looks.terms)
            and (
                sum(_work_of(o) in (None, _work_of(draft)) for o in group) > 1
                or things_of[_thing(draft)] > 1
                or (left and not draft.looks.terms & FIGURE_TERMS)
            )
        ]
        if mixed := list(dict.fromkeys([*doubled, *nameless])):
            beside = [draft for draft in group if draft not in mixed]
            doubts += _headers_doubts(mixed, beside)
    return doubts


def _work_of(draft: ColumnDraft) -> object:
    return draft.fields.get("workload")


def _thing(draft: ColumnDraft) -> str:
    """Return what a header names beside the figure: ``LFM2`` of ``LFM2 (Decode)``."""
    base, _, figure = draft.bare.partition(" (")
    of_figure = header_terms(figure) & (FIGURE_TERMS | _NOT_PIVOTED)
    return base if of_figure and not header_terms(base) & FIGURE_TERMS else draft.bare


def _headers_doubts(
    drafts: Sequence[ColumnDraft], beside: Sequence[ColumnDraft]
) -> list[Doubt]:
    """Return the doubts what columns are, *beside* which others are known."""
    runtimes = {naming.framework(draft.bare) or draft.bare for draft in drafts}
    alike = len(runtimes) < len(drafts)  # their headers tell them apart
    name = beside[0].header[:40] if beside else ""
    text = f"What are {{}}, beside {name!r}?" if beside else "What are {}?"
    # Of figures of one kind the whole header has to tell them apart.
    named = Counter((_thing(draft), _work_of(draft)) for draft in (*drafts, *beside))
    names = {
        id(draft): _thing(draft)
        if named[_thing(draft), _work_of(draft)] == 1
        else draft.bare
        for draft in drafts
    }
    choices = things([*names.values()])
    first = next(iter(choices))
    choices[LEAVE_OUT] = "leave them out"

    own = [it for it in drafts if metric_of(it.kinds, it.looks.terms) == it.metric]

    def settle(answer: str, draft: ColumnDraft) -> None:
        if answer == NOT_SAID and own == [draft] and draft.metric:
            return  # the others are as it is by an answer alone
        if answer in (LEAVE_OUT, NOT_SAID):
            draft.take(answer)
        elif answer == "device":
            draft.fields = {**recognised(draft.bare, ["device"]).set, **draft.fields}
        else:
            draft.add(**{THINGS[answer][0]: names[id(draft)]})
            if answer == "framework" and alike:
                draft.add(**{THINGS["setting"][0]: names[id(draft)]})

    doubts = []
    for draft in drafts:
        more: dict[str, object] = {"settle": partial(settle, draft=draft)}
        more["guess"] = first if first != "setting" else None
        doubts.append(column_doubt([draft], "columns", text, choices, **more))
    return doubts
