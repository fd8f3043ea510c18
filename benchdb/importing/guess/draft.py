"""A map proposed for a document that none explains, with questions for what is open.

Only what the document says of a figure enters the map; the rest is asked, a question
for all that is alike.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

import msgspec
from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.building import slug
from benchdb.importing.document import Document
from benchdb.importing.guess.agreement import correct
from benchdb.importing.guess.card_text import as_question
from benchdb.importing.guess.column_draft import RATIO
from benchdb.importing.guess.column_profile import ColumnProfile, profiles, unread
from benchdb.importing.guess.cross_checks import (
    contradiction_doubts,
    leave_summaries,
    sentence_results,
)
from benchdb.importing.guess.document_doubts import (
    heading_doubts,
    repeat_doubts,
    work_doubts,
)
from benchdb.importing.guess.headings import Segment, origin
from benchdb.importing.guess.questions import (
    ROUNDS,
    Inquiry,
    Question,
    card,
    likely_of,
    of_card,
    unused,
)
from benchdb.importing.guess.stated_facts import enter_stated, stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.guess.toml_text import to_toml, visible
from benchdb.importing.mapping import fields
from benchdb.importing.mapping.language import Fields, Map, Table
from benchdb.importing.mapping.maps import faults
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.sheet import Sheet

_COLUMNS = 100
_SHEETS = 100  # with one header that stand alone
_MOST = 3  # questions, in two rounds if the first has room
_TRIED = 5
_NAME = 300  # characters
_CONTESTED = ("machine", "device", "framework")
_OF_FILES = ("machine", "device", "framework", "precision", "batch_size")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ROWS = 100  # of a table in which a decimal mark is looked for
_TESTED = 5000  # cells of a table that are looked at for what TOML cannot hold
_SHOWN = 8  # names in a note
_OPEN = "what it holds is asked for"


class Proposal(msgspec.Struct, frozen=True):
    """A map, the same as TOML; what was assumed, what is left out, what is open.

    *notes* are assumptions that matter for what the rows mean. While *questions* are
    open the map reads less than it could, and must not be imported.
    """

    map: Map
    toml: str
    notes: tuple[str, ...]
    left_out: tuple[str, ...]
    questions: tuple[Question, ...]


def propose(
    document: Document, sheets: Sequence[Sheet], answers: Mapping[str, str] = {}
) -> Proposal:
    """Return the map that would explain *sheets*, the tables of *document*.

    *answers* are those to its questions, by their keys. What has no likely answer is
    asked by itself; once nothing of that is open, the card is: whether all that was
    inferred is right. What a correction brings up is asked in a second one, and what
    is open after that is left as it is likely.
    Raise ``AnswerError`` for an answer that makes no sense.
    """
    left_out: list[str] = []
    plan = _Plan(document, sheets, list(_drafts(sheets, left_out)), left_out)
    given = {key: answer for key, answer in answers.items() if key not in ROUNDS}
    typed = dict(answers)
    shown: set[str] = set()
    earlier = _Earlier()
    for key in ROUNDS:
        state = _settled(plan, given, earlier)
        parts = [part for part in state.parts if part.key not in shown]
        if state.proposal.questions or not parts or key not in answers:
            break
        corrected = of_card(key, parts, answers[key])
        typed |= corrected
        given |= likely_of(parts) | corrected | given
        shown |= {part.key for part in parts}
        earlier = earlier.with_(state)
    else:
        state, parts = _settled(plan, given, earlier), []
    known = {**state.known, **dict.fromkeys((*shown, *ROUNDS), "")}
    if given.keys() - known.keys():  # of a table that another answer leaves out
        first = _settled(plan, {}, _Earlier())
        known |= {**first.known, **{part.key: "" for part in first.parts}}
    used = state.used | ({*ROUNDS} if shown else set())
    notes = [*state.proposal.notes, *unused(typed, known, used)]
    questions = state.proposal.questions or ((card(key, parts),) if parts else ())
    return replace(state.proposal, notes=_listed(notes), questions=questions)


class _State(msgspec.Struct, frozen=True):
    """What follows from answers: a proposal, and the *parts* of its card.

    *known* are keys of questions, with those that they belong to, *used* answers.
    *asked* are keys of doubts; *places* are the lines of the tables of each line.
    """

    proposal: Proposal
    parts: Sequence[Question]
    known: Mapping[str, str]
    used: AbstractSet[str]
    asked: frozenset[str]
    places: Mapping[str, frozenset[int]]


class _Earlier(msgspec.Struct, frozen=True):
    """What cards showed before: an answer to it is to nothing else of that name."""

    asked: frozenset[str] = frozenset()
    places: Mapping[str, frozenset[int]] = {}

    def with_(self, state: _State) -> "_Earlier":
        """Return this with what the card of *state* showed."""
        return _Earlier(self.asked | state.asked, {**self.places, **state.places})


def _settled(plan: "_Plan", answers: Mapping[str, str], earlier: _Earlier) -> _State:
    """Return the map by *answers*, and by what is likely of the rest."""
    document, left_out = plan.document, list(plan.left_out)
    inquiry = Inquiry(answers)
    tables = _read(plan, inquiry)
    left_out += [text for table in tables for text in _left(table)]
    left_out += sentence_results(document, plan.sheets)
    read = [table for table in tables if table.has_figures()]
    # A fault would spoil the tables beside it.
    for table in [it for it in read if any(faults(Map(table=(it.table(),))))]:
        read.remove(table)
        why = "a map cannot say what it holds"
        left_out.append(f"the table at line {table.line}: {why}")
    # The first table that fits explains a sheet: those that ask for more come first.
    read.sort(key=lambda table: (-len(table.drafts), not table.alone))
    questions = inquiry.open()
    asked = inquiry.known.keys() | earlier.asked
    own = {key: it for key, it in answers.items() if key not in asked}
    built = [(draft, draft.table()) for draft in read]
    at = [draft.line for draft, _ in built]
    stood = {
        key: frozenset(n for n, line in enumerate(at) if line in lines)
        for key, lines in earlier.places.items()
    }
    corrected = correct(
        document,
        [table for _, table in built],
        [draft.sources for draft, _ in built],
        own,
        inquiry.known,
        stood,
    )
    left_out += [
        f"the table at line {line}: as answered"
        for n, line in enumerate(at)
        if n not in corrected.numbers
    ]
    map_ = _map(document, corrected.tables, open_=bool(questions))
    proposal = Proposal(
        map=map_,
        toml=to_toml(map_, [f"line {built[n][0].line}" for n in corrected.numbers]),
        notes=_listed([*inquiry.notes, *(it for one in read for it in one.notes)]),
        left_out=_listed([*inquiry.unasked(), *left_out]),
        questions=questions,
    )
    lines = (as_question(line, document, len(built)) for line in corrected.lines)
    return _State(
        proposal,
        [*lines, *inquiry.likely()],
        inquiry.known | dict.fromkeys(corrected.used, ""),
        inquiry.used | corrected.used,
        frozenset(inquiry.known),
        {line.key: frozenset(at[n] for n in line.tables) for line in corrected.lines},
    )


def _read(plan: "_Plan", inquiry: Inquiry) -> list[TableDraft]:
    """Return the tables as far as they are known, with what is asked of each."""
    document = plan.document
    tables = [planned.draft() for planned in plan.tables]
    inquiry.settle(it for one in tables for it in one.weighed(one.column_doubts()))
    inquiry.settle(it for one in tables for it in one.weighed(one.pivot_doubts()))
    leave_summaries(tables)
    taken = [one for one in tables if one.may_have_figures()]
    for table in taken:
        table.enter_names()
        _enter_file_name(table, document)
    inquiry.settle(
        it
        for one in taken
        for it in one.weighed(
            [*work_doubts(one, document), *heading_doubts(one, taken)]
        )
    )
    for table in taken:
        table.enter_network(_stem(document))
    inquiry.settle(it for one in taken for it in one.weighed(contradiction_doubts(one)))
    inquiry.settle(it for one in taken for it in one.weighed(repeat_doubts(one)))
    enter_stated(taken, document)
    return tables


def _listed(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(visible, texts)))


class _Planned(msgspec.Struct, frozen=True):
    """Sheets that make one table, and how their columns look."""

    sheets: Sequence[Sheet]
    looks: Sequence[ColumnProfile]
    contested: frozenset[str]
    decimal: Mark | None
    alone: bool = True

    def draft(self) -> TableDraft:
        """Return the table as it is before anything is known."""
        return TableDraft(
            self.sheets,
            self.looks,
            alone=self.alone,
            contested=self.contested,
            decimal=self.decimal,
        )


class _Plan(msgspec.Struct, frozen=True):
    """The tables of a document, and what was said of it before any question."""

    document: Document
    sheets: Sequence[Sheet]
    tables: Sequence[_Planned]
    left_out: Sequence[str]


def _drafts(sheets: Sequence[Sheet], left_out: list[str]) -> Iterator[_Planned]:
    """Yield the tables, those with the same header together; or say what is left out.

    Where headings make the same header another figure (``Time``, ``Power``), may not
    hold or name the machine of some alone, and where the same columns come in another
    order or beside more elsewhere, each sheet stands alone: what means its columns
    would mean those too.
    """
    contested = _contested([one.context for one in sheets])
    rows = (row for sheet in sheets for row in sheet.rows[:_ROWS])
    cells = (cell.text for row in rows for cell in row.cells)
    digits = (text for text in islice(cells, _TESTED) if text[:1].isdigit())
    decimal = convention(digits)  # of the tables together
    by_header: dict[tuple[str, ...], list[Sheet]] = defaultdict(list)
    for sheet in sheets:
        if (why := _unreadable(sheet)) is not None:
            left_out.append(f"the table at line {sheet.line}: {why}")
        elif sheet.rows:
            names = map(fields.plain_name, sheet.header)
            by_header[sheet.kind, *names].append(sheet)
    having: dict[str, set[int]] = defaultdict(set)  # which headers have a name
    for n, key in enumerate(by_header):
        for name in key[1:]:
            having[name].add(n)
    for key, group in by_header.items():
        single = [
            _Planned([one], profiles([one], decimal), contested[one.context], decimal)
            for one in group[:_SHEETS]
        ]
        unlike = {
            (
                one.draft().around,
                one.contested,
                origin(one.sheets[0].context, "machine") is None,
            )
            for one in single
        }
        fitting = set.intersection(*(having[name] for name in key[1:]))
        if len(fitting) > 1 or len(unlike) > 1:
            yield from single
            more = f"{_SHEETS} tables like it are looked at"
            left_out += [f"the table at line {o.line}: {more}" for o in group[_SHEETS:]]
        elif len(group) == 1:
            yield replace(single[0], alone=False)
        else:
            yield replace(
                single[0], sheets=group, looks=profiles(group, decimal), alone=False
            )


def _unreadable(sheet: Sheet) -> str | None:
    """Return why a sheet cannot be explained at all."""
    if len(sheet.header) > _COLUMNS:
        return f"it has {len(sheet.header)} columns; {_COLUMNS} are looked at"
    if any(len(name) > _NAME for name in sheet.header):
        return f"it has names of columns of more than {_NAME} characters"
    if any(map(_SURROGATE.search, (*sheet.header, *sheet.context))):
        return "it has halves of characters in its names"
    cells = (cell.text for row in sheet.rows[:_TESTED] for cell in row.cells)
    if any(map(_SURROGATE.search, cells)):
        return "it has halves of characters in its cells"
    return None if sheet.header else "it has no columns"


def _contested(contexts: Iterable[Segment]) -> dict[Segment, frozenset[str]]:
    """Return what headings give that may not hold for all below them, by context.

    A title does not where some headings below it name their own, and others do not say.
    """
    places = {
        context: {name: origin(context, name) for name in _CONTESTED}
        for context in dict.fromkeys(contexts)
    }
    contradicted = {
        (name, context[:length])
        for context, by_name in places.items()
        for name, place in by_name.items()
        for length in range(1, (place or 0) + 1)
    }
    return {
        context: frozenset(
            name
            for name, place in by_name.items()
            if place is not None
            and (
                (name, context[: place + 1]) in contradicted
                or (name == "device" and _of_another(context, place, by_name))
            )
            and place + 1 < len(context)  # the nearest heading holds
        )
        for context, by_name in places.items()
    }


def _of_another(context: Segment, place: int, places: Mapping[str, int | None]) -> bool:
    """Tell whether the device at *place* is of another machine than the nearest."""
    nearer = place < (places["machine"] or 0)
    return nearer and bool(recognised(context[place], ["machine"]).set)


def _stem(document: Document) -> str:
    return re.sub(r"[_\-]+", " ", document.name.rsplit("/", 1)[-1].rsplit(".", 1)[0])


def _names_others(document: Document, stem: str) -> bool:
    """Tell whether the document names chips, and not the one of its file's name."""
    chip, named = naming.chip(stem), stated_facts(document).chips
    longer = chip is not None and any(it.startswith(f"{chip.name} ") for it in named)
    return bool(named) and (chip is None or chip.name not in named or longer)


