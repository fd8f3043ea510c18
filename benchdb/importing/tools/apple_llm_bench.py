"""apple-silicon-llm-bench: trials of one model, prompt and generation each.

The rates of the trials are in the file, no times. Their averages are kept as claims.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean

from benchdb.exchange.language_models import BY_ITS_NAME, part_of_test, quantization
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import ABSENT, Origin, Result

# Phase: the rate of a trial, and the average of the file.
_PHASES = {"prompt": ("prompt_tps",) * 2, "generation": ("gen_tps", "generation_tps")}
_LENGTHS = {"n_prompt": "prompt_tokens", "n_gen": "generation_tokens"}
_MARKS = {"averages", "trials", "model", *_LENGTHS.values()}


def recognises(document: Document) -> bool:
    """Tell whether this is a result of apple-silicon-llm-bench."""
    report = fields.glimpse(document)
    return isinstance(report, dict) and report.keys() >= _MARKS


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for the prompt and one for the generation, then the averages."""
    report = fields.content(document)
    of = result.origin(document, about, "apple-silicon-llm-bench")
    for phase in _PHASES:
        make = partial(_result, report, phase)
        yield result.attempt(of, make, report["trials"], "/trials")
    try:
        yield from _claims(report, of)
    except UNDERSTANDABLE as why:
        yield building.bad(reason(why), locator="/averages")


def _result(report: Facts, phase: str) -> Result:
    model = fields.name_of(report, "model")
    lengths = {name: fields.whole(report, column) for name, column in _LENGTHS.items()}
    own, rates = quantization(model), _rates(report, _PHASES[phase][0])
    at = f"/trials/*/{_PHASES[phase][0]}"
    return Result(
        work=part_of_test(phase, model, own, lengths),
        locator="/trials",
        parameters=fields.others(report, ("averages", "trials", *_LENGTHS.values())),
        label="imported",
        values=[result.median("tokens_per_second", rates, at, of="trial")],
        basis=dict(BY_ITS_NAME) if own else {},
        environment={"missing": {"framework": ABSENT}},
        missing=dict.fromkeys(("framework", "precision"), ABSENT),
    )


def _rates(report: Facts, rate: str) -> Sequence[float]:
    """Return the rates of the trials: as many as the file says that there were."""
    trials = report["trials"]
    if not isinstance(trials, list) or not trials:
        raise RefusedError("trials is no list of trials")
    stated = fields.whole(report, "num_trials", len(trials))
    if stated != len(trials):
        raise RefusedError(f"num_trials is {stated}, but there are {len(trials)}")
    held = [fields.mapping(trial, "a trial") for trial in trials]
    return [fields.size(trial, rate, least=fields.LEAST) for trial in held]


def _claims(report: Facts, of: Origin) -> Iterator[Item]:
    averages = fields.mapping(report["averages"], "averages")
    for phase, (rate, average) in _PHASES.items():
        if averages.get(average) is not None:
            yield result.claim(
                of,
                f"{average}, mean of the trials",
                averages[average],
                f"/averages/{average}",
                unit="1/s",
                about={"model": fields.text(report, "model"), "phase": phase},
                recomputed=fmean(_rates(report, rate)),
            )
