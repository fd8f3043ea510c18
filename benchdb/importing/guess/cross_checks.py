"""What a document says twice: summaries of rows."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, product
from statistics import mean, median

from benchdb.importing.guess.column_draft import (
    STATISTICS,
    ColumnDraft,
    samples_of,
)
from benchdb.importing.guess.column_profile import (
    SIDES,
    amounts,
    fold,
    pattern,
    statistic,
)
from benchdb.importing.guess.repeated_rows import alike_rows, repeated_line
from benchdb.importing.guess.table_draft import TableDraft

_FEWEST = 3  # figures of a column that a list sums up
_NUMBER = re.compile(r"\d+(?:\.(?P<decimals>\d+))?")


def leave_summaries(tables: Sequence[TableDraft], *, settled: bool = False) -> None:
    """Leave out, in JSON, what sums up the rows of an object, beside these rows.

    That holds as well where an answer leaves these out. Once it is *settled* what the
    columns are, rows that nothing but a number of a trial tells apart are the samples
    of one run.
    """
    for below in tables:
        inherited = below.sheets[0].inherited
        own = [
            figure for figure in _of_figures(below) if figure.header not in inherited
        ]
        trials = [
            draft
            for draft in below.drafts
            if pattern("trial").fullmatch(fold(draft.header))
        ]
        repeated = settled and bool(own) and repeated_line(below, trials) is not None
        for above in (table for table in tables if own and _holds(table, below)):
            for figure in _of_figures(above):
                if (rows := _summed_up(figure, own, repeated=repeated)) is None:
                    continue
                if figure.left is None:
                    figure.leave(
                        f"{figure.header!r}: sums up {rows.header!r} of each row"
                    )
                for it in own if repeated else ():
                    it.sampled = "samples"
                for it in trials if repeated else ():
                    kept = samples_of(own)
                    it.leave(f"{it.header!r}: the number of a sample; kept are {kept}")


def keep_once(table: TableDraft) -> None:
    """Keep a figure beside each repetition once if it is of all: a cold start.

    It is the same in all rows that nothing but the number of a trial tells apart.
    """
    trials = [
        draft
        for draft in table.drafts
        if pattern("trial").fullmatch(fold(draft.header))
    ]
    fields = [it.column.field for it in trials if it.column and it.column.field]
    groups = [rows for rows in alike_rows(table, trials) if fields and len(rows) > 1]
    for n, draft in enumerate(table.drafts if groups else ()):
        same = all(len({row.texts[n] for row in rows}) == 1 for rows in groups)
        if draft.metric and same and pattern("once").search(draft.header):
            draft.add(**dict.fromkeys(fields, "all"))
            draft.sampled = "once"


def leave_totals(tables: Sequence[TableDraft]) -> None:
    """Leave figures of lists out that sum up others, as their names say.

    They are its sum, mean, median or extreme, as exactly as they are printed.
    """
    totals = [
        row
        for table in tables
        for row in table.rows
        if row.left is None
        and (pattern("summary").search(row.header) or statistic(row.header)[0])
    ]
    columns = [
        (table, draft, amounts(_cells(table, draft), draft.unit))
        for table in tables
        for draft in (table.rows or table.drafts if totals else ())
        if draft.holds_figures and draft.header not in table.sheets[0].inherited
    ]
    for total in totals:
        for table, draft, values in columns:
            if total.bases == draft.bases and _sums_up(total, values):
                where = f"{draft.header!r} of {table.called}"
                total.leave(f"{total.header!r}: sums up {where}")


def leave_alike(
    tables: Sequence[TableDraft], container: Container[tuple[int, str]]
) -> None:
    """Leave out what an answer leaves out under the same title in other tables.

    That is a column with no other figures; of one with some it is said that it stays.
    *container* are lines and titles of columns that answers are about.
    """
    every = [(it, draft) for it in tables for draft in (*it.drafts, *it.rows)]
    figures = [it for it in every if it[1].holds_figures]
    said_of = (it for _, it in every if (it.line, it.header[:30]) in container)
    left = [it for it in said_of if it.left and it.column]  # as a whole
    for draft, (table, other) in product(left, figures):
        known = {*draft.looks.texts}.intersection(other.looks.texts)
        if not known or fold(other.header) != fold(draft.header):
            continue
        if known.issuperset(other.looks.texts):
            other.leave(f"{other.header!r}: as that at line {draft.line}, as answered")
        else:
            why = f"unlike that at line {draft.line}, it has other figures"
            table.notes.append(f"line {other.line}: {other.header!r} stays: {why}")


def _cells(table: TableDraft, draft: ColumnDraft) -> Iterator[str]:
    """Yield the cells of a column of *table*, or of the rows that are called so."""
    rows = chain.from_iterable(sheet.rows for sheet in table.sheets)
    place = 1 if table.rows else table.drafts.index(draft)
    for row in rows:
        if not table.rows or row.cells[0].text.strip() == draft.header:
            yield row.cells[place].text


def _sums_up(total: ColumnDraft, values: Sequence[float]) -> bool:
    own, text = amounts(total.looks.texts, total.unit), total.looks.texts[0]
    if len(own) != 1 or len(values) < _FEWEST or not (number := _NUMBER.search(text)):
        return False
    scale = own[0] / float(number[0]) if float(number[0]) else 0.0
    digit = 1.01 * scale * 10.0 ** -len(number["decimals"] or "")  # its last one
    summed = (sum(values), mean(values), median(values), min(values), max(values))
    return any(abs(own[0] - it) <= digit for it in summed)


def _of_figures(table: TableDraft) -> list[ColumnDraft]:
    """Return the columns of figures, those as well that are left out."""
    return [
        draft
        for draft in table.drafts
        if draft.holds_figures or (draft.left is not None and draft.looks.figures)
    ]


def _summed_up(
    draft: ColumnDraft, rows: Sequence[ColumnDraft], *, repeated: bool
) -> ColumnDraft | None:
    """Return the column of *rows* of which *draft* is a mean or the like."""
    holder, _, name = draft.header.rpartition(".")
    summary, rest = statistic(name)
    named = bool(summary or statistic(holder)[0] or pattern("summary").search(holder))
    kinds = {draft.metric, draft.looks.terms - STATISTICS} - {None, frozenset()}
    same = (it for it in rows if statistic(it.header)[1] == rest)
    sided = [
        it for it in rows if (it.looks.terms ^ draft.looks.terms).isdisjoint(SIDES)
    ]
    alike = (it for it in sided if named and kinds & {it.metric, it.looks.terms})
    return next(chain(same, alike), None) if named or repeated else None


def _holds(above: TableDraft, below: TableDraft) -> bool:
    """Tell whether the rows of *below* are in the objects that are rows *above*."""
    ways = ["".join(draft.sheets[0].context) for draft in (above, below)]
    kinds = {draft.sheets[0].kind for draft in (above, below)}
    alike = kinds in ({"json"}, {"yaml"})  # settings of a log are in no object
    nested = bool(below.sheets[0].inherited) and ways[1].startswith(ways[0])
    return alike and nested and ways[0] != ways[1]
