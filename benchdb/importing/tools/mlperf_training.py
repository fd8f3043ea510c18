"""The log of one MLPerf training run: time to train from ``run_start`` to ``run_stop``.

The log of one run is one run: that a result of MLPerf is the mean of several logs is
for those who compare. What is logged once, before or while it trains, is a parameter.
Its lines stand among any other output, in three spellings: since 0.7 ``:::MLLOG`` and
an object of JSON; in 0.6 ``:::MLL``, the seconds, the key and such an object; in 0.5
``:::MLPv0.5.0``, the benchmark, the seconds, a place in the program, the key and a
value of any kind.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.messages import Status, Value
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.mlperf_inference import is_detailed_log
from benchdb.importing.tools.result import Result
from benchdb.importing.tools.strict import Facts

_MARK = ":::ML"
_EVENT = re.compile(
    r':::(?:MLLOG\s*\{\s*"|MLL \d{1,12}\.\d{1,9} \w+: |MLPv0\.5\.\d \w+ \d)'
)
_ROUND_0_6 = re.compile(
    r":::MLL (?P<seconds>\d{1,12}\.\d{1,9}) (?P<key>\w{1,80}): (?P<fact>.*)"
)
_ROUND_0_5 = re.compile(
    r":::MLPv0\.5\.\d (?P<benchmark>\w{1,80}) (?P<seconds>\d{1,12}(?:\.\d{1,9})?) "
    r"\([^()]{0,500}\) (?P<key>\w{1,80})(?:: ?(?P<fact>.*))?"
)
_SEEDS = {"run_set_random_seed": "seed"}  # what 0.5 called it
_QUALITY = ("eval_accuracy", "eval_loss")  # what a run is trained up to
_PLACED = {
    *("submission_benchmark", "submission_org", "submission_platform", "seed"),
    *("cache_clear", "weights_initialization", "tracked_stats"),
    *("train_samples", "eval_samples", "train_checkpoint"),
    *("submission_poc_name", "submission_poc_email"),  # whom to ask: people
    *_QUALITY,
}
_ABSENT = "not in the log"
_SECOND = 1e3  # milliseconds
_SHOWN = 200  # characters of figures that are kept together


class _Event(msgspec.Struct, frozen=True):
    """One logged fact. *metadata* holds where in the program, and its circumstances."""

    key: str
    value: Any
    time_ms: Any
    kind: str
    line: int
    metadata: Facts = {}


_Log = Mapping[str, list[_Event]]


def recognises(document: Document) -> bool:
    """Tell whether this is the log of a training run, not only words about one."""
    log = strict.glimpse_text(document)
    return _EVENT.search(log) is not None and not is_detailed_log(log)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the run, and a ``BadLine`` for each line of the log that is damaged."""
    log: dict[str, list[_Event]] = {}
    for event in _events(document):
        if isinstance(event, BadLine):
            yield event
        else:
            log.setdefault(event.key, []).append(event)
    if not {"run_start", "run_stop", "submission_benchmark"} & log.keys():
        raise DocumentError("an MLPerf log without run_start: no training run")
    try:
        org = _stated(log, "submission_org")
    except RefusedError as why:
        yield building.bad(str(why), locator="run_start", raw=sorted(log))
        return
    if org is not None and not about.authors:
        about = msgspec.structs.replace(about, authors=(org,))
    of = result.origin(document, about, "mlperf-training")
    yield result.attempt(of, partial(_result, log), sorted(log), "run_start")


