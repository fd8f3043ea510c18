"""The charts beside a Markdown report, as SVG; colours and shapes as on the page.

No information hangs on colour alone: shapes, dashes and words say the same.
"""

from collections.abc import Callable, Mapping

from benchdb.report import untrusted
from benchdb.report.figures_charts import (
    distance_chart,
    metal_chart,
    ranking_chart,
)
from benchdb.report.figures_drawing import Chart, svg
from benchdb.report.language import Language
from benchdb.report.view import Report

Figure = Callable[[Report, Language], bytes | None]


def metal(report: Report, language: Language) -> bytes | None:
    """Draw a dumbbell for each workload and chip, from CPU to Metal."""
    return _drawn(metal_chart, report, language)


def ranking(report: Report, language: Language) -> bytes | None:
    """Draw each system's geometric mean, among the workloads behind it."""
    return _drawn(ranking_chart, report, language)


def distance(report: Report, language: Language) -> bytes | None:
    """Draw each system's share of the reference, workload by workload."""
    return _drawn(distance_chart, report, language)


FIGURES: Mapping[str, Figure] = {
    "metal": metal,
    "ranking": ranking,
    "distance": distance,
}


def _drawn(
    build: Callable[[Report, Language], Chart | None],
    report: Report,
    language: Language,
) -> bytes | None:
    chart = build(untrusted.cleaned(report), language)
    if chart is None:
        return None
    return svg(chart, language.code, mirrored=language.direction == "rtl")
