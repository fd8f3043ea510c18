"""Which conditions differ between any two cells of the ranking.

The view says what differs from its own baseline. A reader may pick another one, so
each cell carries *tokens*: for every condition in which it is not like the baseline,
the value it has there. Two cells are unlike where their tokens are not the same.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import product

from benchdb.report.sections.ranking import RankCell, Ranking
from benchdb.report.view.listed import ValueRow

Tokens = Mapping[str, str]


def tokens(cell: RankCell, rows: Mapping[str, ValueRow]) -> dict[str, str]:
    """Return the conditions in which *cell* is not like the baseline, with values.

    *rows* are those of the table of values, by run.
    """
    if cell.ratio is None or cell.quantity is None:
        return {}
    row = rows.get(cell.quantity.run)
    values: dict[str, object] = {}
    if row is not None:
        values = {
            "precision": row.precision,
            "compiler": row.compiler,
            "batch": row.batch_size,
            "framework": row.system.framework,
            "protocol": f"{row.source}-{row.metric}",
            "tier": row.tier,
        }
    values |= dict(cell.unlike)
    unknown = None if row else "unknown"
    return {
        name: re.sub(r"[^A-Za-z0-9]+", "-", str(values.get(name, unknown))).strip("-")
        for name in sorted(cell.ratio.differs)
    }


def differing(one: Tokens, other: Tokens) -> tuple[str, ...]:
    """Return the names of the conditions that are not alike, in order."""
    names = sorted({*one, *other})
    return tuple(name for name in names if one.get(name) != other.get(name))


def written(cell_tokens: Tokens) -> str:
    """Return tokens as ``name:value`` words, for a data attribute."""
    return " ".join(f"{name}:{value}" for name, value in cell_tokens.items())


def all_differences(
    ranking: Ranking, rows: Mapping[str, ValueRow]
) -> tuple[tuple[str, ...], ...]:
    """Return every set of differing conditions that some choice of baseline shows.

    Those against the view's own baseline come first, as a reader meets them.
    """
    table = [[tokens(cell, rows) for cell in row.cells] for row in ranking.rows]
    first = _sets((mine, {}) for line in table for mine in line)
    columns = zip(*table, strict=True)
    rest = _sets(pair for column in columns for pair in product(column, column))
    return tuple(dict.fromkeys([*first, *sorted(rest)]))


def _sets(pairs: Iterable[tuple[Tokens, Tokens]]) -> dict[tuple[str, ...], None]:
    """Return every difference found, once, in order."""
    found = (differing(one, other) for one, other in pairs)
    return dict.fromkeys(names for names in found if names)
