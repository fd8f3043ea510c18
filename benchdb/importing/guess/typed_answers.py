"""What is typed below a card, by the keys of what it is about."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from benchdb.errors import suggestion
from benchdb.importing.guess.facts import (
    AnswerError,
    Faults,
    fact_in,
    fact_named,
    unit_and_metric,
)
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
    OF_TABLE,
    Entry,
    spelt,
)
from benchdb.importing.mapping.fields import plain_name

_YES = re.compile(r"(?i)(?:yes|y)(?![a-z])(?:\s*[,;]?\s*but\s*|\s*[,;]\s*)?")
_CORRECTED = re.compile(
    r"\s*(?:(?P<mark>['\"])(?P<quoted>(?:(?!(?P=mark)).)+)(?P=mark)"
    r"|(?P<name>[^:;]{1,120}(?::(?!\s|new:)[^:;\s]{1,60}(?=\s*:))*))\s*:(?P<answer>[^;]+)"
)
_AT_LINE = re.compile(
    r"(?i)(?P<name>.*?)\s*(?:\b(?:of|in)\s+)?(?:\b(?:the\s+)?table\s+)?\bat line "
    r"(?P<line>\d+)"
)
_LINE = re.compile(r"(?i)^(?:at )?line ")
_NEAR = 5  # tables that are named where none begins


def _of_tables(name: str, begin: Sequence[int], known: Collection[str]) -> list[str]:
    """Return *name* by the number of its table in place of the line it is at.

    *begin* are the lines in which tables begin, in the order of their numbers; what is
    *known* by its line is no table's. Raise ``AnswerError`` where none begins there.
    """
    at = _AT_LINE.fullmatch(name)
    if at is None or name in known:
        return [name]
    numbers = [n for n, line in enumerate(begin, 1) if line == int(at["line"])]
    if not numbers:
        near = sorted({*begin}, key=lambda it: abs(it - int(at["line"])))
        listed = ", ".join(map(str, sorted(near[:_NEAR])))
        raise AnswerError(f"{name!r}: no table begins there; allowed: line {listed}")
    return [
        f"{at['name']} of table {n}" if at["name"] else f"table {n}" for n in numbers
    ]


def _others(answer: str, begin: Sequence[int]) -> list[str]:
    """Return all tables that *begin* but those of *answer*: ``table 2, line 41``."""
    kept: set[str] = set()
    for part in answer.split(","):
        name = _LINE.sub("table at line ", part.strip())
        kept.update(_of_tables(name.casefold(), begin, ()))
    every = [f"table {number}" for number in range(1, len(begin) + 1)]
    if not kept <= {*every}:
        odd = ", ".join(sorted(kept - {*every}))
        why = f"allowed: {every[0]} to {every[-1]}, or the lines that they begin in"
        raise AnswerError(f"'only': {odd!r} is no table; {why}")
    return [it for it in every if it not in kept]


def corrections(
    key: str,
    lines: Sequence[Entry],
    answer: str,
    refused: Faults,
    begin: Sequence[int],
    known: Collection[str],
) -> dict[str, str]:
    """Return what the *answer* to a card of *lines* corrects, by key or by name.

    ``yes, but 2: ms; precision: fp16`` does two. A number beyond the lines is a name.
    Parts that make no sense are *refused*; what is not of this form names the card by
    *key*. Tables *begin* in these lines; what is *known* by its line is no table's.
    """
    agreed = _YES.match(answer)
    rest = answer[agreed.end() :] if agreed else answer
    typed: list[tuple[str, str, list[str]]] = []
    for each in rest.split(";") if rest.strip() or not agreed else ():
        correction = _CORRECTED.fullmatch(each)
        text = spelt(correction["answer"]) if correction else ""
        if correction is None or not text:
            why = f"NUMBER: ANSWER, 1 to {len(lines)}, or NAME: ANSWER"
            why = f"give yes, or what is wrong as {why}"
            refused[each.strip()] = f"{key!r}: {each.strip()!r}: {why}"
            continue
        name = correction["quoted"] or correction["name"].strip()
        if name.casefold() == "new":  # as a choice of work says it
            name, text = "work", f"new: {text}"
        if name.casefold() == "only":
            with refused.of(each.strip()):
                others = _others(text, begin)
                typed += [(it, LEAVE_OUT, []) for it in others]
            continue
        number = int(name) if name.isdecimal() and not correction["quoted"] else 0
        numbered = 0 < number <= len(lines)
        with refused.of(each.strip()):
            asked = lines[number - 1].asked(text) if numbered else ()
            exact = numbered or correction["quoted"]
            names = [name] if exact else _of_tables(name, begin, known)
            typed += [(it, text, [question.key for question in asked]) for it in names]
    corrected: dict[str, str] = {}
    own = {key for _, result, keys in typed if "->" not in result for key in keys}
    for name, text, keys in typed:
        # By a number an answer is to what a line asks, by its name to all that is
        # called so and has none of its own, of a table perhaps.
        by_table = any(it.startswith(f"{name} of table ") for it, *_ in typed)
        every = [it for line in lines for it in line.questions if not by_table]
        called = (it.key for it in every if it.short == name)
        every_key = dict.fromkeys(it for it in (name, *called) if it not in own)
        for key_ in keys or every_key:
            before = refused.typed.get(key_, "").removeprefix(f"{name}: ")
            both = _both(key_, before, text) if key_ == name else {key_: text}
            if key_ in corrected and both == {key_: text}:
                both = {key_: f"{corrected[key_]}; {text}"}
            corrected |= both
            refused.typed |= {it: f"{name}: {both[it]}" for it in both}
    return corrected


def _both(name: str, before: str, text: str) -> dict[str, str]:
    """Return what is *text* of *name*, by key, with what was said of it *before*.

    What its figures are, and a fact of them, are two answers; of two of one kind the
    later one holds.
    """
    for figures, answer in ((before, text), (text, before)):
        fact = fact_in(answer) if fact_named(name) is None else None
        if fact is not None and any(unit_and_metric(figures)):
            return {name: figures, f"{fact[0].name} in {name}": answer}
    return {name: text}


def unused(
    answers: Mapping[str, str],
    known: Collection[str],
    used: Collection[str],
    faults: Faults,
    titles: Collection[str] = (),
) -> Iterator[str]:
    """Yield which *answers* were not needed; unknown ones are *faults*.

    What one answer settles another may have been asked about before. *titles* are those
    of columns, of tables as well that have no figures.
    """
    rest = answers.keys() - used - faults.keys()
    for key in sorted(rest, key=lambda it: (OF_TABLE.fullmatch(it) is not None, it)):
        if faults and OF_TABLE.fullmatch(key):
            continue  # another answer may make it a table of figures
        titled = plain_name(key) in titles
        if titled and key not in known and answers[key].casefold() != LEAVE_OUT:
            why = "nothing of its table is taken; a unit or a metric makes it figures"
            faults[key] = f"{key!r}: {answers[key]!r}: {why}"
        elif key in known or titled:
            yield f"{key!r}: the answer {answers[key]!r} was not needed"
        else:
            near, of = suggestion(key, known) if known else "", OF_TABLE.fullmatch(key)
            what = "the number of a line, a fact, the title of a column or a text"
            near = near if "mean" in near else f"; give {what} of the document"
            near = f"; nothing is taken of table {of['number']}" if of else near
            faults[key] = f"nothing asks {key!r}{near}"
