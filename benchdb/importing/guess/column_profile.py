"""What a column looks like: the terms of its header, figures of which units, or words.

A header is a set of terms, in the languages people publish in: ``Peak Power GPU`` is
{peak, power, gpu}. ``headers.toml`` has their words.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain

import msgspec

from benchdb.importing import naming
from benchdb.importing.mapping.fields import GROUPED
from benchdb.importing.mapping.language import Column
from benchdb.importing.quantities.characters import AmbiguousError
from benchdb.importing.quantities.missing_values import CROSS, missing_of, status_of
from benchdb.importing.quantities.quantity import Quantity, parsed, parts
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Sheet
from benchdb.resources import folder

HeaderTerms = frozenset[str]
Kind = tuple[str, str | None]  # the unit, and what it counts
_NO_BYTES = re.compile(r"\.\d{3}")  # nor billions of parameters
_LIMIT = 200  # characters of a header that are looked at
_FAILED = ("oom", "failed")
_LOOKED_AT = 200  # different cells of a column
_READ = 20  # of them, read as figures
_MOSTLY = 0.8  # of the cells: one bad cell does not make a column of words
_HALF = 0.5
_OF_NAMES = frozenset(("model", "network", "workload", "machine", "chip"))
CARDS = frozenset(("gpu", "device", "machine"))  # may be named by a number
SIDES = frozenset(("prefill", "decode", "answer", "total"))
_FILLING = frozenset(("per", "of", "in", "the", "and", "s", "sec", "seconds", "ms"))
_THINGS = frozenset(("model", "network"))
_TAGGED = 100  # characters at the end of a text in which a unit is looked for
_LETTERS = "a-z0-9äöüßéèêàâãçîïôõûñáíóúœ\u0430-\u044f\u0451"
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_MIN = re.compile("(?i)min$")
_LAST_WORD = re.compile(r"[ _][^\W_]+$")
_SPELT = {"mw": "mW", "t/s": "t/s", "gb/s": "GB/s", "mb/s": "MB/s", "tb/s": "TB/s"}
# Hours, but in a header: time; and the end of a card's name.
_NO_UNITS = ("시간", "時間", "时间", "Ti")


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
    spelt: str = ""
    cells: str = ""
    field: str = ""
    ignore: str = ""


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``headers.toml`` says, table by table."""

    terms: dict[str, str]
    phrases: tuple[tuple[str, str, str], ...]
    patterns: dict[str, str]
    units: tuple[tuple[str, str], ...]
    settings: dict[str, str]
    fields: tuple[FieldRule, ...]
    by_unit: dict[str, tuple[MetricRule, ...]]
    candidates: dict[str, tuple[str, ...]]
    likely: dict[str, str]
    kinds: dict[str, str]
    choices: dict[str, str]
    numbers: dict[str, str]
    roles: dict[str, str]
    logs: dict[str, dict[str, Column | str]]
    exact: dict[str, str]
    works: dict[str, str]
    things: dict[str, tuple[str, str]]
    facts_called: dict[str, str]
    settings_called: dict[str, str]


