"""The charts of a report, by the name of their section.

A section's chart is a specification (``spec``); pages and files draw it.
"""

from collections.abc import Callable, Mapping

from benchdb.report.charts import (
    batch_sizes,
    compared,
    efficiency,
    history,
    normal,
    scaling,
    sweep,
)
from benchdb.report.charts.spec import Chart
from benchdb.report.language import Language
from benchdb.report.view.page import Report

CHARTS: Mapping[str, Callable[[Report, Language], Chart | None]] = {
    "metal": compared.metal,
    "ranking": compared.ranking,
    "distance": compared.distance,
    "efficiency": efficiency.chart,
    "batches": batch_sizes.chart,
    "scaling": scaling.chart,
    "sweep": sweep.chart,
    "normal": normal.chart,
    "history": history.chart,
}