def _enter_file_name(table: TableDraft, document: Document) -> None:
    """Enter what the file's name says of a table that does not say it itself."""
    stem = _stem(document)
    for name in _OF_FILES:
        facts = recognised(stem, [name]).set
        known = name in table.names or table.names_in_columns(name)
        known = known or (name == "machine" and _names_others(document, stem))
        if facts and not known and name not in table.contested:
            table.set |= facts
            table.sources |= dict.fromkeys(facts, "the file's name")


def _map(document: Document, tables: Sequence[Table], *, open_: bool) -> Map:
    if not tables:
        why = _OPEN if open_ else "no table with figures was found"
        return Map(documents=(document.sha256,), nothing=why)
    shared = dict(tables[0].set)
    for table in tables[1:]:
        shared = {n: it for n, it in shared.items() if table.set.get(n) == it}
    built = tuple(
        replace(table, set={n: it for n, it in table.set.items() if n not in shared})
        for table in tables
    )
    columns = [column for table in built for column in table.columns.values()]
    sets: list[Fields] = [shared, *(table.set for table in built)]
    sets += [column.set for column in columns]
    sets += [meaning.set for column in columns for meaning in column.cells.values()]
    if any("workload" in known for known in sets):
        # Nobody said that the work is done as ours is.
        shared["setting"] = slug(document.name)
    return Map(documents=(document.sha256,), set=shared, table=built)


def _left(table: TableDraft) -> Iterator[str]:
    """Yield what is left out of a table, and why."""
    where = f"line {table.line}"
    for one in (*table.drafts, *table.rows):
        if one.left is not None:
            yield f"{where}: {one.left}"
    if table.rows and all(one.column and not one.left for one in table.rows):
        yield f"the table at {where}: no row of it is one of figures, as answered"
    ratios = [repr(one.header) for one in table.drafts if one.metric == RATIO]
    if ratios and not table.has_results():
        yield f"{where}: {', '.join(ratios)}: ratios, without the figures they are of"
    if table.may_have_figures() or any(one.left for one in table.drafts):
        return
    texts = [text for one in table.drafts for text in one.looks.texts]
    digits = [text for text in texts if any(map(str.isdigit, text))]
    listed = ", ".join(table.sheets[0].header)[:120]
    why = "it holds no figures"
    if (cause := unread(one.looks for one in table.drafts)) is not None:
        why = f"no column is one of figures; {cause}"
    elif digits:
        why = f"no column is one of figures; its cells are such as {digits[0][:60]!r}"
    yield f"the table at line {table.line} ({listed}): {why}"
