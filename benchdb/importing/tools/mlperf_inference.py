"""The summary that MLPerf's load generator writes about one inference run.

Only what it calls VALID counts. Which benchmark ran, on what, is in the folders around
the file and not in it. Figures without a metric of ours are claims.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchdb.exchange.lines import Claim, Environment, Run, Source, Status, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools.facts import NANOSECONDS, claimed, positive
from benchdb.importing.tools.mllog import is_of_load_generator
from benchdb.importing.tools.mlperf_summary import TITLE, Fact, Summary, summaries

WORKLOAD = "mlperf-inference/not stated"
_RATES = {  # of the result: the first that is there is the scenario's own figure
    "operations_per_second": (
        *("Samples per second", "Completed samples per second"),
        "Scheduled samples per second",
    ),
    "tokens_per_second": ("Tokens per second", "Completed tokens per second"),
}
_LATENCIES = {  # of the result where it has one, else of the statistics
    "latency_mean_seconds": ("Mean latency (ns)",),
    "latency_median_seconds": ("50.00 percentile latency (ns)",),
    "latency_p90_seconds": (
        *("90th percentile latency (ns)", "90.0th percentile latency (ns)"),
        "90.00 percentile latency (ns)",
    ),
    "latency_p99_seconds": (
        *("99th percentile latency (ns)", "99.0th percentile latency (ns)"),
        "99.00 percentile latency (ns)",
    ),
    "time_to_first_token_seconds": ("Mean First Token latency (ns)",),
}
_PLACED = {"SUT name", "Scenario", "Mode", "Result is"}
_FIGURE = re.compile(r"\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")
_WHOLE = re.compile(r"-?\d{1,15}")


def recognises(document: Document) -> bool:
    """Tell whether this is a summary of the load generator, or its detailed log."""
    if is_of_load_generator(document):
        return True
    try:
        if TITLE not in document.text:  # quicker, and the lines are a large list
            return False
    except DocumentError:
        return False
    return any(line.strip() == TITLE for line in document.lines)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a run for each summary, and claims for what has no metric."""
    source = building.source(document, about, "mlperf-inference")
    found = False
    for summary in summaries(document.lines):
        found = True
        raw = "\n".join(document.lines[summary.line - 1 : summary.line + 20])
        make = partial(_record, summary, source, about)
        item = building.attempt(make, line=summary.line, raw=raw)
        yield item
        if isinstance(item, Record) and item.end.status == "ok":
            yield from _claims(summary, item, source)
    if not found:
        raise DocumentError(
            "the detailed log of MLPerf's load generator, without a result; import "
            "mlperf_log_summary.txt from the same folder"
        )


def _record(summary: Summary, source: Source, about: About) -> Record:
    if summary.doubled is not None:
        raise RefusedError(f"{summary.doubled!r} stands there twice with two values")
    status, reason = _outcome(summary)
    values = [_value(*one, reason) for one in _figures(summary)]
    if not values:
        raise RefusedError("no figure in the summary: it breaks off")
    return building.record(
        run=_run(summary, about),
        machine=building.unknown_machine(),
        environment=Environment(key="-", missing={"framework": "not in the file"}),
        source=source,
        values=values,
        status=status,
        reason=reason,
    )


def _run(summary: Summary, about: About) -> Run:
    result = summary.result
    sut = result.get("SUT name")
    parameters = {name: _plain(one) for name, one in summary.settings.items()}
    conditions = {
        name: fact.printed
        for name, fact in result.items()
        if name.endswith("satisfied")
    }
    notes = {"notes": "; ".join(summary.notes)} if summary.notes else {}
    return building.run(
        workload=WORKLOAD,
        setting=result["Scenario"].printed,
        framework="unknown",
        device="unknown",
        parameters={**parameters, **({"sut": sut.printed} if sut else {})},
        label=about.label or "aggregate",
        locator=f"line {summary.line}",
        conditions={**conditions, **notes},
        missing={
            "workload": "the summary does not name its benchmark",
            **dict.fromkeys(("framework", "device", "started"), "not in the file"),
            "precision": "not in the file",
        },
    )


def _outcome(summary: Summary) -> tuple[Status, str | None]:
    """Return whether the run counts, and why not."""
    result = summary.result
    if "Scenario" not in result or "Result is" not in result:
        absent = "Result is" if "Scenario" in result else "Scenario"
        raise RefusedError(f"no line {absent!r}: the summary breaks off")
    mode = result["Mode"].printed if "Mode" in result else "not stated"
    if mode.startswith("Accuracy"):
        return "not-measured", f"mode {mode[:40]}: nothing about speed counts"
    verdict = result["Result is"].printed
    if verdict == "VALID":
        return "ok", None
    if verdict != "INVALID":
        raise RefusedError(f"Result is {verdict[:40]!r}, neither VALID nor INVALID")
    unmet = [name for name, fact in result.items() if fact.printed.upper() == "NO"]
    return "failed", "; ".join(["INVALID", *(f"{name}: NO" for name in unmet)])


def _figures(summary: Summary) -> Iterator[tuple[str, str, Fact, float]]:
    """Yield metric, name, fact and unit divisor of what has a metric."""
    for metric, names in _RATES.items():
        for name in names:
            if name in summary.result:
                yield metric, name, summary.result[name], 1.0
                break
    everything = {**summary.stats, **summary.result}
    for metric, names in _LATENCIES.items():
        for name in names:
            if name in everything:
                yield metric, name, everything[name], NANOSECONDS
                break


def _value(metric: str, name: str, fact: Fact, per: float, reason: str | None) -> Value:
    locator = f"line {fact.line}, {name}"
    if reason is not None:
        return Value(
            metric=metric, reason=reason, printed=fact.printed, locator=locator
        )
    return Value(
        metric=metric,
        value=positive({name: _figure(fact)}, name) / per,
        printed=fact.printed,
        locator=locator,
    )


def _figure(fact: Fact) -> Any:
    return float(fact.printed) if _FIGURE.fullmatch(fact.printed) else fact.printed


def _plain(fact: Fact) -> Any:
    """Return a setting; seeds beyond what JSON keeps exactly stay text."""
    return int(fact.printed) if _WHOLE.fullmatch(fact.printed) else fact.printed


def _claims(summary: Summary, record: Record, source: Source) -> Iterator[Item]:
    taken = {fact.line for _, _, fact, _ in _figures(summary)}
    for name, fact in [*summary.result.items(), *summary.stats.items()]:
        if fact.line in taken or name in _PLACED or not _FIGURE.fullmatch(fact.printed):
            continue
        claim = Claim(
            source=source.key,
            kind="derived",
            statement=name,
            printed=fact.printed,
            locator=f"line {fact.line}, {name}",
            value=float(fact.printed),
            unit="ns" if name.endswith("(ns)") else None,
            about={"workload": WORKLOAD, "setting": record.run.setting},
        )
        yield claimed(claim, source)
