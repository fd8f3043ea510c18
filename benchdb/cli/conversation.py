"""Asking what the tables of a document mean: on a terminal, or by options of a script.

Nothing is assumed that a reader could not see: what the rows would become stands beside
the lines that they come from, before anything is imported.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import typer

from benchdb.cli.console import NAME_LIMIT, PROSE_LIMIT, counted, plain, warn
from benchdb.cli.figure_text import figure
from benchdb.errors import BenchdbError, UsageError
from benchdb.exchange.reader import BadLine
from benchdb.exchange.record import Record
from benchdb.files import replacing
from benchdb.importing.building import slug
from benchdb.importing.document import SIZE_LIMIT, Document, DocumentError
from benchdb.importing.guess.draft import CARD, Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.guess.questions import (
    AGREED,
    REFUSED,
)
from benchdb.importing.guess.unread import named_with_lines, unread_lines
from benchdb.importing.intake import mapped
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import readable

_ROWS = 8  # of a preview
_NOTES = 16
_EXAMPLE = "'yes, but 2: ms; precision of table 1: fp16; column 3: framework'"
_LINE = re.compile(r"line (\d+)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# The key of a line with names in braces, which reads those like it: line, line 2.
_TEMPLATE = re.compile(r"lines?(?: \d)?")
_A_LINE = re.compile(r"lines?\s*[:=]\s*")
_NO_TABLE = "neither a table nor a log of a known habit"


class Unexplained(msgspec.Struct, frozen=True):
    """A document with tables that no map explains, and the answers given so far.

    *templates* are lines of it with names in braces, which read those like them.
    """

    path: Path
    document: Document
    sheets: Sequence[Sheet]
    answers: Mapping[str, str] = {}
    templates: tuple[str, ...] = ()

    def proposal(self, more: Mapping[str, str] = {}) -> Proposal:
        """Return the map that follows from the answers, with what is still open."""
        return propose(self.document, self.sheets, {**self.answers, **more})

    def with_template(self, template: str) -> "Unexplained":
        """Return the same, where lines like *template* are rows.

        Raise ``DocumentError`` where no line is like it.
        """
        templates = (*self.templates, template)
        sheets = readable(self.document, templates)
        return msgspec.structs.replace(self, sheets=sheets, templates=templates)


def opened(path: Path, answers: Mapping[str, str]) -> Unexplained:
    """Return the document at *path*; raise ``BenchdbError`` if it has no table."""
    try:
        with path.open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise BenchdbError(f"cannot read {path}: {error.strerror}") from error
    templates = {key: it for key, it in answers.items() if _TEMPLATE.fullmatch(key)}
    answers = {key: it for key, it in answers.items() if key not in templates}
    unexplained = Unexplained(path, Document(path.name, content), (), answers)
    try:
        unexplained = msgspec.structs.replace(
            unexplained, sheets=readable(unexplained.document)
        )
    except BenchdbError as error:
        raise BenchdbError(f"{path}: {error}") from error
    for template in templates.values():
        try:
            unexplained = unexplained.with_template(template)
        except DocumentError as error:
            raise AnswerError(f"{path}: {error}") from error
    return unexplained


def given(texts: Sequence[str]) -> dict[str, str]:
    """Return the answers in options ``KEY=CHOICE``.

    ``=`` may be in a choice for a card, in a line, and in any other key.
    """
    answers: dict[str, str] = {}
    for text in texts:
        key, equals, choice = text.partition("=")
        if not (CARD.fullmatch(key.strip()) or _TEMPLATE.fullmatch(key.strip())):
            key, equals, choice = text.rpartition("=")
        if not equals or not key.strip():
            raise UsageError(f"--answer {text!r}: give KEY=CHOICE, as --guess shows")
        answers[key.strip()] = choice.strip()
    return answers


def describe(unexplained: Unexplained) -> str:
    """Print the proposed map, its rows and its card; return the map."""
    _require_tables(unexplained)
    proposal = unexplained.proposal()
    preview = _preview(unexplained, proposal, _rows(unexplained, proposal), most=None)
    # Somebody who answers at once has not seen what a card of these answers says.
    agreed = _listed("agreed to", proposal.agreed, None)
    toml = (*proposal.toml.splitlines(), "")
    for line in (*toml, *preview, *agreed, *_card(proposal)):
        typer.echo(plain(line))
    return proposal.toml


def settled(unexplained: Unexplained) -> LoadedMap:
    """Return the map that needs no more answers, and say what it leaves out.

    Raise ``BenchdbError`` where the card is open, or nothing is left.
    """
    _require_tables(unexplained)
    proposal = unexplained.proposal()
    if proposal.questions:
        _say(*_card(proposal))
        needed = any(question.likely is None for question in proposal.questions)
        answer = f"{AGREED}, but 1: ANSWER" if needed else AGREED
        raise BenchdbError(
            f"a card of {counted(len(proposal.lines()), 'line')} is open, nothing of "
            f"it was imported; to agree: --answer '{proposal.card}={answer}'"
        )
    _say(*_listed(f"benchdb: {unexplained.path}: left out", proposal.left_out, None))
    _say(
        *_listed(
            f"benchdb: {unexplained.path}: taken for granted", proposal.notes, None
        )
    )
    if proposal.map.nothing is not None:
        raise BenchdbError(f"{proposal.map.nothing}; nothing was stored")
    return _loaded(unexplained, proposal)


def agreed(unexplained: Unexplained, *, several: bool) -> LoadedMap | None:
    """Ask on the terminal; return the map that was agreed on, ``None`` for a no.

    Each card stands below the rows that it is about, and a plain yes to it is one to
    them. Of *several* files it is said which one it is about.
    """
    why = "no map says what its columns mean" if unexplained.sheets else _NO_TABLE
    title = f"{unexplained.path}: {why}"
    _say(f"=== {title}" if several else f"benchdb: {title}")
    if not unexplained.sheets:
        _say(*_unread(unexplained), "  a line of it with names in braces, or no")
    agreed = False
    while not unexplained.sheets or (proposal := unexplained.proposal()).questions:
        if unexplained.sheets:
            rows = _rows(unexplained, proposal)
            _say("", *_preview(unexplained, proposal, rows), *_card(proposal), "")
        typed, result = _answer(unexplained)
        if result is None:
            return None
        unexplained, agreed = result, typed.casefold() in (AGREED, AGREED[0])
    rows = _rows(unexplained, proposal)
    if not agreed:
        _say("", *_preview(unexplained, proposal, rows))
    if not rows.records:
        raise BenchdbError("no row is left to import; nothing was stored")
    return _loaded(unexplained, proposal) if agreed or _agreed() else None


def _loaded(unexplained: Unexplained, proposal: Proposal) -> LoadedMap:
    """Return the map that is proposed, by the name of its document."""
    return maps.parse(proposal.toml.encode(), slug(unexplained.document.name))


def kept(unexplained: Unexplained, map_: LoadedMap, folder: Path) -> LoadedMap:
    """Keep in *folder* what was agreed on, so that the document is read so unasked.

    Other answers than before make a later version of the map, which takes its place.
    """
    try:
        before = maps.remembered(folder, unexplained.document)
        if before is not None:
            known = before.map_.version
            text = f"version = {known}\n{map_.text}" if known > 1 else map_.text
            if text != before.text:
                text = f"version = {known + 1}\n{map_.text}"
            map_ = maps.parse(text.encode(), map_.name)
        for path in maps.remembered_files(folder, unexplained.document.sha256):
            path.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{map_.name}.{unexplained.document.sha256}.toml"
        with replacing(path) as stream:
            stream.write(map_.text.encode())
    except OSError as error:
        warn(f"the answers cannot be kept in {folder}: {error.strerror}")
    return map_


def write(path: Path, toml: str) -> None:
    """Save a map as *path*."""
    with replacing(path) as stream:
        stream.write(toml.encode())
    typer.echo(plain(f"saved {path}"), err=True)


def _answer(unexplained: Unexplained) -> tuple[str, Unexplained | None]:
    """Return what somebody types, once it makes sense, and what is known with it.

    That is ``None`` for a no.
    """
    while True:
        typed = _read("answer: ")
        if typed.casefold() in REFUSED:
            return typed, None
        try:
            return typed, _answered(unexplained, typed)
        except (AnswerError, DocumentError) as error:
            _say(*(f"benchdb: {line}" for line in error.lines))


def _answered(unexplained: Unexplained, answer: str) -> Unexplained:
    """Return what is known with an *answer* to the open card, or a line as template.

    Raise ``AnswerError`` or ``DocumentError`` where it makes no sense.
    """
    if template := _A_LINE.match(answer):
        return unexplained.with_template(answer[template.end() :])
    if not unexplained.sheets:
        raise AnswerError("give a line of it with names in braces, 'line: …', or no")
    card = unexplained.proposal().card
    unexplained.proposal({card: answer})
    return msgspec.structs.replace(
        unexplained, answers={**unexplained.answers, card: answer}
    )


def _require_tables(unexplained: Unexplained) -> None:
    """Raise ``BenchdbError`` where nothing of the document is read."""
    if not unexplained.sheets:
        _say(*_unread(unexplained))
        raise BenchdbError(_NO_TABLE)


def _unread(unexplained: Unexplained) -> Iterator[str]:
    """Yield the figures of a document without tables, and how they may be read."""
    lines = named_with_lines(
        unexplained.document, unread_lines(unexplained.document, ()), ()
    )
    return _listed(f"benchdb: {unexplained.path}: left out", [*lines], None)


def _card(proposal: Proposal) -> Iterator[str]:
    """Yield the lines of a card, each with its number, and how it is answered."""
    if not proposal.questions:
        return
    lines = [line.reading() for line in proposal.lines()]
    yield ""
    yield f"{proposal.card}: are these right?"
    yield from (f"  ({number}) {line}" for number, line in enumerate(lines, 1))
    yield f"  {AGREED}, no, or what is wrong: {_EXAMPLE}"


def _agreed() -> bool:
    while True:
        typed = _read("import these rows? (yes or no) ").casefold()
        if typed and "yes".startswith(typed):
            return True
        if typed and "no".startswith(typed):
            return False
        _say("benchdb: type yes or no")


def _read(prompt: str) -> str:
    """Return a line that somebody types; raise ``BenchdbError`` where no more comes."""
    typer.echo(prompt, nl=False, err=True)
    typed = sys.stdin.buffer.readline()
    if not typed.endswith(b"\n"):
        _say("")
        raise BenchdbError("the answers ended before the questions; nothing was stored")
    return typed.decode(errors="replace").strip()


def _say(*lines: str) -> None:
    for line in lines:
        typer.echo(plain(line), err=True)


class _Rows(msgspec.Struct, frozen=True):
    """What a map makes of a document; *error* says why it makes nothing."""

    records: Sequence[Record]
    refused: Counter[str]
    error: str | None = None


def _rows(unexplained: Unexplained, proposal: Proposal) -> _Rows:
    """Return what would be stored: by the map as text, as the import reads it."""
    try:
        items = list(
            mapped(unexplained.document, _loaded(unexplained, proposal), NOTHING).items
        )
    except BenchdbError as error:
        return _Rows((), Counter(), str(error))
    records = [item for item in items if isinstance(item, Record)]
    bad = Counter(item.reason for item in items if isinstance(item, BadLine))
    return _Rows(records, bad)


def _preview(
    unexplained: Unexplained, proposal: Proposal, rows: _Rows, most: int | None = _NOTES
) -> Iterator[str]:
    """Yield what the rows become, beside the lines that they come from.

    Of notes, and of what is left out, no more than *most* are shown.
    """
    by_line: dict[str, list[Record]] = defaultdict(list)
    for record in rows.records:
        by_line[_place(record)].append(record)
    shown = [(place, some[:_ROWS]) for place, some in by_line.items()][:_ROWS]
    yield f"{counted(len(rows.records), 'row')} would be imported:"
    if rows.error is not None:
        yield f"  {rows.error}"
    for place, some in shown:
        yield f"  {place}: {_printed(unexplained, place, some[0])}".rstrip(": ")
        for record in some:
            yield f"    -> {_meaning(record)}"
    if (rest := len(rows.records) - sum(len(some) for _, some in shown)) > 0:
        yield f"  and {counted(rest, 'more row')}"
        yield from _listed("smallest and largest", [*_extremes(rows.records)], most)
    yield from _listed("taken for granted", proposal.notes, most)
    refused = Counter[str]()
    texts: dict[str, str] = {}  # the first of those that differ in numbers alone
    for why, count in rows.refused.items():
        refused[texts.setdefault(_NUMBER.sub("", why), why)] += count
    result = [f"{count:,} × {why}" for why, count in refused.most_common()]
    yield from _listed("left out", (*proposal.left_out, *result), most)


def _extremes(records: Sequence[Record]) -> Iterator[str]:
    """Yield the ends of each metric, which show a wrong unit at once."""
    values: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for record in records:
        for item in record.end.values:
            if item.value is not None:
                key = (item.value, record.run.workload, _place(record))
                values[item.metric].append(key)
    for metric, some in values.items():
        ends = (
            f"{figure(value, metric, work)} ({work}, {place})"
            for value, work, place in (min(some), max(some))
        )
        yield f"{metric}: {' to '.join(ends)}"


def _listed(title: str, lines: Sequence[str], most: int | None) -> Iterator[str]:
    if lines:
        yield f"{title}:"
    for line in lines[:most]:
        yield f"  {plain(line, PROSE_LIMIT)}"
    if more := lines[len(lines) if most is None else most :]:
        yield f"  and {len(more):,} more"


def _place(record: Record) -> str:
    locator = record.run.locator or ""
    if not locator and record.end.values:
        locator = record.end.values[0].locator or ""
    match = _LINE.match(locator)
    return match[0] if match else locator


def _printed(unexplained: Unexplained, place: str, record: Record) -> str:
    """Return what stands at *place*: the line, else the characters of the figures."""
    match = _LINE.fullmatch(place)
    if match is None:
        return ", ".join(each.printed or "" for each in record.end.values)
    line = unexplained.document.lines[int(match[1]) - 1]
    return plain(" ".join(line.split()), 2 * NAME_LIMIT)


def _meaning(record: Record) -> str:
    """Return a run in words: the work, where it ran, and its figures."""
    run, machine = record.run, record.machine
    facts = {**run.parameters, **run.conditions}
    work = [run.workload, *(f"{name} {fact}" for name, fact in facts.items())]
    chip = machine.chip.name
    cores = machine.chip.gpu_cores
    if chip == "unknown" and machine.label:
        chip = machine.label  # as somebody typed it
    ram = machine.chip.ram_bytes
    known = [f"{cores} GPU cores"] if cores else []
    known += [f"{ram // 2**30} GB"] if ram else []
    place = [chip + (f" ({', '.join(known)})" if known else "")]
    cards = [
        f"{card.count}x {card.name}" if card.count > 1 else card.name
        for card in machine.chip.accelerators
        if card.count > 1 or card.name != chip
    ]
    place += [*cards, run.device]
    names = [card.name for card in machine.chip.accelerators]
    if run.device_name not in (None, chip, *names):
        place.append(str(run.device_name))
    version = record.environment.framework_version
    ran = " ".join(filter(None, (run.framework, version, run.precision)))
    figures = [
        f"{each.metric} {figure(each.value, each.metric, run.workload)}"
        if each.value is not None
        else f"{each.metric} none ({each.reason})"
        for each in record.end.values
    ]
    parts = (", ".join(work), ", ".join(place), ran, ", ".join(figures) or run.label)
    return plain(" | ".join(parts), PROSE_LIMIT)
