"""The terms of a cell: each number or time in it, its unit, and the words around it."""

import re
from collections.abc import Iterator
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities import numerals, units
from benchdb.importing.quantities.durations import Duration, duration
from benchdb.importing.quantities.quantity import (
    AmbiguousError,
    Bound,
    Convention,
    UnreadableError,
    shown,
)
from benchdb.importing.quantities.units import Unit

_LATIN = "A-Za-zÀ-ÖØ-öø-ɏ"
_NAME = re.compile(rf"[{_LATIN}_][\w.-]*")  # fp16, ResNet-50: a number in it is none
_GLUED_NAME = re.compile(rf"[{_LATIN}_][\w.]*")  # not 10s-12s
_START = re.compile(rf"[{_LATIN}_\d.,+-]")

_RAISED = "¹²³⁴⁵⁶⁷⁸⁹⁰"
_FOOTNOTE = re.compile(
    rf"(?P<power>(?:[×x*·][ \u00a0]?10[⁺⁻]?|⁻)[{_RAISED}]+)"
    rf"|(?<=(?P<before>[\w%.)]))(?P<raised>[ \u00a0]?[{_RAISED}]+)"
    r"|(?<=[\w%.)])[ \u00a0]?(?:[†‡§¶]+|\*{1,3}(?![ ]?\d)|\[(?:\d{1,2}|[a-z])\])"
)
_PYTHON_TIMEIT = re.compile(r"\(mean ± std\. dev\. of [^()]*\)$")
_SYMBOLS = str.maketrans(dict.fromkeys("✅✔☑⭐🏆🥇🥈🥉🔥🚀⚡👑🎉", " "))

_WORD = re.compile(r"[^ \u00a0]+")
_WORDS_OF_A_UNIT = 4
_ENDS = ",;:|)]"
_JOINTS = "-~±…"  # 10s-12s
# C prints 2522 in four significant digits as "2522."; "3. ms" is the third.
_POINT = re.compile(r"(?<=\d\d)\.(?=[ \u00a0]?[A-Za-zµμ])")
_IN_PARENTHESES = re.compile(r"[ \u00a0]*\(([^()]{1,40})\)")
_SUFFIXES: dict[str, Bound] = {
    "以上": ">",
    "이상": ">",
    "以下": "<",
    "이하": "<",
    "左右": "~",
    "前後": "~",
    "程度": "~",
    "정도": "~",
    "쯤": "~",
}

