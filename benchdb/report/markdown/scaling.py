"""Scaling: throughput against GPU cores within one generation of chips."""

from benchdb.report.language import Language
from benchdb.report.markdown.tables import Table
from benchdb.report.view.scaling import Scaling


def tables(language: Language, section: Scaling) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    del language, section
    return []
