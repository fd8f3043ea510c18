"""Scaling: throughput against GPU cores within one generation of chips."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scaling:
    """The section's content."""

    sources: tuple[str, ...]