_JOINERS = {
    **dict.fromkeys(("±", "+/-", "+-", "+ / -", "\\pm"), "±"),
    **dict.fromkeys(
        ("-", "--", "~", "..", "...", "…", "to", "bis", "à", "至", "到"), "-"
    ),
}
_LIMITS: dict[str, Bound] = {
    **dict.fromkeys(("<", "<=", "under", "below", "less than", "at most"), "<"),
    **dict.fromkeys(("up to", "unter", "höchstens", "moins de", "bis zu"), "<"),
    **dict.fromkeys((">", ">=", "over", "above", "more than", "at least"), ">"),
    **dict.fromkeys(("über", "mindestens", "plus de", "más de", "超过"), ">"),
    **dict.fromkeys(("~", "~~", "ca", "circa", "about", "around", "approx"), "~"),
    **dict.fromkeys(("approximately", "roughly", "almost", "nearly"), "~"),
    **dict.fromkeys(("etwa", "ungefähr", "rund", "env", "environ", "aprox"), "~"),
    **dict.fromkeys(("unos", "cerca de", "약", "约", "約", "大约", "およそ"), "~"),
}
_LIMIT = re.compile(
    r"(?:^|(?<=[ \u00a0(,;:|/=])|(?=[<>~약约約超大お]))("
    + "|".join(sorted(map(re.escape, _LIMITS), key=len, reverse=True))
    + r")\.?[ \u00a0]*$",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[:;,|]")
_BESIDE = re.compile(r"[^\s\u00a0,;|()\[\]:=&·•→]+")
_SEPARATORS = ("/", "-", "--", "+", ".", "..", "~")


class Term(msgspec.Struct, frozen=True):
    """A number or a time at *start* to *end* of its text, the unit included.

    *spelt* is its unit as printed; *doubts* are what that may mean where it cannot be
    told. *joint* is ``±`` or ``-`` where the term before belongs to this one. *label*
    and *trail* are the words before and after it; *named*: a colon follows the former.
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
    named: bool = False
    label: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()


def cleared(text: str) -> str:
    """Return *text* with spaces for marks of footnotes and for ornaments."""
    text = _PYTHON_TIMEIT.sub(lambda found: " " * len(found[0]), text)
    return _FOOTNOTE.sub(_without_mark, text.translate(_SYMBOLS))


def _without_mark(found: re.Match[str]) -> str:
    if found["power"]:
        return found[0]
    raised = (found["raised"] or "").strip(" \u00a0")
    if raised and raised != "¹" and found["before"].isdigit():
        number = re.search(r"[\d.,]*$", found.string[: found.start()])
        if number and number[0].isdigit():  # 4096², but not 18.5²
            raise AmbiguousError(
                f"{shown(number[0] + found[0])} may be a power or have a footnote"
            )
    return " " * len(found[0])


def numbers(text: str) -> Iterator[tuple[int, re.Match[str] | Duration]]:
    """Yield what numbers and times begin where in *text*; digits of names are none."""
    at = 0
    while begin := _START.search(text, at):
        start, char = begin.start(), begin[0]
        if char == "_" or char.isalpha():
            glued = start > 0 and text[start - 1].isdigit()
            name = (_GLUED_NAME if glued else _NAME).match(text, start)
            at = name.end() if name else start + 1
            continue
        found = duration(text, start) if char.isdigit() else None
        number = found or numerals.NUMBER.match(text, start)
        if number is None:
            at = start + 1
            continue
        yield start, number
        at = number.end if isinstance(number, Duration) else number.end()


def terms(text: str, convention: Convention | None) -> list[Term]:
    """Return the terms of the cell *text*, in plain characters.

    Raise ``AmbiguousError`` or ``UnreadableError``.
    """
    bare = [_bare(start, one, convention) for start, one in numbers(text)]
    stops = [*(one.start for one in bare[1:]), len(text)]
    found: list[Term] = []
    for one, stop in zip(bare, stops, strict=False):
        lead = text[found[-1].end if found else 0 : one.start]
        joint = _JOINERS.get(lead.strip(" \u00a0").casefold()) if found else None
        bound, rest = (None, "") if joint else _limit(lead)
        if rest.rstrip(" \u00a0").endswith(("-", "+")):
            raise UnreadableError("a sign stands apart from its number")
        label, named = _pieces(rest), rest.rstrip(" \u00a0").endswith((":", "="))
        term = replace(one, joint=joint, bound=bound, label=label, named=named)
        if found:
            found[-1] = replace(found[-1], trail=label)
        found.append(_with_unit(term, text, stop))
    if found:
        found[-1] = replace(found[-1], trail=_pieces(text[found[-1].end :]))
    return found


def _bare(
    start: int, one: re.Match[str] | Duration, convention: Convention | None
) -> Term:
    if isinstance(one, Duration):
        return Term(start, one.end, one.seconds, time=one)
    return Term(start, one.end(), numerals.value(one, convention))


def _limit(lead: str) -> tuple[Bound | None, str]:
    """Return what *lead* says of the number after it, and the rest of its words."""
    found = _LIMIT.search(lead)
    if found is None:
        return None, lead
    return _LIMITS[found[1].casefold()], lead[: found.start()]


def _pieces(text: str) -> tuple[str, ...]:
    """Return the words of *text*, apart where a comma or colon parts them."""
    pieces = (
        " ".join(word for word in _BESIDE.findall(piece) if word not in _SEPARATORS)
        for piece in _PIECES.split(text)
    )
    return tuple(filter(None, pieces))


def _with_unit(term: Term, text: str, stop: int) -> Term:
    """Return *term* with the unit that follows it in *text* before *stop*."""
    if _POINT.match(text, term.end) and text[term.start : term.end].isdigit():
        term = replace(term, end=term.end + 1)
    after = text[term.end : stop]
    if after.startswith("+") and not after[1:].startswith(("/", "-", "+")):
        term = replace(term, end=term.end + 1, bound=">")
        after = after[1:]
    if after.lstrip(" \u00a0").startswith("%"):
        size = after.index("%") + 1
        return replace(term, unit=Unit("%"), spelt="%", end=term.end + size)
    if inside := _IN_PARENTHESES.match(after):
        if unit := _understood(inside[1], term):
            return replace(
                term, unit=unit, spelt=inside[1], end=term.end + inside.end()
            )
        return term
    return _with_unit_in_words(term, after)


def _with_unit_in_words(term: Term, after: str) -> Term:
    words = list(_words(after))
    for last in reversed(words):
        spelt = after[words[0].start() : last.end()].rstrip(_ENDS + _JOINTS)
        suffix = next((one for one in _SUFFIXES if spelt.endswith(one)), "")
        unit = _understood(spelt.removesuffix(suffix), term)
        if unit or (suffix and spelt == suffix):
            end = term.end + words[0].start() + len(spelt)
            bound = _SUFFIXES.get(suffix, term.bound)
            return replace(
                term, unit=unit, spelt=spelt.removesuffix(suffix), end=end, bound=bound
            )
    spelt = words[0][0].rstrip(_ENDS + _JOINTS) if words else ""
    if doubts := units.doubt(spelt):
        end = term.end + words[0].start() + len(spelt)
        return replace(term, spelt=spelt, doubts=doubts, end=end)
    return term


def _words(after: str) -> Iterator[re.Match[str]]:
    """Yield the words that may be a unit: up to a comma, a colon or a parenthesis."""
    for count, word in enumerate(_WORD.finditer(after)):
        if count == _WORDS_OF_A_UNIT or word[0].startswith("("):
            return
        yield word
        if word[0].endswith(tuple(_ENDS)):
            return


def _understood(spelt: str, term: Term) -> Unit | None:
    """Return the unit *spelt*; of a time, only what it counts (``2:36/epoch``)."""
    if term.time is not None and spelt.lstrip().startswith(("/", "per ")):
        return units.understood(f"s {spelt}")
    if units.doubt(spelt):
        return None
    return units.understood(spelt)
