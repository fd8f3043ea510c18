"""What headers speak of, in the languages people publish in: ``headers.toml``.

A header is a set of terms: ``Peak Power GPU`` is {peak, power, gpu}. What a column then
holds follows from its terms and its cells.
"""

import re
import unicodedata
from functools import cache, lru_cache

import msgspec

from benchdb.importing.mapping.language import Column
from benchdb.resources import folder

HeaderTerms = frozenset[str]
_LIMIT = 200  # characters of a header that are looked at
_JOINED = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")
_MARKS = re.compile(r"[_\-.:,;()\[\]/|*]+")
_LETTERS = "a-z0-9äöüßéèêàâçîïôûñáíóúœ"
_SIZES = re.compile(
    r"batch ?(?:size|größe|grösse)|taille (?:de |du )?(?:lot|batch)|tamaño de lote"
    r"|배치 ?(?:크기|사이즈)|批(?:次|量)?大小"
)
_LESS = re.compile(
    r"(?:lower|smaller|less|fewer) (?:is|are|=) better|(?:kleiner|niedriger|weniger) "
    r"(?:ist|=) besser|plus (?:bas|petit) est (?:le )?mieux"
    r"|menos es mejor|낮을수록 좋|작을수록 좋|越低越好|越小越好|低いほど良|小さいほど良"
)


class Metric(msgspec.Struct, frozen=True):
    """What figures are; *unit* is what bare numbers are taken to be in, *why* is told.

    *doubt* is what cannot be decided. In ``headers.toml``, *terms* lead to it.
    """

    name: str = "reported_value"
    unit: str | None = None
    why: str | None = None
    doubt: str | None = None
    terms: str = ""


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``headers.toml`` says, table by table."""

    terms: dict[str, str]
    by_unit: dict[str, tuple[tuple[str, str], ...]]
    doubts: dict[str, str]
    above: dict[str, str]
    roles: dict[str, str]
    bare: tuple[Metric, ...]
    logs: dict[str, dict[str, Column]]


@cache
def words() -> Words:
    """Return what words of headers mean."""
    content = (folder("schema") / "headers.toml").read_bytes()
    return msgspec.toml.decode(content, type=Words)


@lru_cache(maxsize=1024)
def header_terms(header: str) -> HeaderTerms:
    """Return what *header* speaks of."""
    plain = fold(header)
    terms = {term for term, pattern in _patterns().items() if pattern.search(plain)}
    if _SIZES.search(plain) or plain in ("batch", "batches", "b"):
        terms = (terms - {"step"}) | {"batchsize"}
    if "speed up" in plain:
        terms = (terms - {"throughput"}) | {"ratio"}
    if _LESS.search(plain):
        terms.add("lower")
    if plain == "#":
        terms.add("rank")
    return frozenset(terms)


def fold(header: str) -> str:
    """Return *header* in lower case, its words apart: ``BatchSize``, ``batch_size``."""
    words = _JOINED.sub(" ", unicodedata.normalize("NFKC", header[:_LIMIT]))
    return " ".join(_MARKS.sub(" ", words.casefold()).split())


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
