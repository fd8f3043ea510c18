"""Is a result normal? All runs of the same work on the same chip, one marked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Normal:
    """The section's content."""

    sources: tuple[str, ...]
