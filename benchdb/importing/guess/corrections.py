"""A table of a proposed map, corrected: what somebody says holds against all else.

A fact is set for all rows, below one heading, for one column, for one text of a column
or for one row label; a column is given another meaning, unit or metric, or left out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from benchdb.importing.guess.column_draft import (
    VARIANT,
    without_unit,
)
from benchdb.importing.guess.facts import (
    FACTS,
    AnswerError,
    Fact,
    check_metric,
    column_of,
    fact_in,
    fact_named,
    setting_in,
)
from benchdb.importing.guess.headings import expression_of
from benchdb.importing.guess.questions import (
    AGREED,
    LEAVE_OUT,
    NOT_STATED,
    SETTING,
)
from benchdb.importing.guess.row_labels import KEYED
from benchdb.importing.mapping.fields import plain_name, slug
from benchdb.importing.mapping.language import (
    PARTS,
    RESULTS,
    Column,
    Fields,
    Heading,
    Meaning,
    Table,
    bare_name,
)
from benchdb.importing.mapping.recognition import recognised

OF_COLUMN = re.compile(r"(?i)column (?P<number>\d{1,4})")
ALL_ROWS = ""  # an expression that is found in any cell
_ABSENT = "not stated"
_ONE_OF_SEVERAL = re.compile(r"(?P<printed>.+?)\s*->\s*(?P<value>.+)")
_SIGNS = re.compile(r"^[\W_]+")
_Facts = TypeVar("_Facts", bound=Meaning)
_BESIDE = {"machine": "os", "framework": "version"}  # facts that go with another


class Place(msgspec.Struct, frozen=True):
    """Where a fact is said: a *text* below the column *header*, or above the rows.

    A ``row`` is named by its text, a ``column`` is meant as a whole.
    """

    kind: Literal["column", "cell", "row", "heading"]
    header: str = ""
    text: str = ""


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
        more = {"heading": " in headings", "figures": " in names of columns"}
        return f"{self.fact.name}{more.get(self.kind, '')}"

    @property
    def key(self) -> str:
        """Return the key by which it is answered."""
        return f"{self.name} at line {self.line}"

    def takes(self, answer: str) -> bool:
        """Tell whether *answer* may be a value of its fact, and of no other."""
        several = _ONE_OF_SEVERAL.fullmatch(answer)
        printed = plain_name(several["printed"].strip("'\" ")) if several else None
        if printed and all(plain_name(text) != printed for text, _ in self.values):
            return False
        answer = several["value"].strip("'\" ") if several else answer
        known = fact_in(answer)
        return known[0] == self.fact if known else bool(self.fact.read(answer))

    def corrected(self, table: Table, answer: str) -> Table | None:
        """Return one of its tables with *answer*, ``None`` if nothing of it stays.

        Raise ``AnswerError`` for nonsense.
        """
        plain = answer.casefold()
        if plain == AGREED or (self.kind == "nowhere" and plain == NOT_STATED):
            return table
        if plain == LEAVE_OUT:
            return self._left(table)
        column = column_of(answer, self.header) if self.kind == "column" else None
        if column is not None:
            column = replace(column, blank=table.columns[self.header].blank)
            return replace(table, columns={**table.columns, self.header: column})
        if self.kind == "figures" and plain == SETTING:
            answer = NOT_STATED  # what the names of columns say tells them apart still
        texts = [printed for printed, _ in self.values]
        several = _ONE_OF_SEVERAL.fullmatch(answer)
        if several:
            texts = [self._printed(several["printed"].strip("'\" "))]
            answer = several["value"].strip("'\" ")
        facts = facts_in(self.fact, answer, self.key)
        known: Set[object] = {stored for _, stored in self.values}
        if self.kind == "nowhere":  # so nothing is replaced
            known = {*facts.values()}
        if self.sole and not several:
            return stated(table, self.fact, facts, known)
        return self._said_of(table, texts, facts, known)

    def _said_of(
        self, table: Table, texts: Sequence[str], facts: Fields, known: Set[object]
    ) -> Table:
        unsaid = self.kind == "column" and self.fact.name == "work" and not facts
        if unsaid and len(texts) == len(self.values):
            column = table.columns[self.header]  # what else tells it holds
            column = _untold(self.header, column, self.fact, {})
            return replace(table, columns={**table.columns, self.header: column})
        if self.kind in ("nowhere", "text"):  # of the rows that nothing else tells
            gone = self.fact.fields | _replaced(table, self.fact, facts, known)
            held = {n: it for n, it in table.set.items() if n not in gone}
            return replace(table, set={**held, **facts})
        for text in texts:
            place = self._place(text)
            # Another table may have a column of figures of this name as a setting.
            own = table.columns.get(place.header)
            figures = own is not None and own.is_ in RESULTS
            if figures or place.kind == "heading" or (own and place.kind == "cell"):
                table = with_facts(table, place, self.fact, facts)
        return table

    def _place(self, text: str) -> Place:
        if self.kind == "heading":
            return Place("heading", text=text)
        cells = self.kind == "column"
        return Place("cell", self.header, text) if cells else Place("column", text)

    def _printed(self, text: str) -> str:
        known = {plain_name(printed): printed for printed, _ in self.values}
        if (printed := known.get(plain_name(text))) is None:
            listed = ", ".join(filter(None, [*known.values()][:4])) or "a value alone"
            raise AnswerError(f"{self.key!r}: {text!r} is not there; allowed: {listed}")
        return printed

    def _left(self, table: Table) -> Table | None:
        """Return *table* without the figures it is about, ``None`` if none stay.

        A setting that a column tells goes without them, if its cells are no keys.
        """
        names = {printed for printed, _ in self.values} & table.columns.keys()
        keys = table.read in KEYED and self.header == "key"
        if self.kind == "column" and self.fact.name not in FACTS and not keys:
            names = {self.header}
        elif self.kind != "figures":
            return None
        return with_columns(table, {name: Column(is_="ignore") for name in names})


def begins(title: str, beginning: str) -> bool:
    """Tell whether whole words of *title* are its *beginning*, or its lower row."""
    words = rf"(?:.+ / )?{re.escape(plain_name(beginning))}(?![a-z\d])"
    return re.match(words, plain_name(title)) is not None


def naming_fields(fact: Fact) -> frozenset[str]:
    """Return the fields of a fact but what other columns may add, such as memory."""
    return fact.fields - ({*PARTS} if fact.name == "machine" else set())


def without(fields: Fields, fact: Fact) -> Fields:
    """Return *fields* without those of *fact*."""
    return {name: known for name, known in fields.items() if name not in fact.fields}


def facts_in(fact: Fact, answer: str, key: str) -> Fields:
    """Return what *answer* says of *fact*; raise ``AnswerError`` for nonsense."""
    if answer.casefold() == NOT_STATED:
        return {}
    no_name = "->" in answer or answer.casefold() == SETTING
    facts = {} if no_name else fact.read(answer)
    if not facts:
        raise AnswerError(
            f"{key!r}: {answer!r} is no {fact.name}; allowed: one such as "
            f"{fact.example!r}, {NOT_STATED}, {LEAVE_OUT}"
        )
    return facts


def _replaced(table: Table, fact: Fact, facts: Fields, known: Set[object]) -> Set[str]:
    """Return the fields that do not hold any more where *facts* replace a *fact*.

    With another machine than is *known* go its parts and its system, with another
    framework its version. What columns tell of these, and what was answered for all
    rows, holds whatever the machine or the framework is.
    """
    own = naming_fields(fact)
    same = facts.items() & table.set.items()
    if fact.name not in _BESIDE or (known <= {*facts.values()} if known else same):
        return own
    held = {name for it in table.columns.values() for name in (it.field, *it.names)}
    held |= {n for n, it in table.rows.get(ALL_ROWS, Meaning()).set.items() if it}
    beside = FACTS[_BESIDE[fact.name]]
    more = beside.fields if beside.name not in held else frozenset[str]()
    return own | ((fact.fields | more) - held)


def _saying(before: _Facts, fact: Fact, facts: Fields, replaced: Set[str]) -> _Facts:
    """Return *before* with *facts* in place of the *replaced* fields of a *fact*."""
    unset = replaced - facts.keys()
    fields = {**without(before.set, fact), **facts}
    missing = {n: why for n, why in before.missing.items() if n not in facts}
    if fact.name == "machine":
        # A blank name is none; a missing "model" would be that of a network as well.
        return replace(before, set=fields | dict.fromkeys(sorted(unset), ""))
    absent = {bare_name(name): _ABSENT for name in sorted(unset)}
    return replace(before, set=fields, missing=missing | absent)


def stated(table: Table, fact: Fact, facts: Fields, known: Set[object]) -> Table:
    """Return *table* in which *facts* are all that is known of a *fact*.

    A column that told it stays as a setting under its own name. *known* is what rows
    have of it.
    """
    fields = naming_fields(fact) | facts.keys()  # a column of memory stays
    gone = _replaced(table, fact, facts, known) - {*PARTS, *FACTS["os"].fields}
    rows = {key: _untelling(it, fields) for key, it in table.rows.items()}
    every = rows.pop(ALL_ROWS, Meaning())
    # What was answered of its parts holds whatever the machine is.
    parts = {n: it for n, it in every.set.items() if n in fact.fields - fields}
    columns = {
        name: _untold(name, column, fact, facts)
        for name, column in table.columns.items()
    }
    return replace(
        table,
        set={n: it for n, it in table.set.items() if n not in fact.fields},
        columns=_told_apart(table.columns, columns),
        rows={ALL_ROWS: _saying(every, fact, parts | facts, fields | gone), **rows},
    )


def _untelling(known: Meaning, fields: frozenset[str]) -> Meaning:
    return replace(known, set={n: v for n, v in known.set.items() if n not in fields})


def _untold(name: str, column: Column, fact: Fact, facts: Fields) -> Column:
    """Return a column that tells nothing of *fact* any more, but *facts*."""
    fields = naming_fields(fact) | facts.keys()
    known = {n: v for n, v in column.set.items() if n not in fields}
    if "machine" in column.names and fact.fields <= {*PARTS}:
        known |= facts  # which the name of a machine would unset
    if column.is_ != "field":
        return replace(column, set=known)
    groups = {field.replace(".", "__") for field in fields}
    cells = {key: _untelling(it, fields) for key, it in column.cells.items()}
    column = replace(
        column,
        set=known,
        cells={key: it for key, it in cells.items() if it != Meaning()},
        pattern=tuple(
            it for it in column.patterns if groups.isdisjoint(re.compile(it).groupindex)
        ),
    )
    names = tuple(it for it in column.names if it not in fact.named)
    if column.field not in fields and names == column.names:
        return column
    if names:
        return replace(column, names=names)
    own = f"parameters.{slug(name)}"
    own = f"parameters.printed_{slug(name)}" if own in fields else own
    return replace(column, field=own, names=(), values={}, ending="")


def with_facts(table: Table, place: Place, fact: Fact, facts: Fields) -> Table:
    """Return *table* with *facts* as all that is known of a *fact* at a *place*.

    They win over what was guessed of columns of figures.
    """
    known = {*recognised(place.text, fact.named).set.values()}
    replaced = _replaced(table, fact, facts, known)
    if place.kind != "column":
        # Where a heading says nothing, what columns say of themselves holds.
        plain = place.kind == "heading" and not facts
        table = table if plain else _unguessed(table, fact, place)
    elif table.columns[place.header].is_ not in RESULTS:
        what = f"'{fact.name} of table 2: …' says it of a table"
        why = f"it has no figures that this may be the {fact.name} of; {what}"
        raise AnswerError(f"{place.header!r}: {why}")
    if place.kind in ("cell", "column"):
        column = table.columns[place.header]
        if place.kind == "cell":
            before = column.cells.get(place.text, Meaning())
            meaning = _saying(before, fact, facts, replaced)
            column = replace(column, cells={**column.cells, place.text: meaning})
        else:
            own = dict(column.set)
            if fact.name == "work" and place.header.startswith(str(own.get(VARIANT))):
                del own[VARIANT]  # its title, which told it from others
            meaning = _saying(Meaning(set=own), fact, facts, replaced)
            column = replace(column, set=meaning.set)
        columns = {**table.columns, place.header: column}
        return replace(table, columns=_told_apart(table.columns, columns))
    key = f"^{expression_of(place.text)}$"
    if place.kind == "row":
        meaning = _saying(table.rows.get(key, Meaning()), fact, facts, replaced)
        return replace(table, rows={**table.rows, key: meaning})
    heading = _saying(table.headings.get(key, Heading()), fact, facts, replaced)
    return replace(table, headings={**table.headings, key: heading})


def _unguessed(table: Table, fact: Fact, place: Place) -> Table:
    """Return *table* in which no column of figures says itself what of a *fact* it is.

    What all of them say holds farther from the figures than a *place*. Raise
    ``AnswerError`` where they differ.
    """
    known = {
        name: {n: it for n, it in column.set.items() if n in fact.fields}
        for name, column in table.columns.items()
        if column.is_ in ("value", "samples")
    }
    guessed = next(iter(known.values()), {})
    if any(it != guessed for it in known.values()):
        first = f"'{next(iter(known))}: {fact.name} {fact.example}'"
        why = f"{', '.join(map(repr, known))} differ in it; answer for these columns"
        raise AnswerError(f"{place.text!r}: {fact.name}: {why}, as {first}")
    if not guessed:
        return table
    columns = {
        name: replace(column, set=without(column.set, fact))
        if name in known
        else column
        for name, column in table.columns.items()
    }
    table = replace(table, columns=columns)
    if place.kind == "heading":  # which lies above all rows
        return replace(table, set={**table.set, **guessed})
    every = table.rows.get(ALL_ROWS, Meaning())
    rows = {ALL_ROWS: replace(every, set={**every.set, **guessed})}
    return replace(table, rows={**rows, **{n: it for n, it in table.rows.items() if n}})


def without_rows(table: Table, place: Place) -> Table:
    """Return *table* without the rows whose cell is the text of *place*."""
    column = table.columns[place.header]
    skip = {**column.skip, f"^{expression_of(place.text)}$": "as answered"}
    columns = {**table.columns, place.header: replace(column, skip=skip)}
    return replace(table, columns=columns)


def with_columns(table: Table, changed: Mapping[str, Column]) -> Table | None:
    """Return *table* with some columns *changed*, ``None`` if no figures stay."""
    columns = {**table.columns, **changed}
    has_figures = any(column.is_ in RESULTS for column in columns.values())
    return replace(table, columns=columns) if has_figures else None


def _told_apart(
    before: Mapping[str, Column], columns: Mapping[str, Column]
) -> dict[str, Column]:
    """Return *columns* of which those that were unlike *before* still are.

    Their titles tell them apart where what did is corrected.
    """
    alike = Counter(map(_figure_of, columns.values()))
    lost: dict[object, dict[str, str]] = defaultdict(dict)  # by metric and name
    for name, column in columns.items():
        gone = [
            (field, value)
            for field, value in before[name].set.items()
            if field != VARIANT and not column.set.get(field)
        ]
        lost[column.is_, column.metric][name] = repr(sorted(gone))
    return {
        name: replace(
            column, set={**column.set, VARIANT: without_unit(name, column.unit)}
        )
        if column.is_ in RESULTS
        and column.set != before[name].set
        and (
            alike[_figure_of(column)] > 1
            or len({*lost[column.is_, column.metric].values()}) > 1
        )
        else column
        for name, column in columns.items()
    }


def _figure_of(column: Column) -> object:
    return column.is_, column.metric, repr(sorted(column.set.items()))


def of_column(table: Table, name: str, answer: str) -> Table | None:
    """Return *table* with what is answered about its column *name*, if figures stay.

    It may be left out, be what some fact is read from, or have a fact itself. Raise
    ``AnswerError`` for anything else.
    """
    column = table.columns[name]
    of_figures = column.is_ in RESULTS
    if answer == NOT_STATED and not of_figures:
        answer = SETTING  # it tells rows apart still
    if answer.casefold() == LEAVE_OUT:
        table = _with_metric(table, name, answer)
        column = Column(is_="ignore", skip=table.columns[name].skip)
    elif (pair := fact_in(answer)) is not None and pair[0].is_setting:
        return with_facts(table, Place("column", name), *pair)
    elif of_figures and (fact := fact_named(answer)):
        known = {field: it for field, it in column.set.items() if field in fact.fields}
        words = _SIGNS.sub("", without_unit(name, column.unit))
        facts = known or recognised(name, fact.named).set or fact.read(words)
        if not facts:
            raise AnswerError(
                f"{name!r}: it names no {fact.name} that is known; give which it is, "
                f"as '{name}: {fact.name} {fact.example}'"
            )
        return with_facts(table, Place("column", name), fact, facts)
    elif (known_column := column_of(answer, name)) is not None:
        for fact in FACTS.values() if answer.casefold() == SETTING else ():
            # What its cells say of other settings holds.
            known_column = column = _untold(name, column, fact, {})
        if column.is_ == "metric":  # of all others it is known, or read so already
            table = _with_metric(table, name, answer)
            column = replace(known_column, skip=table.columns[name].skip)
    elif pair is not None or (pair := setting_in(answer)) is not None:
        return with_facts(table, Place("column", name), *pair)
    else:
        check_metric(name, answer)
        raise AnswerError(
            f"{name!r}: {answer!r} is nothing that a column can be; allowed: a unit, a "
            f"metric, setting, repeat, {', '.join(FACTS)}, one of these with a value "
            f"(precision fp16), {LEAVE_OUT}"
        )
    return with_columns(table, {name: column})


def _with_metric(table: Table, name: str, answer: str) -> Table:
    """Return *table* whose figures have the metric that the column *name* tells.

    Rows of which it tells none are left out. Raise ``AnswerError`` where it tells
    several, which no *answer* takes from it.
    """
    column = table.columns[name]
    if column.is_ != "metric":
        return table
    named = {label: it for label, it in column.values.items() if it}
    if len({*named.values()}) != 1:
        why = f"its rows are {', '.join(map(repr, named))}; answer for each of these"
        raise AnswerError(f"{name!r}: {answer!r}: {why}")
    values = {
        "metric": next(iter(named.values())),
        "unit": column.units.get(next(iter(named))),
    }
    labels = "|".join(map(expression_of, named))
    skip = {f"^(?!(?:{labels})$)": "its name says no metric"}
    columns = {
        it: replace(known, **values)
        if known.is_ in RESULTS and not known.metric
        else known
        for it, known in table.columns.items()
    }
    return replace(table, columns={**columns, name: replace(column, skip=skip)})
