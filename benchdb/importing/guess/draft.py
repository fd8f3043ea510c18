"""A map proposed for a document that none explains, with questions for what is open.

Only what the document says of a figure enters the map; the rest is asked, a question
for all that is alike.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain, count

import msgspec
from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.building import slug
from benchdb.importing.document import Document
from benchdb.importing.guess.agreement import correct
from benchdb.importing.guess.answered_columns import entered
from benchdb.importing.guess.card_text import as_question
from benchdb.importing.guess.column_draft import RATIO
from benchdb.importing.guess.column_profile import unread
from benchdb.importing.guess.corrections import Line
from benchdb.importing.guess.cross_checks import (
    keep_once,
    leave_alike,
    leave_summaries,
    leave_totals,
)
from benchdb.importing.guess.document_doubts import (
    belonging_doubts,
    heading_doubts,
    work_doubts,
)
from benchdb.importing.guess.doubts import Inquiry
from benchdb.importing.guess.facts import Faults, work_fault
from benchdb.importing.guess.plan import Plan, planned
from benchdb.importing.guess.questions import (
    AGREED,
    OF_TABLE,
    Entry,
    Question,
    entries,
    spelt,
)
from benchdb.importing.guess.repeated_rows import (
    blank_doubts,
    failure_doubts,
    repeat_doubts,
)
from benchdb.importing.guess.stated_facts import enter_stated, stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.guess.toml_text import to_toml, visible
from benchdb.importing.guess.typed_answers import corrections, unused
from benchdb.importing.guess.unread import named_with_lines
from benchdb.importing.mapping import fields
from benchdb.importing.mapping.language import RESULTS, Column, Facts, Map, Table
from benchdb.importing.mapping.maps import faults
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.naming.names import way
from benchdb.importing.sheet import Sheet

_OF_FILES = ("machine", "device", "framework", "precision", "batch_size")
CARD = re.compile(r"readings(?: \d)?")  # the key of a card: readings, readings 2
_OPEN = "what it holds is asked for"


class Proposal(msgspec.Struct, frozen=True):
    """A map, the same as TOML; what was assumed, what is left out, what is open.

    *notes* are assumptions that matter for what the rows mean, *agreed* those of cards
    that were answered and that no answer changed. *questions* are those of
    the card of what was inferred, which is answered by the key *card*; while there are
    some the map must not be imported.
    """

    map: Map
    toml: str
    notes: tuple[str, ...]
    agreed: tuple[str, ...]
    left_out: tuple[str, ...]
    questions: tuple[Question, ...]
    card: str

    def lines(self) -> list[Entry]:
        """Return the lines of the card, in the order of their numbers."""
        return entries(self.questions)


def propose(
    document: Document, sheets: Sequence[Sheet], answers: Mapping[str, str] = {}
) -> Proposal:
    """Return the map that would explain *sheets*, the tables of *document*.

    *answers* are those to its lines and to its cards, by their keys. What was inferred
    is on a card, and so is what has no likely answer. What a correction brings up is on
    a second one where it needs an answer or says what figures mean; else it is a note.
    Raise ``AnswerError`` for an answer that makes no sense.
    """
    plan = planned(document, sheets)
    begin = [table.sheets[0].line for table in plan.tables]
    cards = {key: answer for key, answer in answers.items() if CARD.fullmatch(key)}
    given = {key: spelt(it) for key, it in answers.items() if key not in cards}
    earlier, refused = _Earlier(), Faults()
    follows: list[Question] = []
    for n, key in enumerate(chain(["readings"], map("readings {}".format, count(2)))):
        state = _settled(plan, given, earlier)
        new = [it for it in state.questions if not earlier.has(it)]
        follows = [it for it in new if n and it.follows(last=n > 1)]
        questions = [it for it in new if it not in follows]
        for question in state.questions:
            # What has an answer that makes no sense is named by that.
            names = {fields.plain_name(name) for _, name in question.places}
            unsaid = question.key not in given and names.isdisjoint(
                map(fields.plain_name, given)
            )
            if question.likely is None and unsaid and earlier.has(question):
                refused[question.key] = f"yes is not enough: {question.reading()}"
        lines, answer = entries(questions), cards.get(key, AGREED)
        known = {*state.asked, *earlier.asked}
        values = corrections(key, lines, answer, refused, begin, known)
        if key not in cards or not (questions or values):
            break
        given |= values
        del cards[key]
        earlier = earlier.with_(state)
    every = earlier.with_(state)
    if given.keys() - state.used - every.keys():  # of what another answer leaves out
        every = every.with_(_settled(plan, {}, _Earlier()))
    known = every.keys() | cards.keys()
    titles = {fields.plain_name(it) for sheet in plan.sheets for it in sheet.header}
    refused |= state.refused
    notes = [
        *state.notes,
        *(it.note() for it in follows),
        *unused(given | cards, known, state.used, refused, titles),
    ]
    refused.check()
    return Proposal(
        map=state.map,
        toml=to_toml(state.map, state.remarks),
        notes=_listed(notes),
        agreed=_listed(it.note() for it in state.questions if earlier.has(it)),
        left_out=_listed(state.left_out),
        questions=tuple(questions),
        card=key,
    )


class _State(msgspec.Struct, frozen=True):
    """What follows from answers: a map, what is said of it, and what is inferred.

    *asked* are the lines of doubts by the keys of these, *used* those of answers, of
    which *refused* says what is wrong with some,
    *lines* were read off the rows, by their keys. *remarks* say where the tables of the
    map stand.
    """

    map: Map
    remarks: Sequence[str]
    notes: Sequence[str]
    left_out: Sequence[str]
    questions: Sequence[Question]
    lines: Mapping[str, Line]
    asked: Mapping[str, str]
    used: AbstractSet[str]
    refused: Mapping[str, str]


class _Earlier(msgspec.Struct, frozen=True):
    """What cards showed before: an answer to it is to nothing else."""

    shown: frozenset[object] = frozenset()
    lines: Mapping[str, Line] = {}
    asked: Mapping[str, str] = {}

    def has(self, question: Question) -> bool:
        """Tell whether cards showed *question*, though others were beside it."""
        return self.shown >= question.marks()

    def keys(self) -> AbstractSet[str]:
        """Return the keys that were shown."""
        return self.asked.keys() | self.lines.keys()

    def with_(self, state: _State) -> "_Earlier":
        """Return this with what the card of *state* showed."""
        return _Earlier(
            self.shown.union(*(it.marks() for it in state.questions)),
            {**self.lines, **state.lines},
            {**state.asked, **self.asked},
        )


def _settled(plan: Plan, answers: Mapping[str, str], earlier: _Earlier) -> _State:
    """Return the map by *answers*, and by what is likely of the rest."""
    document, left_out = plan.document, list[str]()
    inquiry = Inquiry(answers, earlier.asked)
    tables = _read(plan, inquiry, earlier.lines)
    read = [(table.number, table) for table in tables if table.has_figures()]
    taken = (sheet for _, draft in read for sheet in draft.sheets)
    left_out += named_with_lines(document, plan.unread(tables), taken)
    # A fault would spoil the tables beside it.
    for pair in [it for it in read if any(faults(Map(table=(it[1].table(),))))]:
        read.remove(pair)
        why = "a map cannot say what it holds"
        left_out.append(f"{pair[1].called}: {why}")
    # The first table that fits explains a sheet: those that ask for more come first.
    read.sort(key=lambda it: (-len(it[1].drafts), not it[1].alone))
    drafts = dict(read)
    at = {key: draft.line for key, draft in drafts.items()}
    of_doubts = {*inquiry.known, *inquiry.used, *earlier.asked}
    # What is said of the work of a table is of its other columns as well.
    of_doubts -= {
        key
        for key in inquiry.used - inquiry.known.keys()
        if OF_TABLE.fullmatch(key) and not work_fault(answers[key])
    }
    corrected = correct(
        document,
        drafts,
        {key: it for key, it in answers.items() if key not in of_doubts},
        inquiry,
        earlier.lines,
    )
    left_out += [
        f"table {number} at line {result.sheets[0].line}: as answered"
        for number, result in enumerate(plan.tables, 1)
        if number not in {it.number for it in tables}
    ]
    left_out += [
        f"{draft.called}: as answered"
        for key, draft in drafts.items()
        if key not in corrected.tables
    ]
    made = {id(it): corrected.tables.get(key) for key, it in drafts.items()}
    of_tables = [text for table in tables for text in _left(table, made.get(id(table)))]
    questions = [
        as_question(line, document, at, inquiry.answered) for line in corrected.lines
    ]
    doubts = inquiry.lines(_idle(tables) if read else ())
    return _State(
        map=_map(
            document,
            [*corrected.tables.values()],
            open_=any(it.likely is None for it in doubts),
        ),
        remarks=[f"line {at[key]}" for key in corrected.tables],
        notes=[
            *inquiry.notes,
            *corrected.notes,
            *(note for _, draft in read for note in draft.notes),
        ],
        left_out=[*plan.left_out, *of_tables, *left_out],
        questions=sorted([*questions, *doubts], key=lambda it: it.likely is not None),
        lines={line.key: line for line in corrected.lines},
        asked=inquiry.known,
        used=inquiry.used | corrected.used,
        refused=inquiry.faults,
    )


def _read(
    plan: Plan, inquiry: Inquiry, earlier: Mapping[str, Line]
) -> list[TableDraft]:
    """Return the tables as far as they are known, with what is asked of each.

    *earlier* are lines that cards showed before, which may be answered.
    """
    document = plan.document
    tables = [planned.draft() for planned in plan.tables]
    for number, draft in enumerate(tables, 1):
        draft.number = number
    left = {*inquiry.left_tables(len(tables))}
    tables = [table_draft for table_draft in tables if table_draft.number not in left]
    inquiry.settle(it for table_draft in tables for it in table_draft.pair_doubts())
    doubts = [
        it
        for table_draft in tables
        for it in table_draft.weighed(table_draft.column_doubts())
    ]
    leave_summaries(tables)  # of which nothing is to be asked
    leave_totals(tables)
    inquiry.settle(doubts)
    leave_alike(tables, inquiry.answered)
    inquiry.settle(
        it
        for table_draft in tables
        for it in table_draft.weighed(table_draft.pivot_doubts())
    )
    leave_summaries(tables, settled=True)
    for draft in tables:
        keep_once(draft)
    inquiry.settle([*entered(tables, inquiry, earlier)])
    taken = [table_draft for table_draft in tables if table_draft.may_have_figures()]
    for table in taken:
        table.enter_names()
        _enter_file_name(table, document)
    # First, as what headings name may be the work.
    of_headings = partial(heading_doubts, others=taken)
    of_work = partial(work_doubts, document=document)
    of_others = partial(belonging_doubts, document=document)
    for in_order in (of_headings, of_work, of_others):
        inquiry.settle(
            it
            for table_draft in taken
            for it in table_draft.weighed(in_order(table_draft))
        )
    for table in taken:
        table.enter_network(_stem(document))
    for doubts_of in (failure_doubts, blank_doubts, repeat_doubts):
        inquiry.settle(
            it
            for table_draft in taken
            for it in table_draft.weighed(doubts_of(table_draft))
        )
    enter_stated(taken, document)
    return tables


def _idle(tables: Iterable[TableDraft]) -> set[int]:
    """Return the lines of tables that are named as left out, whole."""
    whole, others = set[int](), set[int]()
    for table in tables:
        lines = (
            others
            if table.may_have_figures() or any(it.left for it in table.drafts)
            else whole
        )
        lines.add(table.line)
    return whole - others


def _listed(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(visible, texts)))


def _stem(document: Document) -> str:
    name = document.name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return re.sub("-+", " ", way("joined").sub(" ", name))


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
        if facts and not known:
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
    facts: list[Facts | Column] = [*tables, *columns]
    for table in tables:
        facts += [*table.headings.values(), *table.rows.values()]
    facts += [meaning for column in columns for meaning in column.cells.values()]
    if any("workload" in known.set for known in facts):
        # Nobody said that the work is done as ours is.
        shared["setting"] = slug(document.name)
    return Map(documents=(document.sha256,), set=shared, table=built)


def _left(table: TableDraft, made: Table | None) -> Iterator[str]:
    """Yield what is left out of a table, and why, but for columns that *made* has."""
    where = f"line {table.line}"
    columns = made.columns if made else {}
    taken = {name for name, it in columns.items() if it.is_ != "ignore"}
    for draft in (*table.drafts, *table.rows):
        whole = draft.column is not None and draft.column.is_ == "ignore"
        if draft.left is not None and not (whole and draft.header in taken):
            yield f"{where}: {draft.left}"
    own = table.table().columns if made else {}
    by_answer = [it for it in own if own[it].is_ in RESULTS and it not in taken]
    yield from (f"{where}: {name!r}: as answered" for name in by_answer)
    if table.rows and all(row.column and not row.left for row in table.rows):
        yield f"{table.called}: no row of it is one of figures, as answered"
    yield from _ratios(table, made)
    if table.has_results():
        return
    if any(column_draft.left for column_draft in table.drafts):
        unsaid = [
            repr(column_draft.header)
            for column_draft in table.drafts
            if column_draft.left is None and column_draft.metric != RATIO
            if any(text[:1].isdigit() for text in column_draft.looks.texts)
        ]
        if unsaid:
            yield f"{where}: {', '.join(unsaid)}: numbers beside no figures"
        return
    texts = [text for column_draft in table.drafts for text in column_draft.looks.texts]
    digits = [text for text in texts if any(map(str.isdigit, text))]
    listed = ", ".join(table.sheets[0].header)[:120]
    why = "it holds no figures"
    if (
        cause := unread(column_draft.looks for column_draft in table.drafts)
    ) is not None:
        why = f"no column is one of figures; {cause}"
    elif digits:
        why = f"no column is one of figures; its cells are such as {digits[0][:60]!r}"
    yield f"{table.called} ({listed}): {why}"


def _ratios(table: TableDraft, made: Table | None) -> Iterator[str]:
    """Yield which columns of a table are ratios, that a source computed."""
    columns, claim = made.columns if made else {}, Column(is_="ratio")
    names = [draft.header for draft in table.drafts if draft.metric == RATIO]
    ratios = [repr(it) for it in names if columns.get(it, claim).is_ == RATIO]
    if ratios and (made or not table.has_results()):
        kept = table.has_results()
        why = "kept as claims" if kept else "without the figures they are of"
        yield f"line {table.line}: {', '.join(ratios)}: ratios, {why}"
