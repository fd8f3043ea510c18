"""A page of the site: the figures that are known worst, by the width of their interval."""

from html import escape

_MOST = 20


def page(rows):
    """Return title and HTML; *rows* are those of report.csv, by its columns."""
    known = [row for row in rows if row.get("low") and row.get("high") and row["low"] > 0]
    known.sort(key=lambda row: row["high"] / row["low"], reverse=True)
    lines = "".join(map(_line, known[:_MOST])) or "<tr><td>none</td></tr>"
    head = "<tr><th>workload<th>chip<th>framework<th>figure<th>from<th>to</tr>"
    return "Widest intervals", f"<table class='list'>{head}{lines}</table>"


def _line(row):
    names = ("workload", "chip", "framework")
    figure = f"{float(row['value']):.4g} {row['unit']}"
    cells = [str(row[name] or "–") for name in names] + [figure]
    cells += [f"{row[end]:.4g}" for end in ("low", "high")]
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
