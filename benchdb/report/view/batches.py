"""Batch size: what a larger batch changes, on each system."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Batches:
    """The section's content."""

    sources: tuple[str, ...]
