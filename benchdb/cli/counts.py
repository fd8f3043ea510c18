"""How many there are of something, in words of the command line."""


def counted(number: int, what: str) -> str:
    """Return *number* with its noun: ``1 run``, ``2 runs``, ``1,000 processes``."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what}{'es' if what.endswith('s') else 's'}"
