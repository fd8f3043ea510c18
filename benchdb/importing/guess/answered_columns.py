"""Columns that an answer makes ones of figures, whatever they were taken for.

A column is left out, or taken for a setting, by its name or its cells; a unit or a
metric that somebody gives it holds against that.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.importing.guess import pivots
from benchdb.importing.guess.column_draft import VARIANT, ColumnDraft
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    amounts,
    header_terms,
    profile,
)
from benchdb.importing.guess.facts import AnswerError, fact_of, unit_and_metric
from benchdb.importing.guess.figure_columns import (
    enter_language_model,
    figure_doubts,
    fits,
)
from benchdb.importing.guess.questions import LEAVING, Doubt, Inquiry
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood

_WITHIN = re.compile(r"(?<![\w.,/])\d[\d.,]*\s?([^\W\d_]+(?:/[^\W\d_]+)?|%)(?!\w)")
_NUMBER = re.compile(r"\d[\d.,]*\d")
_SAME = 0.01  # of a figure that is printed in two units
_OF_READINGS = ("mark", "zeros")  # topics that a metric leaves open
_OWN = (VARIANT, "parameters.statistic")
# Terms by which a column is left out, that say nothing once it is answered.
_OVERRULED = frozenset(("spec", "given", "estimate"))


def reopened(tables: Sequence[TableDraft], inquiry: Inquiry) -> Iterator[Doubt]:
    """Make columns of *tables* those of the figures that answers say; yield doubts.

    Raise ``AnswerError`` where no cell has such a figure.
    """
    held = {one.header for it in tables for one in it.drafts if one.holds_figures}
    for number, table in enumerate(tables, 1):
        for n, one in enumerate(table.drafts):
            if one.holds_figures or one.header in table.sheets[0].inherited:
                continue
            names = [one.header, f"column {n + 1}"]
            own = [f"{it} of table {number}" for it in names]
            for key in inquiry.keys_of(own + names[: 1 + (len(tables) == 1)]):
                unit, metric = unit_and_metric(inquiry.answer(key))
                if unit or metric:
                    # The figures of another table may have the answer as well.
                    inquiry.used |= {key} if one.header not in held else set()
                    rows = (row for sheet in table.sheets for row in sheet.rows)
                    cells = [row.cells[n].text for row in rows]
                    yield from table.weighed(_figures(table, one, cells, unit, metric))
                    # What tells its figures apart follows from the answer.
                    settings = (fact_of(it).name for it in one.fields if it in _OWN)
                    it = f"of {one.header[:30]}"
                    inquiry.known |= {f"{name} {it}": key for name in settings}


def _figures(
    table: TableDraft,
    one: ColumnDraft,
    cells: Sequence[str],
    unit: str | None,
    metric: str | None,
) -> Iterable[Doubt]:
    """Make a column that of figures in *unit*, of *metric*; return what is in doubt.

    Its own name tells its figures from those of others.
    """
    looks = profile(one.header, cells, table.decimal, unit or one.looks.unit)
    bases = {base for base, _ in looks.kinds} - {"1"}
    base = (of := understood(unit or "")) and of.base
    of_it = bases <= {base} if base else not metric or not bases or fits(metric, bases)
    one.missing, one.pattern = {}, ""
    if not (looks.figures and of_it):
        looks = _within(one, cells, unit, metric, table.decimal)
    looks = replace(looks, terms=looks.terms - _OVERRULED)
    one.looks, one.left, one.column = looks, None, None
    missing = one.missing
    pivots.enter_pivots([one], table.drafts)
    doubts = figure_doubts(one, replace(table.around, specified=False))
    if metric is not None:
        one.kinds = one.kinds if one.unit else looks.kinds
        one.take_metric(metric)
        doubts = [it for it in doubts if it.topic in _OF_READINGS]
        if one.bases == {"1"} and (counts := metrics()[metric].counts):
            one.take_unit(f"{counts[0]}{metrics()[metric].unit.removeprefix('1')}")
        if one.bases == {"1"} and not fits(metric, one.bases):
            ms = f"{one.header!r}: {metric}: in which unit, is not said; give both"
            raise AnswerError(f"{ms}, as '{one.header}: {metric} in ms'")
    doubts = [replace(it, guess=None) if it.guess in LEAVING else it for it in doubts]
    one.missing = missing | one.missing
    enter_language_model(one, frozenset())
    one.add(**{VARIANT: one.bare})
    return doubts


def _within(
    one: ColumnDraft,
    cells: Sequence[str],
    unit: str | None,
    metric: str | None,
    mark: Mark | None,
) -> ColumnProfile:
    """Return how a column of words looks whose *cells* have one figure each, or none.

    What stands behind ``/`` is not the figure: of ``4.7Gi/16Gi`` that is the whole of
    which it is a part. A figure that is printed in two units is read once. *mark* is
    the decimal mark of the table.
    """
    base = (of := understood(unit or metrics()[metric or ""].unit)) and of.base
    said = f"{one.header!r}: {unit or metric!r}"
    units, values = dict[str, None](), list[str]()
    for text in dict.fromkeys(cells):
        every = [(it[0], it[1], understood(it[1])) for it in _WITHIN.finditer(text)]
        found = [(it, name) for it, name, of in every if of and of.base == base]
        sizes = amounts([it for it, _ in found], None)
        if sizes and max(sizes) > (1 + _SAME) * min(sizes):
            raise AnswerError(f"{said}: several such are in {text!r}")
        units |= dict.fromkeys(name for _, name in found)
        values += [it for it, _ in found[:1]]
        one.missing = one.missing | ({} if found else {text: ""})
    if not units:
        raise AnswerError(f"{said}: no cell has a figure with such a unit behind it")
    spelt = "|".join(map(re.escape, units))
    one.pattern = rf"(?<![\w.,/])(?P<value>\d[\d.,]*\s?(?:{spelt}))(?!\w)"
    numbers = [number for text in cells for number in _NUMBER.findall(text)]
    looks = profile(one.header, values, convention(numbers) or mark, None)
    return replace(looks, terms=looks.terms | header_terms(" ".join(cells)))
