"""Columns of figures that one beside them explains, or says better.

Units, statistics, parts of a whole, training beside validation, counts beside rates.
"""

import re
from collections.abc import Sequence
from statistics import median

from msgspec.structs import replace

from benchdb.importing.guess.column_draft import (
    ColumnDraft,
    column_doubt,
)
from benchdb.importing.guess.column_profile import (
    amounts,
    fold,
    pattern,
    statistic,
    words,
)
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.figure_columns import Around, metric_of
from benchdb.importing.guess.headings import settings_in
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
)
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import Column
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Sheet, holds_units_of, is_unit_header

_HELD_OUT = ("val", "valid", "validation", "test", "eval")
_BARE = frozenset([("1", None)])
_COUNTED_UP = 3  # numbers of a column that counts up
_SAME = 1.5  # times the smallest of figures of one size
_OF_COUNTS = frozenset(words().kinds["counted"].split())


def run_doubts(drafts: Sequence[ColumnDraft]) -> list[Doubt]:
    """Return the doubts whether columns without a heading go on with that left of them.

    They are further runs most likely where their figures are of the same size.
    """
    runs: dict[ColumnDraft, list[ColumnDraft]] = {}
    first: ColumnDraft | None = None
    for n, draft in enumerate(drafts, 1):
        titled = draft.header != f"column {n}"
        if first is not None and not titled and _is_alike(draft, first):
            runs.setdefault(first, []).append(draft)
        else:
            first = draft if titled and draft.looks.figures else None
    return [_run_doubt(*it) for it in runs.items()]


def _is_alike(draft: ColumnDraft, first: ColumnDraft) -> bool:
    """Tell whether *draft* has figures that can be read as those of *first* are."""
    kinds = {first.looks.kinds, _BARE if first.looks.unit else first.looks.kinds}
    clear = draft.looks.zero is None and draft.looks.ambiguous is None
    return clear and draft.looks.kinds in kinds


def _run_doubt(first: ColumnDraft, runs: Sequence[ColumnDraft]) -> Doubt:
    def settle(answer: str) -> None:
        first.nth = int(answer != "others")
        for nth, draft in enumerate(runs if first.nth else (), 2):
            if answer == "runs":
                draft.nth, draft.runs_of, draft.column = (
                    nth,
                    first,
                    Column(is_="ignore"),
                )
            else:
                draft.take(answer)

    choices = {"runs": "further runs of it", "others": "columns of their own"}
    choices[LEAVE_OUT] = "leave them out"
    text = "What are the columns without a heading right of {}?"
    figures = (amounts(draft.looks.texts, first.looks.unit) for draft in (first, *runs))
    sizes = [median(it or [0]) for it in figures]
    same = max(sizes) <= _SAME * min(sizes)
    guess = "runs" if same else "others"
    more = {"settle": settle, "guess": guess}
    return column_doubt([first], "runs", text, choices, **more)


def enter_varied(sheets: Sequence[Sheet], drafts: Sequence[ColumnDraft]) -> None:
    """Enter which numbers are a setting that was varied, most likely.

    They count up left of the figures, in rows that nothing left of them tells apart;
    of rates it is said that they are those of the load.
    """
    figures = [n for n, draft in enumerate(drafts) if draft.holds_figures]
    draft = drafts[figures[0]] if len(figures) > 1 else None
    if draft is None or draft.fields:
        return
    load = pattern("load").match(fold(draft.header))
    counts = amounts(draft.looks.texts, None)
    rows = [[cell.text for cell in row.cells] for it in sheets for row in it.rows]
    left = {tuple(row[: figures[0]]) for row in rows}
    up = len(counts) >= _COUNTED_UP and counts == sorted(counts)
    if up and (draft.is_count or load) and len(left) < len(rows):
        known = [{*settings_in(f"{draft.header}={it}")} for it in draft.looks.texts]
        # "prompt 1" is the first of them more often than of one token.
        sure = (it for it in set.intersection(*known) if not it.endswith("tokens"))
        draft.varied = next(sure, f"parameters.{slug(draft.header)}")
        draft.looks = replace(draft.looks, unit=None, kinds=_BARE, terms=frozenset())


