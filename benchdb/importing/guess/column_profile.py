"""What a column looks like: the terms of its header, figures of which units, or words.

A header is a set of terms, in the languages people publish in: ``Peak Power GPU`` is
{peak, power, gpu}. ``headers.toml`` has their words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from benchdb.importing import naming
from benchdb.importing.mapping.language import Column
from benchdb.importing.quantities.characters import AmbiguousError
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.quantity import Quantity, parsed, parts
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Sheet
from benchdb.resources import folder

HeaderTerms = frozenset[str]
Kind = tuple[str, str | None]  # the unit, and what it counts
_LIMIT = 200  # characters of a header that are looked at
_LOOKED_AT = 200  # different cells of a column
_READ = 20  # of them, read as figures
_MOSTLY = 0.8  # of the cells: one bad cell does not make a column of words
_HALF = 0.5
_OF_NAMES = frozenset(("model", "network", "workload", "machine", "chip"))
_ZERO = re.compile(r"[-+]?0+(?:[.,]0+)?(?:\s?[^\d\s:.,]\D{0,20})?")
_TAGGED = 100  # characters at the end of a text in which a unit is looked for
_JOINED = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")
_MARKS = re.compile(r"[_\-.:,;()\[\]/|*]+")
_LETTERS = "a-z0-9äöüßéèêàâçîïôûñáíóúœ"
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_IN = re.compile(r"(?:\bin|,)\s+(\S{1,20}(?:\s\S{1,20}){0,2})$")
_PER = re.compile(r"[^\s:]{1,20}\s?(?:/|\b(?:per|pro)\b)\s?\S{1,20}")
_RATE = re.compile(r"(?i)(?:\bper|\bpro|/)\s*(?:s|secs?|seconds?|sekunden?)$")
_COUNTED_S = re.compile(r"(?i)(?<![a-z])(tok(?:en)?s?|im(?:age|g)s?|samples?) s$")
_SPELT = {"mw": "mW", "t/s": "t/s"}  # in names of columns
_NUMERIC = re.compile(r"[\s*_~≈<>±+−-]*\d")  # "llama 7B" is a name
_FIGURE = re.compile(r"[~≈]?\d+(?:[.,]\d+)?\s\S")  # with something beside it
_WITH_MORE = re.compile(r"[~≈<>]?\d[\d.,]*\s?[A-Za-zµ/]{1,9}\s*[(\[/±;]")  # 3.5s (-45%)
_NO_UNITS = ("시간", "時間", "时间")  # hours, but in a header: time


class MetricRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What figures of a unit are, where *terms* of the header say it.

    Those *above* may stand in a heading too; none may be of *without*. Without a name
    it is no metric of ours.
    """

    name: str | None = None
    terms: str = ""
    above: str = ""
    without: str = ""


class FieldRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which field a column tells, as ``headers.toml`` says, or why it is left out."""

    terms: str = ""
    only: str = ""
    without: str = ""
    header: str = ""
    cells: str = ""
    field: str = ""
    ignore: str = ""


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``headers.toml`` says, table by table."""

    terms: dict[str, str]
    phrases: tuple[tuple[str, str, str], ...]
    patterns: dict[str, str]
    fields: tuple[FieldRule, ...]
    by_unit: dict[str, tuple[MetricRule, ...]]
    candidates: dict[str, tuple[str, ...]]
    numbers: dict[str, str]
    roles: dict[str, str]
    logs: dict[str, dict[str, Column]]


class ColumnProfile(msgspec.Struct, frozen=True):
    """A column as it looks. *texts* are its different cells, but those of no figure.

    *unit* is what the header names, *kinds* are those of the cells, *parts* the words
    of what ``time`` printed in each. *ambiguous* is a cell that can be two numbers,
    *zero* one that is nought; *several* tells that figures stand beside others, or
    beside words, in each.
    """

    header: str
    texts: tuple[str, ...]
    terms: HeaderTerms
    unit: str | None = None
    kinds: frozenset[Kind] = frozenset()
    parts: tuple[str, ...] = ()
    integers: bool = False
    ambiguous: str | None = None
    decimal: Mark | None = None
    zero: str | None = None
    several: bool = False

    @property
    def figures(self) -> bool:
        """Tell whether the cells are figures."""
        return bool(self.kinds or self.parts)

    def mostly(self, known: Callable[[str], object | None]) -> bool:
        """Tell whether *known* returns something for nearly all cells."""
        count = sum(known(text) is not None for text in self.texts)
        return bool(self.texts) and count >= len(self.texts) * _MOSTLY


@cache
def words() -> Words:
    """Return what words of headers mean."""
    content = (folder("schema") / "headers.toml").read_bytes()
    return msgspec.toml.decode(content, type=Words)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``headers.toml``."""
    return re.compile(words().patterns[name])


@lru_cache(maxsize=1024)
def header_terms(header: str) -> HeaderTerms:
    """Return what *header* speaks of."""
    plain = fold(header)
    terms = {term for term, word in _patterns().items() if word.search(plain)}
    for phrase, term, other in words().phrases:
        if re.search(phrase, plain):
            terms = (terms - {other}) | {term}
    return frozenset(terms)


def fold(header: str) -> str:
    """Return *header* in lower case, its words apart: ``BatchSize``, ``batch_size``."""
    apart = _JOINED.sub(" ", unicodedata.normalize("NFKC", header[:_LIMIT]))
    return " ".join(_MARKS.sub(" ", apart.casefold()).split())


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return what finds each term: Asian words anywhere, others as whole words."""
    return {
        term: re.compile("|".join(map(_word_pattern, several.split())))
        for term, several in words().terms.items()
    }


