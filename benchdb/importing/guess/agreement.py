"""Answers to a card, entered into the tables of a map: what each of them is about."""

import re
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from difflib import get_close_matches
from itertools import zip_longest

from msgspec.structs import replace

from benchdb.exchange.messages import Scalar
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.guess.card import SOME_GPU, card_lines
from benchdb.importing.guess.column_draft import RUN
from benchdb.importing.guess.column_rules import fields_of
from benchdb.importing.guess.corrections import (
    OF_COLUMN,
    Line,
    Place,
    begins,
    facts_in,
    of_column,
    stated,
    with_facts,
    without_rows,
)
from benchdb.importing.guess.doubts import Inquiry
from benchdb.importing.guess.facts import (
    FACTS,
    MODE,
    AnswerError,
    Fact,
    Faults,
    column_of,
    fact_in,
    fact_named,
    fact_of_cells,
    setting,
    setting_in,
    unit_and_metric,
    unread,
)
from benchdb.importing.guess.questions import (
    AGREED,
    LEAVE_OUT,
    NOT_STATED,
    OF_TABLE,
)
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import compose, plain_name
from benchdb.importing.mapping.language import Column, Fields, Map, Table
from benchdb.importing.mapping.mapped_figures import Observation
from benchdb.importing.mapping.maps import faults
from benchdb.importing.mapping.table_rows import MatchedTable, match_tables
from benchdb.importing.sheet import Sheet

_FACT_IN = re.compile(r"(?P<fact>.{2,40}?) in (?P<place>.+)")
_SETTING = re.compile(r"(?:number of )?(?!.* (?:of|at line) )[^\W\d_][\w -]{1,40}")
_Known = tuple[Fact, Fields] | None  # what an answer says, if that is a fact
_LISTED = 4  # columns that a refusal names
_LIKE = 0.8  # names that may be slips of each other


def correct(
    document: Document,
    drafts: Mapping[int, TableDraft],
    answers: Mapping[str, str],
    inquiry: Inquiry,
    earlier: Mapping[str, Line],
) -> "Corrected":
    """Return the tables of *drafts* as *answers* to lines of their card correct them.

    A key is that of a line, of this card or an *earlier* one, or what it is about: a
    fact, the title of a column, a printed text, ``of table 2`` perhaps. What a
    correction brings up may be answered as well. *inquiry* has what was in doubt of
    columns, and takes down which answers make no sense.
    """
    refused = inquiry.faults
    tables = {key: draft.table() for key, draft in drafts.items()}
    sources = {key: draft.sources for key, draft in drafts.items()}
    asked, answered = {*inquiry.known}, inquiry.answers.keys()
    corrected = Corrected(tables, earlier, asked, answered)
    while True:
        keys = {id(table): key for key, table in corrected.tables.items()}
        map_ = Map(table=(*corrected.tables.values(),))
        try:
            matched = match_tables(document, map_) if keys else []
        except DocumentError:
            matched = []  # nothing of it will be stored
        sheets = [(keys[id(it.table)], it) for it in matched]
        lines = card_lines(document, sheets, sources, corrected.doubted)
        corrected.see(lines, sheets)
        new = [key for key in answers if key not in {*corrected.used, *refused}]
        # What is said of a table holds there, whatever is said of all.
        new.sort(key=lambda it: OF_TABLE.fullmatch(it) is None)
        entered, before = set[str](), {**corrected.tables}
        for key in new:
            with refused.of(key):
                entered |= {key} if corrected.take(key, answers[key]) else set()
        corrected.used |= entered
        if not entered:
            return corrected
        if any(any(faults(Map(table=(it,)))) for it in corrected.tables.values()):
            why = "their table cannot be read so; answer for its other columns as well"
            refused[min(entered)] = f"{', '.join(map(repr, sorted(entered)))}: {why}"
            corrected.tables = before


