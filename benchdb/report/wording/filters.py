"""What a report says of itself: filters, room, and the data that it is made of."""

from collections.abc import Sequence

from benchdb.report.filters import as_line
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Filter, Room


def limits(
    language: Language,
    chosen: Sequence[Filter],
    there: Sequence[Filter],
    room: Room | None,
) -> list[str]:
    """Say what a report is limited to and, where nothing is left, what there is."""
    texts = []
    if chosen:
        only = language.gettext("Only the results that match these filters:")
        texts.append(f"{only} {language.isolate(as_line(chosen))}")
    if there:
        none = language.gettext("No result matches the filters.")
        names = language.gettext("There are results for:")
        listed = language.isolate(as_line(there))
        texts.append(f"{language.sentences([none, names])} {listed}")
    if room:
        texts.append(room_text(language, room))
    return texts


def room_text(language: Language, room: Room) -> str:
    """Say how much of a large database the page shows, and how to see the rest."""
    texts = [
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
    return language.sentences([*texts, others])


def made_from(language: Language, digest: str) -> str:
    """Say which data the report shows, so that it can be made again."""
    return language.gettext(
        "Made by benchdb from the data with SHA-256 %(digest)s.",
        digest=Name(digest[:12]),
    )
