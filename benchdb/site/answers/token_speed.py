"""LLM tokens per second: one model in one protocol, on as many Macs as possible."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Literal

from benchdb.report.bins import Bin
from benchdb.site.answers.facts import (
    ENOUGH,
    Card,
    Cell,
    Group,
    ModelPlot,
    Point,
    Rates,
    Variant,
)
from benchdb.site.answers.lookup import Corpus
from benchdb.site.answers.mac_names import macs, plain_chip
from benchdb.site.answers.reported import (
    Report,
    Reports,
    mac_chips,
    size_of,
)

_SHOWN = 3  # models
_PLOTTED = 3
_GB = 1e9
_ENOUGH = 0.8  # of the chips that the best known model ran on
_COMMAND = "benchdb import llama-bench.jsonl"


def usual(every: Reports, most: int = 1) -> list[Cell]:
    """Return the models that ran on most Macs, of those the one nearest to 8B first."""
    chips = {cell: len(mac_chips(own["decode"])) for cell, own in _known(every).items()}
    best = max(chips.values(), default=0)
    covered = [cell for cell, count in chips.items() if count >= best * _ENOUGH]

    def order(cell: Cell) -> tuple[object, ...]:
        size = size_of(cell.model)
        return abs(size - 8) if size else 1e9, -chips[cell], cell

    return sorted(covered, key=order)[:most]


@lru_cache(maxsize=1)
def usual_models(corpus: Corpus) -> Sequence[Cell]:
    """Return the models that ``how_many`` tells of first."""
    return usual(corpus.reported, _SHOWN)


def _known(every: Reports) -> Reports:
    return {cell: own for cell, own in every.items() if own.get("decode")}


def how_many(corpus: Corpus, chip: str | None) -> Card:
    """Return the tokens per second of *chip*, or of all Macs."""
    every = _of_chip(corpus, chip)
    chosen = usual_models(corpus)
    if not any(every.get(cell, {}).get("decode") for cell in chosen):
        chosen = usual(every)
    rates = [
        _rates(corpus, cell, group, own)
        for cell in chosen
        for group in ("decode", "prefill")
        if (own := every.get(cell, {}).get(group))
    ]
    if not rates:
        return Card("tokens", chip, "none", measure=_COMMAND)
    first = rates[0]
    cell = next(it for it in chosen if it.model == first.model)
    own = every[cell][first.group]
    return Card(
        question="tokens",
        chip=chip,
        evidence="repeated" if first.reports >= ENOUGH else "single",
        low=first.low,
        high=first.high,
        unit="token/s",
        points=tuple(
            Point(it.rate, "up", plain_chip(it.place.chip))
            for it in sorted(own, key=lambda it: it.rate)
        ),
        rates=tuple(rates),
    )


def _of_chip(corpus: Corpus, chip: str | None) -> Reports:
    """Keep what was reported of *chip*, or of all Macs."""
    if chip:
        return reported_of(corpus, chip)
    return {
        cell: {
            group: [it for it in rows if plain_chip(it.place.chip) in macs()]
            for group, rows in own.items()
        }
        for cell, own in corpus.reported.items()
    }


def reported_of(corpus: Corpus, chip: str) -> Reports:
    """Return what was reported of *chip*."""
    return _by_chip(corpus).get(chip, {})


@lru_cache(maxsize=1)
def _by_chip(corpus: Corpus) -> Mapping[str, Reports]:
    result: dict[str, dict[Cell, dict[Group, list[Report]]]] = {}
    for cell, own in corpus.reported.items():
        for group, rows in own.items():
            for it in rows:
                chip = result.setdefault(plain_chip(it.place.chip), {})
                chip.setdefault(cell, {}).setdefault(group, []).append(it)
    return result


def _rates(corpus: Corpus, cell: Cell, group: Group, own: Sequence[Report]) -> Rates:
    values = [it.rate for it in own]
    ordered = sorted(own, key=lambda it: (it.rate, it.run))
    years = corpus.years(it.run for it in own)
    return Rates(
        model=cell.model,
        quantization=cell.quantization,
        group=group,
        low=min(values),
        high=max(values),
        median=median(values),
        reports=len(own),
        machines=len({it.machine for it in own}),
        chips=len(mac_chips(own)),
        slowest=plain_chip(ordered[0].place.chip),
        fastest=plain_chip(ordered[-1].place.chip),
        framework=cell.framework,
        first=years[0] if years else "",
        last=years[-1] if years else "",
    )


def model_plots(corpus: Corpus) -> tuple[ModelPlot, ...]:
    """Return the plots of the models that most Macs ran."""
    return tuple(
        ModelPlot(
            cell.model,
            cell.quantization,
            cell.framework,
            _variants(corpus, cell, "prefill"),
            _variants(corpus, cell, "decode"),
        )
        for cell in usual(corpus.reported, _PLOTTED)
    )


def _variants(
    corpus: Corpus, cell: Cell, group: Literal["prefill", "decode"]
) -> tuple[Variant, ...]:
    result = defaultdict[tuple[str, float], list[Report]](list)
    for report in corpus.reported[cell].get(group, ()):
        chip = plain_chip(report.place.chip)
        amount = _amount(corpus, report.place, group)
        if chip in macs() and amount:
            result[chip, amount].append(report)
    variants = []
    for (chip, amount), reports in result.items():
        middle = median(it.rate for it in reports)
        nearest = min(reports, key=lambda it: (abs(it.rate - middle), it.run))
        variants.append(
            Variant(
                chip, macs()[chip].generation, amount, middle, len(reports), nearest.run
            )
        )
    return tuple(sorted(variants, key=lambda it: (macs()[it.chip].order, it.amount)))


def _amount(corpus: Corpus, place: Bin, group: str) -> float | None:
    if group == "prefill":
        return float(place.gpu_cores) if place.gpu_cores else None
    bandwidth = corpus.site.bins.bandwidth(place)
    return bandwidth / _GB if bandwidth else None