class ColumnProfile(msgspec.Struct, frozen=True):
    """A column as it looks. *texts* are its different cells, but those of no figure.

    *ended* are those of them that say how a run failed.
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
    ended: tuple[str, ...] = ()

    @property
    def figures(self) -> bool:
        """Tell whether the cells are figures."""
        return bool(self.kinds or self.parts)

    @property
    def truths(self) -> bool:
        """Tell whether the cells say yes or no: they name nothing."""
        return bool(self.texts) and all(map(is_truth, self.texts))

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


def is_truth(text: str) -> bool:
    """Tell whether a cell says yes or no, in any language: it names nothing."""
    return pattern("answers").fullmatch(text.strip().casefold()) is not None


@lru_cache(maxsize=1024)
def header_terms(header: str) -> HeaderTerms:
    """Return what *header* speaks of."""
    plain = fold(header)
    terms = {term for term, word in _patterns().items() if word.search(plain)}
    terms -= {term for term in _THINGS & terms if not _is_head(header, term)}
    for phrase, term, other in words().phrases:
        if re.search(phrase, plain):
            terms = (terms - {other}) | {*filter(None, [term])}
    if (name := statistic(header)[0]).startswith("p"):
        terms |= {name, "percentile"}
    return frozenset(terms | {name} & {"median"})


def _is_head(header: str, term: str) -> bool:
    """Tell whether *header* is about what *term* names: no "model size", no count."""
    text = (
        pattern("joined")
        .sub(" ", unicodedata.normalize("NFKC", header[:_LIMIT]))
        .casefold()
    )
    text = text.replace("_", " ")
    return any(
        not pattern("qualifies").match(text, match.end())
        and not pattern("counts").search(text[: match.start()])
        for match in _patterns()[term].finditer(text)
    )


def statistic(header: str) -> tuple[str, str]:
    """Return the statistic that *header* names, and what it is of.

    ``p99_ttft_ms`` and ``99.00 percentile ttft (ms)`` are the p99 of ``ttft ms``, p50
    and p100 its median and maximum; without one, ``""`` of the header. The mean or
    p50 of a p99 over runs is a p99.
    """
    plain = fold(header)
    every = [*pattern("statistic").finditer(plain)]
    if not every:
        return "", plain
    percentiles = (it for it in every if it["nth"] or it["p"] not in (None, "50"))
    result = next(percentiles, every[0])
    name = next(name for name, match in result.groupdict().items() if match)
    rest = " ".join(f"{plain[: result.start()]} {plain[result.end() :]}".split())
    if number := result["p"] or result["nth"]:
        whole, _, decimals = number.partition(" ")
        name = (
            f"p{whole}.{decimals}".rstrip("0").rstrip(".") if decimals else f"p{whole}"
        )
        name = {"p50": "median", "p100": "max"}.get(name, name)
    return name, rest


def fold(header: str) -> str:
    """Return *header* in lower case, its words apart: ``BatchSize``, ``batch_size``."""
    called = pattern("called").sub(" ", header[:_LIMIT])  # decode() is no side
    text = pattern("joined").sub(" ", unicodedata.normalize("NFKC", called))
    return " ".join(pattern("marks").sub(" ", text.casefold()).split())


def says_only(header: str, unit: str | None, terms: Iterable[str]) -> bool:
    """Tell whether *header* has no words but those of *terms*, and its *unit*."""
    plain = statistic(_BRACKET.sub(" ", pattern("measured").sub("", header)))[1]
    for term in {*terms} & _patterns().keys():
        plain = _patterns()[term].sub(" ", plain)
    rest = {*plain.split(), *fold(unit or "").split()} - {*fold(unit or "").split()}
    return rest <= _FILLING


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return what finds each term: Asian words anywhere, others as whole words.

    A word with accents is found without them too, as programs print it.
    """
    return {
        term: re.compile("|".join(map(_word_pattern, several.split())))
        for term, several in words().terms.items()
    }


def _word_pattern(word: str) -> str:
    plain = unicodedata.normalize("NFKC", word).casefold()
    if any(char >= "\u3040" for char in plain):
        return re.escape(plain)
    # ``*`` stands for more letters, as German joins words.
    letters = "".join(map(_with_or_without, plain))
    letters = letters.replace(r"\*", f"[{_LETTERS}]{{1,20}}")
    return f"(?<![{_LETTERS}]){letters}(?![{_LETTERS}])"


def _with_or_without(letter: str) -> str:
    bare = unicodedata.normalize("NFD", letter)[0]
    return f"[{letter}{bare}]" if bare != letter else re.escape(letter)


def profiles(
    sheets: Sequence[Sheet], elsewhere: Mark | None = None
) -> list[ColumnProfile]:
    """Return what the columns look like of *sheets*, which have the same header.

    *elsewhere* is the decimal mark of other tables.
    """
    rows = [row for sheet in sheets for row in sheet.rows]
    full = [row for row in rows if any(cell.text.strip() for cell in row.cells[1:])]
    named = [
        (header, [row.cells[n].text for row in full or rows])
        for n, header in enumerate(sheets[0].header)
    ]
    units = units_of(sheets[0].header)
    alone = [
        profile(*pair, None, unit) for pair, unit in zip(named, units, strict=True)
    ]
    whole = convention(
        text
        for column_profile in alone
        if column_profile.figures
        for text in column_profile.texts
    )
    whole = whole or elsewhere
    if whole is None:
        return alone
    return [
        profile(*pair, whole, unit) for pair, unit in zip(named, units, strict=True)
    ]


