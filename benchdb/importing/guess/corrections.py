"""A proposed map, corrected: what somebody says holds against columns and headings."""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.importing.guess.column_profile import header_terms
from benchdb.importing.guess.facts import FACTS, Fact, column_of, fact_named
from benchdb.importing.guess.figure_columns import fits, metric_of
from benchdb.importing.guess.headings import expression_of
from benchdb.importing.guess.questions import AGREED, LEAVE_OUT, AnswerError
from benchdb.importing.mapping.fields import plain_name, slug
from benchdb.importing.mapping.language import (
    CORES,
    Column,
    Fields,
    Heading,
    Meaning,
    Table,
    bare_name,
)
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.quantities.unit_names import understood

NOT_STATED = "not-stated"
_ABSENT = "not stated"
_FIGURES = ("value", "samples", "ratio")
_ONE_OF_SEVERAL = re.compile(r"(?P<printed>.+?)\s*->\s*(?P<value>.+)")
_APART = "parameters.variant"  # what tells columns of figures apart
_EVERY = "."  # an expression that is found in any heading


class Line(msgspec.Struct, frozen=True):
    """A line of a card: where *tables* have a fact from, and what they make of it.

    *kind* is ``text`` for a line of the document or the name of its file, ``heading``,
    ``column`` for cells below *header*, ``figures`` for the names of columns of
    figures, and ``nowhere``. *values* counts figures by what is printed and what is
    stored. It is *sole* where nothing else tells the fact in these tables.
    """

    fact: Fact
    kind: str
    header: str
    tables: tuple[int, ...]
    line: int
    values: Mapping[tuple[str, str], int]
    sole: bool

    @property
    def name(self) -> str:
        """Return what it goes by beside other lines about the same fact."""
        if self.kind == "column":
            return f"{self.fact.name} in {self.header[:30]}"
        if any(unsaid for unsaid, _ in self.values) and self.kind == "nowhere":
            return f"{self.fact.name} of the GPU"
        more = {"heading": " in headings", "figures": " in names of columns"}
        return f"{self.fact.name}{more.get(self.kind, '')}"

    @property
    def key(self) -> str:
        """Return the key by which it is answered."""
        return f"{self.name} at line {self.line}"

    def corrected(self, tables: list[Table | None], answer: str) -> None:
        """Enter *answer* into its *tables*; raise ``AnswerError`` for nonsense."""
        for part in filter(None, map(str.strip, answer.split(";"))):
            for number in self.tables:
                if (table := tables[number]) is not None:
                    tables[number] = self._corrected(table, part)

    def _corrected(self, table: Table, answer: str) -> Table | None:
        plain = answer.casefold()
        if plain == AGREED or (self.kind == "nowhere" and plain == NOT_STATED):
            return table
        if plain == LEAVE_OUT:
            return self._left(table)
        column = column_of(answer, self.header) if self.kind == "column" else None
        if column is not None:
            return replace(table, columns={**table.columns, self.header: column})
        if several := _ONE_OF_SEVERAL.fullmatch(answer):
            printed = [self._printed(several["printed"].strip("'\" "))]
            answer = several["value"].strip("'\" ")
        else:
            printed = [text for text, _ in self.values]
        facts = facts_in(self.fact, answer, self.key)
        if self.sole and not several:
            return stated(table, self.fact, facts)
        if self.kind == "nowhere":  # of some rows alone
            return replace(table, set={**table.set, **facts})
        return self._reprinted(table, printed, facts)

    def _printed(self, text: str) -> str:
        known = {plain_name(printed): printed for printed, _ in self.values}
        if (printed := known.get(plain_name(text))) is None:
            listed = ", ".join(filter(None, [*known.values()][:4])) or "a value alone"
            raise AnswerError(f"{self.key!r}: {text!r} is not there; allowed: {listed}")
        return printed

    def _left(self, table: Table) -> Table | None:
        """Return *table* without the figures it is about, ``None`` if none stay."""
        if self.kind != "figures":
            return None
        names = {printed for printed, _ in self.values}
        columns = {
            name: Column(is_="ignore") if name in names else column
            for name, column in table.columns.items()
        }
        return _with_columns(table, columns)

    def _reprinted(self, table: Table, texts: Sequence[str], facts: Fields) -> Table:
        """Return *table* where each of *texts*, as printed, means *facts*."""
        columns, headings = dict(table.columns), dict(table.headings)
        for text in texts:
            said = recognised(text, self.fact.named, whole=True).set.keys()
            unset = (naming_fields(self.fact) | said) & self.fact.fields - facts.keys()
            absent = {bare_name(name): _ABSENT for name in sorted(unset)}
            if self.kind == "heading":
                heading = f"^{expression_of(text)}$"
                headings[heading] = Heading(set=facts, missing=absent)
            elif self.kind == "figures" and text in columns:
                kept = without(columns[text].set, self.fact)
                kept |= {} if facts else {_APART: text}
                columns[text] = replace(columns[text], set={**kept, **facts})
            elif self.kind == "column":
                column = columns[self.header]
                before = column.cells.get(text, Meaning())
                kept = without(before.set, self.fact)
                cell = replace(before, set={**kept, **facts}, missing=absent)
                columns[self.header] = replace(
                    column, cells={**column.cells, text: cell}
                )
        return replace(table, columns=columns, headings=headings)


