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
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.result import ABSENT, Origin, Result

_TITLE = "MLPerf Results Summary"
_HEAD = re.compile(rf"^[ \t]*+{_TITLE}[ \t]*$", re.MULTILINE)
_PARTS = ("Additional Stats", "Test Parameters Used")
_WORKLOAD = "not stated"
# By metric: its names. One of the result, which is the scenario's own, goes before one
# of the statistics.
_METRICS = {
    "operations_per_second": (
        *("Samples per second", "Completed samples per second"),
        "Scheduled samples per second",
    ),
    "tokens_per_second": ("Tokens per second", "Completed tokens per second"),
    "latency_mean_seconds": ("Mean latency (ns)",),
    "latency_median_seconds": ("50.00 percentile latency (ns)",),
    "latency_p90_seconds": ("90.00 percentile latency (ns)",),
    "latency_p99_seconds": ("99.00 percentile latency (ns)",),
    "time_to_first_token_seconds": ("Mean First Token latency (ns)",),
}
_NANOSECONDS = 1e9  # a second
# What a file of MLPerf is that holds no result, by what stands in it.
_NO_RESULTS = {
    r'"loadgen_|"pid": \d+, "tid": \d+, "ts": \d+ns : ': "the detailed log of MLPerf's "
    "load generator, without a result; import mlperf_log_summary.txt from the same "
    "folder",
    r'\A\s*+\{[^{}]*"accelerator_model_name"': "the description of an MLPerf system, "
    "without results; import the logs of its runs",
    r'\A\s*+\{[^{}]*"\$schema": *"https?://json-schema\.org': "a JSON schema: it says "
    "what results look like, and holds none",  # of MLPerf Client
}
_FIGURE = re.compile(r"\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")
_WHOLE = re.compile(r"-?\d{1,15}")


class _Fact(msgspec.Struct, frozen=True):
    """What stands behind a name, and on which line."""

    printed: str
    line: int


_Facts = dict[str, _Fact]


class _Summary(msgspec.Struct):
    """One summary. *notes* are the counts of warnings and errors at the end."""

    line: int
    result: _Facts = {}
    stats: _Facts = {}
    settings: _Facts = {}
    notes: list[str] = []


def recognises(document: Document) -> bool:
    """Tell whether this is a summary, or a file of MLPerf that holds no results."""
    text = facts.glimpse_text(document)
    return bool(_HEAD.search(text)) or _without_results(text) is not None


def _without_results(text: str) -> str | None:
    return next(
        (why for mark, why in _NO_RESULTS.items() if re.search(mark, text)), None
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a run for each summary, and claims for what has no metric."""
    of = result.origin(document, about, "mlperf-inference")
    summaries = list(_summaries(document.lines))
    for summary in summaries:
        raw = "\n".join(document.lines[summary.line - 1 : summary.line + 20])
        at = f"line {summary.line}"
        item = result.attempt(of, partial(_result, summary), raw, at, line=summary.line)
        yield item
        if isinstance(item, Record) and item.end.status == "ok":
            yield from _claims(of, summary)
    if not summaries:
        raise DocumentError(_without_results(document.text) or "no summary of MLPerf")


def _result(summary: _Summary) -> Result:
    status, reason = _outcome(summary.result)
    values = [_value(*figure, reason) for figure in _figures(summary)]
    if not values:
        raise RefusedError("no figure in the summary: it breaks off")
    run = summary.result
    # Seeds beyond what JSON keeps exactly stay text.
    parameters: dict[str, Any] = {
        name: int(fact.printed) if _WHOLE.fullmatch(fact.printed) else fact.printed
        for name, fact in summary.settings.items()
    }
    if "SUT name" in run:
        parameters["sut"] = run["SUT name"].printed
    conditions: dict[str, Scalar] = {
        name: run[name].printed for name in run if name.endswith("satisfied")
    }
    if summary.notes:
        conditions["notes"] = "; ".join(summary.notes)
    absent = dict.fromkeys(("framework", "precision"), ABSENT)
    return Result(
        name=_WORKLOAD,
        locator=f"line {summary.line}",
        setting=run["Scenario"].printed,
        parameters=parameters,
        conditions=conditions,
        values=values,
        environment={"missing": {"framework": ABSENT}},
        status=status,
        reason=reason,
        missing={"workload": "the summary does not name its benchmark"} | absent,
    )


def _outcome(run: _Facts) -> tuple[Status, str | None]:
    """Return whether the run counts, and why not."""
    if absent := [name for name in ("Scenario", "Result is") if name not in run]:
        raise RefusedError(f"no line {absent[0]!r}: the summary breaks off")
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


def _figures(summary: _Summary) -> Iterator[tuple[str, str, _Fact]]:
    """Yield metric, name and fact of what has a metric."""
    for metric, names in _METRICS.items():
        for part in (summary.result, summary.stats):
            if name := next((name for name in names if name in part), None):
                yield metric, name, part[name]
                break


def _value(metric: str, name: str, fact: _Fact, reason: str | None) -> Value:
    locator, raw = f"line {fact.line}, {name}", fact.printed
    if reason is not None:
        return result.no_value(metric, reason, raw, locator)
    per = _NANOSECONDS if name.endswith("(ns)") else 1
    figure = facts.positive({name: raw}, name) / per
    return Value(metric=metric, value=figure, printed=raw, locator=locator)


def _claims(of: Origin, summary: _Summary) -> Iterator[Item]:
    taken = {fact.line for _, _, fact in _figures(summary)}
    setting = summary.result["Scenario"].printed
    about = {"workload": f"{of.tool}/{_WORKLOAD}", "setting": setting}
    for name, fact in [*summary.result.items(), *summary.stats.items()]:
        if fact.line not in taken and _FIGURE.fullmatch(fact.printed):
            at, unit = f"line {fact.line}, {name}", "ns" if "(ns)" in name else None
            yield result.claim(of, name, fact.printed, at, unit=unit, about=about)


def _summaries(lines: Sequence[str]) -> Iterator[_Summary]:
    """Yield every summary of a document, in order."""
    current: _Summary | None = None
    part: _Facts = {}
    for number, line in enumerate(lines, start=1):
        text = " ".join(line.split())
        name, colon, printed = (piece.strip() for piece in text.partition(":"))
        if text == _TITLE:
            if current is not None:
                yield current
            current = _Summary(number)
            part = current.result
        elif current is None:
            continue
        elif text in _PARTS:
            part = current.stats if text == _PARTS[0] else current.settings
        elif text.endswith("encountered. See detailed log.") or text.startswith("No "):
            current.notes.append(text)
        elif colon and printed and not name.startswith("*"):  # no advice in bullets
            part.setdefault(name, _Fact(printed, number))
    if current is not None:
        yield current
