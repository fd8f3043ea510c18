"""The terms of a cell: numbers and times, as any locale writes them, read exactly.

Each has its unit, and the words around it.

What a number's own shape shows (``1.234,5``, ``0,123``, ``1,234,567``) holds whatever
its column does. ``1.234`` alone is read with a decimal point, unless the column shows a
decimal comma: three decimals are too common in English to refuse. ``1,234`` alone is
refused, for both readings are common. Times may have several units: ``1:09:25.48``,
``2m36s``, ``1h 49m 9s``, ``5'30"``.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, Literal

import msgspec

from benchdb.importing.quantities import unit_names
from benchdb.importing.quantities.characters import (
    PLAIN,
    AmbiguousError,
    UnreadableError,
    shown,
    visible,
)
from benchdb.importing.quantities.unit_names import TIMES, Unit
from benchdb.resources import folder

Mark = Literal[".", ","]  # of decimals
Bound = Literal["<", ">", "~"]

_FILE = folder("schema") / "words" / "figures.toml"
_WORDS: dict[str, dict[str, Any]] = tomllib.loads(_FILE.read_text("utf-8"))


def _meanings(table: str) -> dict[str, Any]:
    return {word: key for key, words in _WORDS[table].items() for word in words}


_LIMITS: dict[str, Bound] = _meanings("before")
_SUFFIXES: dict[str, Bound] = _meanings("after")
_JOINERS: dict[str, str] = _meanings("joints")
_KNOWN = frozenset(_WORDS["beside"]["figures"])
SIDES = _WORDS["beside"]["sides"]
PATTERNS: dict[str, str] = _WORDS["patterns"]

LIMIT = 200  # characters of a cell with figures; the longest honest one seen has 70
_EXPONENT_LIMIT = 400  # float64 ends at 308; a Fraction of 10**9999 would take long
_GROUPS = "\u00a0'_\u066c "
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_RAISED = "¹²³⁴⁵⁶⁷⁸⁹⁰"

_NUMBER, _CLOCK = re.compile(PATTERNS["number"]), re.compile(PATTERNS["clock"])
_POINTED = re.compile(r"\d{1,9}\.(?:\d{1,2}|\d{4,12})|0\.\d{3}")
_PRIMES = re.compile(r"""(\d{1,6})'[ ]?(\d{1,2}(?:[.,\u066b]\d{1,12})?)(?:"|'')""")


def _part(seconds: str, letters: str) -> re.Pattern[str]:
    """Return the pattern of a number with a unit; case tells only among letters."""
    words = (word for word, factor in TIMES.items() if factor == Fraction(seconds))
    longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(
        r"(\d{1,9})([.,\u066b]\d{1,12})?[ \u00a0]?"
        rf"(?:(?i:{longest_first})|{letters})\.?(?![A-Za-zÀ-ɏµ])"
    )


_PARTS = tuple(  # the larger first
    (Fraction(seconds), _part(seconds, letters))
    for seconds, letters in (
        ("86400", "d|j"),
        ("3600", "h|H"),
        ("60", "m"),
        ("1", "s|S"),
        ("1e-3", "ms"),
        ("1e-6", "us|µs"),
        ("1e-9", "ns"),
    )
)
_PERHAPS = re.compile(r"\d{1,9}[ \u00a0]?[^\W\d_]{1,20}\D{0,8}\d")  # cheaper
_JOINT = re.compile(r"[ \u00a0]*(?:,[ ]*)?(?:(?:and|und|et|y|e)[ ])?")
_CLOSE_JOINT = re.compile(r"[ \u00a0]*")
_COUNTED = re.compile(r"[ ]*(?:/|per\b)")

