"""What a document says twice, or beside its tables: summaries of rows, sentences."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from benchdb.importing.document import Document
from benchdb.importing.guess.column_draft import ColumnDraft
from benchdb.importing.guess.column_profile import fold, statistic
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.logs.sentences import figures
from benchdb.importing.sheet import Sheet

_LINES = 5000
_LISTED = 20  # sentences
_ALIGNED = re.compile(r"(?<=\s\s)\d+\.\d+(?!\S)")  # in a column, perhaps
_SUMMARY = re.compile(r"(?i)average|summary|aggregate|overall|stat")
_TRIAL = re.compile(
    r"(?:run|trial|rep(?:eat|etition)?|iter(?:ation)?|attempt|index)s?(?: id| nr)?"
)


def sentence_results(document: Document, sheets: Sequence[Sheet]) -> Iterator[str]:
    """Yield what lines say of rates and times that are in no cell of *sheets*."""
    cells: defaultdict[int, list[str]] = defaultdict(list)
    for one in sheets:
        cells[one.line] += one.header
        for row in one.rows:
            for cell in row.cells:
                cells[cell.line].append(cell.text)
    refused = {bad.number for one in sheets for bad in one.bad}  # named elsewhere
    lines = [
        (number, left)
        for number, line in enumerate(document.lines[:_LINES], 1)
        if number not in refused
        and not line.lstrip().startswith("|")
        and (left := _unread(line, cells.get(number)))
    ]
    for number, left in lines[:_LISTED]:
        listed = ", ".join(map(repr, left))
        yield f"line {number}: {listed}: in no table and no list that can be read"
    if len(lines) > _LISTED:
        yield f"{len(lines) - _LISTED} more lines with results in sentences"


def _unread(line: str, cells: Sequence[str] | None) -> list[str]:
    """Return the rates and times of *line* that none of its *cells* holds, if any."""
    found = figures(line)
    if cells is None:
        return found or _ALIGNED.findall(line)
    read = "".join("\n".join(cells).split(" "))
    return [it for it in found if it.replace(" ", "") not in read]


def leave_summaries(tables: Sequence[TableDraft]) -> None:
    """Leave out, in JSON, what sums up the rows of an object, beside these rows.

    Rows that nothing but a number of a trial tells apart are the samples of one run.
    """
    for below in tables:
        inherited = below.sheets[0].inherited
        own = [
            one
            for one in below.drafts
            if one.holds_figures and one.header not in inherited
        ]
        trials = [one for one in below.drafts if _TRIAL.fullmatch(fold(one.header))]
        repeated = bool(own) and below.repeated(trials) is not None
        for above in (one for one in tables if own and _holds(one, below)):
            for one in (it for it in above.drafts if it.holds_figures):
                if (rows := _summed_up(one, own, repeated=repeated)) is None:
                    continue
                why = f"sums up {rows.header!r}, of which each row is read"
                one.leave(f"{one.header!r}: {why}")
                for it in own if repeated else ():
                    it.sampled = True
                for it in trials if repeated else ():
                    it.leave(f"{it.header!r}: the number of a sample")


def _summed_up(
    one: ColumnDraft, rows: Sequence[ColumnDraft], *, repeated: bool
) -> ColumnDraft | None:
    """Return the column of *rows* of which *one* is a mean or the like."""
    holder, _, name = one.header.rpartition(".")
    summary, rest = statistic(name)
    named = bool(summary or statistic(holder)[0] or _SUMMARY.search(holder))
    same = (it for it in rows if statistic(it.header)[1] == rest)
    alike = (it for it in rows if named and it.metric and it.metric == one.metric)
    return next(chain(same, alike), None) if named or repeated else None


def _holds(above: TableDraft, below: TableDraft) -> bool:
    """Tell whether the rows of *below* are in the objects that are rows *above*."""
    ways = ["".join(one.sheets[0].context) for one in (above, below)]
    alike = above.sheets[0].kind == below.sheets[0].kind
    nested = bool(below.sheets[0].inherited) and ways[1].startswith(ways[0])
    return alike and nested and ways[0] != ways[1]
