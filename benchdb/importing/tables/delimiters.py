"""What parts the cells of a CSV file, found from what it holds.

Not csv.Sniffer: it takes a letter for a delimiter where that suits the figures.
"""

from collections.abc import Callable, Sequence

# In the order of doubt: a comma is also a decimal mark and a comma.
DELIMITERS = ("\t", ";", "|", ",")
_SURE = 0.8
_LIKELY = 0.5
_SAMPLE = 200  # rows


def found(
    lines: Sequence[str], share: Callable[[Sequence[str], str], float]
) -> str | None:
    """Return the delimiter of *lines*; ``None`` if they are no table.

    It parts most rows into as many cells as the row before or after; *share* tells the
    part of the rows, from 0 to 1, for which one does.
    """
    sample = [line for line in lines[: 4 * _SAMPLE] if line.strip()][:_SAMPLE]
    shares = {
        one: share(sample, one)
        for one in DELIMITERS
        if any(one in line for line in sample)
    }
    sure = next((one for one, share in shares.items() if share >= _SURE), None)
    if sure is not None or not shares:
        return sure
    best = max(shares, key=lambda one: shares[one])
    return best if shares[best] >= _LIKELY else None


def agreement(widths: Sequence[int]) -> float:
    """Return the share of rows with at least two cells and as many as a neighbour."""
    if not widths:
        return 0.0
    padded = [0, *widths, 0]
    agreeing = sum(
        here > 1 and here in (before, after)
        for before, here, after in zip(padded, padded[1:], padded[2:], strict=False)
    )
    return agreeing / len(widths)