_LATIN = "A-Za-zÀ-ÖØ-öø-ɏ"
_NAME = re.compile(rf"[{_LATIN}_][\w.-]*")  # fp16, ResNet-50: a number in it is none
_GLUED_NAME = re.compile(rf"[{_LATIN}_][\w.]*")  # not 10s-12s
_SPACES = " \u00a0"
_WORD = re.compile(r"[^ \u00a0]+")
_WORDS_OF_A_UNIT = 4
_ENDS = ",;:|)]"
_JOINTS = "-~±…"  # 10s-12s
# C prints 2522 in four significant digits as "2522."; "3. ms" is the third.
_POINT = re.compile(r"(?<=\d\d)\.(?=[ \u00a0]?[A-Za-zµμ])")
_IN_PARENTHESES = re.compile(r"[ \u00a0]*\(([^()]{1,40})\)")
_LIMIT = re.compile(
    r"(?:^|(?<=[ \u00a0(,;:|/=])|(?=[<>~약约約超大お]))("
    + "|".join(sorted(map(re.escape, _LIMITS), key=len, reverse=True))
    + r")\.?[ \u00a0]*$",
    re.IGNORECASE,
)
_TWO_FIGURES = re.compile(r"[^()]*\([^()A-Za-z%]*\d[^()A-Za-z%]*\)[^()]*")
_PIECES = re.compile(r"[:;,|]")
_BESIDE = re.compile(r"[^\s\u00a0,;|()\[\]:=&·•→]+")
_SEPARATORS = ("/", "-", "--", "+", ".", "..", "~")
_START = re.compile(rf"[{_LATIN}_\d.,+-]")
_FOOTNOTE = re.compile(
    rf"(?P<power>(?:[×x*·][ \u00a0]?10[⁺⁻]?|⁻)[{_RAISED}]+)"
    rf"|(?<=(?P<before>[\w%.)]))(?P<raised>[ \u00a0]?[{_RAISED}]+)"
    r"|(?<=[\w%.)])[ \u00a0]?(?:[†‡§¶]+|\*{1,3}(?![ ]?\d)|\[(?:\d{1,2}|[a-z])\])"
)
_PYTHON_TIMEIT = re.compile(r"\(mean ± std\. dev\. of [^()]*\)$")
_SYMBOLS = str.maketrans(dict.fromkeys("✅✔☑⭐🏆🥇🥈🥉🔥🚀⚡👑🎉", " "))


class Duration(msgspec.Struct, frozen=True):
    """A time, in seconds, that begins and ends at these places of its text.

    *two_parts* is set for ``1:53``: minutes and seconds, unless a unit says hours.
    """

    start: int
    end: int
    seconds: Fraction
    two_parts: bool = False


class Term(msgspec.Struct):
    """A number or a time at *start* to *end* of its text, the unit included.

    *spelt* is its unit as printed; *doubts* are what that may mean where it cannot be
    told. *joint* is ``±`` or ``-`` where the term before belongs to this one.
    """

    start: int
    end: int
    amount: Fraction
    time: Duration | None = None
    unit: Unit | None = None
    spelt: str = ""
    doubts: tuple[str, ...] = ()
    bound: Bound | None = None
    joint: str | None = None


_Numeral = re.Match[str] | Duration


def _numerals(text: str) -> tuple[str, list[_Numeral]]:
    """Return *text* in plain characters, and the numbers and times in it.

    Marks of footnotes and ornaments are spaces then; digits of names are no numbers.
    """
    text = text.translate(PLAIN)
    text = _PYTHON_TIMEIT.sub(lambda match: " " * len(match[0]), text)
    text = _FOOTNOTE.sub(_without_mark, text.translate(_SYMBOLS))
    result: list[_Numeral] = []
    at = 0
    while begin := _START.search(text, at):
        start, char = begin.start(), begin[0]
        at = start + 1
        if char == "_" or char.isalpha():
            glued = start > 0 and text[start - 1].isdigit()
            if name := (_GLUED_NAME if glued else _NAME).match(text, start):
                at = name.end()
        elif char.isdigit() and (time := _duration(text, start)):
            result.append(time)
            at = time.end
        elif number := _NUMBER.match(text, start):
            result.append(number)
            at = number.end()
    return text, result


