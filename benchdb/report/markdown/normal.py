"""Is a result normal? All runs of the same work on the same chip, one marked."""

from benchdb.report.language import Language
from benchdb.report.markdown.tables import Table
from benchdb.report.view.normal import Normal


def tables(language: Language, section: Normal) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    del language, section
    return []
