"""Will it fit? The least memory on which a model ran, and the most that was in use."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from benchdb.report.runs import StoredRun
from benchdb.site.answers.facts import Card, Peak, Point, Ran
from benchdb.site.answers.lookup import Corpus
from benchdb.site.answers.mac_names import macs, plain_chip
from benchdb.site.answers.reported import size_of
from benchdb.site.system_pairs import Worker
from benchdb.store.places import chip_at_work

_OF_MODELS = ("llm-decode", "llm-prefill", "llm-generate")
_PEAKS = ("peak_memory_observed_bytes", "peak_memory_reported_bytes")
_NUMBER = re.compile(r"\d+")
_FOUR = 4  # bits of a weight, as most people run models
_USUAL = 16  # GB: what many have
_SEVERAL = 2  # chips that saw it
_GIB = 2**30
_COMMAND = "benchdb import llama-bench.jsonl"


def will_it_fit(corpus: Corpus, chip: str | None) -> Card:
    """Return the largest models that ran in the memory of *chip*, or of any Mac."""
    wanted = (chip,) if chip else tuple(macs())
    runs = [run for name in wanted for run in _runs(corpus, name)]
    rungs = _ladder(_fitted(corpus, runs))
    peaks = tuple(_peaks(runs))
    if not rungs:
        return Card("fit", chip, "none", peaks=peaks, measure=_COMMAND)
    first = _headline(rungs, chip)
    return Card(
        question="fit",
        chip=chip,
        evidence="ran",
        low=float(first.memory),
        high=float(first.memory),
        unit="GB",
        points=tuple(Point(float(it.memory), "up", it.name) for it in rungs),
        ran=(first, *(it for it in rungs if it != first)),
        peaks=peaks,
    )


def _runs(corpus: Corpus, chip: str) -> Sequence[StoredRun]:
    sides = corpus.site.systems.sides
    result = [worker for worker in sides if plain_chip(worker.chip) == chip]
    return [
        run
        for worker in result
        if worker.device not in ("cpu", "npu")
        for run in sides[Worker(*worker)].runs
        if run.facts.status == "ok" and run.facts.tier != "smoke"
    ]


def _headline(rungs: Sequence[Ran], chip: str | None) -> Ran:
    """Return the largest model of a chip; of all Macs that of the usual memory."""
    if chip:
        return max(rungs, key=lambda it: (it.size, -it.memory))

    def order(it: Ran) -> tuple[object, ...]:
        return len(it.chips) >= _SEVERAL, it.memory <= _USUAL, it.memory, it.size

    return max(rungs, key=order)


def _fitted(corpus: Corpus, runs: Iterable[StoredRun]) -> Iterator[Ran]:
    """Yield each model with the least memory that it ran in.

    One with more weights than memory was read from the disk, and fitted nowhere.
    """
    seen = defaultdict[str, dict[int, list[StoredRun]]](dict)
    for run in runs:
        memory = corpus.site.bins.of(run.place).memory
        name = _model(run)
        # The size of all weights, in GiB, by the name of the model.
        if memory and name and size_of(name) * 1e9 * _FOUR / 8 / _GIB <= memory:
            seen[name].setdefault(memory, []).append(run)
    for name, sizes in seen.items():
        least = min(sizes)
        own = sizes[least]
        rates = [
            figure.value
            for run in own
            for figure in run.figures
            if run.facts.workload == "llm-decode"
            and figure.metric == "tokens_per_second"
            and figure.value
        ]
        chips = {plain_chip(chip_at_work(run.place)) for run in own}
        yield Ran(
            name=name,
            size=size_of(name),
            memory=least,
            chips=tuple(sorted(chips)),
            rates=(min(rates), max(rates)) if rates else (),
        )


def _model(run: StoredRun) -> str:
    """Return the model that a run asked, if its weights have four bits."""
    if run.facts.workload not in _OF_MODELS:
        return ""
    asked = run.facts.parameters
    if _bits(str(asked.get("quantization") or "")) != _FOUR:
        return ""
    model = asked.get("model")
    return model if isinstance(model, str) and size_of(model) else ""


@lru_cache(maxsize=4096)
def _bits(weights: str) -> int:
    """Return the bits of a weight: ``Q4_K_M``, ``4bit``, ``MXFP4`` have four."""
    result = _NUMBER.search(weights)
    return int(result[0][:3]) if result else 0


def _ladder(fitted: Iterable[Ran]) -> list[Ran]:
    """Return the largest model of each memory, as long as more memory ran more."""
    best: dict[int, Ran] = {}
    for rung in fitted:
        known = best.get(rung.memory)
        if known is None or (rung.size, len(rung.chips), rung.name) > (
            known.size,
            len(known.chips),
            known.name,
        ):
            best[rung.memory] = rung
    rungs: list[Ran] = []
    for memory in sorted(best):
        if not rungs or best[memory].size > rungs[-1].size:
            rungs.append(best[memory])
    return rungs


def _peaks(runs: Iterable[StoredRun]) -> Iterator[Peak]:
    """Yield the most memory that training took, work by work, most first."""
    seen = defaultdict[tuple[str, int], list[float]](list)
    for run in runs:
        batch = run.facts.batch_size
        if run.facts.workload in _OF_MODELS or batch is None:
            continue
        for figure in run.figures:
            if figure.metric in _PEAKS and (figure.value or 0) > 0:
                seen[run.facts.workload, batch].append((figure.value or 0) / _GIB)
    for name, batch in sorted(seen, key=lambda it: (-max(seen[it]), it)):
        own = seen[name, batch]
        yield Peak(name, batch, min(own), max(own))