def _word_pattern(word: str) -> str:
    plain = unicodedata.normalize("NFKC", word).casefold()
    if any(char >= "\u3040" for char in plain):
        return re.escape(plain)
    # ``*`` stands for more letters, as German joins words.
    letters = re.escape(plain).replace(r"\*", f"[{_LETTERS}]{{1,20}}")
    return f"(?<![{_LETTERS}]){letters}(?![{_LETTERS}])"


def profiles(sheets: Sequence[Sheet]) -> list[ColumnProfile]:
    """Return what the columns look like of *sheets*, which have the same header."""
    rows = [row for sheet in sheets for row in sheet.rows]
    full = [row for row in rows if any(cell.text.strip() for cell in row.cells[1:])]
    named = [
        (header, [row.cells[n].text for row in full or rows])
        for n, header in enumerate(sheets[0].header)
    ]
    alone = [profile(header, texts) for header, texts in named]
    whole = convention(text for one in alone if one.figures for text in one.texts)
    return [profile(*one, whole) for one in named] if whole else alone


def profile(
    header: str, cells: Iterable[str], whole: Mark | None = None
) -> ColumnProfile:
    """Return what a column called *header* with these cells looks like.

    *whole* is the decimal mark of the table, where the column does not show it.
    """
    distinct = list(dict.fromkeys(text.strip() for text in cells))[:_LOOKED_AT]
    texts = [text for text in distinct if missing_of(text) is None]
    sample = texts[:_READ]
    unit = unit_in(header)
    mark = convention(sample) or whole
    quantities, unclear = _read(sample, mark, None)
    if quantities and all(quantity.unit != "1" for quantity in quantities):
        unit = None  # the cells name theirs
    elif unit is not None:
        quantities, unclear = _read(sample, mark, unit)
    share = (len(quantities) + len(unclear)) / len(sample) if sample else 0
    # A remark among figures makes them no words; names may begin with a digit.
    measured = {quantity.unit for quantity in quantities} - {"1", "B", "x", "%"}
    named = header_terms(header) & _OF_NAMES and unit is None and not measured
    figures = share >= _HALF and not named
    counted = Counter((quantity.unit, quantity.per) for quantity in quantities)
    kinds = {
        kind
        for kind, count in counted.items()
        if kind[0] not in ("x", "%") or count * 2 > len(quantities)
    } or {*counted, ("1", None)}
    # A header with a unit has figures below it; without, the cells have to have units.
    begin = _FIGURE if unit_in(header) else _WITH_MORE
    several = sum(map(bool, map(begin.match, sample))) >= len(sample) * _MOSTLY
    return ColumnProfile(
        header=header,
        texts=tuple(texts),
        several=several and not figures and bool(sample),
        terms=_terms(header, unit),
        unit=unit,
        kinds=frozenset(kinds if figures else ()),
        parts=_parts(sample, mark) if sample and not figures else (),
        integers=figures and all(re.fullmatch(r"\d{1,9}", text) for text in texts),
        ambiguous=unclear[0] if unclear and figures else None,
        decimal=mark if figures else None,
        zero=next(filter(is_zero, texts), None),
    )


def is_zero(text: str) -> bool:
    """Tell whether a cell is nought, in whatever unit."""
    return _ZERO.fullmatch(text) is not None


def _terms(header: str, unit: str | None) -> HeaderTerms:
    """Return the terms of *header*; a unit in brackets and a chip are none of them."""
    chip = naming.chip(header)
    if chip is not None:
        return header_terms(chip.rest)
    bracket = _BRACKET.search(header)
    if bracket and unit == bracket[1].strip():
        header = header[: bracket.start()] + header[bracket.end() :]
    return header_terms(header)


def _read(
    sample: Sequence[str], mark: Mark | None, unit: str | None
) -> tuple[list[Quantity], list[str]]:
    """Return the figures of cells, and the cells that can be two numbers."""
    quantities: list[Quantity] = []
    unclear: list[str] = []
    for text in sample:
        try:
            amount = parsed(text, decimal=mark, unit=unit)
        except AmbiguousError:
            unclear += [text] if _NUMERIC.match(text) else []
        except ValueError:
            continue
        else:
            quantities += [amount] if isinstance(amount, Quantity) else []
    return quantities, unclear


def _parts(texts: list[str], mark: Mark | None) -> tuple[str, ...]:
    try:
        cells = {tuple(parts(text, decimal=mark)) for text in texts}
    except ValueError:
        return ()
    return cells.pop() if len(cells) == 1 else ()


def unit_in(text: str) -> str | None:
    """Return the unit that a header or heading names: ``Throughput (img/s)``."""
    for spelt in _candidates(" ".join(text[-_TAGGED:].split())):
        candidate = _SPELT.get(spelt.casefold(), spelt)
        unit = understood(candidate)
        if unit and unit.base not in ("1", "x") and candidate not in _NO_UNITS:
            return candidate
    return None


def _candidates(text: str) -> Iterator[str]:
    yield from (one.strip() for one in reversed(_BRACKET.findall(text)))
    yield text
    text = text.replace("_", " ")
    yield text
    if tail := _IN.search(text):
        yield tail[1]
    yield from _PER.findall(text)
    if counted := _COUNTED_S.search(text):
        yield f"{counted[1]}/s"
    if _RATE.search(text) is None:  # "Throughput per second" is no time
        yield text.rsplit(" ", 1)[-1]
