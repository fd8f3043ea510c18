"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

from benchdb.report.language import Language
from benchdb.report.view.page import Report


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    del report
    return language.pgettext("heading", "Sweep")


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    del language, report
    return ""
