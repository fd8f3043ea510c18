"""The summary that MLPerf's load generator writes about one inference run.

Only what it calls VALID counts. Which benchmark ran, on what, is in the folders around
the file and not in it. Figures without a metric of ours are claims.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.messages import Scalar, Status, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict
from benchdb.importing.tools.result import ABSENT, Origin, Result

_TITLE = "MLPerf Results Summary"
_WORKLOAD = "not stated"
_NANOSECONDS = 1e9  # a second
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
_LOAD_GENERATOR = re.compile(r'"loadgen_|"pid": \d+, "tid": \d+, "ts": \d+ns : ')
_SYSTEM = {"accelerator_model_name", "host_processor_model_name", "submitter"}
_PLACED = {"SUT name", "Scenario", "Mode", "Result is"}
_FIGURE = re.compile(r"\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")
_WHOLE = re.compile(r"-?\d{1,15}")


class _Fact(msgspec.Struct, frozen=True):
    """What stands behind a name, and on which line."""

    printed: str
    line: int


class _Summary(msgspec.Struct):
    """One summary. *doubled* names a fact that stands twice with two values.

    *notes* are the counts of warnings and errors at the end.
    """

    line: int
    result: dict[str, _Fact] = {}
    stats: dict[str, _Fact] = {}
    settings: dict[str, _Fact] = {}
    notes: list[str] = []
    doubled: str | None = None


def recognises(document: Document) -> bool:
    """Tell whether this is a summary, or a file of MLPerf that holds no results."""
    text = strict.glimpse_text(document)
    # The text is searched first: it is quicker, and the lines are a large list.
    if _TITLE in text and any(line.strip() == _TITLE for line in document.lines):
        return True
    return bool(text) and _without_results(document) is not None


def _without_results(document: Document) -> str | None:
    """Return what a file of MLPerf is that holds no result, and what to try."""
    if is_detailed_log(document.text):
        return (
            "the detailed log of MLPerf's load generator, without a result; import "
            "mlperf_log_summary.txt from the same folder"
        )
    holder = strict.glimpse(document)
    if not isinstance(holder, dict):
        return None
    if holder.keys() >= _SYSTEM:
        what = "the description of an MLPerf system, without results"
        return f"{what}; import the logs of its runs"
    if "json-schema.org" in str(holder.get("$schema")):  # of MLPerf Client
        return "a JSON schema: it says what results look like, and holds none"
    return None


def is_detailed_log(text: str) -> bool:
    """Tell whether this is what the load generator logs in detail."""
    return _LOAD_GENERATOR.search(text) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a run for each summary, and claims for what has no metric."""
    of = result.origin(document, about, "mlperf-inference")
    has_summary = False
    for summary in _summaries(document.lines):
        has_summary = True
        raw = "\n".join(document.lines[summary.line - 1 : summary.line + 20])
        at = f"line {summary.line}"
        item = result.attempt(of, partial(_result, summary), raw, at, line=summary.line)
        yield item
        if isinstance(item, Record) and item.end.status == "ok":
            yield from _claims(of, summary)
    if not has_summary:
        raise DocumentError(_without_results(document) or "no summary of MLPerf")


def _result(summary: _Summary) -> Result:
    if summary.doubled is not None:
        raise RefusedError(f"{summary.doubled!r} stands there twice with two values")
    status, reason = _outcome(summary)
    values = [_value(*figure, reason) for figure in _figures(summary)]
    if not values:
        raise RefusedError("no figure in the summary: it breaks off")
    facts = summary.result
    # Seeds beyond what JSON keeps exactly stay text.
    parameters: dict[str, Any] = {
        name: int(fact.printed) if _WHOLE.fullmatch(fact.printed) else fact.printed
        for name, fact in summary.settings.items()
    }
    if "SUT name" in facts:
        parameters["sut"] = facts["SUT name"].printed
    conditions: dict[str, Scalar] = {
        n: facts[n].printed for n in facts if n.endswith("satisfied")
    }
    if summary.notes:
        conditions["notes"] = "; ".join(summary.notes)
    absent = dict.fromkeys(("framework", "precision"), ABSENT)
    return Result(
        workload=_WORKLOAD,
        locator=f"line {summary.line}",
        setting=facts["Scenario"].printed,
        parameters=parameters,
        conditions=conditions,
        values=values,
        environment={"missing": {"framework": ABSENT}},
        status=status,
        reason=reason,
        missing={"workload": "the summary does not name its benchmark"} | absent,
    )


