"""A page of the site: the figures that are known worst, by their intervals."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MOST = 20
Row = Mapping[str, Any]


def page(rows: Sequence[Row]) -> tuple[str, str]:
    """Return title and HTML; *rows* are those of report.csv, by its columns."""
    known = [row for row in rows if (row.get("low") or 0) > 0 and row.get("high")]
    known.sort(key=lambda row: row["high"] / row["low"], reverse=True)
    lines = "".join(map(_line, known[:_MOST])) or "<tr><td>none</td></tr>"
    head = "<tr><th>workload<th>chip<th>framework<th>figure<th>from<th>to</tr>"
    return "Widest intervals", f"<table class='list'>{head}{lines}</table>"


def _line(row: Row) -> str:
    names = ("workload", "chip", "framework")
    figure = f"{float(row['value']):.4g} {row['unit']}"
    cells = [str(row[name] or "–") for name in names] + [figure]
    cells += [f"{row[end]:.4g}" for end in ("low", "high")]
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