def settle(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Settle columns of figures by others of *drafts* beside them."""
    _leave_statistics(drafts, around)
    _leave_training(drafts)
    _enter_counts(drafts, around)


def enter_units(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Enter a column of units of several kinds: it tells the metric of each row.

    Rows in a unit of which nothing says the metric are left out. The one unit in an
    object of JSON is that of the numbers beside it: ``latency.unit``; that of some
    columns has their names: ``latency_unit``.
    """
    figures = [
        draft for draft in drafts if draft.holds_figures and draft.column is None
    ]
    for draft in (it for it in drafts if len(it.looks.texts) == 1):
        own = understood(draft.looks.texts[0])
        bare = [it for it in figures if own and it.looks.kinds == _BARE]
        for it in (it for it in bare if _is_unit_of(draft, it)):
            kinds = frozenset([(own.base, own.per)] if own else ())
            it.looks = replace(it.looks, unit=draft.looks.texts[0], kinds=kinds)
            draft.column = Column(is_="ignore")
    for unit in (it for it in drafts if it.holds_words):
        measured = [it for it in figures if holds_units_of(unit.header, it.header)]
        if is_unit_header(unit.header):
            unit.column = Column(is_="ignore")  # its units stand at the numbers
            measured = measured if len(measured) == 1 else []
        if measured:
            _enter_metrics(unit, measured, around)


def _is_unit_of(unit: ColumnDraft, draft: ColumnDraft) -> bool:
    """Tell whether the only text of *unit* is the unit of *draft*, by their names."""
    holder, _, name = unit.header.rpartition(".")
    if holder and is_unit_header(name):
        return draft.header.rpartition(".")[0] == holder
    return not is_unit_header(name) and holds_units_of(unit.header, draft.header)


def _enter_metrics(
    unit: ColumnDraft, figures: Sequence[ColumnDraft], around: Around
) -> None:
    """Enter which metrics *figures* are in the units of the column *unit*."""
    named = {text: understood(text) for text in unit.looks.texts}
    terms = frozenset[str].intersection(*(figure.looks.terms for figure in figures))
    known = {
        text: metric_of([(it.base, it.per)] if it else [], terms, around.terms) or ""
        for text, it in named.items()
    }
    beside = not is_unit_header(unit.header) and all(known.values())
    if len({*known.values()}) > 1 or beside:
        unit.column = Column(is_="metric", values={**known})
        for figure in figures:
            figure.metric = next(filter(None, known.values()))
        if unsaid := [text for text, metric in known.items() if not metric]:
            why = f"rows in {', '.join(unsaid[:4])}: of what, is not said"
            unit.left = f"{unit.header!r}: {why}"


def _leave_statistics(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Leave statistics out that another column is too; enter which are of answers."""
    groups: dict[str, dict[str, ColumnDraft]] = {}
    for column_draft in (
        it for it in drafts if not it.pattern
    ):  # which tells of which it is
        name, rest = statistic(column_draft.header)
        twin = groups.setdefault(rest, {}).setdefault(name, column_draft)
        if (
            name
            and twin is not column_draft
            and twin.looks.texts == column_draft.looks.texts
        ):
            column_draft.leave(
                f"{column_draft.header!r}: as {twin.header!r}, which is the {name} too"
            )
    for group in groups.values():
        # Who prints the p99 of answers prints their mean and median beside it.
        if any(_is_percentile(draft, around) for draft in group.values()):
            for column_draft in group.values():
                column_draft.looks = replace(
                    column_draft.looks, terms=column_draft.looks.terms | {"latency"}
                )


def _is_percentile(draft: ColumnDraft, around: Around) -> bool:
    """Tell whether *draft* is a high percentile of the time until an answer."""
    terms = draft.looks.terms | around.terms
    times = draft.looks.unit is None and terms & {"time", "latency", "ttft"}
    kinds = frozenset([("s", None)]) if times else draft.looks.kinds
    return (metric_of(kinds, terms) or "").startswith("latency_p9")


def _leave_training(drafts: Sequence[ColumnDraft]) -> None:
    """Leave the accuracy and loss of training out, beside those of validation."""
    names = {fold(draft.header): draft.header for draft in drafts}
    for draft in drafts:
        bare = re.sub("^train(?:ing)? ", "", fold(draft.header))
        beside = [names[f"{it} {bare}"] for it in _HELD_OUT if f"{it} {bare}" in names]
        if beside and draft.looks.terms & {"accuracy", "loss"}:
            draft.leave(f"{draft.header!r}: of training, beside {beside[0]!r}")


def _enter_counts(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Enter numbers of tokens beside their rates and times."""
    of_tokens = "ttft" in around.terms or any(
        "ttft" in draft.looks.terms or ("1/s", "token") in draft.looks.kinds
        for draft in drafts
    )
    for draft in drafts if of_tokens else ():
        terms, bare = draft.looks.terms, not draft.looks.unit and draft.looks.integers
        if bare and "token" in terms and terms <= _OF_COUNTS and draft.column is None:
            draft.become_field(f"parameters.{slug(draft.header)}")
