"""What a report is limited to: filters of its runs, by the names that people see."""

import msgspec


class Chosen(msgspec.Struct, frozen=True):
    """An option of ``benchdb report`` without its dashes, and names for it."""

    option: str
    names: tuple[str, ...]
