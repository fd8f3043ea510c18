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
    for n, one in enumerate(drafts, 1):
        titled = one.header != f"column {n}"
        if first is not None and not titled and _is_alike(one, first):
            runs.setdefault(first, []).append(one)
        else:
            first = one if titled and one.looks.figures else None
    return [_run_doubt(*it) for it in runs.items()]


def _is_alike(one: ColumnDraft, first: ColumnDraft) -> bool:
    """Tell whether *one* has figures that can be read as those of *first* are."""
    kinds = {first.looks.kinds, _BARE if first.looks.unit else first.looks.kinds}
    clear = one.looks.zero is None and one.looks.ambiguous is None
    return clear and one.looks.kinds in kinds


def _run_doubt(first: ColumnDraft, runs: Sequence[ColumnDraft]) -> Doubt:
    def settle(answer: str) -> None:
        first.nth = int(answer != "others")
        for nth, one in enumerate(runs if first.nth else (), 2):
            if answer == "runs":
                one.nth, one.runs_of, one.column = nth, first, Column(is_="ignore")
            else:
                one.take(answer)

    choices = {"runs": "further runs of it", "others": "columns of their own"}
    choices[LEAVE_OUT] = "leave them out"
    text = "What are the columns without a heading right of {}?"
    figures = (amounts(one.looks.texts, first.looks.unit) for one in (first, *runs))
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
    figures = [n for n, one in enumerate(drafts) if one.holds_figures]
    one = drafts[figures[0]] if len(figures) > 1 else None
    if one is None or one.fields:
        return
    load = pattern("load").match(fold(one.header))
    counts = amounts(one.looks.texts, None)
    rows = [[cell.text for cell in row.cells] for it in sheets for row in it.rows]
    left = {tuple(row[: figures[0]]) for row in rows}
    up = len(counts) >= _COUNTED_UP and counts == sorted(counts)
    if up and (one.is_count or load) and len(left) < len(rows):
        known = [{*settings_in(f"{one.header}={it}")} for it in one.looks.texts]
        # "prompt 1" is the first of them more often than of one token.
        sure = (it for it in set.intersection(*known) if not it.endswith("tokens"))
        one.varied = next(sure, f"parameters.{slug(one.header)}")
        one.looks = replace(one.looks, unit=None, kinds=_BARE, terms=frozenset())


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
    figures = [one for one in drafts if one.holds_figures and one.column is None]
    for one in (it for it in drafts if len(it.looks.texts) == 1):
        own = understood(one.looks.texts[0])
        bare = [it for it in figures if own and it.looks.kinds == _BARE]
        for it in (it for it in bare if _is_unit_of(one, it)):
            kinds = frozenset([(own.base, own.per)] if own else ())
            it.looks = replace(it.looks, unit=one.looks.texts[0], kinds=kinds)
            one.column = Column(is_="ignore")
    for unit in (it for it in drafts if it.holds_words):
        measured = [it for it in figures if holds_units_of(unit.header, it.header)]
        if is_unit_header(unit.header):
            unit.column = Column(is_="ignore")  # its units stand at the numbers
            measured = measured if len(measured) == 1 else []
        if measured:
            _enter_metrics(unit, measured, around)


def _is_unit_of(unit: ColumnDraft, one: ColumnDraft) -> bool:
    """Tell whether the only text of *unit* is the unit of *one*, by their names."""
    holder, _, name = unit.header.rpartition(".")
    if holder and is_unit_header(name):
        return one.header.rpartition(".")[0] == holder
    return not is_unit_header(name) and holds_units_of(unit.header, one.header)


def _enter_metrics(
    unit: ColumnDraft, figures: Sequence[ColumnDraft], around: Around
) -> None:
    """Enter which metrics *figures* are in the units of the column *unit*."""
    named = {text: understood(text) for text in unit.looks.texts}
    terms = frozenset[str].intersection(*(one.looks.terms for one in figures))
    known = {
        text: metric_of([(it.base, it.per)] if it else [], terms, around.terms) or ""
        for text, it in named.items()
    }
    beside = not is_unit_header(unit.header) and all(known.values())
    if len({*known.values()}) > 1 or beside:
        unit.column = Column(is_="metric", values={**known})
        for one in figures:
            one.metric = next(filter(None, known.values()))
        if unsaid := [text for text, metric in known.items() if not metric]:
            why = f"rows in {', '.join(unsaid[:4])}: of what, is not said"
            unit.left = f"{unit.header!r}: {why}"


def _leave_statistics(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Leave statistics out that another column is too; enter which are of answers."""
    groups: dict[str, dict[str, ColumnDraft]] = {}
    for one in (it for it in drafts if not it.pattern):  # which tells of which it is
        name, rest = statistic(one.header)
        twin = groups.setdefault(rest, {}).setdefault(name, one)
        if name and twin is not one and twin.looks.texts == one.looks.texts:
            one.leave(f"{one.header!r}: as {twin.header!r}, which is the {name} too")
    for group in groups.values():
        # Who prints the p99 of answers prints their mean and median beside it.
        if any(_is_percentile(draft, around) for draft in group.values()):
            for one in group.values():
                one.looks = replace(one.looks, terms=one.looks.terms | {"latency"})


def _is_percentile(draft: ColumnDraft, around: Around) -> bool:
    """Tell whether *draft* is a high percentile of the time until an answer."""
    terms = draft.looks.terms | around.terms
    times = draft.looks.unit is None and terms & {"time", "latency", "ttft"}
    kinds = frozenset([("s", None)]) if times else draft.looks.kinds
    return (metric_of(kinds, terms) or "").startswith("latency_p9")


def _leave_training(drafts: Sequence[ColumnDraft]) -> None:
    """Leave the accuracy and loss of training out, beside those of validation."""
    names = {fold(one.header): one.header for one in drafts}
    for one in drafts:
        bare = re.sub("^train(?:ing)? ", "", fold(one.header))
        beside = [names[f"{it} {bare}"] for it in _HELD_OUT if f"{it} {bare}" in names]
        if beside and one.looks.terms & {"accuracy", "loss"}:
            one.leave(f"{one.header!r}: of training, beside {beside[0]!r}")


def _enter_counts(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Enter numbers of tokens beside their rates and times."""
    of_tokens = "ttft" in around.terms or any(
        "ttft" in one.looks.terms or ("1/s", "token") in one.looks.kinds
        for one in drafts
    )
    for one in drafts if of_tokens else ():
        terms, bare = one.looks.terms, not one.looks.unit and one.looks.integers
        if bare and "token" in terms and terms <= _OF_COUNTS and one.column is None:
            one.become_field(f"parameters.{slug(one.header)}")
