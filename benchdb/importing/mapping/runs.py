"""Observations under equal fields belong to one run."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import UNDERSTANDABLE, reason
from benchdb.importing import building
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.layers import Known, Layer, composed, layer
from benchdb.importing.mapping.observations import Observation
from benchdb.importing.mapping.words import canonical, workload_of

_BASIS_LIMIT = 2000  # characters; nobody reads more


class Ground(msgspec.Struct, frozen=True):
    """What holds for a whole document: its map, layers of its own, and its slug."""

    map_: Map
    base: tuple[Layer, ...]
    slug: str

    def known(self, layers: Sequence[Layer]) -> Known:
        """Return what *layers* say on this ground, in our words.

        What is known of the workload lies right above the map's defaults. Raise
        ``RefusedError`` where a word is none that can be meant.
        """
        known = composed((*self.base, *layers))
        workload = workload_of(known, self.map_)
        if workload is not None:
            meaning = layer(self.map_.workloads[workload])
            known = composed((self.base[0], meaning, *self.base[1:], *layers))
        return canonical(known, self.map_, self.slug)


class Gathered(msgspec.Struct):
    """A run in the making: what is known of it, and its figures so far."""

    known: Known
    observations: list[Observation] = []


def gathered(
    observations: Iterable[Observation], ground: Ground
) -> Iterator[Gathered | BadLine]:
    """Yield the runs of *observations*, and ``BadLine`` where none can be made out."""
    runs: dict[tuple[tuple[str, str], ...], Gathered] = {}
    for one in observations:
        try:
            known = ground.known(one.layers)
        except (*UNDERSTANDABLE, ValueError) as why:
            yield building.bad(
                reason(why), line=one.line, locator=one.locator, raw=one.raw
            )
            continue
        key = tuple(sorted((name, _said(it)) for name, it in known.fields.items()))
        run = runs.setdefault(key, Gathered(known))
        run.observations.append(one)
        run.known = _both(run.known, known)
    yield from runs.values()


def _said(value: Scalar) -> str:
    """Return *value* so that equal ones are equal texts: 128 and 128.0 are."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return repr(value)


def _both(one: Known, other: Known) -> Known:
    """Return what is known of a run whose figures know equal fields."""
    if one.basis == other.basis and one.missing == other.missing:
        return one
    basis = dict(one.basis)
    for name, how in other.basis.items():
        said = basis.setdefault(name, how)
        if how not in said and len(said) < _BASIS_LIMIT:
            basis[name] = f"{said}; {how}"
    return Known(one.fields, basis, {**other.missing, **one.missing})
