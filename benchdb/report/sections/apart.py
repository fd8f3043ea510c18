"""What tells figures of one workload from each other, where there are several."""

from collections.abc import Sequence

from benchdb.conditions import Conditions


def apart(traits: Sequence[tuple[str | None, ...]]) -> list[tuple[str, ...]]:
    """Return, for each of *traits*, those that not all others share."""
    differ = [len(set(column)) > 1 for column in zip(*traits, strict=True)]
    return [
        tuple(name for name, tells in zip(names, differ, strict=True) if tells and name)
        for names in traits
    ]


def traits(every: Sequence[Conditions]) -> list[tuple[str | None, ...]]:
    """Return of each what may tell it from the others of its workload."""
    ways = [_parameters(own) | _choices(own) for own in every]
    names = sorted({name for one in ways for name in one})
    return [
        (own.precision, own.compiler, own.setting, *map(one.get, names))
        for own, one in zip(every, ways, strict=True)
    ]


def work(every: Sequence[Conditions]) -> list[tuple[str | None, ...]]:
    """Return of each what may tell its work from that of the others."""
    names = sorted({name for own in every for name in _parameters(own)})
    return [(own.setting, *map(_parameters(own).get, names)) for own in every]


def _parameters(own: Conditions) -> dict[str, str]:
    """Return the parameters of the work, each with its name: most are numbers."""
    return {name: f"{name} {fact}" for name, fact in own.facts.items()}


def _choices(own: Conditions) -> dict[str, str]:
    return {
        name: f"{name} {fact}" if fact.isdecimal() else fact
        for name, fact in own.choices
    }


def is_plain(own: Conditions) -> bool:
    """Tell whether *own* is what frameworks do unless they are told otherwise."""
    return own.precision in (None, "fp32")
