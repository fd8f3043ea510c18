"""What tells figures of one workload from each other, where there are several."""

from collections.abc import Sequence

from benchdb.cell import Conditions


def apart(traits: Sequence[tuple[str | None, ...]]) -> list[tuple[str, ...]]:
    """Return, for each of *traits*, those that not all others share."""
    differ = [len(set(column)) > 1 for column in zip(*traits, strict=True)]
    return [
        tuple(name for name, tells in zip(names, differ, strict=True) if tells and name)
        for names in traits
    ]


def traits(every: Sequence[Conditions]) -> list[tuple[str | None, ...]]:
    """Return of each what may tell it from the others of its workload."""
    names = sorted({name for own in every for name in own.ways})
    return [
        (own.precision, own.compiler, own.setting, *map(own.ways.get, names))
        for own in every
    ]


def is_plain(own: Conditions) -> bool:
    """Tell whether *own* is what frameworks do unless they are told otherwise."""
    return own.precision in (None, "fp32")
