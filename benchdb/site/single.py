"""One file to share: the front page's answers and tables, what to know, and sources."""

from functools import partial

import msgspec
from msgspec.structs import replace

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Filter, Room
from benchdb.report.view.listed import Note
from benchdb.report.wording import filters
from benchdb.report.wording.notes import note_text
from benchdb.site import usual
from benchdb.site.answers import front_tables
from benchdb.site.figure_table import FigureTable, table_words
from benchdb.site.front import Front, front_words
from benchdb.site.normal_strip import Strip
from benchdb.site.pages import Page, Sheet, Words, alone

SOURCES = 40  # named on the page, those of most figures first


class Source(msgspec.Struct, frozen=True):
    """A source with its address and how many figures it gave."""

    slug: str
    url: str | None
    figures: int


class Single(msgspec.Struct, frozen=True):
    """What the file shows: the *front* page, and what stands on it instead of links.

    *yours* are results like those of the marked machine. Where filters leave a part, or
    nothing of a Mac, *figures* lists it.
    """

    front: Front
    chosen: tuple[Filter, ...]
    there: tuple[Filter, ...]
    room: Room | None
    yours: tuple[Strip, ...]
    figures: FigureTable | None
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]


def page(facts: Single, language: Language, sheet: Sheet) -> str:
    """Return the file in a language."""
    shown = Page("index", "answers", "single", facts, partial(_words, facts))
    return alone(shown, language, sheet)


def _words(facts: Single, language: Language) -> Words:
    # What stands on pages of the site alone: plots, GPUs, the least memory of models.
    overview = replace(facts.front.overview, gpus=())
    words = front_words(replace(facts.front, plots=(), overview=overview), language)
    yours = None
    if facts.yours:
        scale = usual.scale(language, facts.yours)
        rows = list(usual.rows(language, {}, facts.yours, scale))
        yours = {"axis": scale, "rows": rows}
    kept = facts.sources[:SOURCES]
    parts = {
        **words.parts,
        "ran": [],
        "pages": {},
        "limits": limits(language, facts),
        "there": facts.there,
        "standing": yours,
        "table": table_words(language, facts.figures) if facts.figures else None,
        "know": know(language, facts),
        "noted": noted(language, facts),
        "sources": [(it.slug, it.url, it.figures) for it in kept],
        "more_sources": more_sources(language, facts, len(kept)),
    }
    return Words(title(language, facts), words.description, parts=parts)


def title(language: Language, facts: Single) -> str:
    """Return the question that the file answers, or what it lists."""
    if facts.front.overview.chips or not facts.figures:
        return language.gettext("How fast is a Mac at machine learning?")
    return language.gettext("Benchmark results and their sources")


def limits(language: Language, facts: Single) -> list[str]:
    """Say what the file is limited to and, where nothing is left, what there is."""
    return filters.limits(language, facts.chosen, facts.there, facts.room)


def know(language: Language, facts: Single) -> list[str]:
    """Return what to know before quoting a figure."""
    texts = [
        language.gettext(
            "A ratio says how many times as fast, never per cent faster. A mean is "
            "geometric, stands with its range, and is over like work alone."
        ),
        language.gettext(
            "Hollow marks and grey figures after ≈ differ in what is named beside "
            "them: they bound what to expect, and no verdict rests on them."
        ),
        language.gettext(
            "Flagged figures are outlined and in no headline. A figure of one run has "
            "no interval: small differences may be chance."
        ),
        front_tables.unstated(language, facts.front.cards),
    ]
    return [text for text in texts if text]


def noted(language: Language, facts: Single) -> list[str]:
    """Return what speaks against flagged figures."""
    return [note_text(language, note) for note in facts.notes]


def more_sources(language: Language, facts: Single, shown: int) -> str:
    """Say how many sources are not named, and what lists them; nothing if all are."""
    if not (count := len(facts.sources) - shown):
        return ""
    return language.ngettext(
        "%(n)s more source; %(command)s lists it.",
        "%(n)s more sources; %(command)s lists them.",
        count,
        command=Name("benchdb sources list"),
    )