class Corrected:
    """Tables that answers are entered into, one after the other.

    *lines* are those of what is inferred in them, *used* the keys of the answers that
    made sense, *notes* say what was made of some; *doubted* are facts of columns and
    texts that somebody answered for.
    """

    def __init__(
        self,
        tables: dict[int, Table],
        earlier: Mapping[str, Line],
        doubted: set[str],
        answered: Collection[str],
    ) -> None:
        """Begin with nothing entered; *answered* are the keys of all answers."""
        self.tables, self.doubted = tables, doubted
        self.lines: list[Line] = []
        self.notes: list[str] = []
        self.used: set[str] = set()
        self._earlier, self._answered = earlier, answered
        self._settled: set[tuple[str, int]] = set()  # facts of tables
        self._of_tables: set[tuple[str, int]] = set()  # those said of one table
        self._sheets: Sequence[tuple[int, MatchedTable]] = ()

    def see(
        self, lines: Iterable[Line], sheets: Sequence[tuple[int, MatchedTable]]
    ) -> None:
        """Take what the tables are now: the *lines* of their card, and their sheets."""
        self._sheets = sheets
        self.lines = []
        for line in lines:
            printed = {f"{line.fact.name} of {text[:30]}" for text, _ in line.values}
            open_ = any((line.fact.name, n) not in self._settled for n in line.tables)
            if open_ and not (printed <= self.doubted):
                self.lines.append(line)
            elif any(stored == SOME_GPU for _, stored in line.values):
                self.notes.append(f"device: {SOME_GPU}; it is kept as unknown")

    def take(self, key: str, answer: str) -> bool:
        """Enter an answer; tell whether its key is about something that is there."""
        names = {line.key: line for line in self.lines}
        names |= {it.name: it for it in self.lines if it.name != it.fact.name}
        if line := names.get(key) or self._earlier.get(key):
            return self._correct_lines([line], answer)
        about = OF_TABLE.fullmatch(key)
        name = about["name"] if about else key
        numbers = [
            it for it in self.tables if about is None or it == int(about["number"])
        ]
        if not name:
            return self._leave(numbers, answer)
        if fact := fact_named(name):
            numbers = [n for n in numbers if (fact.name, n) not in self._of_tables]
            if not numbers and not about and self._of_tables:
                return True  # each table has its own
        parts = [part for part in map(str.strip, answer.split(";")) if part]
        taken = all(self._take(name, part, numbers) for part in parts)
        self._of_tables |= {(fact.name, n) for n in numbers if fact and about}
        return taken

    def _take(self, name: str, answer: str, numbers: Sequence[int]) -> bool:
        fact = fact_named(name)
        if fact == FACTS["work"] and (pair := fact_in(answer)) and pair[0] == MODE:
            fact = MODE
        by_place = fact is None or fact.is_setting or answer.casefold() == LEAVE_OUT
        by_place |= column_of(answer, name) is not None  # "Version: version"
        if by_place and self._enter_places(name, answer, numbers):
            return True
        own = fact or setting(name)
        shown = fact is not None or any(line.fact == own for line in self.lines)
        if not shown and (called := self._called(name, numbers)):
            return all(self._enter_places(it, answer, numbers) for it in called)
        among = _FACT_IN.fullmatch(name)
        if among and (called := self._called(among["place"], numbers)):
            of = fact_named(among["fact"]) or setting(among["fact"])
            known = fact_in(answer)  # "work llm-decode" has its name before it
            named = known if known and known[0] == of else None
            pair = named or (of, facts_in(of, answer, name))
            return all(self._enter_places(it, answer, numbers, pair) for it in called)
        if shown:
            return self._enter_fact(own, answer, numbers)
        near = get_close_matches(name.casefold(), self._names(), n=1, cutoff=_LIKE)
        left = answer.casefold() == LEAVE_OUT  # of what is not taken
        if near or left or not numbers or _SETTING.fullmatch(name) is None:
            return False
        other = fact_named(answer) or fact_in(answer) or any(unit_and_metric(answer))
        if ":" in answer or other:
            what = "the title of a column, a text or a fact (precision: fp16)"
            raise AnswerError(f"nothing is called {name!r} ({answer}); give {what}")
        if entered := self._enter_fact(own, answer, numbers):
            self.notes.append(f"{name!r}: kept as {own.name!r} of the runs: {answer}")
        return entered

    def _called(self, name: str, numbers: Sequence[int]) -> list[str]:
        """Return *name* where it stands, else titles that begin so, else cells."""
        if self._places(name, numbers):
            return [name]
        sheets = [it.sheet for number, it in self._sheets if number in numbers]
        titles = dict.fromkeys(title for sheet in sheets for title in sheet.header)
        cells = (cell.text for it in sheets for row in it.rows for cell in row.cells)
        known = [title for title in titles if begins(title, name)]
        return known or [it for it in dict.fromkeys(cells) if begins(it, name)]

    def _names(self) -> list[str]:
        headers = {it.sheet.header for _, it in self._sheets}
        return [*FACTS, *(title.casefold() for header in headers for title in header)]

    def _leave(self, numbers: Sequence[int], answer: str) -> bool:
        if answer.casefold() != LEAVE_OUT:
            raise AnswerError(f"{answer!r}: a table can only be left out: {LEAVE_OUT}")
        for number in numbers:
            del self.tables[number]
        return bool(numbers)

    def _put(self, number: int, table: Table | None) -> None:
        """Put a corrected table in place of itself; without figures it goes."""
        if table is None:
            del self.tables[number]
        else:
            self.tables[number] = table

    def _rows(
        self, number: int, table: Table
    ) -> Iterator[tuple[object, Mapping[str, Scalar]]]:
        """Yield the figures that *table* takes from its sheets, and their facts."""
        for sheet in (it.sheet for n, it in self._sheets if n == number):
            for item in MatchedTable(table, sheet).read():
                if isinstance(item, Observation):
                    fields = compose(item.layers).fields
                    yield (item.locator, item.value), fields

    def _unchanged(self, number: int, before: Table, known: _Known) -> str | None:
        """Return why an answer changed no row of a table, which was so *before*.

        ``""`` where some row has what is *known* by it, ``None`` if one is changed.
        """
        table = self.tables[number]
        rows = self._rows(number, before), self._rows(number, table)
        if any(pair != other for pair, other in zip_longest(*rows)):
            return None
        if known is not None:
            fact, facts = known
            rest = [fields for _, fields in self._rows(number, table)]
            groups = [{n: it[n] for n in fact.fields if it.get(n)} for it in rest]
            if groups and not any(
                facts.items() <= it.items() if facts else not it for it in groups
            ):
                words = " ".join(str(groups[0][n]) for n in sorted(groups[0]))
                columns = table.columns.items()
                named = [repr(it) for it, of in columns if fact.fields & fields_of(of)]
                text = ", ".join(filter(None, (words, *named[:_LISTED])))
                return f"other words of the rows say their {fact.name} ({text})"
        return ""

    def _note_unchanged(self, about: str, unchanged: Sequence[str | None]) -> None:
        """Note that an answer changed no row of the tables where its text stands.

        Raise ``AnswerError`` where all of these say why.
        """
        if all(unchanged) and (why := next(iter(unchanged), None)):
            raise AnswerError(f"{about} changed nothing: {why}")
        # Beside others, these may have changed it.
        if unchanged and None not in unchanged and len(self._answered) == 1:
            self.notes.append(f"{about}: no row is changed, it was read so")

    def _correct_lines(self, lines: Sequence[Line], answer: str) -> bool:
        """Enter an answer to all that *lines* show."""
        for part in filter(None, map(str.strip, answer.split(";"))):
            for line in lines:
                for number in line.tables:
                    table = self.tables.get(number)
                    own = (line.fact.name, number) in self._of_tables
                    if table is not None and not own:
                        self._put(number, line.corrected(table, part))
                self._check_work(line.fact, part, line.tables)
                self._settle(line.fact, part, line.tables)
                if line.kind == "column" and (fact := fact_named(part)):
                    self.doubted.add(f"{fact.name} of {line.header[:30]}")
        return True

    def _enter_fact(self, fact: Fact, answer: str, numbers: Sequence[int]) -> bool:
        """Enter an answer to all lines about *fact*, else to all figures."""
        lines = [
            replace(line, tables=own)
            for line in self.lines
            if line.fact == fact
            and (own := tuple(n for n in line.tables if n in numbers))
        ]
        if lines:
            rows = {n: self._rows(n, self.tables[n]) for n in numbers}
            result = {n for n in rows for _, it in rows[n] if fact.fields & it.keys()}
            result |= {n for line in lines for n in line.tables}
            numbers = [n for n in numbers if n not in result]
            # Those with an answer of their own have that.
            lines = [line for line in lines if line.key not in self._answered]
            self._correct_lines(lines, answer)
            if not numbers or _is_of_lines(answer):
                return True
        elif answer.casefold() == LEAVE_OUT:
            why = f"no line says it; leave out a column, a row, or 'table {numbers[0]}'"
            raise AnswerError(f"{fact.name!r}: {LEAVE_OUT}: {why}")
        agreed = answer.casefold() == AGREED
        facts = {} if agreed else facts_in(fact, answer, fact.name)
        unchanged: list[str | None] = []
        for number in numbers if not agreed else ():
            before = self.tables[number]
            typed = facts.get(fact.name)  # of rows that have none
            known = {it.get(fact.name, typed) for _, it in self._rows(number, before)}
            self._put(number, stated(before, fact, facts, known))
            unchanged.append(self._unchanged(number, before, (fact, facts)))
        self._check_work(fact, answer, numbers)
        self._note_unchanged(f"{fact.name!r}: {answer!r}", unchanged)
        self._settle(fact, answer, numbers)
        return bool(numbers)

    def _check_work(self, fact: Fact, answer: str, numbers: Iterable[int]) -> None:
        """Raise ``AnswerError`` where an *answer* takes all work from some figures."""
        unsaid = fact.name == "work" and answer.casefold().endswith(NOT_STATED)
        there = self.tables.keys() & {*numbers} if unsaid else ()
        rows = [self._rows(n, self.tables[n]) for n in there]
        if any("workload" not in fields for it in rows for _, fields in it):
            why = f"some work it must be; allowed: its name, or {LEAVE_OUT}"
            raise AnswerError(f"{fact.name!r}: {answer!r}: {why}")

    def _settle(self, fact: Fact, answer: str, numbers: Iterable[int]) -> None:
        """Note what an answer settles: a framework may have its version."""
        self.notes += unread(fact, answer)
        texts = frozenset(() if _is_of_lines(answer) else fact.read(answer))
        names = [it.name for it in FACTS.values() if it.fields & texts]
        self._settled |= {(it, n) for it in (fact.name, *names) for n in numbers}

    def _enter_places(
        self,
        name: str,
        answer: str,
        numbers: Sequence[int],
        pair: _Known = None,
    ) -> bool:
        """Enter what is *pair* of a column, a row label or a text, if it is there.

        Unless it is known, that is what the *answer* is.
        """
        faults = Faults()
        for places in self._places(name, numbers):
            unchanged: list[str | None] = []
            for number, place in places:
                with faults.of(f"table {number}"):
                    if number in self.tables:
                        entered = self._enter_place(number, place, name, answer, pair)
                        unchanged.append(entered)
            if unchanged or not faults:
                self._note_unchanged(f"{name!r}: {answer!r}", unchanged)
                self.notes += [f"{table}: {fault}" for table, fault in faults.items()]
                return True
        for fault in faults.values():
            of = ", ".join(table for table, it in faults.items() if it == fault)
            raise AnswerError(f"{fault} ({of})")
        return False

    def _enter_place(
        self, number: int, place: Place, name: str, answer: str, pair: _Known
    ) -> str | None:
        """Enter what is *pair* of a place, or the *answer*; return why it stays so.

        Raise ``AnswerError`` where it does not fit.
        """
        before = self.tables[number]
        table: Table | None
        holds = place.kind == "cell" and fact_of_cells(before.columns[place.header])
        known = pair or fact_in(answer, holds or None) or setting_in(answer)
        fact = fact_named(answer) or (known and known[0])
        if pair is None and place.kind == "column":
            table = of_column(before, place.header, answer)
        elif place.kind in ("row", "cell") and answer.casefold() == LEAVE_OUT:
            table = without_rows(before, place)
            self.notes.append(f"rows of {name!r} are left out")
        elif known is not None:
            table = with_facts(before, place, *known)
        else:
            metric = "give a metric, or " * (place.kind == "row")
            raise AnswerError(
                f"{name!r}: {answer!r}: {metric}say of what it is: allowed: "
                f"{', '.join(FACTS)}, 'setting NAME', each with a value, as "
                "'precision fp16'"
            )
        self._put(number, table)
        self.notes += unread(known[0], answer) if known else []
        if fact is not None:
            text = place.header if place.kind == "column" else place.text
            self.doubted.add(f"{fact.name} of {text[:30]}")
        return None if table is None else self._unchanged(number, before, known)

    def _places(
        self, name: str, numbers: Sequence[int]
    ) -> list[list[tuple[int, Place]]]:
        """Return where *name* stands, each with the number of its table, by kind.

        Titles of columns go before texts in cells, and these before headings. A column
        may be called by its number as well.
        """
        plain, nth = plain_name(name), OF_COLUMN.fullmatch(name)
        groups: dict[str, dict[tuple[int, Place], None]] = {
            kind: {} for kind in ("title", "number", "text", "heading")
        }
        for number, matched in self._sheets:
            table = self.tables.get(number)
            if table is None or number not in numbers:
                continue
            names = {plain_name(title): title for title in table.columns}
            titles = [names.get(plain_name(it), "") for it in matched.sheet.header]
            if plain in names:
                runs = _with_runs(table, titles, names[plain])
                every = ((number, Place("column", title)) for title in runs)
                groups["title"] |= dict.fromkeys(every)
            if nth and 0 < int(nth["number"]) <= len(titles):
                title = titles[int(nth["number"]) - 1]
                groups["number"][number, Place("column", title)] = None
            texts, headings = _texts(matched.sheet, plain)
            for n, text in texts:
                is_ = table.columns[titles[n]].is_ if titles[n] else ""
                if is_ == "metric":
                    groups["text"][number, Place("row", titles[n], text)] = None
                elif is_ == "field":
                    groups["text"][number, Place("cell", titles[n], text)] = None
            for text in headings:
                groups["heading"][number, Place("heading", text=text)] = None
        places = [[*it] for it in groups.values() if it]
        if nth and places and len({place.header for _, place in places[0]}) > 1:
            raise AnswerError(f"{name!r}: say of which, as '{name} of table 1'")
        return places