def units_of(headers: Sequence[str]) -> list[str | None]:
    """Return the units that headers name.

    ``Time min`` beside ``Time`` has none, nor has ``min`` beside ``max``; that of
    ``latency_ms_avg`` stands before its statistic, and ``min_cosine`` is no minute.
    """
    named = [statistic(header) for header in headers]
    of = Counter(rest for name, rest in named if name or rest)
    units = []
    for header, (name, rest) in zip(headers, named, strict=True):
        least = name == "min" and sum(of[it] for it in {rest, ""}) > 1
        own = _MIN.sub("", header) if least else header
        before = _LAST_WORD.sub("", own)
        ends = bool(name) and statistic(before)[0] != name
        units.append(unit_in(own) or (unit_in(before) if ends else None))
    return units


def profile(
    header: str, cells: Iterable[str], of_table: Mark | None, named: str | None
) -> ColumnProfile:
    """Return what a column called *header* with these cells looks like.

    *of_table* is the decimal mark of the table, where the column does not show it,
    *named* the unit in the header.
    """
    distinct = list(dict.fromkeys(text.strip() for text in cells))[:_LOOKED_AT]
    absent = {it: why for it in distinct if (why := missing_of(it)) is not None}
    if any(map(pattern("check").fullmatch, distinct)):  # beside which it says no
        absent = {it: why for it, why in absent.items() if why.reason != CROSS}
    texts = [text for text in distinct if text not in absent]
    sample = texts[:_READ]
    if named == "B" and any(map(_NO_BYTES.search, sample)):
        named = None  # "mAP50-95(B)"
    unit = named
    mark = convention(sample) or of_table
    cards = bool(header_terms(header) & CARDS)
    quantities, unclear, doubtful = _read(sample, mark, None, cards=cards)
    if quantities and all(quantity.unit != "1" for quantity in quantities):
        unit = None  # the cells name theirs
    elif unit is not None:
        quantities, unclear, doubtful = _read(sample, mark, unit, cards=cards)
    read = len(quantities) + len(unclear) + len(doubtful)
    share = read / len(sample) if sample else 0
    # A remark among figures makes them no words; names may begin with a digit.
    measured = {quantity.unit for quantity in quantities} - {"1", "B", "x", "%"}
    heads = {it for it in header_terms(header) & _OF_NAMES if _is_head(header, it)}
    names = heads and unit is None and not measured
    switched = any(map(pattern("switched").fullmatch, sample))
    figures = share >= _HALF and not (names or switched)
    counted = Counter((quantity.unit, quantity.per) for quantity in quantities)
    kinds = {
        kind
        for kind, count in counted.items()
        if kind[0] not in ("x", "%") or count * 2 > len(quantities)
    } or {*counted, ("1", None)}
    # A header with a unit has figures below it; without, the cells have to have units.
    begin = pattern("figure") if named else pattern("with_more")
    several = sum(map(bool, map(begin.match, sample))) >= len(sample) * _MOSTLY
    sides = {
        header_terms(it.beside) & SIDES
        | (header_terms(it.printed) & {"peak"} if it.unit == "1/s" else set())
        for it in quantities
    }
    if figures and len(sides) > 1:  # of the same kind of figure, in one column
        figures, several = False, True
    counts = [text for text in texts if not is_zero(text)]  # "0.0" where nothing ran
    if mark != ",":
        counts = [it.replace(",", "") if GROUPED.fullmatch(it) else it for it in counts]
    counts = counts or texts
    return ColumnProfile(
        header=header,
        texts=tuple(texts),
        several=several and not figures and bool(sample),
        terms=_terms(header, unit).union(*sides),
        unit=unit,
        kinds=frozenset(kinds if figures else ()),
        parts=_parts(sample, mark) if sample and not figures else (),
        integers=figures
        and all(re.fullmatch(r"\d{1,9}(?:\.0{2,9})?", it) for it in counts),
        ambiguous=unclear[0] if unclear and figures else None,
        decimal=mark if figures else None,
        zero=next(filter(is_zero, texts), None),
        ended=tuple(t for t, it in absent.items() if status_of(it) in _FAILED),
    )