def _events(document: Document) -> Iterator[_Event | BadLine]:
    """Yield the events in the order logged; a damaged one is a ``BadLine``."""
    for number, line in enumerate(document.lines, start=1):
        at = line.find(_MARK)
        fact = line[at:] if at >= 0 else ""
        try:
            if fact.startswith(":::MLLOG"):
                fact = fact.removeprefix(":::MLLOG")
                yield _event(strict.parsed(fact), number)
            elif match := _ROUND_0_6.match(fact):
                fact = match["fact"]
                yield _of_round_0_6(match, number)
            elif match := _ROUND_0_5.match(fact):
                yield from _of_round_0_5(match, number)
            elif fact.startswith((":::MLL ", ":::MLPv0.5.")):
                yield building.bad("a log line breaks off", line=number, raw=fact)
        except DocumentError as why:
            broken = f"a log line cannot be read: {why}"
            yield building.bad(broken, line=number, raw=fact)
        except RefusedError as why:
            yield building.bad(str(why), line=number, raw=fact)


def _event(fact: Any, line: int, **changed: Any) -> _Event:
    """Return what an object of JSON says, with *changed* beside it."""
    facts = fact | changed if isinstance(fact, dict) else {}
    if not isinstance(facts.get("key"), str):
        raise RefusedError("a log line without a key")
    metadata = facts.get("metadata")
    return _Event(
        key=facts["key"],
        value=facts.get("value"),
        time_ms=facts.get("time_ms"),
        kind=str(facts.get("event_type")),
        metadata=metadata if isinstance(metadata, dict) else {},
        line=line,
    )


def _of_round_0_6(match: re.Match[str], line: int) -> _Event:
    """Return an event; some programs quoted like Python inside its object."""
    try:
        fact = strict.parsed(match["fact"])
    except DocumentError:
        if "'" not in match["fact"]:
            raise
        fact = strict.parsed(match["fact"].replace("'", '"'))
    if not isinstance(fact, dict):
        raise DocumentError("no object")
    time, kind = _milliseconds_of(match["seconds"]), _kind(fact.get("value"))
    return _event(fact, line, key=match["key"], time_ms=time, event_type=kind)


def _of_round_0_5(match: re.Match[str], line: int) -> Iterator[_Event]:
    benchmark, key, printed = match["benchmark"], match["key"], match["fact"] or ""
    time, metadata = _milliseconds_of(match["seconds"]), {}
    try:
        fact = strict.parsed(printed.strip()) if printed.strip() else None
    except DocumentError:
        fact = printed.strip()  # as it stands, where it is no JSON
    if key == "run_start":
        yield _Event("submission_benchmark", benchmark, time, _kind(benchmark), line)
    if key == "run_stop" and isinstance(fact, dict) and "success" in fact:
        reached = str(fact["success"]).lower() == "true"
        metadata["status"] = "success" if reached else "no success"
        fact = None
    if isinstance(fact, dict) and "value" in fact:
        fact = fact["value"]
    yield _Event(_SEEDS.get(key, key), fact, time, _kind(fact), line, metadata)


def _kind(fact: Any) -> str:
    """Return what newer logs say themselves: whether a fact is told, or time passes."""
    return "INTERVAL" if fact is None else "POINT_IN_TIME"


def _milliseconds_of(seconds: str) -> int | float:
    exact = Decimal(seconds) * 1000
    return int(exact) if exact == int(exact) else float(exact)


def _result(log: _Log) -> Result:
    benchmark = _stated(log, "submission_benchmark")
    if benchmark is None:
        raise RefusedError("no submission_benchmark: what was trained is not told")
    begun, ended = _once(log, "run_start"), _once(log, "run_stop")
    if begun is None:
        raise RefusedError("no run_start: it is not told when training began")
    status, reason, basis = _outcome(log, ended)
    stated = {
        key: events[0].value
        for key, events in log.items()
        if events[0].kind == "POINT_IN_TIME"
        # Every process of a run may log a setting.
        and all(event.value == events[0].value for event in events)
    }
    parameters = texts.others(stated, _PLACED)
    logged = [event.value for event in log.get("seed", ())]
    # Neither a truth value, nor beyond what JSON keeps exactly.
    seeds = {one for one in logged if type(one) is int and 0 <= one < 2**53}
    if len(seeds) > 1:
        parameters["seeds"] = sorted(seeds)
    label = _stated(log, "submission_platform")
    if label is not None and label.endswith("SUBMISSION_PLATFORM_PLACEHOLDER"):
        label = None  # a template that nobody filled in
    return Result(
        workload=benchmark,
        locator=f"line {begun.line}",
        parameters=parameters,
        seed=seeds.pop() if len(seeds) == 1 else None,
        started=_moment(begun),
        ended=_moment(ended) if ended else None,
        label="imported",
        values=[_time(begun, ended, reason), *_quality(log)],
        machine=building.unknown_machine(label=label),
        environment={"missing": {"framework": _ABSENT}},
        status=status,
        reason=reason,
        basis=basis,
        missing=dict.fromkeys(("framework", "device", "precision"), _ABSENT),
    )