def naming_fields(fact: Fact) -> frozenset[str]:
    """Return the fields of a fact but what other columns may add, such as memory."""
    return fact.fields - {*CORES, "ram"}


def without(fields: Fields, fact: Fact) -> Fields:
    """Return *fields* without those of *fact*."""
    return {name: known for name, known in fields.items() if name not in fact.fields}


def facts_in(fact: Fact, answer: str, key: str) -> Fields:
    """Return what *answer* says of *fact*; raise ``AnswerError`` for nonsense."""
    if answer.casefold() == NOT_STATED:
        if fact.name == "work":
            why = f"some work it must be; allowed: its name, or {LEAVE_OUT}"
            raise AnswerError(f"{key!r}: {why}")
        return {}
    facts = {} if "->" in answer else fact.read(answer)
    if not facts:
        raise AnswerError(
            f"{key!r}: {answer!r} is no {fact.name}; allowed: one such as "
            f"{fact.example!r}, {NOT_STATED}, {LEAVE_OUT}"
        )
    return facts


def stated(table: Table, fact: Fact, facts: Fields) -> Table:
    """Return *table* in which *facts* are all that is known of a *fact*.

    A column that told it stays as a setting under its own name.
    """
    fields = fact.fields | facts.keys()
    has = _teller(fields)
    names = tuple(name for name in table.names if name not in fact.named)
    own = naming_fields(fact) | facts.keys()  # a column of memory stays
    columns = {
        name: _untold(name, column, fact, own) for name, column in table.columns.items()
    }
    headings = {
        key: replace(it, set={n: v for n, v in it.set.items() if n not in fields})
        for key, it in table.headings.items()
    }
    if fact.name == "version" and "framework" in names:
        # It comes with the name of the framework, which stays.
        absent = {} if facts else {"framework_version": _ABSENT}
        headings[_EVERY] = Heading(set=facts, missing=absent)
    return replace(
        table,
        names=names,
        context=tuple(it for it in table.context if not has(it)),
        columns=columns,
        headings=headings,
        rows={key: _meaning(it, fields) for key, it in table.rows.items()},
        set={**{n: v for n, v in table.set.items() if n not in fields}, **facts},
    )


def _teller(fields: frozenset[str]) -> Callable[[str], bool]:
    groups = {field.replace(".", "__") for field in fields}
    return lambda pattern: not groups.isdisjoint(re.compile(pattern).groupindex)


def _meaning(known: Meaning, fields: frozenset[str]) -> Meaning:
    return replace(known, set={n: v for n, v in known.set.items() if n not in fields})