def _is_of_lines(answer: str) -> bool:
    """Tell whether *answer* makes sense only where a line shows a fact."""
    return answer.casefold() in (AGREED, LEAVE_OUT, NOT_STATED) or "->" in answer


def _with_runs(table: Table, titles: Sequence[str], title: str) -> Iterator[str]:
    """Yield *title*, and those of the further runs that stand right of it."""
    yield title
    for nth, other in enumerate(titles[titles.index(title) + 1 :], 2):
        if table.columns.get(other, Column()).set.get(RUN) != nth:
            return
        yield other


def _texts(sheet: Sheet, plain: str) -> tuple[Iterator[tuple[int, str]], Iterator[str]]:
    """Return the cells of a sheet that say *plain*, by column, and its headings.

    Those are headings that have it as an option too: ``--batch_size=16``.
    """
    cells = (
        (n, cell.text)
        for row in sheet.rows
        for n, cell in enumerate(row.cells)
        if plain_name(cell.text) == plain
    )
    inside = (
        row.cells[0].text
        for row in sheet.rows
        if row.cells and not any(cell.text.strip() for cell in row.cells[1:])
    )
    above = (
        text
        for text in (*sheet.context, *inside)
        if plain_name(text) == plain
        or ("=" in plain and plain in map(plain_name, text.split()))
    )
    return cells, above
