"""Columns and rows that an answer says what they are, whatever they were taken for.

A column is left out, or taken for a setting, by its name or its cells; a unit, a metric
or a role that somebody gives it holds against that.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

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
from benchdb.importing.guess.corrections import OF_COLUMN, Line, begins
from benchdb.importing.guess.doubts import Doubt, Inquiry
from benchdb.importing.guess.facts import (
    FACTS,
    AnswerError,
    Faults,
    column_of,
    fact_named,
    fact_of,
    unit_and_metric,
)
from benchdb.importing.guess.figure_columns import (
    OF_SIDES,
    enter_language_model,
    figure_doubts,
    fits,
    state_metric,
)
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
    LEAVING,
    OF_TABLE,
)
from benchdb.importing.guess.row_labels import cells_by_label, corner_of, enter_labels
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import plain_name, slug
from benchdb.importing.mapping.language import PREFIXES, Column
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood

_WITHIN = re.compile(r"(?<![\w.,/])\d[\d.,]*\s?([^\W\d_]+(?:/[^\W\d_]+)?|%)(?!\w)")
_EXPLAINED = re.compile(r"^(?P<value>\d[\d.,]*)\s?\(")
_NUMBER = re.compile(r"\d[\d.,]*\d")
_SAME = 0.01  # of a figure that is printed in two units
_OF_READINGS = ("mark", "zeros")  # topics that a metric leaves open
# Terms by which a column is left out, that say nothing once it is answered.
_OVERRULED = frozenset(("spec", "given", "estimate"))


_Keys = Mapping[tuple[str, int], list[str]]  # of answers, by name and table


def entered(
    tables: Sequence[TableDraft], inquiry: Inquiry, lines: Mapping[str, Line]
) -> Iterator[Doubt]:
    """Enter what answers say that columns and rows of *tables* are; yield doubts.

    *lines* are those of earlier cards. What is in doubt of a table, such as its work,
    follows from what its columns are said to be.
    It is a fault where no place takes an answer, as no cell has such a figure; where
    some do, the rest is a note.
    """
    keys, refused = _keys(tables, inquiry, lines), Faults()
    for table in tables:
        number = table.number
        yield from _enter_rows(table, number, keys, inquiry, refused)
        roles: list[str] = []
        again: set[str | None] = set()  # metrics of what were figures before
        for n, draft in enumerate(table.drafts):
            names = plain_name(draft.header), f"column {n + 1}"
            for key in chain.from_iterable(keys[name, number] for name in names):
                answer, at = inquiry.answers[key], (draft.line, draft.header[:30])
                unit, metric = unit_and_metric(answer)
                if (unit or metric) and draft.header not in table.sheets[0].inherited:
                    if inquiry.answered.get(at) == key:
                        continue  # it was to what was asked of it
                    were = draft.holds_figures
                    own = {} if were else {VARIANT: draft.bare}
                    rows = (row for sheet in table.sheets for row in sheet.rows)
                    cells = [row.cells[n].text for row in rows]
                    with refused.of(key):
                        yield from _figures(table, draft, cells, key, inquiry)
                        draft.add(**own)
                        again |= {draft.metric} if were else set()
                elif table.may_have_figures() and inquiry.answered.get(at) != key:
                    roles += [draft.header] if _enter_role(draft, key, inquiry) else []
        _free_roles(table, roles)
        _name_alike(table, again)
    for key, fault in refused.items():
        if key in inquiry.used:  # some other place takes it
            inquiry.notes.append(fault)
        else:
            inquiry.faults[key] = fault


def _name_alike(table: TableDraft, metrics_: Collection[str | None]) -> None:
    """Let names tell all figures of a metric apart where they tell some.

    Which are alike follows from the answers, and not from what was likely.
    """
    alike: dict[object, list[ColumnDraft]] = defaultdict(list)
    for draft in table.drafts:
        if draft.holds_figures and draft.metric in metrics_:
            others = {n: it for n, it in draft.fields.items() if n != VARIANT}
            alike[draft.metric, repr(sorted(others.items()))].append(draft)
    for some in alike.values():
        named = [it for it in some if it.fields.get(VARIANT) == it.bare]
        for draft in some if named else ():
            draft.fields = {VARIANT: draft.bare, **draft.fields}


def _keys(
    tables: Sequence[TableDraft], inquiry: Inquiry, lines: Mapping[str, Line]
) -> _Keys:
    """Return the keys of answers by what they name in which table, with the column.

    The beginning of a title is enough where no other title begins so; where several do
    it is a fault.
    """
    drafts = [draft for table in tables for draft in table.drafts]
    titles = {plain_name(draft.header): draft.header for draft in drafts}
    texts = {plain_name(text) for draft in drafts for text in draft.looks.texts}
    lines = {**{line.name: line for line in lines.values()}, **lines}
    keys: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key, answer in inquiry.answers.items():
        line, about = lines.get(key), OF_TABLE.fullmatch(key)
        name = plain_name(about["name"] if about else key)
        numbers = (
            [int(about["number"])] if about else [table.number for table in tables]
        )
        if line is not None:
            name = plain_name(line.header) if line.kind == "column" else ""
            numbers = [*line.tables]
        whole = name in titles or name in texts or fact_named(name) is not None
        begun = [it for it in titles if not whole and begins(it, name)]
        if name and begun:
            if begun[1:] and any(unit_and_metric(answer)):
                listed = ", ".join(repr(titles[it]) for it in begun)
                with inquiry.faults.of(key):
                    raise AnswerError(f"{key!r}: {answer!r}: say which of {listed}")
                continue
            name = name if begun[1:] else begun[0]
        if (nth := OF_COLUMN.fullmatch(name)) and name not in titles:
            n = int(nth["number"])
            there = [it.drafts[n - 1 : n] for it in tables if numbers[1:]]
            if len({draft.header for some in there for draft in some}) > 1:
                continue  # it is not said of which table
        for number in numbers:
            keys[name, number].append(key)
    return keys


def _enter_rows(
    table: TableDraft, number: int, keys: _Keys, inquiry: Inquiry, refused: Faults
) -> Iterator[Doubt]:
    """Make rows of a table those of the figures that answers to their labels say."""
    corner = corner_of(table.drafts)
    unsaid = all(it.bases == {"1"} for it in table.drafts if it.holds_figures)
    if corner is None or not (table.rows or unsaid):
        return
    cells, units = cells_by_label(table.sheets, table.drafts, corner)
    rows = {row.header: row for row in table.rows}
    titles = {plain_name(draft.header) for draft in table.drafts}
    answered: list[ColumnDraft] = []
    for label in [it for it in cells if plain_name(it) not in titles]:
        for key in keys[plain_name(label), number]:
            if key not in inquiry.used and any(unit_and_metric(inquiry.answers[key])):
                looks = profile(label, cells[label], table.decimal, units.get(label))
                draft = rows.setdefault(label, ColumnDraft(looks, table.line))
                with refused.of(key):
                    yield from _figures(table, draft, cells[label], key, inquiry)
                    answered.append(draft)
    if answered:
        table.rows = [rows[label] for label in cells if label in rows]
        enter_labels(corner, table.rows, cells)
        _enter_variants(table, answered)


def _enter_variants(table: TableDraft, answered: Sequence[ColumnDraft]) -> None:
    """Let the names of rows tell their figures apart, in place of those of columns."""
    alike = Counter(row.metric for row in table.rows)
    for draft in answered:
        if draft.metric is None or alike[draft.metric] > 1:
            draft.add(**{VARIANT: draft.bare})
    for draft in table.drafts:
        draft.fields = {n: it for n, it in draft.fields.items() if it != draft.bare}
    if not any(column_draft.holds_figures for column_draft in table.drafts):
        for draft in (it for it in table.drafts if it.looks.figures):
            draft.column = draft.left = None


def _enter_role(draft: ColumnDraft, key: str, inquiry: Inquiry) -> bool:
    """Make a column what its answer says that it tells; tell whether that is new.

    Keys that tell the metric of their rows hand it on when the rows are known.
    """
    answer, column = inquiry.answers[key], draft.column or Column()
    role, fact = column_of(answer, draft.header), fact_named(answer)
    if draft.left is None and column.is_ != "metric" and answer.casefold() == LEAVE_OUT:
        draft.leave(f"{draft.header!r}: as answered")
        draft.kept = True
        inquiry.used.add(key)
    if role is None or column.is_ == "metric":
        return False
    # Figures may be a setting, or a count: ``batch size``.
    setting = (role.field or "").startswith(PREFIXES)
    counted = fact is None or (draft.is_count and bool(fact.read("1")))
    if draft.holds_figures and not (setting and counted):
        return False
    # Cells that tell it beside a setting go on telling both.
    if column.field is None or fact_of(column.field).is_setting:
        fields = {field for cell in column.cells.values() for field in cell.set}
        if role.field in fields or (fact and {*fact.named} & {*column.names}):
            return False
    own = fact_of(role.field or "")
    if fact is None and (role.field or "").startswith(PREFIXES):
        draft.kept = True
        if own.name in FACTS and not all(map(own.read, draft.looks.texts)):
            role = Column(field=f"parameters.printed_{slug(draft.header)}")
    known = fact is not None and fact.name in FACTS
    draft.looks = replace(
        draft.looks, terms=header_terms(answer) if known else frozenset()
    )
    if role.field and role.field == column.field:
        return False
    draft.column, draft.left, draft.asked = role, None, False
    inquiry.enter(key, answer, draft.line, draft.header[:30])
    inquiry.used.add(key)
    inquiry.roles.add(key)
    return True


def _free_roles(table: TableDraft, roles: Collection[str]) -> None:
    """Keep what told before what *roles* of others are: as settings of their own."""
    columns = {it.header: it.column for it in table.drafts if it.column}
    taken = {columns[it].field: it for it in roles if columns[it].field}
    for draft in table.drafts:
        field = draft.column.field if draft.column else None
        if field in taken and draft.header not in roles:
            draft.become_field(f"parameters.printed_{slug(draft.header)}")
            why = f"{taken[field]!r} is its {fact_of(field or '').name}"
            table.notes.append(f"{draft.header!r}: kept as a setting, as {why}")


def _figures(
    table: TableDraft,
    draft: ColumnDraft,
    cells: Sequence[str],
    key: str,
    inquiry: Inquiry,
) -> Iterable[Doubt]:
    """Make *draft* that of the figures that an answer says; return what is in doubt."""
    unit, metric = unit_and_metric(inquiry.answers[key])
    if metric and not unit and draft.holds_figures and fits(metric, draft.bases):
        unit = draft.unit  # as is likely
    looks = profile(draft.header, cells, table.decimal, unit or draft.looks.unit)
    bases = {base for base, _ in looks.kinds} - {"1"}
    bare = metric is not None and metrics()[metric].unit == "1"  # as it is printed
    base = (of := understood(unit or "")) and of.base
    fitting = {it for it in bases if bare or not metric or fits(metric, [it])}
    of_it = bases <= ({base} if base else fitting)
    known = draft.fields if draft.holds_figures else {}
    if not draft.holds_figures:
        draft.missing, draft.pattern = {}, ""
    if not (looks.figures and of_it):
        looks = _within(draft, cells, unit, metric, table.decimal)
    looks = replace(looks, terms=looks.terms - _OVERRULED)
    draft.looks, draft.left, draft.column = looks, None, None
    missing = draft.missing
    pivots.enter_pivots([draft], table.drafts)
    draft.fields = {**draft.fields, **known}
    doubts = figure_doubts(draft, replace(table.around, specified=False))
    if metric is None and draft.metric not in (None, *metrics()):
        metric = "reported_value"  # a ratio is no claim any more
    if metric is not None:
        state_metric(draft, metric)
        doubts = [it for it in doubts if it.topic in _OF_READINGS]
    doubts = [replace(it, guess=None) if it.guess in LEAVING else it for it in doubts]
    draft.missing = missing | draft.missing
    enter_language_model(draft, frozenset(), table.drafts)
    # What tells its figures from others follows from the answer.
    side = "work" if draft.metric in OF_SIDES else ""
    inquiry.enter(key, side, draft.line, draft.header[:30])
    inquiry.used.add(key)
    return table.weighed(doubts)


def _within(
    draft: ColumnDraft,
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
    result = f"{draft.header!r}: {unit or metric!r}"
    units, values = dict[str, None](), list[str]()
    for text in dict.fromkeys(cells):
        every = [(it[0], it[1], understood(it[1])) for it in _WITHIN.finditer(text)]
        pairs = [(it, name) for it, name, of in every if of and of.base == base]
        sizes = amounts([it for it, _ in pairs], None)
        if sizes and max(sizes) > (1 + _SAME) * min(sizes):
            raise AnswerError(f"{result}: several such are in {text!r}")
        units |= dict.fromkeys(name for _, name in pairs)
        values += [it for it, _ in pairs[:1]]
        draft.missing = draft.missing | ({} if pairs else {text: ""})
    if not units:
        return _named_otherwise(
            draft, cells, unit or metrics()[metric or ""].unit, mark
        )
    spelt = "|".join(map(re.escape, units))
    draft.pattern = rf"(?<![\w.,/])(?P<value>\d[\d.,]*\s?(?:{spelt}))(?!\w)"
    numbers = [number for text in cells for number in _NUMBER.findall(text)]
    looks = profile(draft.header, values, convention(numbers) or mark, None)
    return replace(looks, terms=looks.terms | header_terms(" ".join(cells)))


def _named_otherwise(
    draft: ColumnDraft, cells: Sequence[str], unit: str, mark: Mark | None
) -> ColumnProfile:
    """Return how a column looks whose figures are in *unit*, as somebody said.

    All have the same word of their own behind them, ``0.77 p/s``, or a bracket that
    says how they were had: ``0.92 (87 samples/95 s)``. Raise ``AnswerError`` where they
    have not, or where that word is another unit.
    """
    explained = [_EXPLAINED.match(text) for text in cells]
    if all(explained):
        draft.pattern = _EXPLAINED.pattern
        return profile(draft.header, [it[1] for it in explained if it], mark, unit)
    every = [_WITHIN.fullmatch(text) for text in cells]
    words = {it[1] for it in every if it}
    word = next(iter(words), "")
    if len(words) != 1 or not all(every) or understood(word):
        why = "no cell has a figure with such a unit behind it"
        raise AnswerError(f"{draft.header!r}: {unit!r}: {why}")
    draft.pattern = rf"(?P<value>\d[\d.,]*)\s?{re.escape(word)}"
    values = [it[0].removesuffix(word).strip() for it in every if it]
    return profile(draft.header, values, mark, unit)
