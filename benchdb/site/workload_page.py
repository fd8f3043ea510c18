"""Pages of workloads: all systems on one, protocols apart."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from shlex import quote
from typing import Any

import msgspec

from benchdb import catalogue
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.untrusted import cleaned
from benchdb.report.wording import terms
from benchdb.report.wording.catalogued import work_text
from benchdb.report.workloads import workload_of
from benchdb.site import workload_facts, workload_words
from benchdb.site.answers import token_chart
from benchdb.site.answers.facts import ModelPlot
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.answers.token_speed import model_plots
from benchdb.site.content import Site
from benchdb.site.figure_table import FigureTable, figure_table, table_words
from benchdb.site.lasting import Lasting, lasting
from benchdb.site.lasting import table as lasting_table
from benchdb.site.pages import Page, Words, encoded
from benchdb.site.wording import capital
from benchdb.site.workload_facts import Missing, WorkloadFacts
from benchdb.site.workload_protocols import Measured, Protocols, Table

_MOST = 300  # rows of the table of figures, beside all else
_MODELS = 3  # of language models, with a table of their own
_TOKENS = ("llm-prefill", "llm-decode")
_LISTED = 20  # models that are named


class Model(msgspec.Struct, frozen=True):
    """A language model with its weights, on so many systems."""

    model: str
    quantization: str
    systems: int
    figures: int
    table: Table | None


class WorkloadPage(msgspec.Struct, frozen=True):
    """All that a page of a workload shows; *models* are those of language models."""

    workload: WorkloadFacts
    before: str | None
    after: str | None
    tables: tuple[Table, ...]
    models: tuple[Model, ...]
    more_models: int
    tokens: tuple[ModelPlot, ...]
    lasting: tuple[Lasting, ...]
    missing: tuple[Missing, ...]
    figures: FigureTable


def pages(site: Site) -> Iterator[Page]:
    """Yield a page for every workload that ran."""
    protocols = Protocols(site)
    names = _ordered(site)
    given = {
        place: (
            *(site.common, tuple(site.by_workload[name]), names),
            *(protocols.basis(name), workload_facts.given(site, name)),
            model_plots(corpus_of(site))[:1] if name in _TOKENS else (),
        )
        for place, name in enumerate(names)
    }

    def made(places: Iterable[int]) -> Iterator[tuple[WorkloadPage, bytes]]:
        for place in places:
            facts = _facts(site, protocols, names, place)
            yield facts, encoded(facts)

    pairs = site.inputs.memo.each("workloads", given, made)
    for name, (facts, json) in zip(names, pairs, strict=True):
        address, words = site.workloads[name], partial(_words, site, facts)
        yield Page(address, "workloads", "workload", facts, words, json=json)


def _ordered(site: Site) -> list[str]:
    """Return the workloads by kind and in the order of the catalogue."""
    known = list(catalogue.workloads())

    def order(name: str) -> tuple[object, ...]:
        place = known.index(name) if name in known else len(known)
        return workload_of(name).kind, place, name

    return sorted(site.workloads, key=order)


def _facts(
    site: Site, protocols: Protocols, names: Sequence[str], place: int
) -> WorkloadPage:
    name = names[place]
    measured = protocols.of(name)
    models, more = _models(protocols, name, measured)
    command = f"benchdb report --workload {quote(name)} --format csv"
    return WorkloadPage(
        workload=workload_facts.of_workload(site, name),
        before=names[place - 1] if place else None,
        after=names[place + 1] if place + 1 < len(names) else None,
        tables=cleaned(() if models else protocols.tables(name, measured)),
        models=cleaned(models),
        more_models=more,
        # The front page has the others, which take long to place.
        tokens=model_plots(corpus_of(site))[:1] if name in _TOKENS else (),
        lasting=lasting(site.by_workload[name]),
        missing=workload_facts.missing(site, name),
        figures=figure_table(site, site.by_workload[name], command, _MOST),
    )


def _models(
    protocols: Protocols, name: str, measured: Sequence[Measured]
) -> tuple[tuple[Model, ...], int]:
    """Return the language models that most systems ran, and how many more there are."""
    if not any(
        it.group.first.conditions.metric == "tokens_per_second" for it in measured
    ):
        return (), 0
    groups = defaultdict[tuple[str, str], list[Measured]](list)
    for item in measured:
        facts = item.group.first.conditions.facts
        if "model" in facts:
            groups[facts["model"], facts.get("quantization", "")].append(item)
    systems = Counter(
        {key: len({it.worker for it in some}) for key, some in groups.items()}
    )
    ranked = sorted(groups, key=lambda key: (-systems[key], -len(groups[key]), key))
    models = tuple(
        Model(
            *key,
            systems=systems[key],
            figures=sum(len(it.group.runs) for it in groups[key]),
            table=protocols.tables(name, groups[key])[0] if n < _MODELS else None,
        )
        for n, key in enumerate(ranked[:_LISTED])
    )
    return models, len(ranked) - len(models)


def _first(page: WorkloadPage) -> Sequence[Table]:
    """Return the tables of a workload; of language models that of the first."""
    return page.tables or [it.table for it in page.models[:1] if it.table]


def _words(site: Site, page: WorkloadPage, language: Language) -> Words:
    title = terms.title_text(language, page.workload.workload)
    parts: dict[str, Any] = {
        "facts": workload_facts.facts(language, page.workload),
        "about": capital(
            work_text(language, f"{page.workload.model}; {page.workload.timed}")
        )
        if page.workload.model
        else "",
        "headline": workload_words.headline(language, site, _first(page)),
        "charts": [
            (it.model, token_chart.chart(language, it, f"tokens-{n}"))
            for n, it in enumerate(page.tokens)
        ],
        "sections": [],
        "models": [],
        "lasting": lasting_table(language, site, page.lasting),
        "missing": [
            (workload_facts.missing_text(language, missing, title), missing.command)
            for missing in page.missing
        ],
        "pages": {**site.chips, **site.workloads},
        "titles": {
            name: terms.title_text(language, workload_of(name))
            for name in (page.before, page.after)
            if name
        },
        "table": table_words(language, page.figures),
        "table_title": language.gettext(
            "Every figure of %(workload)s", workload=Name(title)
        ),
    }
    contents = []
    shown = [(table, "") for table in page.tables]
    shown += [
        (model.table, " · ".join(filter(None, (model.model, model.quantization))))
        for model in page.models
        if model.table
    ]
    parts["sections"] = workload_words.sections(language, site, shown)
    contents += [(it.name, it.short) for it in parts["sections"]]
    if page.tokens:
        contents.append(("tokens", language.pgettext("contents", "Scaling")))
    if page.models:
        parts["models"] = workload_words.models(
            language,
            [(it.model, it.quantization, it.systems, it.figures) for it in page.models],
        )
        contents.append(("models", language.pgettext("contents", "Models")))
    if page.lasting:
        contents.append(("lasting", language.pgettext("contents", "How long it lasts")))
    contents.append(("all", language.pgettext("section", "All figures")))
    if page.missing:
        contents.append(("missing", language.pgettext("contents", "Missing")))
    return Words(
        title=title,
        description=language.gettext(
            "%(workload)s on every system that anybody measured, protocols apart.",
            workload=Name(title),
        ),
        crumbs=(
            ("workloads", language.pgettext("page", "Workloads")),
            ("", workload_facts.kind_text(language, page.workload.workload.kind)),
        ),
        contents=tuple(contents),
        parts=parts,
    )
