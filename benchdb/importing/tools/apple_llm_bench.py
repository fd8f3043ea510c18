"""apple-silicon-llm-bench: trials of one model, prompt and generation each.

The rates of the trials are in the file, no times. Their averages are kept as claims.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from typing import Any

from benchdb.exchange.lines import Claim, Environment, Source, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools.facts import claimed, positive, text, whole
from benchdb.importing.tools.json_numbers import characters, glimpse, told
from benchdb.importing.tools.outcome import mapping
from benchdb.importing.tools.texts import others

_PHASES = {  # name of the phase: rate of a trial, average, its tokens
    "prompt": ("prompt_tps", "prompt_tps", "prompt_tokens"),
    "generation": ("gen_tps", "generation_tps", "generation_tokens"),
}
_MARKS = {"averages", "trials", "model", "prompt_tokens", "generation_tokens"}
_UNTOLD = dict.fromkeys(
    ("device", "framework", "precision", "started"), "not in the file"
)


def recognises(document: Document) -> bool:
    """Tell whether this is a result of apple-silicon-llm-bench."""
    found = glimpse(document)
    return isinstance(found, dict) and found.keys() >= _MARKS


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for the prompt and one for the generation, then the averages."""
    found = told(document)
    source = building.source(document, about, "apple-silicon-llm-bench")
    for phase in _PHASES:
        make = partial(_record, found, phase, source, about)
        yield building.attempt(make, locator="/trials", raw=str(found.get("trials")))
    try:
        yield from _claims(found, source)
    except UNDERSTANDABLE as why:
        yield building.bad(reason(why), locator="/averages")


def _record(
    found: Mapping[str, Any], phase: str, source: Source, about: About
) -> Record:
    rate, _, length = _PHASES[phase]
    model = text(found, "model")
    if model is None:
        raise RefusedError("model is blank")
    tokens = whole(found, length)
    rates = _rates(found, rate)
    count = f"{len(rates)} trial{'s' if len(rates) > 1 else ''}"
    run = building.run(
        workload=f"apple-silicon-llm-bench/{model}/{phase} {tokens}",
        framework="unknown",
        device="unknown",
        parameters=others(found, ("averages", "trials")),
        label=about.label or "imported",
        locator="/trials",
        missing=_UNTOLD,
    )
    value = Value(
        metric="tokens_per_second",
        value=median(rates),
        locator=f"/trials/*/{rate}",
        derived=f"median of {count}",
    )
    return building.record(
        run=run,
        machine=building.unknown_machine(),
        environment=Environment(key="-", missing={"framework": "not in the file"}),
        source=source,
        values=(value,),
    )


def _rates(found: Mapping[str, Any], rate: str) -> Sequence[float]:
    """Return the rates of the trials: as many as the file says that there were."""
    trials = found["trials"]
    if not isinstance(trials, list) or not trials:
        raise RefusedError("trials is no list of trials")
    stated = whole(found, "num_trials", len(trials))
    if stated != len(trials):
        raise RefusedError(f"num_trials is {stated}, but there are {len(trials)}")
    return [positive(mapping(trial, "a trial"), rate) for trial in trials]


def _claims(found: Mapping[str, Any], source: Source) -> Iterator[Item]:
    averages = mapping(found["averages"], "averages")
    for phase, (rate, average, _) in _PHASES.items():
        if averages.get(average) is None:
            continue
        claim = Claim(
            source=source.key,
            kind="derived",
            statement=f"{average}, mean of the trials",
            printed=characters(averages[average]),
            locator=f"/averages/{average}",
            value=positive(averages, average),
            unit="1/s",
            about={"model": text(found, "model"), "phase": phase},
            recomputed=fmean(_rates(found, rate)),
        )
        yield claimed(claim, source)