def _without_mark(match: re.Match[str]) -> str:
    if match["power"]:
        return match[0]
    raised = (match["raised"] or "").strip(" \u00a0")
    if raised and raised != "¹" and match["before"].isdigit():
        number = re.search(r"[\d.,]*$", match.string[: match.start()])
        if number and number[0].isdigit():  # 4096², but not 18.5²
            raise AmbiguousError(
                f"{shown(number[0] + match[0])} may be a power or have a footnote"
            )
    return " " * len(match[0])


class _Shape(msgspec.Struct, frozen=True):
    """The digits of a number, split at the only mark that may be the decimal one.

    *shows* is the decimal mark as far as the shape settles it; a *doubtful* mark is
    followed by three digits, so that it may group as well.
    """

    whole: str
    fraction: str
    shows: Mark | None = None
    doubtful: Mark | None = None


def _value(number: re.Match[str], decimal: Mark | None) -> tuple[int, int]:
    """Return an integer and its power of ten; *decimal* is the mark of the column."""
    sign = -1 if number["sign"] == "-" else 1
    power = number["exponent"] or number["power"]
    written = number["ten"][2:] if number["ten"] else power or "0"
    exponent = int(written.translate(_DIGITS).strip("^*(){}"))
    if abs(exponent) > _EXPONENT_LIMIT:
        raise UnreadableError("its power of ten is beyond what a float64 holds")
    if number["ten"]:
        return sign, exponent
    shape = _shape(number["mantissa"])
    if shape is None:
        raise UnreadableError(f"{shown(number[0].strip())} is no number")
    if number["gap"] == " " and not shape.fraction and number["mantissa"][3] == " ":
        raise AmbiguousError(f"{shown(number[0])} may be one number or several")
    digits, decimals = shape.whole + shape.fraction, len(shape.fraction)
    if shape.doubtful and not power:  # nobody groups before a power of ten
        if decimal is None and shape.doubtful == ",":
            raise AmbiguousError(
                f"{shape.whole + ',' + shape.fraction!r} may be {digits} or "
                f"{shape.whole}.{shape.fraction}: nothing says what its comma means"
            )
        if decimal not in (None, shape.doubtful):
            decimals = 0
    return sign * int(digits or "0"), exponent - decimals


def _decimal_mark(numeral: _Numeral, text: str) -> Mark | None:
    if not isinstance(numeral, Duration):
        shape = _shape(numeral["mantissa"]) if numeral["mantissa"] else None
        return shape.shows if shape else None
    mark = re.search("[.,](?=\\d)", text[numeral.start : numeral.end])
    return None if mark is None else "." if mark[0] == "." else ","


def _shape(mantissa: str) -> _Shape | None:
    """Return the shape of a number without sign and exponent, if it is well-formed."""
    marks = [char for char in mantissa if char in ".,\u066b"]
    group = next((char for char in mantissa if char in _GROUPS), "")
    decimal = marks[-1] if marks else ""
    shows: Mark | None = "." if decimal == "." else "," if decimal == "," else None
    if group or "\u066b" in marks:  # marks that only group, or only divide
        if len(marks) > 1:
            return None
    elif len(marks) > 1:
        group = "," if decimal == "." else "."
        if group not in marks:  # 1,234,567
            decimal, group, shows = "", decimal, "." if group == "." else ","
    whole, fraction = mantissa, ""
    if decimal:
        whole, _, fraction = mantissa.rpartition(decimal)
        if decimal in whole:
            return None
    if group and (group in fraction or not _grouped(whole, group)):
        return None
    if group or shows is None or len(fraction) != 3:
        return _Shape(whole.replace(group or " ", ""), fraction, shows)
    if not 1 <= len(whole) <= 3 or whole[0] == "0":
        return _Shape(whole, fraction, shows)
    return _Shape(whole, fraction, doubtful=shows)


def _grouped(digits: str, mark: str) -> bool:
    """Tell whether *mark* groups *digits*: by three, or by two as in India."""
    first, *middle, last = digits.split(mark) if mark in digits else ("", "")
    if not first or first[0] == "0" or len(first) > 3 or len(last) != 3:
        return False
    sizes = {len(group) for group in middle}
    return sizes <= {3} or (sizes == {2} and len(first) <= 2)