def _outcome(summary: _Summary) -> tuple[Status, str | None]:
    """Return whether the run counts, and why not."""
    run = summary.result
    if "Scenario" not in run or "Result is" not in run:
        absent = "Result is" if "Scenario" in run else "Scenario"
        raise RefusedError(f"no line {absent!r}: the summary breaks off")
    mode = run["Mode"].printed if "Mode" in run else "not stated"
    if mode.startswith("Accuracy"):
        return "not-measured", f"mode {mode[:40]}: nothing about speed counts"
    verdict = run["Result is"].printed
    if verdict == "VALID":
        return "ok", None
    if verdict != "INVALID":
        raise RefusedError(f"Result is {verdict[:40]!r}, neither VALID nor INVALID")
    unmet = [name for name, fact in run.items() if fact.printed.upper() == "NO"]
    return "failed", "; ".join(["INVALID", *(f"{name}: NO" for name in unmet)])


def _figures(summary: _Summary) -> Iterator[tuple[str, str, _Fact, float]]:
    """Yield metric, name, fact and unit divisor of what has a metric."""
    everything = {**summary.stats, **summary.result}
    for figures, facts, per in (
        (_RATES, summary.result, 1.0),
        (_LATENCIES, everything, _NANOSECONDS),
    ):
        for metric, names in figures.items():
            if name := next((name for name in names if name in facts), None):
                yield metric, name, facts[name], per


def _value(
    metric: str, name: str, fact: _Fact, per: float, reason: str | None
) -> Value:
    locator, raw = f"line {fact.line}, {name}", fact.printed
    if reason is not None:
        return result.no_value(metric, reason, raw, locator)
    number = float(raw) if _FIGURE.fullmatch(raw) else raw
    figure = strict.positive({name: number}, name) / per
    return Value(metric=metric, value=figure, printed=fact.printed, locator=locator)


def _claims(of: Origin, summary: _Summary) -> Iterator[Item]:
    taken = {fact.line for _, _, fact, _ in _figures(summary)}
    about = {
        "workload": f"{of.tool}/{_WORKLOAD}",
        "setting": summary.result["Scenario"].printed,
    }
    for name, fact in [*summary.result.items(), *summary.stats.items()]:
        if fact.line in taken or name in _PLACED or not _FIGURE.fullmatch(fact.printed):
            continue
        yield result.claim(
            of,
            name,
            fact.printed,
            f"line {fact.line}, {name}",
            unit="ns" if name.endswith("(ns)") else None,
            about=about,
        )


def _summaries(lines: Sequence[str]) -> Iterator[_Summary]:
    """Yield every summary of a document, in order."""
    current: _Summary | None = None
    facts: dict[str, _Fact] = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text == _TITLE:
            if current is not None:
                yield current
            current = _Summary(number)
            facts = current.result
        elif current is None:
            continue
        elif text == "Additional Stats":
            facts = current.stats
        elif text == "Test Parameters Used":
            facts = current.settings
        elif text.endswith("encountered. See detailed log.") or text.startswith("No "):
            current.notes.append(text)
        else:
            _add(current, facts, text, number)
    if current is not None:
        yield current


def _add(summary: _Summary, facts: dict[str, _Fact], text: str, line: int) -> None:
    """Add ``name : value``; advice in bullets and empty lines are no facts."""
    name, colon, value = text.partition(":")
    name, value = " ".join(name.split()), value.strip()
    if not colon or not value or name.startswith("*"):
        return
    if name in facts and facts[name].printed != value:
        summary.doubled = name
    facts.setdefault(name, _Fact(value, line))
