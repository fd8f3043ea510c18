"""What the cells of a column look like: figures of which units, or words."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from benchdb.importing import naming
from benchdb.importing.guess.header_terms import HeaderTerms, header_terms
from benchdb.importing.quantities.characters import AmbiguousError
from benchdb.importing.quantities.missing_values import Missing, missing_of
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.quantities.quantity import parts as parts_of
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood

Kind = tuple[str, str | None]  # the unit, and what it counts
_LOOKED_AT = 200  # different cells of a column
_READ = 20  # of them, read as figures
_MOSTLY = 0.8  # of the cells: one bad cell does not make a column of words
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_IN = re.compile(r"(?:\bin|,|\bpro|\bper)\s+(\S{1,20}(?:\s\S{1,20}){0,2})$")
_PER = re.compile(r"\S{1,20}\s?/\s?\S{1,20}")
_NUMERIC = re.compile(r"[\s*_~≈<>±+−-]*\d")  # "llama 7B" is a name
_NO_UNITS = ("시간", "時間", "时间")  # hours, but in a header: time
_TAGGED = 100  # characters at the end of a text in which a unit is looked for


class ColumnProfile(msgspec.Struct, frozen=True):
    """A column as it looks. *texts* are its different cells, but those of no figure.

    *everything* are all of them. *unit* is what the header names, *kinds* are those of
    the cells, *parts* what each cell has several of: a name (``user``) and its kind.
    *ambiguous* is a cell that can be two numbers. *largest* is the largest number.
    """

    header: str
    texts: tuple[str, ...]
    terms: HeaderTerms
    unit: str | None = None
    kinds: frozenset[Kind] = frozenset()
    parts: tuple[tuple[str, Kind], ...] = ()
    integers: bool = False
    ambiguous: str | None = None
    decimal: Literal[".", ","] | None = None
    largest: float = 0.0
    everything: tuple[str, ...] = ()

    @property
    def figures(self) -> bool:
        """Tell whether the cells are figures."""
        return bool(self.kinds or self.parts)

    def mostly(self, known: Callable[[str], object | None]) -> bool:
        """Tell whether *known* returns something for nearly all cells."""
        found = sum(known(text) is not None for text in self.texts)
        return bool(self.texts) and found >= len(self.texts) * _MOSTLY


def profile(
    header: str, texts: Iterable[str], whole: Mark | None = None
) -> ColumnProfile:
    """Return what a column called *header* with these cells looks like.

    *whole* is how the table writes numbers, where the column does not show it.
    """
    distinct = list(dict.fromkeys(text.strip() for text in texts))[:_LOOKED_AT]
    texts = [text for text in distinct if missing_of(text) is None]
    sample = texts[:_READ]
    unit = unit_in(header)
    mark = convention(sample) or whole
    reads = [_read(text, mark, None) for text in sample]
    kinds = [(one.unit, one.per) for one in reads if isinstance(one, Quantity)]
    if kinds and all(own != "1" for own, _ in kinds):
        unit = None  # the cells name theirs
    elif unit is not None:
        reads = [_read(text, mark, unit) for text in sample]
        kinds = [(one.unit, one.per) for one in reads if isinstance(one, Quantity)]
    unclear = [t for t, one in zip(sample, reads, strict=True) if one == "ambiguous"]
    numbers = len(kinds) + len(unclear)
    parts = _parts(sample, mark) if sample and numbers < len(sample) * _MOSTLY else ()
    figures = bool(sample) and numbers >= len(sample) * _MOSTLY
    return ColumnProfile(
        header=header,
        texts=tuple(texts),
        terms=_terms(header, unit),
        unit=unit,
        kinds=frozenset(kinds or [("1", None)]) if figures else frozenset(),
        parts=parts,
        integers=figures and all(re.fullmatch(r"\d{1,9}", text) for text in texts),
        ambiguous=unclear[0] if unclear and figures else None,
        decimal=mark if mark and figures else None,
        largest=max((o.value for o in reads if isinstance(o, Quantity)), default=0.0),
        everything=tuple(distinct),
    )


def _terms(header: str, unit: str | None) -> HeaderTerms:
    """Return the terms of *header*; a unit in brackets and a chip are none of them."""
    chip = naming.chip(header)
    if chip is not None:
        return header_terms(chip.rest)
    bracket = _BRACKET.search(header)
    if bracket and unit == bracket[1].strip():
        header = header[: bracket.start()] + header[bracket.end() :]
    return header_terms(header)


def _read(text: str, mark: Mark | None, unit: str | None) -> Quantity | Missing | str:
    try:
        return parsed(text, decimal=mark, unit=unit)
    except AmbiguousError:
        return "ambiguous" if _NUMERIC.match(text) else "words"
    except ValueError:
        return "words"


def _parts(texts: list[str], mark: Mark | None) -> tuple[tuple[str, Kind], ...]:
    """Return what the parts of the cells are called, if all have the same ones."""
    variants: set[tuple[tuple[str, Kind], ...]] = set()
    for text in texts:
        try:
            parts = parts_of(text, decimal=mark)
        except ValueError:
            return ()
        variants.add(tuple((o.role or o.per or o.unit, (o.unit, o.per)) for o in parts))
    names = variants.pop() if len(variants) == 1 else ()
    return names if len({name for name, _ in names}) == len(names) > 1 else ()


def unit_in(text: str) -> str | None:
    """Return the unit that a header or heading names: ``Throughput (img/s)``."""
    for candidate in _candidates(" ".join(text[-_TAGGED:].split())):
        unit = understood(candidate)
        if candidate in _NO_UNITS:
            continue
        if unit is not None and unit.base not in ("1", "x"):
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
    yield text.rsplit(" ", 1)[-1]
