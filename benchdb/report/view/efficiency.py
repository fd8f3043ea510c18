"""Per watt: throughput against power, and samples per joule."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Efficiency:
    """The section's content."""

    sources: tuple[str, ...]
