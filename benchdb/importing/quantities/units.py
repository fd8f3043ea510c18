"""Units as written in a header or a cell: ``img/sec``, ``s/epoch``, ``GiB``, ``초``."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities.characters import plain
from benchdb.resources import folder

_Factors = dict[str, tuple[str, Fraction]]  # by name: the base unit, how many of it


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    return {name: key for key, text in names.items() for name in text.split()}


def _factors(bases: Mapping[str, Mapping[str, str]]) -> _Factors:
    return {
        name: (base, Fraction(factor))
        for base, names in bases.items()
        for name, factor in _by_name(names).items()
    }


_FILE = folder("schema") / "words" / "units.toml"
_WORDS = tomllib.loads(_FILE.read_text(encoding="utf-8"))
TIMES = {name: Fraction(one) for name, one in _by_name(_WORDS["times"]).items()}
NOUNS = _by_name(_WORDS["nouns"])
SHARES = _by_name(_WORDS["shares"])
SHORT_RATES = _by_name(_WORDS["short_rates"])
EXACT = _factors(_WORDS["exact"])
FOLDED = _factors(_WORDS["folded"])
MULTIPLES = {name: Fraction(one) for name, one in _by_name(_WORDS["multiples"]).items()}

PREFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
for _letter, _power in PREFIXES.items():
    EXACT[f"{_letter}B"] = ("B", Fraction(10**_power))
    if _letter:  # in lower case everybody means bytes; Mb and Gb are doubtful
        EXACT[f"{_letter.lower()}b"] = ("B", Fraction(10**_power))
        EXACT[f"{_letter.upper()}iB"] = ("B", Fraction(2 ** (_power // 3 * 10)))
        EXACT[f"{_letter.upper()}i"] = ("B", Fraction(2 ** (_power // 3 * 10)))
    for _spelt in ("FLOPS", "flops", "Flops", "FLOP/s", "FLOPs/s", "flop/s", "Flop/s"):
        EXACT[f"{_letter}{_spelt}"] = ("FLOP/s", Fraction(10**_power))
    EXACT[f"{_letter.lower()}flops"] = ("FLOP/s", Fraction(10**_power))
    EXACT[f"{_letter.lower()}flop/s"] = ("FLOP/s", Fraction(10**_power))

CLEAR_MULTIPLES = frozenset(name for name in MULTIPLES if name not in "kKMB")

DOUBTS: dict[str, tuple[str, ...]] = {
    **{name: tuple(meanings) for name, meanings in _WORDS["doubts"].items()},
    **{f"{one}b": ("bits", "bytes") for one in "KMGT"},
    **{f"{one}b/s": ("bits/s", "bytes/s") for one in "kmgtKMGT"},
    **{f"{one}FLOPs": ("operations", "operations/s") for one in ("", *"kKMGTPE")},
}


_LIMIT = 60  # characters; "images per second per watt" has 26
_PER = re.compile(r"\s*/\s*|\s+(?:per|pro|par|por|je|(?:in )?an?)\s+", re.IGNORECASE)
_INVERSE = re.compile(r"[ ·*]?([A-Za-zµ]+)(?:⁻¹|\^[({]?-1[)}]?|\*\*-1)$")
_BYTES_A_SECOND = re.compile(r"([kKMGT])(B|b|bit)ps")
_OPERATIONS = re.compile("([kKMGTPE]?)(?:FLOPs?|flops?|Flops?)")
_GLUED = re.compile(r"([kKM])([^\W\d_].*/.*)")


class Unit(msgspec.Struct, frozen=True):
    """A unit: *factor* of the base unit of ``Quantity``, and what it counts *per*."""

    base: str
    per: str | None = None
    factor: Fraction = Fraction(1)


def understood(text: str) -> Unit | None:
    """Return the unit that *text* is; ``None`` for other texts, and where in doubt."""
    return _understood(text) if len(text) <= _LIMIT else None


@lru_cache(maxsize=2048)
def _understood(text: str) -> Unit | None:
    tidied = _tidied(text)
    if not tidied or (tidied in DOUBTS and tidied not in EXACT):
        return None
    return _unit(tidied) or _multiple(tidied)


def doubt(text: str) -> tuple[str, ...]:
    """Return what *text* may mean, where it is a unit that cannot be told."""
    return DOUBTS.get(_tidied(text), ())


def clarified(text: str, column: Unit) -> Unit | None:
    """Return what the doubtful *text* means in a column whose unit is *column*.

    A letter such as ``k``, ``M`` or ``G`` multiplies it, ``m`` are minutes among times;
    ``None`` where the doubt stays.
    """
    tidied = _tidied(text)
    if column.base == "s":
        return replace(column, factor=Fraction(60)) if tidied == "m" else None
    if tidied.endswith("FLOPs"):
        return _unit(tidied.upper()) if column.base == "FLOP/s" else None
    if tidied == "B":
        if column.base == "B":
            return Unit("B")
        return _multiplied(column, 9) if column.base == "1" else None
    if tidied in PREFIXES:
        return _multiplied(column, PREFIXES[tidied])
    candidates = filter(None, map(_unit, DOUBTS.get(tidied, ())))
    fitting = [
        one
        for one in candidates
        if one.base == column.base and column.per in (None, one.per)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _multiplied(column: Unit, power: int) -> Unit | None:
    """Return *column* with a prefix; 8G in a column of GiB are 8 GiB."""
    if column.base in _COUNTS:
        if column.factor > 1:  # M in a column of thousands
            return None
        return replace(column, factor=column.factor * 10**power)
    if column.base == "B" and column.factor in _BINARY:
        own = 2 ** (power // 3 * 10)
        return column if own == column.factor else None
    if column.base in _PREFIXED:
        return replace(column, factor=Fraction(10**power))
    return None


_COUNTS = ("1", "1/s", "1/h", "1/J")
_PREFIXED = ("B", "B/s", "FLOP/s", "W", "J", "Hz")
_BINARY = tuple(2 ** (10 * power) for power in range(1, 7))


def _tidied(text: str) -> str:
    if len(text) > _LIMIT:
        return ""
    one = unicodedata.normalize("NFC", plain(text))
    one = "".join(
        unicodedata.normalize("NFKC", char) if "\u3300" <= char <= "\u33ff" else char
        for char in one
    )
    one = " ".join(one.replace("μ", "µ").split())
    if one[:1] + one[-1:] in ("()", "[]"):
        one = one[1:-1].strip()
    return one.removeprefix("in ").rstrip(".").strip()


def _unit(text: str) -> Unit | None:
    if text in EXACT:
        base, factor = EXACT[text]
        return Unit(base, None, factor)
    if rate := _BYTES_A_SECOND.fullmatch(text):
        size = Fraction(10 ** PREFIXES[rate[1]], 1 if rate[2] == "B" else 8)
        return Unit("B/s", None, size)
    if inverse := _INVERSE.search(text):
        text = f"{text[: inverse.start()].strip() or '1'}/{inverse[1]}"
    parts = [part.strip() for part in _PER.split(text)]
    match parts:
        case [one]:
            return _simple(one)
        case [over, under]:
            return _quotient(over, under)
        case [over, middle, under]:
            return _double_quotient(over, middle, under)
    return None


def _simple(text: str) -> Unit | None:
    text = text.rstrip(".")
    folded = text.casefold()
    if found := EXACT.get(text) or FOLDED.get(folded):
        return Unit(found[0], None, found[1])
    if folded in TIMES:
        return Unit("s", None, TIMES[folded])
    if folded in NOUNS:
        return Unit("1", NOUNS[folded])
    if folded in SHORT_RATES:
        return Unit("1/s", SHORT_RATES[folded])
    return Unit(SHARES[folded]) if folded in SHARES else None


def _quotient(over: str, under: str) -> Unit | None:
    """Return ``img/s``, ``s/step``, ``GB/s``, ``samples/J``."""
    above, below = _counted(over), _simple(under)
    if above is None or below is None:
        return None
    match above.base, below.base:
        case (("s" | "J" | "B"), "1") if below.per:
            return replace(above, per=below.per)
        case _, "s":
            return _rate(above, below)
        case ("1", "J") | ("1/s", "W"):
            return Unit("1/J", above.per, above.factor / below.factor)
    return None


def _counted(text: str) -> Unit | None:
    """Return what stands over a quotient's line; there, a lone ``t`` are tokens."""
    if text in ("", "1", "#"):
        return Unit("1")
    if text == "t":
        return Unit("1", "token")
    if operations := _OPERATIONS.fullmatch(text):
        return Unit("FLOP", None, Fraction(10 ** PREFIXES[operations[1]]))
    return _simple(text)


