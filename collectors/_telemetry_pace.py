"""How long to wait between two looks, so that all of them together cost little."""

# Of a core, for looks of one kind: a call to NVML takes 20 microseconds on one machine,
# a millisecond on a virtual one, and more where the card's memory is never at rest.
_MOST_COST = 0.003


class Pace:
    """A pause in seconds: as short as wanted, longer where a look costs much."""

    def __init__(self, least: float, most: float) -> None:
        """Begin with *least*; never wait longer than *most*."""
        self.seconds = least
        self._least, self._most = least, most

    def spent(self, cpu_seconds: float) -> None:
        """Take what the last look cost; the next may be so far off that it pays."""
        self.seconds = min(self._most, max(self._least, cpu_seconds / _MOST_COST))
