"""Per watt: throughput against power, and samples per joule."""

from benchdb.report.language import Language
from benchdb.report.planes import Plane
from benchdb.report.view.page import Report


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    del report, language
    return None
