"""The charts beside a Markdown report, as SVG; colours and shapes as on the page.

No information hangs on colour alone: shapes, dashes and words say the same.
"""

from collections.abc import Callable, Mapping
from functools import partial

from benchdb.report import untrusted
from benchdb.report.figures import plane
from benchdb.report.figures.charts import (
    distance_chart,
    metal_chart,
    ranking_chart,
)
from benchdb.report.figures.drawing import Chart, svg
from benchdb.report.language import Language
from benchdb.report.planes import Plane
from benchdb.report.planes.builders import PLANES
from benchdb.report.view.page import Report

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


def _on_plane(
    build: Callable[[Report, Language], Plane | None],
    report: Report,
    language: Language,
) -> bytes | None:
    found = build(untrusted.cleaned(report), language)
    if found is None:
        return None
    return plane.svg(found, language.code, mirrored=language.direction == "rtl")


FIGURES: Mapping[str, Figure] = {
    "metal": metal,
    "ranking": ranking,
    "distance": distance,
    **{name: partial(_on_plane, build) for name, build in PLANES.items()},
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