def _duration(text: str, start: int) -> Duration | None:
    """Return the time of several units that begins at *start* of *text*.

    Raise ``UnreadableError`` for one such as ``1:75:00``.
    """
    if clock := _CLOCK.match(text, start):
        parts = [int(part) for part in clock.group("first", "second", "third") if part]
        if any(part >= 60 for part in parts[1:]):
            raise UnreadableError(
                f"{shown(clock[0])} is no time: 60 and more after a colon"
            )
        seconds = Fraction(int(clock["days"] or 0) * 86400)
        for power, part in enumerate(reversed(parts)):
            seconds += part * 60**power
        if clock["fraction"]:
            seconds += Fraction(int(clock["fraction"]), 10 ** len(clock["fraction"]))
        two_parts = len(parts) == 2 and not clock["fraction"]
        return Duration(start, clock.end(), seconds, two_parts)
    if primes := _PRIMES.match(text, start):
        seconds = Fraction(re.sub("[,\u066b]", ".", primes[2]))
        if seconds >= 60:
            raise UnreadableError(f"{shown(primes[0])} is no time: 60 seconds and more")
        return Duration(start, primes.end(), int(primes[1]) * 60 + seconds)
    return _spelt(text, start) if _PERHAPS.match(text, start) else None


def _spelt(text: str, start: int) -> Duration | None:
    """Return ``1h 49m 9s``: at least two units, the larger first, the last in parts."""
    units: list[Fraction] = []
    seconds, at = Fraction(0), start
    rises = False
    for unit, pattern in _PARTS:
        # Commas only part minutes and more.
        joint = (_JOINT if units and units[-1] >= 60 else _CLOSE_JOINT).match(text, at)
        part = pattern.match(text, joint.end() if joint and units else at)
        if part is None:
            continue
        amount = unit * Fraction(re.sub("[,\u066b]", ".", part[1] + (part[2] or "")))
        rises = rises or bool(units and amount >= units[-1])
        units.append(unit)
        seconds, at = seconds + amount, part.end()
        if part[2]:
            break
    # Keras' ``15s 998us/step`` are two figures, ``2m36s/epoch`` is one.
    is_list = units[:1] == [1] and _COUNTED.match(text[at : at + 20])
    if len(units) < 2 or is_list:
        return None
    if rises:
        raise UnreadableError(f"{shown(text[start:at])} is no time")
    return Duration(start, at, seconds)


def terms(text: str, column: Mark | None) -> list[Term]:
    """Return the only figure of a cell: a term, or those that ``±`` or a dash joins.

    Its own numbers show its decimal mark, else the *column* has one. Raise
    ``AmbiguousError`` or ``UnreadableError``, also where there is no number, several,
    or a word beside it that is not known to stand there.
    """
    text, numerals = _numerals(text)
    marks = {mark for numeral in numerals if (mark := _decimal_mark(numeral, text))}
    decimal = marks.pop() if len(marks) == 1 else column
    result = [_term(numeral, decimal) for numeral in numerals]
    if not result:
        raise UnreadableError("no figure")
    stops = [*(term.start for term in result[1:]), len(text)]
    beside, at = "", 0
    for term, stop in zip(result, stops, strict=True):
        lead = text[at : term.start]
        if term is not result[0]:
            term.joint = _JOINERS.get(lead.strip(_SPACES).casefold())
            if term.joint is None and _TWO_FIGURES.fullmatch(text):
                why = "what is in parentheses may be an uncertainty or another figure"
                raise AmbiguousError(why)
            if term.joint is None:
                raise UnreadableError("it has several figures")
        else:
            if limit := _LIMIT.search(lead):
                term.bound = _LIMITS[limit[1].casefold()]
                lead = lead[: limit.start()]
            if lead.rstrip(_SPACES).endswith(("-", "+")):
                raise UnreadableError("a sign stands apart from its number")
            beside = lead
        _take_unit(term, text, stop)
        at = term.end
    _require_known(f"{beside}|{text[at:]}")
    return result


