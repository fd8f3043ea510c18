"""Rows that are more, or less, than they look: blank names, equal and failed rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from benchdb.importing.guess.column_draft import (
    VARIANT,
    ColumnDraft,
    column_doubt,
    samples_of,
)
from benchdb.importing.guess.column_rules import MACHINES, fields_of
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.headings import expression_of
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
)
from benchdb.importing.guess.table_draft import TableDraft

_IDENTITY = MACHINES | {"device", "framework", "workload", "parameters.model"}
_DIGIT = re.compile(r"\d")
_WRITTEN = ("markdown", "html", "csv")  # where people leave out what they repeat


class _Row(NamedTuple):
    """A row that is no heading: what stands above it, its line and its cells."""

    above: object
    line: int
    texts: list[str]


def _rows(table: TableDraft, filled: Collection[int] = ()) -> Iterator[_Row]:
    """Yield the rows, with what stands above in blank cells of *filled* columns."""
    for sheet in table.sheets:
        section, above = "", dict.fromkeys(filled, "")
        for row in sheet.rows:
            texts = [cell.text.strip() for cell in row.cells]
            if texts[0] and not any(texts[1:]):
                section, above = texts[0], dict.fromkeys(filled, "")
                continue
            for n in filled:
                texts[n] = above[n] = texts[n] or above[n]
            yield _Row((sheet.context, section), row.line, texts)


def _naming(table: TableDraft) -> list[int]:
    """Return the columns whose cells name what the figures of a row are of."""
    return [
        n
        for n, draft in enumerate(table.drafts)
        if draft.column and draft.column.is_ == "field" and draft.looks.texts
        if fields_of(draft.column) & _IDENTITY
    ]


def _figures(table: TableDraft) -> list[int]:
    return [
        n
        for n, draft in enumerate(table.drafts)
        if draft.metric is not None or (table.rows and draft.holds_figures)
    ]


def blank_doubts(table: TableDraft) -> list[Doubt]:
    """Return the doubts whether blank cells below names, left of figures, are as above.

    Where a name to the left of them is another one they are not.
    """
    figures = _figures(table)
    names = [n for n in _naming(table) if n < min(figures, default=0)]
    if table.sheets[0].kind not in _WRITTEN:
        return []
    printed, rows = [*_rows(table)], [*_rows(table, names)]
    doubts = []
    for n in names:
        blank = [
            it
            for it, row in enumerate(rows)
            if row.texts[n] and not printed[it].texts[n]
            if any(row.texts[m] for m in figures)
        ]
        before = [(rows[it - 1].texts[:n], rows[it].texts[:n]) for it in blank]
        if blank and all(above == left for above, left in before):
            doubts.append(_blank_doubt(table.drafts[n]))
    return doubts


def _blank_doubt(draft: ColumnDraft) -> Doubt:
    def settle(answer: str) -> None:
        if draft.column is not None and answer == "above":
            draft.column = replace(draft.column, blank="above")

    text = "What do blank cells of {} say?"
    choices = {"above": "what stands above them", "nothing": "not known"}
    return column_doubt([draft], "blanks", text, choices, settle=settle)


def failure_doubts(table: TableDraft) -> list[Doubt]:
    """Return the doubts what figures are beside a cell that says how a run failed."""
    figures = _figures(table)
    doubts = []
    for n, draft in enumerate(table.drafts):
        remarks = (
            set(draft.looks.ended) & draft.column.cells.keys() if draft.column else ()
        )
        failed = [row.texts for row in _rows(table) if row.texts[n] in remarks]
        beside = [it[n] for it in failed if any(_DIGIT.search(it[m]) for m in figures)]
        doubts += [_failure_doubt(draft, Counter(beside))] if beside else []
    return doubts


def _failure_doubt(draft: ColumnDraft, remarks: Mapping[str, int]) -> Doubt:
    def settle(answer: str) -> None:
        if draft.column is not None and answer == LEAVE_OUT:
            failed = {f"^{expression_of(it)}$": "the run failed" for it in remarks}
            draft.column = replace(draft.column, skip={**draft.column.skip, **failed})
            draft.left = f"{draft.header!r}: rows that failed: {shown}"

    shown = ", ".join(f"{text!r} ({rows})" for text, rows in remarks.items())
    text = "Rows that failed have figures: {}."
    choices = {LEAVE_OUT: "leave them out", "kept": "figures, with the remark"}
    items: dict[str, object] = {"subject": f"{draft.header!r}: {shown}"}
    items |= {"guess": LEAVE_OUT, "settle": settle}
    return column_doubt([draft], "failures", text, choices, **items)


def repeat_doubts(table: TableDraft) -> list[Doubt]:
    """Return the doubt whether rows that nothing tells apart are one run's samples.

    It is not likely of rows below labels that change, which may be part of theirs.
    """
    drafts = table.rows or table.drafts
    figures = [it for it in drafts if it.holds_figures and it.metric]
    unknown = any(it.rated or (it.holds_figures and it.metric is None) for it in drafts)
    if unknown or not figures or any(it.sampled for it in figures):
        return []
    if repeated_line(table) is None:
        return []

    def settle(answer: str) -> None:
        for figure in figures if answer == "samples" else ():
            figure.sampled = "samples"
        pools = [(it.finished().metric, it.fields) for it in figures if it.sampled]
        for figure in [
            it for it in figures if it.sampled
        ]:  # of one pool are further runs
            if pools.count((figure.finished().metric, figure.fields)) > 1:
                figure.add(**{VARIANT: figure.bare})

    text = "Some rows differ from one above by {} alone: what are they?"
    choices = {"samples": f"repetitions of one run: {samples_of(figures)}"}
    choices["nothing"] = "not known: equal rows are refused"
    # It stays the same question where answers take columns or rows away.
    of_rows: dict[str, object] = {"name": "rows", "line": table.line}
    if _below_others(alike_rows(table)):
        of_rows["guess"] = "nothing"
    return [column_doubt(figures, "repeat", text, choices, settle=settle, **of_rows)]


def _below_others(alike: Collection[list[_Row]]) -> bool:
    """Tell whether some rows with equal settings stand below others that come once.

    pp4096, tg256, pp8192, tg256: each tg256 is behind another prompt.
    """
    sizes = {row.line: len(rows) for rows in alike for row in rows}
    above = dict(pairwise(sorted(sizes)))
    once = {below for line, below in above.items() if sizes[line] == 1}
    return any(
        len(rows) > 1 and once.issuperset(row.line for row in rows) for rows in alike
    )


def repeated_line(table: TableDraft, but: Collection[ColumnDraft] = ()) -> int | None:
    """Return the line of a row with the settings, *but* some, of one above it.

    There is none where some row like that leaves blank what others name: they may be
    of different machines.
    """
    again = [row for rows in alike_rows(table, but) for row in rows[1:]]
    names = _naming(table)
    if not all(row.texts[n] for row in again for n in names):
        return None
    return min((row.line for row in again), default=None)


def alike_rows(
    table: TableDraft, but: Collection[ColumnDraft] = ()
) -> Collection[list[_Row]]:
    """Return the rows with figures, those together with equal settings *but* some.

    What is left out of the objects that hold the rows may be settings of theirs. Of
    rows that are named after metrics the name is one.
    """
    inherited = table.sheets[0].inherited
    settings, filled = list[int](), list[int]()
    for n, draft in enumerate(table.drafts):
        if draft.column and draft not in but:
            is_field = draft.column.is_ in ("field", "metric")
            settings += [n] if is_field or draft.header in inherited else []
            filled += [n] if draft.column.blank else []
    figures = _figures(table)
    left = {
        column_draft.header.casefold()
        for column_draft in table.rows
        if column_draft.metric is None
    }
    alike = defaultdict[object, list[_Row]](list)
    for row in _rows(table, filled):
        named = left.isdisjoint(it.casefold() for it in row.texts)
        if named and any(row.texts[n] for n in figures):
            key = (row.above, *(row.texts[n].casefold() for n in settings))
            alike[key].append(row)
    return alike.values()
