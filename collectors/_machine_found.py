"""What the fingerprint of a machine is made of, whatever the operating system."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Facts = dict[str, Any]
Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Found:
    """A machine as far as it is known; ``missing`` says why the rest is not."""

    chip: Facts
    model: str | None = None
    virtual: bool | None = None
    missing: dict[str, str] = field(default_factory=dict)


def known(facts: Mapping[str, Any]) -> Facts:
    """Return what is known: absent, never null, empty or 0, is our word for unknown."""
    return {k: v for k, v in facts.items() if v is not None and v not in ((), [], "")}


def reasons(facts: Mapping[str, Any], why: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons of what is not known."""
    return {name: reason for name, reason in why.items() if name not in facts}


def levels(tiers: Iterable[tuple[str, int]]) -> list[Facts]:
    """Return tiers of cores as the exchange format writes them."""
    return [{"name": name, "cores": cores} for name, cores in tiers]
