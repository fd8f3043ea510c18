"""What a report that does not show everything says of it: filters, and its room."""

from benchdb.report.filters import as_line
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Room
from benchdb.report.view.page import Report


def limits(language: Language, report: Report) -> list[str]:
    """Say what the page is limited to and, where nothing is left, what there is."""
    found = []
    if report.chosen:
        only = language.gettext("Only the results that match these filters:")
        found.append(f"{only} {language.isolate(as_line(report.chosen))}")
    if report.there:
        none = language.gettext("No result matches the filters.")
        there = language.gettext("There are results for:")
        names = language.isolate(as_line(report.there))
        found.append(f"{language.sentences([none, there])} {names}")
    if report.room:
        found.append(room_text(language, report.room))
    return found


def room_text(language: Language, room: Room) -> str:
    """Say how much of a large database the page shows, and how to see the rest."""
    said = [
        language.gettext(
            "Runs shown: %(shown)s of %(all)s, the newest of each measurement.",
            shown=room.runs,
            all=room.of_runs,
        )
    ]
    others = language.gettext(
        "Filters such as %(filter)s show others, %(option)s shows everything.",
        filter=Name("--chip"),
        option=Name("--all"),
    )
    return language.sentences([*said, others])


def more_text(language: Language, report: Report, section: str) -> str:
    """Say how much of a section has no room, and what lists it; nothing if none."""
    lists = {"machines": "benchdb machines list", "sources": "benchdb sources list"}
    if not (count := report.more.get(section)):
        return ""
    said = language.ngettext(
        "%(n)s more row has no room here; %(command)s shows it.",
        "%(n)s more rows have no room here; %(command)s shows them.",
        count,
        command=Name(lists.get(section, "benchdb list")),
    )
    nowhere = language.gettext("A figure whose row has no room leads nowhere.")
    return language.sentences([said, nowhere if section == "values" else ""])
