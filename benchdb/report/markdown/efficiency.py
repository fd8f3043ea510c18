"""Per watt: throughput against power, and samples per joule."""

from benchdb.report.language import Language
from benchdb.report.markdown.tables import Table
from benchdb.report.view.efficiency import Efficiency


def tables(language: Language, section: Efficiency) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    del language, section
    return []
