"""What tells figures of one workload from each other, where there are several."""

from collections.abc import Mapping, Sequence

from benchdb.conditions import Conditions


def distinctions(every: Sequence[Conditions]) -> list[tuple[str, ...]]:
    """Return of each how it was computed, as far as not all others are alike."""
    return _telling(
        [(own.precision, own.compiler, own.setting) for own in every],
        [
            _parameters(own)
            | {
                name: f"{name} {fact}" if fact.isdecimal() else fact
                for name, fact in own.choices
            }
            for own in every
        ],
    )


def work_distinctions(every: Sequence[Conditions]) -> list[tuple[str, ...]]:
    """Return of each what its work was, as far as not all others did the same."""
    return _telling([(own.setting,) for own in every], [*map(_parameters, every)])


def is_plain(own: Conditions) -> bool:
    """Tell whether *own* is what frameworks do unless they are told otherwise."""
    return own.precision in (None, "fp32")


def _parameters(own: Conditions) -> dict[str, str]:
    """Return the parameters of the work, each with its name: most are numbers."""
    return {name: f"{name} {fact}" for name, fact in own.facts.items()}


def _telling(
    fixed: Sequence[tuple[str | None, ...]], named: Sequence[Mapping[str, str]]
) -> list[tuple[str, ...]]:
    names = sorted({name for facts in named for name in facts})
    rows = [
        (*first, *map(facts.get, names))
        for first, facts in zip(fixed, named, strict=True)
    ]
    differ = [len(set(column)) > 1 for column in zip(*rows, strict=True)]
    return [
        tuple(fact for fact, tells in zip(row, differ, strict=True) if tells and fact)
        for row in rows
    ]
