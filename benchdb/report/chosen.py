"""What a report is limited to: filters of its runs, by the names that people see."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Chosen:
    """An option of ``benchdb report`` without its dashes, and names for it."""

    option: str
    names: tuple[str, ...]
