"""What the short file shows of a site: the front page's facts, notes and sources."""

from collections import Counter
from collections.abc import Iterator

from benchdb.report.view.listed import Note
from benchdb.site import normal
from benchdb.site.content import Site
from benchdb.site.figure_table import figure_table
from benchdb.site.front import Front
from benchdb.site.front_page import front_facts
from benchdb.site.single import Single, Source

_NOTES = 8
_ROWS = 120  # of the table of figures, where there is one
_STRIPS = 12  # of the reader's own machine


def single(site: Site) -> Single:
    """Return what the file shows."""
    front, report = front_facts(site), site.report
    listed = bool(report.values) and (bool(report.chosen) or not front.overview.chips)
    marked = any(machine.here for machine in report.machines)
    strips = normal.strips(site.inputs, site.bins) if marked else ()
    return Single(
        front=front,
        chosen=report.chosen,
        there=report.there,
        room=report.room,
        yours=tuple(strip for strip in strips if strip.mine)[:_STRIPS],
        figures=figure_table(site, site.lines, "benchdb list", _ROWS)
        if listed
        else None,
        notes=tuple(_notes(site, front))[:_NOTES],
        sources=tuple(_sources(site)),
    )


def _notes(site: Site, front: Front) -> Iterator[Note]:
    """Yield what speaks against figures that are shown and flagged, each rule once."""
    flagged = {
        (cell.chip, row.work)
        for row in front.overview.heat
        for cell in row.cells
        if cell.flagged
    }
    letters = {
        letter
        for row in site.rows.values()
        if row.quantity and (row.system.chip, row.workload.name) in flagged
        for letter in row.quantity.notes
    }
    doubted = {chip for card in front.cards for chip in card.doubts}
    seen = set()
    for note in site.report.notes:
        chips = {site.places[run].chip for run in note.runs if run in site.places}
        doubts = note.code == "impossible-os" and chips & doubted
        if (note.key in letters or doubts) and note.code not in seen:
            seen.add(note.code)
            yield note


def _sources(site: Site) -> Iterator[Source]:
    counts = Counter(
        slug for row in site.report.values if (slug := site.source_of(row))
    )
    addresses: dict[str, str | None] = {}
    for row in site.report.sources:
        addresses.setdefault(row.slug, row.url)
    for slug, figures in sorted(counts.items(), key=lambda it: (-it[1], it[0])):
        yield Source(slug, addresses.get(slug), figures)