def _untold(name: str, column: Column, fact: Fact, fields: frozenset[str]) -> Column:
    """Return a column that tells nothing of *fact* any more."""
    has = _teller(fields)
    known = {n: v for n, v in column.set.items() if n not in fields}
    if column.is_ != "field":
        known |= {_APART: name} if known != column.set else {}
        return replace(column, set=known)
    cells = {key: _meaning(it, fields) for key, it in column.cells.items()}
    column = replace(
        column,
        set=known,
        cells={key: it for key, it in cells.items() if it != Meaning()},
        pattern=tuple(it for it in column.patterns if not has(it)),
    )
    names = tuple(it for it in column.names if it not in fact.named)
    if column.field not in fields and names == column.names:
        return column
    if names:
        return replace(column, names=names)
    own = f"parameters.{slug(name)}"
    own = f"parameters.printed_{slug(name)}" if own in fields else own
    return replace(column, field=own, names=(), values={}, ending="")


def _with_columns(table: Table, columns: Mapping[str, Column]) -> Table | None:
    """Return *table* with other *columns*, ``None`` if none of them has figures."""
    has_figures = any(column.is_ in _FIGURES for column in columns.values())
    return replace(table, columns={**columns}) if has_figures else None


def of_column(table: Table, name: str, answer: str) -> Table | None:
    """Return *table* with what is answered about its column *name*, if figures stay.

    It may be left out, have another unit or metric, or be what some fact is read from;
    raise ``AnswerError`` for anything else.
    """
    column = table.columns[name]
    if answer.casefold() == LEAVE_OUT:
        column = Column(is_="ignore")
    elif column.is_ in _FIGURES and (changed := _figures_of(column, name, answer)):
        column = changed
    elif column.is_ in _FIGURES and (facts := _named_by(column, name, answer)):
        column = replace(column, set={**column.set, **facts})
    elif (known := column_of(answer, name)) is not None:
        told = {field for cell in column.cells.values() for field in cell.set}
        if known.field not in told:  # else whole cells tell the rows apart as well
            column = known
    else:
        raise AnswerError(
            f"{name!r}: {answer!r} is nothing that a column can be; allowed: a unit, a "
            f"metric, setting, {', '.join(FACTS)}, {LEAVE_OUT}"
        )
    return _with_columns(table, {**table.columns, name: column})


def _named_by(column: Column, name: str, answer: str) -> Fields:
    """Return what the *name* of a column of figures says, if *answer* is that fact."""
    fact = fact_named(answer)
    if fact is None:
        return {}
    known = {field: it for field, it in column.set.items() if field in fact.fields}
    return known or recognised(name, fact.named).set


def _figures_of(column: Column, name: str, answer: str) -> Column | None:
    """Return a column of figures with the unit or the metric that is answered."""
    if answer in metrics():
        known = understood(column.unit or "")
        fitting = known is None or fits(answer, {known.base})
        unit = column.unit if fitting else metrics()[answer].unit
        return replace(column, metric=answer, unit=unit)
    if (of := understood(answer)) is None:
        return None
    if column.metric is None or fits(column.metric, {of.base}):
        return replace(column, unit=answer)
    metric = metric_of([(of.base, of.per)], header_terms(name))
    if metric not in metrics():
        why = f"{column.metric} is not in it; give its metric first"
        raise AnswerError(f"{name!r}: {answer!r}: {why}")
    return replace(column, metric=metric, unit=answer)


def of_row(table: Table, name: str, answer: str) -> Table | None:
    """Return *table* with what is answered about its rows *name*, named after a metric.

    They may have another metric, or be left out; ``None`` if there are none.
    """
    for header, column in table.columns.items():
        plain = {plain_name(label): label for label in column.values}
        label = plain.get(plain_name(name), "*")
        if column.is_ != "metric" or label == "*":
            continue
        if answer.casefold() != LEAVE_OUT and answer not in metrics():
            why = "give a metric of schema/metrics.json"
            raise AnswerError(f"{name!r}: {answer!r}: {why}, or {LEAVE_OUT}")
        metric = "" if answer.casefold() == LEAVE_OUT else answer
        values = {**column.values, label: metric}
        changed = replace(column, values=values)
        return replace(table, columns={**table.columns, header: changed})
    return None
