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
        for n, one in enumerate(table.drafts):
            names = plain_name(one.header), f"column {n + 1}"
            for key in chain.from_iterable(keys[name, number] for name in names):
                answer, at = inquiry.answers[key], (one.line, one.header[:30])
                unit, metric = unit_and_metric(answer)
                if (unit or metric) and one.header not in table.sheets[0].inherited:
                    if inquiry.answered.get(at) == key:
                        continue  # it was to what was asked of it
                    were = one.holds_figures
                    own = {} if were else {VARIANT: one.bare}
                    rows = (row for sheet in table.sheets for row in sheet.rows)
                    cells = [row.cells[n].text for row in rows]
                    with refused.of(key):
                        yield from _figures(table, one, cells, key, inquiry)
                        one.add(**own)
                        again |= {one.metric} if were else set()
                elif table.may_have_figures() and inquiry.answered.get(at) != key:
                    roles += [one.header] if _enter_role(one, key, inquiry) else []
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
    for one in table.drafts:
        if one.holds_figures and one.metric in metrics_:
            others = {n: it for n, it in one.fields.items() if n != VARIANT}
            alike[one.metric, repr(sorted(others.items()))].append(one)
    for some in alike.values():
        named = [it for it in some if it.fields.get(VARIANT) == it.bare]
        for one in some if named else ():
            one.fields = {VARIANT: one.bare, **one.fields}


def _keys(
    tables: Sequence[TableDraft], inquiry: Inquiry, lines: Mapping[str, Line]
) -> _Keys:
    """Return the keys of answers by what they name in which table, with the column.

    The beginning of a title is enough where no other title begins so; where several do
    it is a fault.
    """
    drafts = [one for table in tables for one in table.drafts]
    titles = {plain_name(one.header): one.header for one in drafts}
    texts = {plain_name(text) for one in drafts for text in one.looks.texts}
    lines = {**{line.name: line for line in lines.values()}, **lines}
    keys: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key, answer in inquiry.answers.items():
        line, about = lines.get(key), OF_TABLE.fullmatch(key)
        name = plain_name(about["name"] if about else key)
        numbers = [int(about["number"])] if about else [one.number for one in tables]
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
            if len({one.header for some in there for one in some}) > 1:
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
    rows = {one.header: one for one in table.rows}
    titles = {plain_name(one.header) for one in table.drafts}
    answered: list[ColumnDraft] = []
    for label in [it for it in cells if plain_name(it) not in titles]:
        for key in keys[plain_name(label), number]:
            if key not in inquiry.used and any(unit_and_metric(inquiry.answers[key])):
                looks = profile(label, cells[label], table.decimal, units.get(label))
                one = rows.setdefault(label, ColumnDraft(looks, table.line))
                with refused.of(key):
                    yield from _figures(table, one, cells[label], key, inquiry)
                    answered.append(one)
    if answered:
        table.rows = [rows[label] for label in cells if label in rows]
        enter_labels(corner, table.rows, cells)
        _enter_variants(table, answered)


def _enter_variants(table: TableDraft, answered: Sequence[ColumnDraft]) -> None:
    """Let the names of rows tell their figures apart, in place of those of columns."""
    alike = Counter(one.metric for one in table.rows)
    for one in answered:
        if one.metric is None or alike[one.metric] > 1:
            one.add(**{VARIANT: one.bare})
    for one in table.drafts:
        one.fields = {n: it for n, it in one.fields.items() if it != one.bare}
    if not any(one.holds_figures for one in table.drafts):
        for one in (it for it in table.drafts if it.looks.figures):
            one.column = one.left = None