def _term(numeral: _Numeral, decimal: Mark | None) -> Term:
    if isinstance(numeral, Duration):
        return Term(numeral.start, numeral.end, numeral.seconds, time=numeral)
    digits, power = _value(numeral, decimal)
    return Term(*numeral.span(), digits * Fraction(10) ** power)


def _require_known(beside: str) -> None:
    """Refuse words beside a figure that are not known to stand there.

    What ``12.3 (batch 64)`` says besides must not get lost.
    """
    pieces = (
        " ".join(word for word in _BESIDE.findall(piece) if word not in _SEPARATORS)
        for piece in _PIECES.split(beside)
    )
    for count, words in enumerate(filter(None, pieces)):
        if re.sub(" times?$", "", words.casefold().strip(" .-+")) not in _KNOWN:
            raise UnreadableError(f"{shown(words)} is no unit or word that is known")
        if count:
            raise UnreadableError("several words stand beside the figure")


def _take_unit(term: Term, text: str, stop: int) -> None:
    """Let *term* have the unit that follows it in *text* before *stop*."""
    if _POINT.match(text, term.end) and text[term.start : term.end].isdigit():
        term.end += 1
    after = text[term.end : stop]
    if after.startswith("+") and not after[1:].startswith(("/", "-", "+")):
        term.end, term.bound, after = term.end + 1, ">", after[1:]
    if after.lstrip(_SPACES).startswith("%"):
        term.unit, term.spelt = Unit("%"), "%"
        term.end += after.index("%") + 1
        return
    if inside := _IN_PARENTHESES.match(after):
        if unit := _understood(inside[1], term):
            term.unit, term.spelt = unit, inside[1]
            term.end += inside.end()
        return
    words = list(_words(after))
    for last in reversed(words):
        spelt = after[words[0].start() : last.end()].rstrip(_ENDS + _JOINTS)
        suffix = next((item for item in _SUFFIXES if spelt.endswith(item)), "")
        bare = spelt.removesuffix(suffix)
        unit = _understood(bare, term)
        if unit or (suffix and not bare):
            term.unit, term.spelt = unit, bare
            term.bound = _SUFFIXES.get(suffix, term.bound)
            term.end += words[0].start() + len(spelt)
            return
    spelt = words[0][0].rstrip(_ENDS + _JOINTS) if words else ""
    if doubts := unit_names.doubts(spelt):
        term.spelt, term.doubts = spelt, doubts
        term.end += words[0].start() + len(spelt)


def _words(after: str) -> Iterator[re.Match[str]]:
    """Yield the words that may be a unit: up to a comma, a colon or a parenthesis."""
    for word in islice(_WORD.finditer(after), _WORDS_OF_A_UNIT):
        if word[0].startswith("("):
            return
        yield word
        if word[0].endswith(tuple(_ENDS)):
            return


def _understood(spelt: str, term: Term) -> Unit | None:
    """Return the unit *spelt*; of a time, only what it counts (``2:36/epoch``)."""
    if term.time is not None and spelt.lstrip().startswith(("/", "per ")):
        return unit_names.understood(f"s {spelt}")
    return None if unit_names.doubts(spelt) else unit_names.understood(spelt)


def convention(cells: Iterable[str]) -> Mark | None:
    """Return what the shapes of numbers show the decimal mark of a column to be.

    ``None`` if nothing settles it, or one cell contradicts another.
    """
    marks: set[Mark | None] = set()
    for cell in cells:
        if _POINTED.fullmatch(cell):
            marks.add(".")
        elif "." in cell or "," in cell or not cell.isascii():
            try:
                text, numerals = _numerals(visible(cell, LIMIT))
            except (AmbiguousError, UnreadableError):
                continue
            marks.update(_decimal_mark(numeral, text) for numeral in numerals)
        if len(marks - {None}) > 1:
            return None
    return next(iter(marks - {None}), None)
