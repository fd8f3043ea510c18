"""Units as written in a header or a cell: ``img/sec``, ``s/epoch``, ``GiB``, ``초``."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities.characters import PLAIN
from benchdb.resources import folder


def _by_name(names: Mapping[str, str]) -> dict[str, str]:
    return {name: key for key, text in names.items() for name in text.split()}


def _numbers(names: Mapping[str, str]) -> dict[str, Fraction]:
    return {name: Fraction(number) for name, number in _by_name(names).items()}


def _factors(bases: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[str, Fraction]]:
    return {
        name: (base, factor)
        for base, names in bases.items()
        for name, factor in _numbers(names).items()
    }


_FILE = folder("schema") / "words" / "units.toml"
_WORDS = tomllib.loads(_FILE.read_text(encoding="utf-8"))
TIMES = _numbers(_WORDS["times"])
_NOUNS = _by_name(_WORDS["nouns"])
COUNTED = frozenset(_NOUNS.values())  # what is known to be counted, as a rate says it
_SHARES = _by_name(_WORDS["shares"])
_SHORT_RATES = _by_name(_WORDS["short_rates"])
_EXACT = _factors(_WORDS["exact"])
_FOLDED = _factors(_WORDS["folded"])
_MULTIPLES = _numbers(_WORDS["multiples"])

_PREFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DOUBTS: dict[str, tuple[str, ...]] = {
    **{name: tuple(meanings) for name, meanings in _WORDS["doubts"].items()},
    **{f"{text}b": ("bits", "bytes") for text in "KMGT"},
    **{f"{text}b/s": ("bits/s", "bytes/s") for text in "kmgtKMGT"},
    **{
        f"{item}FLOPs": ("operations", "operations/s") for item in ("", *"kKmMgGtTpPeE")
    },
}


_LIMIT = 60  # characters; "images per second per watt" has 26
_PER = re.compile(_WORDS["patterns"]["per"])
_INVERSE = re.compile(r"[ ·*]?([A-Za-zµ]+)(?:⁻¹|\^[({]?-1[)}]?|\*\*-1)$")
_BYTES_A_SECOND = re.compile(r"([kKMGT])(B|b|bit)ps")
_OPERATIONS = re.compile("(?i)([kmgtpe]?)flops?")
_GLUED = re.compile(r"([kKM])([^\W\d_].*/.*)")
_COUNTS = ("1", "1/s", "1/h", "1/J")
_ANYTHING = re.compile(_WORDS["patterns"]["anything"])
_BINARY = tuple(2 ** (10 * power) for power in range(1, 7))


class Unit(msgspec.Struct, frozen=True):
    """A unit: *factor* of the base unit of ``Quantity``, and what it counts *per*."""

    base: str
    per: str | None = None
    factor: Fraction = Fraction(1)


def understood(text: str) -> Unit | None:
    """Return the unit that *text* is; ``None`` for other texts, and where in doubt.

    In doubt are ``m``, ``Mb``, ``tps`` and ``GFLOPs``, for example.
    """
    return _understood(text) if len(text) <= _LIMIT else None


@lru_cache(maxsize=2048)
def _understood(text: str) -> Unit | None:
    name = _tidied(text)
    if not name or (name in _DOUBTS and name not in _EXACT):
        return None
    return _unit(name) or _multiple(name) or _rate_of_anything(name)


def doubts(text: str) -> tuple[str, ...]:
    """Return what *text* may mean, where it is a unit that cannot be told."""
    return _DOUBTS.get(_tidied(text), ())


def clarified(text: str, column: Unit) -> Unit | None:
    """Return what the doubtful *text* means in a *column*, if its unit settles it."""
    name = _tidied(text)
    if column.base == "s":
        return replace(column, factor=Fraction(60)) if name == "m" else None
    if name.endswith("FLOPs"):
        return _unit(name.upper()) if column.base == "FLOP/s" else None
    if name == "B":
        if column.base == "B":
            return Unit("B")
        return _multiplied(column, 9) if column.base == "1" else None
    if name in _PREFIXES:
        return _multiplied(column, _PREFIXES[name])
    fitting = [
        unit
        for unit in map(_unit, _DOUBTS.get(name, ()))
        if unit and unit.base == column.base and column.per in (None, unit.per)
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
    if column.base in ("B", "B/s", "FLOP/s", "W", "J", "Hz"):
        return replace(column, factor=Fraction(10**power))
    return None


def _tidied(text: str) -> str:
    if len(text) > _LIMIT:
        return ""
    name = "".join(
        unicodedata.normalize("NFKC", char) if "\u3300" <= char <= "\u33ff" else char
        for char in unicodedata.normalize("NFC", text.translate(PLAIN))
    )
    name = " ".join(name.replace("μ", "µ").split())
    if name[:1] + name[-1:] in ("()", "[]"):
        name = name[1:-1].strip()
    return name.removeprefix("in ").rstrip(".").strip()


def _unit(text: str) -> Unit | None:
    if text in _EXACT:
        base, factor = _EXACT[text]
        return Unit(base, None, factor)
    if rate := _BYTES_A_SECOND.fullmatch(text):
        size = Fraction(10 ** _PREFIXES[rate[1]], 1 if rate[2] == "B" else 8)
        return Unit("B/s", None, size)
    if inverse := _INVERSE.search(text):
        text = f"{text[: inverse.start()].strip() or '1'}/{inverse[1]}"
    over, *under = [part.strip() for part in _PER.split(text)]
    if not under:
        return _simple(over)
    unit = _counted(over) if len(under) <= 2 else None
    for part in under:
        below = _simple(part)
        unit = _quotient(unit, below) if unit and below else None
    return unit


def _rate_of_anything(text: str) -> Unit | None:
    """Return ``docs/sec`` or ``ms/im``: whatever is counted there."""
    over, *under = _PER.split(text)
    if len(under) != 1:
        return None
    if _simple(under[0]) == Unit("s") and _ANYTHING.fullmatch(over):
        return Unit("1/s", over.casefold())
    above = _simple(over)
    timed = above is not None and above.base == "s" and _ANYTHING.fullmatch(under[0])
    return replace(above, per=under[0].casefold()) if above and timed else None


def _simple(text: str) -> Unit | None:
    text = text.rstrip(".")
    folded = text.casefold()
    if factor := _EXACT.get(text) or _FOLDED.get(folded):
        return Unit(factor[0], None, factor[1])
    if folded in TIMES:
        return Unit("s", None, TIMES[folded])
    if folded in _NOUNS:
        return Unit("1", _NOUNS[folded])
    if folded in _SHORT_RATES:
        return Unit("1/s", _SHORT_RATES[folded])
    return Unit(_SHARES[folded]) if folded in _SHARES else None


def _counted(text: str) -> Unit | None:
    """Return what stands over a quotient's line; there, a lone ``t`` are tokens."""
    if text in ("", "1", "#"):
        return Unit("1")
    if text == "t":
        return Unit("1", "token")
    if operations := _OPERATIONS.fullmatch(text):
        return Unit("FLOP", None, Fraction(10 ** _PREFIXES[operations[1].upper()]))
    return _simple(text)