def _rate(above: Unit, time: Unit) -> Unit | None:
    if above.base == "1" and (above.per == "epoch" or _is_long(above, time)):
        return Unit("1/h", above.per, above.factor * 3600 / time.factor)
    base = {"1": "1/s", "B": "B/s", "FLOP": "FLOP/s"}.get(above.base)
    return Unit(base, above.per, above.factor / time.factor) if base else None


def _is_long(above: Unit, time: Unit) -> bool:
    """Tell whether a bare ``1/h`` is meant; images per hour are kept per second."""
    return above.per is None and time.factor >= 3600


def _double_quotient(over: str, middle: str, under: str) -> Unit | None:
    """Return ``img/s/W``: what is done for each joule."""
    rate, below = _quotient(over, middle), _simple(under)
    if rate is None or below is None or (rate.base, below.base) != ("1/s", "W"):
        return None
    return Unit("1/J", rate.per, rate.factor / below.factor)


def _multiple(text: str) -> Unit | None:
    """Return ``M tokens``, ``k img/s``, ``ktok/s``, ``万``: a multiple of a count."""
    word, _, rest = text.partition(" ")
    if text in CLEAR_MULTIPLES:
        return Unit("1", None, MULTIPLES[text])
    if word not in MULTIPLES:
        glued = _GLUED.fullmatch(text)
        if glued is None:
            return None
        word, rest = glued[1], glued[2]
    one = _unit(rest)
    if one is None or one.base not in ("1", "1/s", "1/h", "1/J") or one.per is None:
        return None
    return replace(one, factor=one.factor * MULTIPLES[word])
