"""Pages of chips: all that is known of one, and whether a result on it is normal."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from shlex import quote
from typing import Any

import msgspec

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.untrusted import cleaned
from benchdb.site import chip_facts, family, metal, normal, usual
from benchdb.site.answers.cards import answered, cards
from benchdb.site.answers.facts import Card
from benchdb.site.answers.mac_names import macs, plain_chip
from benchdb.site.answers.words import card_words
from benchdb.site.chip_facts import ChipFacts, Missing
from benchdb.site.content import Site
from benchdb.site.family import Family
from benchdb.site.figure_table import FigureTable, figure_table, table_words
from benchdb.site.lasting import Lasting, lasting, table
from benchdb.site.metal import Metal
from benchdb.site.normal_strip import Strip
from benchdb.site.pages import Page, Words, encoded
from benchdb.site.system_pairs import BASELINE

_MOST = 300  # rows of the table of figures, beside all else


class ChipPage(msgspec.Struct, frozen=True):
    """All that a page of a chip shows; *before* and *after* are its neighbours."""

    chip: ChipFacts
    family: str
    before: str | None
    after: str | None
    pair: str  # how the page of comparisons calls it beside its neighbour
    cards: tuple[Card, ...]
    metal: Metal | None
    usual: tuple[Strip, ...]
    ladders: Family | None
    lasting: tuple[Lasting, ...]
    missing: tuple[Missing, ...]
    figures: FigureTable


def pages(site: Site) -> Iterator[Page]:
    """Yield a page for every chip that did any work."""
    strips = defaultdict[str, list[Strip]](list)
    for strip in normal.strips(site.inputs, site.bins):
        strips[strip.chip.casefold()].append(strip)
    given = {name: _given(site, name, strips[name.casefold()]) for name in site.chips}

    def made(names: Iterable[str]) -> Iterator[tuple[ChipPage, bytes]]:
        for name in names:
            facts = _facts(site, name, strips[name.casefold()])
            yield facts, encoded(facts)

    pairs = site.inputs.memo.each("chips", given, made)
    for address, (facts, json) in zip(site.chips.values(), pairs, strict=True):
        words = partial(_words, site, facts)
        yield Page(address, "chips", "chip", facts, words, json=json)


def _given(site: Site, name: str, strips: Sequence[Strip]) -> tuple[object, ...]:
    """Return what a page follows from.

    It holds a chip against its family and the baseline, a Mac against GPUs as well.
    """
    near = {plain_chip(it) for it in family.chips_of(site, family.family_name(name))}
    near |= {plain_chip(name), BASELINE.chip}
    lines, is_mac = site.by_chip[name], name in macs()
    return (
        site.common,
        tuple(lines),
        tuple(site.places[line[0].run] for line in lines),
        tuple(strips),
        *answered(site, name),
        *(
            side
            for worker, side in site.systems.sides.items()
            if plain_chip(worker.chip) in near or (is_mac and worker.device == "cuda")
        ),
    )


def _facts(site: Site, name: str, strips: Sequence[Strip]) -> ChipPage:
    lines = site.by_chip[name]
    places = [site.places[line[0].run] for line in lines]
    group = family.family_name(name)
    chips = family.chips_of(site, group)
    place = chips.index(name) if name in chips else -1
    before = chips[place - 1] if place > 0 else None
    after = chips[place + 1] if 0 <= place < len(chips) - 1 else None
    return ChipPage(
        chip=chip_facts.of_chip(name, lines, places),
        family=group,
        before=before,
        after=after,
        pair=_pair(site, name, after or before),
        cards=cards(site, name),
        metal=cleaned(metal.metal(site, name)),
        usual=cleaned(usual.of_chip(strips, name)),
        ladders=cleaned(family.family(site, name)),
        lasting=lasting(lines),
        missing=chip_facts.missing(site, name),
        figures=figure_table(
            site,
            lines,
            f"benchdb report --chip {quote(name)} --format csv",
            _MOST,
        ),
    )


def _pair(site: Site, name: str, other: str | None) -> str:
    """Return the pair of a chip and another, both on the device that has most."""
    named = site.systems.slugs
    chosen = [
        max(
            (worker for worker in named if worker.chip == chip),
            key=lambda it: len(site.systems.sides[it].measured),
            default=None,
        )
        for chip in (name, other)
    ]
    if None in chosen:
        return ""
    return "&".join(
        f"{key}={named[worker]}"
        for key, worker in zip("ab", chosen, strict=True)
        if worker
    )


def _words(site: Site, page: ChipPage, language: Language) -> Words:
    name = page.chip.name
    contents = []
    parts: dict[str, Any] = dict.fromkeys(("metal", "normal", "family", "missing"))
    parts |= {
        "facts": chip_facts.facts(language, page.chip),
        "chips": site.chips,
        "answers": card_words(language, page.cards),
    }
    contents.append(("answers", language.pgettext("page", "Answers")))
    if page.metal:
        contents.append(("metal", language.pgettext("contents", "Metal")))
        parts["metal"] = {
            "title": metal.title(language, page.metal),
            "lead": metal.lead(language, page.metal),
            "groups": list(metal.rows(language, site, page.metal)),
            "more": _more(language, page.metal.more),
        }
    if page.usual:
        question = language.pgettext("heading", "Is my result normal?")
        contents.append(("normal", question))
        scale = usual.scale(language, page.usual)
        parts["normal"] = {
            "title": question,
            "lead": usual.lead(language, page.usual, name),
            "axis": scale,
            "own": usual.own(language, scale),
            "rows": list(usual.rows(language, site.runs, page.usual, scale)),
        }
    if page.ladders:
        contents.append(("family", language.pgettext("contents", "Its family")))
        parts["family"] = {
            "title": family.heading(language, page.ladders, name),
            "lead": family.lead(language, page.ladders),
            "ladders": list(family.rows(language, page.ladders, name)),
        }
    parts["lasting"] = table(language, site, page.lasting)
    if page.lasting:
        contents.append(("lasting", language.pgettext("contents", "How long it lasts")))
    contents.append(("all", language.pgettext("section", "All figures")))
    parts["table"] = table_words(language, page.figures)
    parts["table_title"] = language.gettext(
        "Every figure of the %(chip)s", chip=Name(name)
    )
    if page.missing:
        contents.append(("missing", language.pgettext("contents", "Missing")))
        parts["missing"] = [
            (chip_facts.missing_text(language, missing, name), missing.command)
            for missing in page.missing
        ]
    return Words(
        title=name,
        description=_description(language, page),
        crumbs=tuple(_crumbs(language, page)),
        contents=tuple(contents),
        parts=parts,
    )


def _crumbs(language: Language, page: ChipPage) -> Iterator[tuple[str, str]]:
    yield "chips", language.pgettext("page", "Chips")
    if page.family:
        yield "", language.gettext("%(family)s family", family=Name(page.family))


def _more(language: Language, n: int) -> str:
    text = language.ngettext(
        "%(n)s more pair stands among all figures.",
        "%(n)s more pairs stand among all figures.",
        n,
    )
    return text if n else ""


def _description(language: Language, page: ChipPage) -> str:
    return language.ngettext(
        "%(chip)s in machine learning: %(n)s figure with its source, and how sure it "
        "is.",
        "%(chip)s in machine learning: %(n)s figures with their sources, and how sure "
        "they are.",
        page.chip.figures,
        chip=Name(page.chip.name),
    )
