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
        own = [one for one in _of_figures(below) if one.header not in inherited]
        trials = [
            one for one in below.drafts if pattern("trial").fullmatch(fold(one.header))
        ]
        repeated = settled and bool(own) and repeated_line(below, trials) is not None
        for above in (one for one in tables if own and _holds(one, below)):
            for one in _of_figures(above):
                if (rows := _summed_up(one, own, repeated=repeated)) is None:
                    continue
                if one.left is None:
                    one.leave(f"{one.header!r}: sums up {rows.header!r} of each row")
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
        one for one in table.drafts if pattern("trial").fullmatch(fold(one.header))
    ]
    fields = [it.column.field for it in trials if it.column and it.column.field]
    groups = [rows for rows in alike_rows(table, trials) if fields and len(rows) > 1]
    for n, one in enumerate(table.drafts if groups else ()):
        same = all(len({row.texts[n] for row in rows}) == 1 for rows in groups)
        if one.metric and same and pattern("once").search(one.header):
            one.add(**dict.fromkeys(fields, "all"))
            one.sampled = "once"


def leave_totals(tables: Sequence[TableDraft]) -> None:
    """Leave figures of lists out that sum up others, as their names say.

    They are its sum, mean, median or extreme, as exactly as they are printed.
    """
    totals = [
        one
        for table in tables
        for one in table.rows
        if one.left is None
        and (pattern("summary").search(one.header) or statistic(one.header)[0])
    ]
    columns = [
        (table, one, amounts(_cells(table, one), one.unit))
        for table in tables
        for one in (table.rows or table.drafts if totals else ())
        if one.holds_figures and one.header not in table.sheets[0].inherited
    ]
    for total in totals:
        for table, one, values in columns:
            if total.bases == one.bases and _sums_up(total, values):
                where = f"{one.header!r} of {table.called}"
                total.leave(f"{total.header!r}: sums up {where}")


def leave_alike(tables: Sequence[TableDraft], said: Container[tuple[int, str]]) -> None:
    """Leave out what an answer leaves out under the same title in other tables.

    That is a column with no other figures; of one with some it is said that it stays.
    *said* are lines and titles of columns that answers are about.
    """
    every = [(it, one) for it in tables for one in (*it.drafts, *it.rows)]
    figures = [it for it in every if it[1].holds_figures]
    said_of = (it for _, it in every if (it.line, it.header[:30]) in said)
    left = [it for it in said_of if it.left and it.column]  # as a whole
    for one, (table, other) in product(left, figures):
        known = {*one.looks.texts}.intersection(other.looks.texts)
        if not known or fold(other.header) != fold(one.header):
            continue
        if known.issuperset(other.looks.texts):
            other.leave(f"{other.header!r}: as that at line {one.line}, as answered")
        else:
            why = f"unlike that at line {one.line}, it has other figures"
            table.notes.append(f"line {other.line}: {other.header!r} stays: {why}")


def _cells(table: TableDraft, one: ColumnDraft) -> Iterator[str]:
    """Yield the cells of a column of *table*, or of the rows that are called so."""
    rows = chain.from_iterable(sheet.rows for sheet in table.sheets)
    place = 1 if table.rows else table.drafts.index(one)
    for row in rows:
        if not table.rows or row.cells[0].text.strip() == one.header:
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
        one
        for one in table.drafts
        if one.holds_figures or (one.left is not None and one.looks.figures)
    ]


def _summed_up(
    one: ColumnDraft, rows: Sequence[ColumnDraft], *, repeated: bool
) -> ColumnDraft | None:
    """Return the column of *rows* of which *one* is a mean or the like."""
    holder, _, name = one.header.rpartition(".")
    summary, rest = statistic(name)
    named = bool(summary or statistic(holder)[0] or pattern("summary").search(holder))
    kinds = {one.metric, one.looks.terms - STATISTICS} - {None, frozenset()}
    same = (it for it in rows if statistic(it.header)[1] == rest)
    sided = [it for it in rows if (it.looks.terms ^ one.looks.terms).isdisjoint(SIDES)]
    alike = (it for it in sided if named and kinds & {it.metric, it.looks.terms})
    return next(chain(same, alike), None) if named or repeated else None


def _holds(above: TableDraft, below: TableDraft) -> bool:
    """Tell whether the rows of *below* are in the objects that are rows *above*."""
    ways = ["".join(one.sheets[0].context) for one in (above, below)]
    kinds = {one.sheets[0].kind for one in (above, below)}
    alike = kinds in ({"json"}, {"yaml"})  # settings of a log are in no object
    nested = bool(below.sheets[0].inherited) and ways[1].startswith(ways[0])
    return alike and nested and ways[0] != ways[1]