def _outcome(
    log: _Log, ended: _Event | None
) -> tuple[Status, str | None, dict[str, str]]:
    """Return whether the run counts, why not, and how that is known."""
    if ended is None:
        return "interrupted", "no run_stop: the log ends before the run does", {}
    status = ended.metadata.get("status")
    if status == "success":
        return "ok", None, {}
    if "status" not in ended.metadata and _reached(log):
        basis = "the last eval_accuracy is not below eval_target"
        return "ok", None, {"status": basis}
    return "failed", f"run_stop says {str(status)[:40]!r}, not success", {}


def _reached(log: _Log) -> bool:
    """Tell whether a run got to its target: round 0.5 need not judge its end."""
    figures = [log[n][-1].value for n in ("eval_accuracy", "eval_target") if n in log]
    are_numbers = all(
        isinstance(figure, int | float) and not isinstance(figure, bool)
        for figure in figures
    )
    return are_numbers and len(figures) == 2 and bool(figures[0] >= figures[1])


def _time(begun: _Event, ended: _Event | None, reason: str | None) -> Value:
    metric = "time_to_train_seconds"
    if ended is None or reason is not None:
        return Value(metric=metric, reason=reason or "")
    # The oldest logs have fractions of milliseconds, which floats keep to microseconds.
    seconds = round((_milliseconds(ended) - _milliseconds(begun)) / _SECOND, 6)
    if seconds <= 0:
        raise RefusedError(f"run_stop is {-seconds} s before run_start")
    return Value(
        metric=metric,
        value=seconds,
        locator=f"line {begun.line} and line {ended.line}, time_ms",
        derived="run_stop - run_start",
    )


def _quality(log: _Log) -> Iterator[Value]:
    """Yield the last figure that says how well it is trained; its unit is not told."""
    key = next((name for name in _QUALITY if name in log), None)
    if key is not None:
        last = log[key][-1]
        at = f"line {last.line}, {key}"
        if isinstance(last.value, list | dict):
            several, printed = f"{key} is several figures", str(texts.plain(last.value))
            yield result.no_value("reported_value", several, printed[:_SHOWN], at)
        else:
            yield result.value("reported_value", last.value, at)


def _stated(log: _Log, key: str) -> str | None:
    values = {strict.text({key: event.value}, key) for event in log.get(key, ())} - {
        None
    }
    if len(values) > 1:
        raise RefusedError(f"{key} has {len(values)} values: the logs of several runs?")
    return values.pop() if values else None


def _once(log: _Log, key: str) -> _Event | None:
    """Return the event; a logger that repeats a line says nothing new."""
    events = log.get(key, [])
    if len({(str(e.time_ms), str(e.metadata.get("status"))) for e in events}) > 1:
        lines = ", ".join(str(event.line) for event in events[:5])
        raise RefusedError(f"{key} stands on lines {lines}: the logs of several runs?")
    return events[0] if events else None


def _milliseconds(event: _Event) -> float:
    return strict.size({"time_ms": event.time_ms}, "time_ms")


def _moment(event: _Event) -> str:
    return building.epoch_date(_milliseconds(event) / _SECOND)