def _quotient(above: Unit, below: Unit) -> Unit | None:
    """Return ``img/s``, ``s/step``, ``GB/s``, ``samples/J``; of ``img/s``, for W, too.

    Images per hour are kept per second; a bare ``1/h`` and epochs are not.
    """
    factor = above.factor / below.factor
    match above.base, below.base:
        case (("s" | "J" | "B"), "1") if below.per and not above.per:
            return replace(above, per=below.per)
        case ("1", "J") | ("1/s", "W"):
            return Unit("1/J", above.per, factor)
        case ("1", "s") if above.per == "epoch" or (
            above.per is None and below.factor >= 3600
        ):
            return Unit("1/h", above.per, factor * 3600)
        case (("1" | "B" | "FLOP") as base, "s") if base == "1" or not above.per:
            return Unit(f"{base}/s", above.per, factor)
    return None


def _multiple(text: str) -> Unit | None:
    """Return ``M tokens``, ``k img/s``, ``ktok/s``, ``万``: a multiple of a count."""
    word, _, rest = text.partition(" ")
    if text in _MULTIPLES and text not in "kKMB":
        return Unit("1", None, _MULTIPLES[text])
    if word not in _MULTIPLES:
        glued = _GLUED.fullmatch(text)
        if glued is None:
            return None
        word, rest = glued[1], glued[2]
    unit = _unit(rest)
    if unit is None or unit.base not in _COUNTS or unit.per is None:
        return None
    return replace(unit, factor=unit.factor * _MULTIPLES[word])
