"""The page of a machine that benchdb measured: what it is, its sessions, its figures.

Machines that others published figures of are on the pages of their chips and sources:
a document seldom says which of two like machines it was.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from benchdb.report import untrusted
from benchdb.report.language import Language
from benchdb.report.runs import StoredRun
from benchdb.report.wording import parameters, terms
from benchdb.site.content import Line, Site
from benchdb.site.figure_table import FigureTable, figure_table, table_words
from benchdb.site.pages import Page, Words
from benchdb.site.wording import capital
from benchdb.store.places import Place, chip_at_work, is_card

_LETTERS = 12  # of a machine's id in its address
_MOST_SESSIONS = 200  # the newest


class Session(msgspec.Struct, frozen=True):
    """Processes of one campaign without a long pause: when, how many, under what."""

    started: str
    campaign: str
    runs: int
    tiers: tuple[str, ...]
    frameworks: tuple[str, ...]
    systems: tuple[str, ...]
    load: str


class MachineFacts(msgspec.Struct, frozen=True):
    """What the page of a machine shows; *card* is its graphics card, if one worked."""

    machine: str
    chip: str
    card: str | None
    model: str | None
    ram_bytes: int | None
    mine: bool
    runs: int
    sessions: tuple[Session, ...]
    table: FigureTable


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of each machine that benchdb measured."""
    runs, lines = runs_by_machine(site), lines_by_machine(site)
    for machine, address in site.machines.items():
        facts = _facts(site, machine, runs[machine], lines.get(machine, []))
        yield Page(address, "runs", "machine", facts, partial(_words, site, facts))


def runs_by_machine(site: Site) -> Mapping[str, list[StoredRun]]:
    """Return the runs of each machine that benchdb measured, by its digest."""
    machines = defaultdict[str, list[StoredRun]](list)
    for run in site.inputs.runs:
        if run.place.measured:
            machines[run.place.machine].append(run)
    return machines


def lines_by_machine(site: Site) -> Mapping[str, list[Line]]:
    """Return the lines of each machine that benchdb measured, by its digest."""
    machines = defaultdict[str, list[Line]](list)
    for line in site.lines:
        place = site.places.get(line[0].run)
        if place is not None and place.measured:
            machines[place.machine].append(line)
    return machines


def machine_name(runs: Sequence[StoredRun]) -> str:
    """Name the machine of *runs*: model, chip and card, as far as they are known."""
    place = _telling(run.place for run in runs)
    chip = place.chip if place.chip != "unknown" else ""
    name = " + ".join(filter(None, (chip, _card(runs))))
    return " · ".join(filter(None, (place.model, name)))


def _card(runs: Sequence[StoredRun]) -> str | None:
    cards = {chip_at_work(run.place) for run in runs if is_card(run.place)}
    return cards.pop() if len(cards) == 1 else None


def _facts(
    site: Site, machine: str, runs: Sequence[StoredRun], lines: Sequence[Line]
) -> MachineFacts:
    place = _telling(run.place for run in runs)
    facts = MachineFacts(
        machine=machine[:_LETTERS],
        chip=place.chip,
        card=_card(runs),
        model=place.model,
        ram_bytes=place.ram_bytes,
        mine=any(run.place.mine for run in runs),
        runs=len(runs),
        sessions=tuple(_sessions(runs)),
        table=figure_table(site, lines, f"benchdb list --machine {machine[:_LETTERS]}"),
    )
    return untrusted.cleaned(facts)


def _telling(places: Iterator[Place]) -> Place:
    """Return the place that says most of the machine."""
    return max(
        places,
        key=lambda place: (
            place.model is not None,
            place.ram_bytes is not None,
            repr(place),
        ),
    )


def _sessions(runs: Sequence[StoredRun]) -> Iterator[Session]:
    """Yield the sessions, the newest first."""
    together = defaultdict[str, list[StoredRun]](list)
    for run in runs:
        together[run.facts.session.name].append(run)

    def newest(item: tuple[str, list[StoredRun]]) -> tuple[str, str]:
        return max(run.facts.started or "" for run in item[1]), item[0]

    for _, members in sorted(together.items(), key=newest, reverse=True):
        facts = [run.facts for run in members]
        yield Session(
            started=min(fact.started or "" for fact in facts)[
                : len("2026-11-21T21:44")
            ],
            campaign=facts[0].campaign or "",
            runs=len(facts),
            tiers=_each(fact.tier for fact in facts),
            frameworks=_each(
                f"{fact.framework} {fact.software.version}".strip() for fact in facts
            ),
            systems=_each(fact.software.system for fact in facts),
            load=facts[0].session.state or "",
        )


def _each(names: Iterator[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


def _words(site: Site, facts: MachineFacts, language: Language) -> Words:
    chip = terms.chip_text(language, facts.chip)
    name = " + ".join(filter(None, (chip, facts.card)))
    title = f"{facts.model} · {name}" if facts.model else name
    known: Mapping[str, str] = {
        language.pgettext("run", "Machine"): facts.machine,
        language.pgettext("table header", "Memory"): (
            language.bytes(facts.ram_bytes) if facts.ram_bytes else "–"
        ),
        language.pgettext("table header", "Runs"): language.number(facts.runs),
        language.pgettext("table header", "Sessions"): language.number(
            len(facts.sessions)
        ),
    }
    return Words(
        title=title,
        description=terms.label_text(language, "measured", mine=facts.mine),
        crumbs=(("machines", language.gettext("Machines that benchdb measured")),),
        contents=(
            ("sessions", language.pgettext("table header", "Sessions")),
            ("figures", language.pgettext("section", "All figures")),
        ),
        parts={
            "facts": facts,
            "label": terms.label_text(language, "measured", mine=facts.mine),
            "known": known,
            "chips": [
                (site.chips[text], text)
                for text in (facts.chip, facts.card)
                if text is not None and text in site.chips
            ],
            "conditions": [
                capital(terms.condition(language, text)) for text in ("tier", "load")
            ],
            "sessions": facts.sessions[:_MOST_SESSIONS],
            "tier_text": partial(parameters.tier_text, language),
            "load_text": partial(terms.load_text, language),
            "frameworks": [
                [
                    terms.framework_text(language, framework)
                    for framework in session.frameworks
                ]
                for session in facts.sessions[:_MOST_SESSIONS]
            ],
            "table": table_words(language, facts.table),
        },
    )
