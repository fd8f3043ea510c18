"""What a page says of a large database, of which it shows the newest."""

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Room


def room_text(language: Language, room: Room) -> str:
    """Say how much of a large database the page shows, and how to see the rest."""
    said = [
        language.gettext(
            "Runs shown: %(shown)s of %(all)s, the newest of each measurement.",
            shown=room.runs,
            all=room.of_runs,
        )
    ]
    if room.machines < room.of_machines:
        machines = language.gettext(
            "Machines shown: %(shown)s of %(all)s, for each chip in turn the one "
            "measured most.",
            shown=room.machines,
            all=room.of_machines,
        )
        said.append(machines)
    others = language.gettext(
        "Filters such as %(filter)s show others, %(option)s shows everything.",
        filter=Name("--chip"),
        option=Name("--all"),
    )
    return language.sentences([*said, others])
