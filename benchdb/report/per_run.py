"""The table of values with one row for each run: its headline, and what is beside it.

The processes of one cell are a row together, as they are behind each of its figures.
"""

from collections.abc import Iterable

import msgspec

from benchdb.report.view.listed import ValueRow


class RunLine(msgspec.Struct, frozen=True):
    """The first figure of a run, which is its headline if it has one, and the others.

    *head* names the run that everything else of the line is found by.
    """

    head: ValueRow
    beside: tuple[ValueRow, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """Return every run behind a figure of the line, that of *head* first."""
        return tuple(dict.fromkeys(r for row in self._rows for r in _runs(row)))

    @property
    def places(self) -> tuple[str, ...]:
        """Return where the figures stand in the source and how they were made, once."""
        said = (text for row in self._rows for text in (row.locator, row.made) if text)
        return tuple(dict.fromkeys(said))

    @property
    def _rows(self) -> tuple[ValueRow, ...]:
        return (self.head, *self.beside)


def per_run(values: Iterable[ValueRow]) -> tuple[RunLine, ...]:
    """Return a line for each run or cell, in the order of its first figure.

    A figure joins the line that has its run already; none is lost, none shown twice.
    """
    lines: dict[str, list[ValueRow]] = {}
    homes: dict[str, str] = {}
    for row in values:
        home = homes.setdefault(row.run, row.run)
        lines.setdefault(home, []).append(row)
        for run in row.runs:
            homes.setdefault(run, home)
    return tuple(RunLine(first, tuple(rest)) for first, *rest in lines.values())


def homes(lines: Iterable[RunLine]) -> dict[str, str]:
    """Return for every run the one by which its line is found."""
    return {run: line.head.run for line in lines for run in line.runs}


def _runs(row: ValueRow) -> tuple[str, ...]:
    return row.runs or (row.run,)
