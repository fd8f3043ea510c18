"""The front page: six answers, a row for each chip, and what nobody has measured."""

from collections.abc import Iterable, Sequence

import msgspec

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.wording import terms
from benchdb.site.answers import front_tables, token_chart
from benchdb.site.answers.facts import Card, ModelPlot, Overview
from benchdb.site.answers.words import card_words, years_text
from benchdb.site.answers.work_terms import work_text
from benchdb.site.pages import Words

_MEASURE = "benchdb collect"
_MEASURE_METAL = "benchdb collect --metal"
_MEASURE_TOKENS = "benchdb import llama-bench.jsonl"


class Front(msgspec.Struct, frozen=True):
    """What the front page shows.

    *chips* and *runs* are addresses of pages, *pairs* what the page of pairs calls a
    chip, and *grades* those of figures by run. *own* are the chips of the machine that
    is marked. *sections* are address and title of pages that other packages add.
    """

    cards: tuple[Card, ...]
    overview: Overview
    plots: tuple[ModelPlot, ...]
    watts: tuple[Card, ...]
    chips: dict[str, str]
    pairs: dict[str, str]
    runs: dict[str, str]
    grades: dict[str, str]
    figures: int
    sources: int
    digest: str
    own: tuple[str, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()


def front_words(facts: Front, language: Language) -> Words:
    """Return what the front page says."""
    shown = facts.overview
    axes = front_tables.axes_of(language, shown)
    far = front_tables.distance_axis(language, shown.distances)
    heated = tuple(dict.fromkeys(cell.chip for row in shown.heat for cell in row.cells))
    chips = [row.chip for row in shown.chips]
    gpus = [row.chip for row in shown.gpus]
    return Words(
        title=language.gettext("How fast is a Mac at machine learning?"),
        description=_description(language, facts),
        contents=_contents(language, facts),
        parts={
            "lead": _lead(language, facts),
            "sections": facts.sections,
            "generations": shown.generations,
            "coverage": list(front_tables.coverage_lines(language, shown.coverage)),
            "pick_mac": _picks(facts, chips),
            "pick_other": _picks(facts, (*chips, *gpus)),
            "reference": shown.reference,
            "answers": card_words(language, facts.cards),
            "unstated": front_tables.unstated(language, facts.cards),
            "rows": list(front_tables.chip_lines(language, shown.chips, axes)),
            "gpus": list(front_tables.chip_lines(language, shown.gpus, axes)),
            "axes": axes,
            "common": language.listing(
                [work_text(language, name) for name in shown.common]
            ),
            "model": _model(language, facts),
            "plots": [
                (
                    plot.model,
                    token_chart.chart(language, plot, f"tokens-{n}"),
                )
                for n, plot in enumerate(facts.plots)
            ],
            "heated": heated,
            "heat": list(front_tables.heat_lines(language, shown.heat, heated)),
            "heat_text": _heat_text(language, facts),
            "far": far,
            "distances": list(
                front_tables.distance_lines(language, shown.distances, far)
            ),
            "watts": list(front_tables.watt_lines(language, facts.watts)),
            "ran": _ran(language, facts),
            "peaks": _peaks(language, facts),
            "missing": _missing(language, facts),
            "marked": facts.own,
            "pages": facts.chips,
            "runs": facts.runs,
            "grades": facts.grades,
            "grade_text": _grades(language, facts),
        },
    )


def _picks(facts: Front, names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return chips to pick: name, address, and what the page of pairs calls it."""
    return [
        (name, facts.chips[name], facts.pairs[name])
        for name in names
        if name in facts.chips and name in facts.pairs
    ]


def _description(language: Language, facts: Front) -> str:
    return language.ngettext(
        "Measured speed of machine learning on Macs and GPUs: %(n)s figure, each with "
        "its evidence.",
        "Measured speed of machine learning on Macs and GPUs: %(n)s figures, each with "
        "its evidence.",
        facts.figures,
    )


def _contents(language: Language, facts: Front) -> tuple[tuple[str, str], ...]:
    shown, pgettext = facts.overview, language.pgettext
    result = (
        ("answers", pgettext("section", "Answers"), True),
        ("chips", pgettext("section", "Chips"), shown.chips),
        ("tokens", pgettext("section", "Tokens per second"), facts.plots),
        ("metal", pgettext("section", "Metal"), shown.heat),
        ("gpu", pgettext("section", "GPU distance"), shown.distances),
        ("watt", pgettext("section", "Per watt"), facts.watts),
        ("memory", pgettext("section", "Memory"), _card(facts, "fit").ran),
        ("missing", pgettext("section", "Not measured yet"), True),
    )
    return tuple((anchor, name) for anchor, name, there in result if there)


def _card(facts: Front, question: str) -> Card:
    return next(card for card in facts.cards if card.question == question)


def _lead(language: Language, facts: Front) -> str:
    """Say what the baseline is, and how old the evidence is."""
    shown = facts.overview
    phrase = [
        language.gettext(
            "Every ratio is against one baseline, the M1 with Metal, unless two "
            "systems are named."
        ),
        language.gettext(
            "%(figures)s figures from %(sources)s sources.",
            figures=facts.figures,
            sources=facts.sources,
        ),
    ]
    trained = _card(facts, "mac").held
    if trained and trained[0].group == "training" and trained[0].years:
        years = years_text(*trained[0].years)
        phrase.append(
            language.gettext(
                "Training that chips have in common was published in %(years)s.",
                years=Name(years),
            )
        )
    if shown.newest:
        phrase.append(
            language.gettext(
                "Newest figure of a Mac: %(date)s.", date=language.date(shown.newest)
            )
        )
    return language.sentences(phrase)


def _model(language: Language, facts: Front) -> str:
    cell = facts.overview.cell
    return cell.model if cell else ""


def _grades(language: Language, facts: Front) -> str:
    """Say the grade of all figures where they have the same; nothing else."""
    known = set(facts.grades.values())
    if len(known) != 1:
        return ""
    return language.gettext(
        "All figures that lead to a run have grade %(grade)s.",
        grade=Name(next(iter(known))),
    )


def _heat_text(language: Language, facts: Front) -> str:
    protocol = facts.overview.protocol
    if protocol is None:
        return ""
    framework = terms.framework_text(language, protocol.framework)
    return language.gettext(
        "With %(framework)s, the whole script without and with Metal, one run each. "
        "An outlined cell is flagged and in no headline.",
        framework=Name(
            terms.beside(language, framework, protocol.setting)
            if protocol.setting != "standard"
            else framework
        ),
    )


def _ran(language: Language, facts: Front) -> list[tuple[str, str, str]]:
    """Return the rungs of memory: how much, the model, on which chips."""
    rungs = sorted(_card(facts, "fit").ran, key=lambda it: it.memory)
    return [
        (language.bytes(it.memory * 2**30), it.name, language.listing(it.chips))
        for it in rungs
    ]


def _peaks(language: Language, facts: Front) -> list[tuple[str, str]]:
    """Return what training took at its peak."""
    return [
        (
            terms.workload_text(language, work_text(language, it.name), it.batch),
            terms.memory_text(language, round(it.low), round(it.high)),
        )
        for it in _card(facts, "fit").peaks[:6]
    ]


def _missing(language: Language, facts: Front) -> list[tuple[str, str]]:
    """Return what nobody has measured yet, each with what would measure it."""
    shown = facts.overview
    result: Sequence[tuple[str, Sequence[str], str]] = (
        (
            language.gettext("Nothing at all: %(chips)s."),
            shown.absent,
            _MEASURE_METAL,
        ),
        (
            language.gettext("No training that the M1 did as well: %(chips)s."),
            shown.unmeasured["training"],
            _MEASURE_METAL,
        ),
        (
            language.gettext("No training with and without Metal: %(chips)s."),
            shown.unmeasured["metal"],
            _MEASURE,
        ),
        (
            language.gettext("No tokens per second of the usual model: %(chips)s."),
            shown.unmeasured["tokens"],
            _MEASURE_TOKENS,
        ),
    )
    return [
        (phrase % {"chips": language.listing(list(names))}, command)
        for phrase, names, command in result
        if names
    ]
