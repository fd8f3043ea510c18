"""Where code spans of Markdown end: runs of as many backticks as they begin with."""

import re
from bisect import bisect_right

_TICKS = re.compile("`+")


class CodeSpans:
    """The backticks of one text, looked up instead of searched for again and again."""

    def __init__(self, text: str) -> None:
        """Look *text* over, once."""
        self._starts: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self._starts.setdefault(len(run[0]), []).append(run.start())

    def closing(self, start: int, length: int) -> int | None:
        """Return where the run stands that closes the one of *length* at *start*."""
        same = self._starts.get(length, [])
        after = bisect_right(same, start)
        return same[after] if after < len(same) else None
