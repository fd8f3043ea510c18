"""What is said of a run, layer upon layer: the later word holds."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec

from benchdb.exchange.lines import Scalar

_SHORT = ("parameters.", "conditions.")


class Saying(Protocol):
    """Fields that are set, how they are known, and why others are not."""

    @property
    def set(self) -> Mapping[str, Scalar]: ...  # noqa: D102
    @property
    def basis(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def missing(self) -> Mapping[str, str]: ...  # noqa: D102


class Layer(msgspec.Struct, frozen=True):
    """One layer of what is said; *blank* are reasons for fields that nothing sets.

    *printed* tells that the fields are words of the document, not of its map.
    """

    set: Mapping[str, Scalar] = {}
    basis: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}
    blank: Mapping[str, str] = {}
    printed: bool = False


class Known(msgspec.Struct, frozen=True):
    """All that is said of a run. Names in *basis* and *missing* are bare.

    *printed* are the fields whose word is one of the document.
    """

    fields: Mapping[str, Scalar] = {}
    basis: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}
    printed: frozenset[str] = frozenset()


def bare(name: str) -> str:
    """Return the name of a field without ``parameters.`` or ``conditions.``."""
    for prefix in _SHORT:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def layer(saying: Saying) -> Layer:
    """Return what *saying* sets as a layer."""
    return Layer(saying.set, saying.basis, saying.missing)


def composed(layers: Iterable[Layer]) -> Known:
    """Return what *layers* say together, the first being the deepest.

    A field set again to something else forgets how its old value was known; a field
    that is ``missing`` is unset, and one that is set is no longer missing.
    """
    fields: dict[str, Scalar] = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}
    printed: set[str] = set()
    for one in layers:
        (printed.update if one.printed else printed.difference_update)(one.set)
        for name, value in one.set.items():
            if name in fields and fields[name] != value:
                basis.pop(bare(name), None)
            fields[name] = value
            missing.pop(bare(name), None)
        for name, why in one.missing.items():
            _unset(fields, bare(name))
            basis.pop(bare(name), None)
            missing[bare(name)] = why
        basis.update((bare(name), how) for name, how in one.basis.items())
        for name, why in one.blank.items():
            if name not in fields:
                missing.setdefault(bare(name), why)
    return Known(fields, basis, missing, frozenset(printed & fields.keys()))


def _unset(fields: dict[str, Scalar], name: str) -> None:
    for prefix in ("", *_SHORT):
        fields.pop(prefix + name, None)
