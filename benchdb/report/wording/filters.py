"""What a report that does not show everything says of it: filters, and its room."""

from benchdb.report.language import Language
from benchdb.report.selection import told
from benchdb.report.view.page import Report
from benchdb.report.wording.room import room_text


def limits(language: Language, report: Report) -> list[str]:
    """Say what the page is limited to and, where nothing is left, what there is."""
    found = []
    if report.chosen:
        only = language.gettext("Only the results that match these filters:")
        found.append(f"{only} {language.isolate(told(report.chosen))}")
    if report.there:
        none = language.gettext("No result matches the filters.")
        there = language.gettext("There are results for:")
        names = language.isolate(told(report.there))
        found.append(f"{language.sentences([none, there])} {names}")
    if report.room:
        found.append(room_text(language, report.room))
    return found