def _enter_role(one: ColumnDraft, key: str, inquiry: Inquiry) -> bool:
    """Make a column what its answer says that it tells; tell whether that is new.

    Keys that tell the metric of their rows hand it on when the rows are known.
    """
    answer, told = inquiry.answers[key], one.column or Column()
    role, fact = column_of(answer, one.header), fact_named(answer)
    if one.left is None and told.is_ != "metric" and answer.casefold() == LEAVE_OUT:
        one.leave(f"{one.header!r}: as answered")
        one.kept = True
        inquiry.used.add(key)
    if role is None or told.is_ == "metric":
        return False
    # Figures may be a setting, or a count: ``batch size``.
    setting = (role.field or "").startswith(PREFIXES)
    counted = fact is None or (one.is_count and bool(fact.read("1")))
    if one.holds_figures and not (setting and counted):
        return False
    # Cells that tell it beside a setting go on telling both.
    if told.field is None or fact_of(told.field).is_setting:
        fields = {field for cell in told.cells.values() for field in cell.set}
        if role.field in fields or (fact and {*fact.named} & {*told.names}):
            return False
    own = fact_of(role.field or "")
    if fact is None and (role.field or "").startswith(PREFIXES):
        one.kept = True
        if own.name in FACTS and not all(map(own.read, one.looks.texts)):
            role = Column(field=f"parameters.printed_{slug(one.header)}")
    known = fact is not None and fact.name in FACTS
    one.looks = replace(one.looks, terms=header_terms(answer) if known else frozenset())
    if role.field and role.field == told.field:
        return False
    one.column, one.left, one.asked = role, None, False
    inquiry.enter(key, answer, one.line, one.header[:30])
    inquiry.used.add(key)
    inquiry.roles.add(key)
    return True


def _free_roles(table: TableDraft, roles: Collection[str]) -> None:
    """Keep what told before what *roles* of others are: as settings of their own."""
    told = {it.header: it.column for it in table.drafts if it.column}
    taken = {told[it].field: it for it in roles if told[it].field}
    for one in table.drafts:
        field = one.column.field if one.column else None
        if field in taken and one.header not in roles:
            one.become_field(f"parameters.printed_{slug(one.header)}")
            why = f"{taken[field]!r} is its {fact_of(field or '').name}"
            table.notes.append(f"{one.header!r}: kept as a setting, as {why}")


def _figures(
    table: TableDraft,
    one: ColumnDraft,
    cells: Sequence[str],
    key: str,
    inquiry: Inquiry,
) -> Iterable[Doubt]:
    """Make *one* that of the figures which an answer says; return what is in doubt."""
    unit, metric = unit_and_metric(inquiry.answers[key])
    if metric and not unit and one.holds_figures and fits(metric, one.bases):
        unit = one.unit  # as is likely
    looks = profile(one.header, cells, table.decimal, unit or one.looks.unit)
    bases = {base for base, _ in looks.kinds} - {"1"}
    bare = metric is not None and metrics()[metric].unit == "1"  # as it is printed
    base = (of := understood(unit or "")) and of.base
    fitting = {it for it in bases if bare or not metric or fits(metric, [it])}
    of_it = bases <= ({base} if base else fitting)
    known = one.fields if one.holds_figures else {}
    if not one.holds_figures:
        one.missing, one.pattern = {}, ""
    if not (looks.figures and of_it):
        looks = _within(one, cells, unit, metric, table.decimal)
    looks = replace(looks, terms=looks.terms - _OVERRULED)
    one.looks, one.left, one.column = looks, None, None
    missing = one.missing
    pivots.enter_pivots([one], table.drafts)
    one.fields = {**one.fields, **known}
    doubts = figure_doubts(one, replace(table.around, specified=False))
    if metric is None and one.metric not in (None, *metrics()):
        metric = "reported_value"  # a ratio is no claim any more
    if metric is not None:
        state_metric(one, metric)
        doubts = [it for it in doubts if it.topic in _OF_READINGS]
    doubts = [replace(it, guess=None) if it.guess in LEAVING else it for it in doubts]
    one.missing = missing | one.missing
    enter_language_model(one, frozenset(), table.drafts)
    # What tells its figures from others follows from the answer.
    side = "work" if one.metric in OF_SIDES else ""
    inquiry.enter(key, side, one.line, one.header[:30])
    inquiry.used.add(key)
    return table.weighed(doubts)


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
