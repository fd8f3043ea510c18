"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.language import Language
from benchdb.report.markdown.tables import Table
from benchdb.report.view.batches import Batches


def tables(language: Language, section: Batches) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    del language, section
    return []
