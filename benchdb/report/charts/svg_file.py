"""A chart as a file of its own: what a page draws, in its colours, light and dark.

Beside Markdown stand charts of ``mpl``, whose letters are outlines; here they are text.
"""

from types import SimpleNamespace

from benchdb.report.charts import layout, svg
from benchdb.report.charts.spec import Chart
from benchdb.report.html import environment, verbatim
from benchdb.report.language import Language
from benchdb.report.page_assets import asset, stylesheet

_ROOM = SimpleNamespace(width=800, margin=16, above=58, below=40, line=22)  # pixels
_FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif'
# Of the page's own rules those for a figure in HTML do not hold here.
_RULES = (
    f"svg{{font:13px {_FONTS};direction:ltr}}.axes{{inline-size:100%;margin:0}}"
    "text{fill:var(--ink)}.small{fill:var(--quiet)}.of{font-size:15px;font-weight:650}"
    ".paper{fill:var(--paper)}"
)


def svg_file(chart: Chart, language: Language) -> str:
    """Return *chart* as an SVG document that needs nothing beside it."""
    colours = asset("tokens.css").strip()  # of both schemes
    style = "".join((colours, svg.rules(), stylesheet(["chart.css"]), _RULES))
    template = environment(language).get_template("chart.svg.j2")
    drawing = layout.lay_out(chart, (_ROOM.width - 2.0 * _ROOM.margin,))
    return template.render(
        chart=chart,
        drawing=drawing,
        language=language,
        room=_ROOM,
        style=verbatim(style),
    )