def unread(columns: Iterable[ColumnProfile]) -> str | None:
    """Return why cells that begin with a number are no figures, of the last such."""
    for column in reversed([*columns]):
        for text in filter(pattern("number_and_word").match, column.texts[:_READ]):
            try:
                parsed(text, unit=column.unit)
            except ValueError as why:
                return f"{column.header!r}: {why}"
    return None


def amounts(texts: Iterable[str], unit: str | None) -> list[float]:
    """Return the figures of cells in their base unit, as far as they can be read."""
    values = []
    for text in texts:
        with suppress(ValueError):
            amount = parsed(text, unit=unit)
            values += [amount.value] if isinstance(amount, Quantity) else []
    return values


def is_zero(text: str) -> bool:
    """Tell whether a cell is nought, in whatever unit."""
    return pattern("zero").fullmatch(text) is not None


def _terms(header: str, unit: str | None) -> HeaderTerms:
    """Return the terms of *header*; a unit in brackets and a chip are none of them."""
    chip = naming.chip(header)
    if chip is not None:
        return header_terms(chip.rest)
    bracket = _BRACKET.search(header)
    if bracket and unit == bracket[1].strip():
        header = header[: bracket.start()] + header[bracket.end() :]
    terms = header_terms(header)
    return terms - {"time"} if pattern("a_second").search(header) else terms


def _read(
    sample: Sequence[str],
    mark: Mark | None,
    unit: str | None,
    *,
    cards: bool,
) -> tuple[list[Quantity], list[str], list[str]]:
    """Return the figures of cells, the cells that can be two numbers, and those whose
    unit is in doubt; where *cards* are spoken of, ``4090`` is no figure.
    """
    quantities: list[Quantity] = []
    unclear: list[str] = []
    doubtful: list[str] = []
    for text in sample:
        if naming.chip(text, numbers=cards) is not None:  # "1080 Ti" is no size
            continue
        try:
            amount = parsed(text, decimal=mark, unit=unit)
        except AmbiguousError:
            if pattern("numeric").match(text):
                (unclear if _has_mark(text, unit) else doubtful).append(text)
        except ValueError:
            continue
        else:
            quantities += [amount] if isinstance(amount, Quantity) else []
    return quantities, unclear, doubtful


def _has_mark(text: str, unit: str | None) -> bool:
    """Tell whether a decimal mark is what makes *text* two numbers."""
    with suppress(ValueError):
        return isinstance(parsed(text, decimal=".", unit=unit), Quantity)
    return False


def _parts(texts: list[str], mark: Mark | None) -> tuple[str, ...]:
    try:
        cells = {tuple(parts(text, decimal=mark)) for text in texts}
    except ValueError:
        return ()
    return cells.pop() if len(cells) == 1 else ()


def unit_in(text: str) -> str | None:
    """Return the unit that a header or heading names: ``Throughput (img/s)``."""
    text = text.removesuffix("[]")  # of a list, in JSON
    parts = [] if " " in text else text.split(".")[::-1]  # and of an object,
    ways = [it for it in parts if len(it) > 1] or [text]  # whose letters are names
    spellings = (_candidates(" ".join(it[-_TAGGED:].split())) for it in ways)
    for spelt in chain.from_iterable(spellings):
        candidate = _SPELT.get(spelt.casefold(), spelt)
        unit = understood(candidate)
        if unit and unit.base not in ("1", "x") and candidate not in _NO_UNITS:
            return candidate
    return None


def _candidates(text: str) -> Iterator[str]:
    brackets = [item.strip() for item in reversed(_BRACKET.findall(text))]
    yield from pattern("below_head").findall(text)
    yield from brackets
    yield from (
        bracket.partition(",")[0].rstrip() for bracket in brackets
    )  # (ms, less is …)
    joined = (re.sub(r"\s+/\s+", "/", o) for o in brackets if not re.search(r"\d", o))
    yield from (o.rsplit(" ", 1)[-1] for o in joined)  # (unit: tokens / second)
    yield text
    text = text.replace("_", " ")
    yield text
    for way, template in words().units:
        yield from (it.expand(template) for it in re.finditer(way, text))
