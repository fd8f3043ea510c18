"""Lines of a card in words, with what a document names elsewhere that a fact may be."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from itertools import groupby

from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.corrections import Line
from benchdb.importing.guess.facts import NEW_WORK
from benchdb.importing.guess.headings import settings_in
from benchdb.importing.guess.questions import (
    AGREED,
    LEAVE_OUT,
    NOT_STATED,
    Question,
)
from benchdb.importing.guess.stated_facts import stated_facts
from benchdb.importing.mapping.recognition import NAME_LIMIT, device_in

_NO_FRAMEWORKS_OF_MODELS = {"numpy", "cupy", "sklearn", "keras", "needle", "candle"}
_LINES = 2000
_SHOWN = 4  # values of a line that are stored as they are printed
_CHANGED = 20  # others: a wrong one must not hide
_QUOTED = 50  # characters of one
_SCANNED = 200_000  # characters of a document that are searched for names
_NO_NAME = re.compile(r"[\W_]+")
_CODES = re.compile(r"[^\W_]+(?:_[^\W_]+)+")  # tf_efficientnet is no TensorFlow


def as_question(
    line: Line,
    document: Document,
    at: Mapping[int, int],
    answered: Container[tuple[int, str]],
) -> Question:
    """Return a line in words; *at* is where the tables of its document begin.

    *answered* are columns that somebody said something of, each with its table's line.
    """
    tables = ""
    if len(line.tables) < len(at):  # else it is about all
        text = f"table {line.tables[0]} at line {at[line.tables[0]]}"
        several = f"tables {_ranges(line.tables)}"
        tables = f" ({several if line.tables[1:] else text})"
    fact = line.fact
    values, where = _values(line, document)
    needed = (line.kind, fact.name) == ("nowhere", "work")
    if needed:
        asks, subject = "What is the work of {}?", f"the figures{tables}"
    elif line.kind == "nowhere":
        asks, subject = "not stated: {}", f"{fact.name}{values}{tables}"
    elif line.kind == "text" or (line.kind == "column" and fact.is_setting):
        # Often a line of the text for each table, and a setting for each column.
        asks, subject = "{}", f"{fact.name}: {values}{where}{tables}"
    elif line.kind != "column":
        asks, subject = f"{{}}{where}", f"{fact.name}: {values}{tables}"
    else:
        asks, subject = f"{{}}{where}{tables}", f"{fact.name}: {values}"
    headers = [line.header] if line.kind == "column" else []
    if line.kind == "figures":
        headers = [printed for printed, _ in line.values]
    places = frozenset((at[n], it[:30]) for n in line.tables for it in headers)
    setting = fact.is_setting
    return Question(
        key=line.key,
        asks=asks,
        subjects=(subject,),
        lines=tuple(at[n] for n in line.tables),
        topic=line.fact.name,
        takes=line.takes,
        places=frozenset() if line.kind == "figures" and not setting else places,
        stated=_stated(line),
        answered=setting or (bool(places) and all(it in answered for it in places)),
        choices={LEAVE_OUT: "leave it out"} if needed else {},
        free=f"its name, such as matmul or llm-decode, or {NEW_WORK}"
        if needed
        else None,
        likely=None if needed else NOT_STATED if line.kind == "nowhere" else AGREED,
    )


def _ranges(numbers: Iterable[int]) -> str:
    """Return *numbers* in their order, those that follow each other as ``1-3``."""
    rest = sorted(numbers)
    ranges = groupby(rest, key=lambda it: it - rest.index(it))
    parts = [[*map(str, part)] for _, part in ranges]
    return ", ".join(it[0] if len(it) == 1 else f"{it[0]}-{it[-1]}" for it in parts)


def _stated(line: Line) -> str:
    """Return what a line of the text says of all tables, or that nothing says it."""
    values = {"nowhere": line.kind, "text": repr(sorted(line.values))}
    return values.get(line.kind, "")


def _values(line: Line, document: Document) -> tuple[str, str]:
    """Return what is stored of a fact beside what is printed, and where from."""
    if line.kind == "nowhere":
        return _nowhere(line, document), ""
    named = (_candidates(line.fact.name, document, stored) for _, stored in line.values)
    longer = next(filter(None, named), "")
    also = f" (the document also names {longer})" if longer else ""
    if line.kind == "text":
        # By what the GPUs of all rows compute follows from their frameworks as well.
        source, first = next(iter(line.values))
        every = ", ".join(dict.fromkeys(stored for _, stored in line.values))
        source = source or _place_of(document, line.fact.name, first)
        return f"{every}{also}", f", from {source}" if source else ""
    merged = Counter[str]()
    for (printed, stored), count in line.values.items():
        shown = printed[:_QUOTED] + (" …" if printed[_QUOTED:] else "")
        same = line.kind == "column" and printed == stored
        chip = naming.chip(printed) if line.fact.name == "machine" else None
        perhaps = f", perhaps {chip.also}" if chip and chip.also else ""
        merged[stored if same else f"{shown!r} -> {stored}{perhaps}"] += count
    changed = sum("' -> " in text for text in merged)
    most = max(_SHOWN, min(changed, _CHANGED))
    # First what is stored otherwise than it is printed.
    order = sorted(merged.items(), key=lambda it: ("' -> " not in it[0], -it[1]))
    shown = ", ".join(f"{text} ({count})" for text, count in order[:most])
    more = f" and {len(merged) - most} more" if len(merged) > most else ""
    where = {
        "heading": "from the headings above",
        "figures": "from the names of columns",
        "column": f"from the column {line.header[:_QUOTED]!r}",
    }[line.kind]
    return f"{shown}{more}{also}", f", {where}"


def _nowhere(line: Line, document: Document) -> str:
    rest = "" if line.sole else f" of {sum(line.values.values())} figures"
    makers = sorted({maker for _, maker in line.values} - {"unknown", ""})
    of = f" ({', '.join(makers)})" if makers else ""
    named = _candidates(line.fact.name, document)
    more = f" (the document names {named})" if named else ""
    return f"{rest}{of}{more}"


def _candidates(name: str, document: Document, stored: str = "") -> str:
    """Return in words what the fact *name* may be, by the lines that name it.

    Where a machine is known as *stored*, it may be one with a longer name: M2, M2 Max.
    """
    known: Mapping[str, str] = {}
    if name == "machine":
        longer = tuple(longer_chips(document, stored)) if stored else ("",)
        chips = _chips(document).items()
        known = {it: where for it, where in chips if it.startswith(longer)}
    elif name == "framework" and not stored:
        known = _frameworks(document)
    return ", ".join(f"{it}{where}" for it, where in [*known.items()][:_SHOWN])


def _place_of(document: Document, name: str, stored: str) -> str:
    """Return the line that says a fact of the whole document, quoted."""
    number = _line_of(document, name, stored)
    line = " ".join(document.lines[number - 1].split())[:60]
    return f"line {number}: {line!r}" if number else ""


def _line_of(document: Document, name: str, stored: str) -> int:
    """Return the line that says first that *name* is *stored*, 0 if there is none."""
    words = stored.split()
    lines = enumerate(document.lines[:_LINES], 1)
    return next((number for number, line in lines if _says(line, name, words)), 0)


def _says(line: str, name: str, words: list[str]) -> bool:
    if name == "machine":
        return any(set(chip.name.split()) <= {*words} for chip in naming.chips_in(line))
    if name == "framework":
        return words[0] in naming.frameworks(line)
    if name == "device":
        return len(line) <= NAME_LIMIT and device_in(line) == words[0]
    if all(map(str.isdigit, words)):
        return words[0] in map(str, settings_in(line).values())
    plain = _NO_NAME.sub("", line.casefold())
    return all(_NO_NAME.sub("", word.casefold()) in plain for word in words)


def longer_chips(document: Document, stored: str) -> list[str]:
    """Return the chips of the document with longer names than that of *stored*."""
    chip = naming.chip(stored)
    beside = stated_facts(document).chips if chip else {}
    return [name for name in beside if chip and name.startswith(f"{chip.name} ")]


@lru_cache(maxsize=1)
def _frameworks(document: Document) -> Mapping[str, str]:
    text = _CODES.sub(" ", document.text[:_SCANNED])
    known = naming.frameworks(text) - _NO_FRAMEWORKS_OF_MODELS
    counts = {name: text.casefold().count(name) for name in sorted(known)}
    return dict.fromkeys(sorted(counts, key=lambda name: -counts[name]), "")


@lru_cache(maxsize=1)
def _chips(document: Document) -> Mapping[str, str]:
    """Return the machines that lines of the document name, each with its line."""
    chips: dict[str, str] = {}
    for name, fields in stated_facts(document).chips.items():
        cores = f"{fields['gpu_cores']}c" if "gpu_cores" in fields else ""
        words = filter(None, (name, cores, str(fields.get("ram", ""))))
        number = _line_of(document, "machine", name)
        chips[" ".join(words)] = f" (line {number})" if number else ""
    return chips
